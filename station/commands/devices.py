"""`station devices`, `station emulate`, `station keys`: what is at the ends of cables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from station.address_option import ADDRESS
from station.commands.options import as_json, print_json
from station.errors import StationError
from station.shipped import scene_path

VENDORS = {"ur": "ur5e", "dynamixel": "hobby-arm"}  # arms by what they speak, and a shipped robot that fits
ALSO_CALLED = {"robotiq": "gripper"}  # what else people call an emulator
ARM_OPTIONS = ("robot", "faults", "seed", "delay", "jitter", "loss", "world", "settings", "tracker")
OPTIONS_OF = {  # what each emulator takes, besides --seconds
    "arm": ("file", "link", *ARM_OPTIONS),
    **dict.fromkeys(VENDORS, ("file", *ARM_OPTIONS)),
    "gripper": (),
    "syntaxer": ("hand", "faults", "seed", "rate", "wrong"),
}
OPTIONS_OF_OTHERS = ("hand", "faults", "seed")


@click.command()
@click.argument("url", required=False, type=ADDRESS)
@click.option("--seconds", default=3.0, type=click.FloatRange(0.0, 86400.0), help="How long to watch URL.")
@as_json
def devices(url: str | None, seconds: float, as_json: bool) -> None:
    """List devices, real and emulated; with URL open one, show what it can do, and watch it without force."""
    from station import device_commands as commands

    if url is None:
        found, troubles = commands.found_devices()
        print_json(commands.found_data(found, troubles)) if as_json else click.echo(
            commands.found_text(found, troubles)
        )
        return
    with commands.open_device(url) as device:
        if as_json:
            count = commands.watch(device, seconds, lambda _: None)
            print_json({"url": url, **commands.capabilities_data(device.capabilities), "samples": count})
            return
        click.echo(commands.capabilities_text(device.capabilities))
        count = commands.watch(device, seconds, click.echo)
        click.echo(f"{count} samples in {seconds:g} s")


@click.command()
@click.argument("kind")
@click.argument("file", required=False)
@click.option("--hand", default="default", help="Script of the hand that holds it, @FILE with one, default or none.")
@click.option(
    "--faults", default="", metavar="SCRIPT", help="What goes wrong and when, or @FILE; see docs/emulators.md."
)
@click.option("--seed", default=0, help="The same seed gives the same noise.")
@click.option("--rate", default=1000.0, type=click.FloatRange(250.0, 4000.0), help="Samples per second it can give.")
@click.option("--wrong", type=int, metavar="SEED", help="Syntaxer: it is not quite what its handshake says.")
@click.option(
    "--link",
    metavar="URL",
    type=ADDRESS,
    help="Arm: tcp://127.0.0.1:5555, serial:, modbus://…, dynamixel or ur to serve at.",
)
@click.option("--robot", help="Arm: robot of FILE, if it has several.")
@click.option("--delay", default=0.0, help="Arm: delay of the network, each way [s].")
@click.option("--jitter", default=0.0, help="Arm: random delay on top [s].")
@click.option("--loss", default=0.0, help="Arm: chance of a message to be lost.")
@click.option("--world", default="", metavar="FILE", help="Arm: obstacles around it besides those of its scene.")
@click.option("--settings", default="", metavar="TEXT", help="Arm: name=value by commas; see docs/emulated_arm.md.")
@click.option("--tracker", default="", metavar="FRAME", help="Arm: a laser tracker beside it sees this frame.")
@click.option("--seconds", default=float("inf"), help="End after so long.")
@click.pass_context
def emulate(context: click.Context, /, kind: str, file: str | None, seconds: float, **options: Any) -> None:
    """Run the emulator KIND, print its address. End: Ctrl-C.

    KIND is a device (syntaxer, falcon, spacemouse, magellan, spaceball, mouse3d), gripper (robotiq), arm with FILE.mad,
    or ur or dynamixel: an arm at that link, of FILE.mad or a shipped robot.
    """
    kind = ALSO_CALLED.get(kind, kind)
    _refuse_what_is_for_others(context, kind)
    if kind in VENDORS:
        kind, file, options["link"] = "arm", file or VENDORS[kind], kind

    def announce(addresses: str) -> None:
        address, _, tracker = addresses.partition(" ")
        look = f"station run {file} --controller '{address}'" if kind == "arm" else f"station devices '{address}'"
        how = "see docs/vendor_buses.md" if kind == "gripper" else f"try it with: {look}"
        click.echo(address)
        if tracker:
            click.echo(f"tracker {tracker}")
        click.echo(f"emulated {kind}; {how}; end with Ctrl-C", err=True)

    if kind == "arm":
        from sim_devices.arm_links.process import LOOPBACK, ArmWishes, serve_together
        from sim_devices.arm_links.process import serve as serve_arm
        from sim_devices.arm_links.wishes import addresses_in

        if file is None:
            raise click.UsageError("an arm needs the file of its scene, for example: station emulate arm ur5e")
        chosen = {name: options[name] for name in ARM_OPTIONS}
        arm = ArmWishes(scene=str(scene_path(file)), link=options["link"] or LOOPBACK, **chosen)
        robots = _tied(arm.scene) if arm.robot is None else ()
        if len(robots) < 2:
            serve_arm(arm, announce, seconds)
            return
        together = [arm._replace(robot=name) for name in robots]
        serve_together(together, lambda told: _announce_arms(robots, addresses_in(told), file), seconds)
        return
    if kind == "gripper":
        from sim_devices.robotiq.process import serve as serve_gripper

        serve_gripper(announce, seconds)
        return
    from sim_devices.kinds import Wishes
    from sim_devices.process import serve

    wishes = Wishes(**{name: options[name] for name in ("hand", "faults", "seed", "rate", "wrong")})
    serve(kind, wishes, announce, seconds, False)


def _tied(file: str) -> tuple[str, ...]:
    """The first robot of a scene and those that are tied to it: none of them moves without the others."""
    from sim_devices.arm.together import tied_groups
    from station import mad

    scene = mad.load(file)
    return next((names for names in tied_groups(scene)), ())


def _announce_arms(robots: Sequence[str], addresses: Sequence[str], file: str) -> None:
    """Where each of several arms is, and how all of them are led."""
    arms = [(robot, *told.partition(" ")[::2]) for robot, told in zip(robots, addresses, strict=True)]
    for robot, address, tracker in arms:
        click.echo(f"{robot} {address}")
        if tracker:
            click.echo(f"{robot} tracker {tracker}")
    look = " ".join(f"--controller '{robot}={address}'" for robot, address, _ in arms)
    click.echo(f"emulated arms in one physics; try them with: station run {file} {look}; end with Ctrl-C", err=True)


def _refuse_what_is_for_others(context: click.Context, kind: str) -> None:
    """An option that this emulator does not know must not pass unnoticed."""
    devices = _emulated_devices()
    if kind not in (*OPTIONS_OF, *devices):
        names = ", ".join(dict.fromkeys((*devices, *OPTIONS_OF, *ALSO_CALLED)))
        raise StationError(f"there is no emulator {kind!r}; there are: {names}")
    known = OPTIONS_OF.get(kind, OPTIONS_OF_OTHERS)
    for parameter in context.command.params:
        name = str(parameter.name)
        given = (
            context.get_parameter_source(name) is ParameterSource.COMMANDLINE and context.params.get(name) is not None
        )
        if not given or name in (*known, "kind", "seconds"):
            continue
        takes = ", ".join(f"--{one}" for one in (*known, "seconds") if one != "file")
        what = "FILE" if name == "file" else f"--{name}"
        raise click.UsageError(f"{what} is not for the emulator {kind!r}; it takes {takes}", context)


def _emulated_devices() -> tuple[str, ...]:
    from sim_devices.kinds import SERIAL
    from sim_devices.usb_kinds import USB

    return (*SERIAL, *USB)


@click.command()
@click.argument("name")
@click.option("--folder", type=click.Path(path_type=Path), help="Where the files go; else the keys of this user.")
@click.option("--replace", is_flag=True, help="Make new ones although there are some.")
def keys(name: str, folder: Path | None, replace: bool) -> None:
    """Make a pair of key files for links to other machines: one stays here, the other goes to the other side."""
    from station.keys import make_keys

    made = make_keys(name, folder, replace)
    click.echo(f"secret: {made.secret}\npublic: {made.public}")
