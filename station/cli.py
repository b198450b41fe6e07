"""The `station` command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

import robots
from station.errors import MadError, MadFileError, Problem, StationError
from station.shipped import scene_path
from station.version import __version__

TOUR = """\
Haptic teleoperation station {version}: drive a robot by hand and feel what it feels.

One text file (MAD) describes the bench: robots, loops, devices, controllers.

  station                               the default bench, everything emulated; end with Ctrl-C
  station run my_robot.mad --device serial:/dev/ttyACM0      the same with your robot and device
  station view macdac                   see it; --png out.png for a picture
  station check macdac                  look at a robot that comes with the station
  station check my_robot.mad            check your own file; --json for programs
  station convert arm.urdf arm.mad      start from a URDF
  station fk ur5e --frame flange        where a frame is
  station ik ur5e --frame flange --to -400,-200,500      joint values for a place
  station devices                       what is plugged in, what is emulated
  station devices sim:syntaxer          watch the emulated haptic device in a scripted hand
  station emulate arm ur5e              an emulated arm; station run ur5e --controller ADDRESS leads it
  station park ur5e --controller ADDRESS    move the arm to a posture, where it holds by itself
  station doctor                        is this machine fit for real time
  station bench shaping                 figures for this machine, beside peers
  station --help                        all commands

Robots that come with it: {robots}
The language is described in docs/mad.md.
"""

LONG_FILE = 300_000  # bytes
METHODS = ("coupling-only", "observer-controller", "energy-bounding")
LINK_METHODS = ("direct", "passivity", "waves")
ARCHITECTURES = ("position-force", "position-position", "four-channel")

as_json = click.option("--json", "as_json", is_flag=True, help="Print data for programs.")
package_path = click.option(
    "--package-path",
    metavar="DIR",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Where the package:// names of a URDF are; may be repeated.",
)


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="station %(version)s")
@click.pass_context
def station(context: click.Context) -> None:
    """Haptic teleoperation station: drive a robot by hand and feel what it feels.

    Without a command it runs the default bench: an emulated syntaxer in a scripted hand leads an emulated arm.
    """
    if context.invoked_subcommand is None:
        context.invoke(run)


@station.command()
@click.argument("file")
@as_json
@package_path
def check(file: str, as_json: bool, package_path: tuple[Path, ...]) -> None:
    """Check FILE (.mad, .urdf, or the name of a shipped robot): joints, tree, loops, limits, devices, problems."""
    from station.check import compile_reports, describe, problem_data, report
    from station.mad import load

    try:
        path = scene_path(file)
        _announce(path)
        scene = load(path, package_path)
    except MadError as error:
        if not as_json:
            raise
        _print_json({"ok": False, "file": file, "problems": [problem_data(problem) for problem in error.problems]})
        raise click.exceptions.Exit(2) from None
    reports = compile_reports(scene)
    if as_json:
        _print_json({"ok": True, **report(scene, reports)})
        return
    click.echo(describe(scene, reports))
    for warning in scene.warnings:
        click.echo(str(warning), err=True)


@station.command()
@click.argument("source", metavar="IN.urdf", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT.mad", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite OUT.mad.")
@package_path
def convert(source: Path, target: Path, force: bool, package_path: tuple[Path, ...]) -> None:
    """Convert a URDF into a MAD file."""
    from station.mad.files import read_text, save
    from station.mad.urdf import scene_from_urdf

    if source.suffix.lower() == ".mad":
        raise MadError([Problem(str(source), 0, 0, "is a MAD file already; convert reads URDF")])
    if target.exists() and not force:  # said before the work; `save` makes sure again
        raise MadFileError([Problem(str(target), 0, 0, "exists already; overwrite it with --force")])
    _announce(source)
    scene = scene_from_urdf(read_text(source), str(source), package_path, mesh_folder=target.parent)
    save(scene, target, overwrite=force)
    for warning in scene.warnings:
        click.echo(str(warning), err=True)
    robot = scene.robots[0]
    click.echo(f"{target}: robot {robot.name}, {len(robot.links)} joints; look at it with: station check {target}")


@station.command()
@click.argument("file")
@click.option("--frame", help="Link or frame, by id or name; all if not given.")
@click.option("--robot", help="Robot, if the scene has several.")
@click.option(
    "--joints", metavar="V,V,…", help="Joint values in the order of the file, ° and mm; the file's if not given."
)
@as_json
def fk(file: str, frame: str | None, robot: str | None, joints: str | None, as_json: bool) -> None:
    """Forward kinematics of FILE: where links and frames are."""
    from station.kinematics import forward
    from station.mechanism.warm import announce_if_cold

    announce_if_cold()
    answer = forward(scene_path(file), robot, frame, joints)
    _print_json(answer.data) if as_json else click.echo(answer.text)


@station.command()
@click.argument("file")
@click.option("--frame", required=True, help="Link or frame, by id or name.")
@click.option(
    "--to", "target", required=True, metavar="X,Y,Z[,A,B,C]", help="Target: mm and °; without angles a position."
)
@click.option("--robot", help="Robot, if the scene has several.")
@click.option("--joints", metavar="V,V,…", help="Joint values to start from.")
@click.option("--method", default="station", help="station, or one of the books: pinv, dls, transpose, ccd, fabrik.")
@as_json
def ik(file: str, frame: str, target: str, robot: str | None, joints: str | None, method: str, as_json: bool) -> None:
    """Inverse kinematics of FILE: joint values that bring a frame to a place, or as near as it gets (exit code 1)."""
    from station.kinematics import inverse
    from station.mechanism.warm import announce_if_cold

    announce_if_cold()
    answer = inverse(scene_path(file), robot, frame, target, joints, method)
    _print_json(answer.data) if as_json else click.echo(answer.text)
    if not answer.reached:
        raise click.exceptions.Exit(1)


@station.command()
@click.argument("url", required=False)
@click.option("--seconds", default=3.0, type=click.FloatRange(0.0, 86400.0), help="How long to watch URL.")
@as_json
def devices(url: str | None, seconds: float, as_json: bool) -> None:
    """List devices, real and emulated; with URL open one, show what it can do, and watch it without force."""
    from station import device_commands as commands

    if url is None:
        found, troubles = commands.found_devices()
        _print_json(commands.found_data(found, troubles)) if as_json else click.echo(
            commands.found_text(found, troubles)
        )
        return
    with commands.open_device(url) as device:
        if as_json:
            count = commands.watch(device, seconds, lambda _: None)
            _print_json({"url": url, **commands.capabilities_data(device.capabilities), "samples": count})
            return
        click.echo(commands.capabilities_text(device.capabilities))
        count = commands.watch(device, seconds, click.echo)
        click.echo(f"{count} samples in {seconds:g} s")


ARM_OPTIONS = ("robot", "faults", "seed", "delay", "jitter", "loss", "world", "settings", "tracker")


@station.command()
@click.argument("kind")
@click.argument("file", required=False)
@click.option("--hand", default="default", help="Script of the hand that holds it, @FILE with one, default or none.")
@click.option(
    "--faults", default="", metavar="SCRIPT", help="What goes wrong and when, or @FILE; see docs/emulators.md."
)
@click.option("--seed", default=0, help="The same seed gives the same noise.")
@click.option("--rate", default=1000.0, type=click.FloatRange(250.0, 4000.0), help="Samples per second it can give.")
@click.option(
    "--link", metavar="URL", help="Arm: tcp://127.0.0.1:5555, serial:, modbus://…, dynamixel or ur to serve at."
)
@click.option("--robot", help="Arm: robot of FILE, if it has several.")
@click.option("--delay", default=0.0, help="Arm: delay of the network, each way [s].")
@click.option("--jitter", default=0.0, help="Arm: random delay on top [s].")
@click.option("--loss", default=0.0, help="Arm: chance of a message to be lost.")
@click.option("--world", default="", metavar="FILE", help="Arm: obstacles around it besides those of its scene.")
@click.option("--settings", default="", metavar="TEXT", help="Arm: name=value by commas; see docs/emulated_arm.md.")
@click.option("--tracker", default="", metavar="FRAME", help="Arm: a laser tracker beside it sees this frame.")
@click.option("--seconds", default=float("inf"), help="End after so long.")
def emulate(kind: str, file: str | None, seconds: float, **options: Any) -> None:
    """Run the emulator KIND (syntaxer, falcon, …, gripper, or arm with FILE.mad), print its address. End: Ctrl-C."""

    def announce(addresses: str) -> None:
        address, _, tracker = addresses.partition(" ")
        look = f"station run {file} --controller '{address}'" if kind == "arm" else f"station devices '{address}'"
        how = "see docs/vendor_buses.md" if kind == "gripper" else f"try it with: {look}"
        click.echo(address)
        if tracker:
            click.echo(f"tracker {tracker}")
        click.echo(f"emulated {kind}; {how}; end with Ctrl-C", err=True)

    if kind == "arm":
        from sim_devices.arm_links.process import LOOPBACK, ArmWishes
        from sim_devices.arm_links.process import serve as serve_arm

        if file is None:
            raise click.UsageError("an arm needs the file of its scene, for example: station emulate arm ur5e")
        chosen = {name: options[name] for name in ARM_OPTIONS}
        serve_arm(ArmWishes(scene=str(scene_path(file)), link=options["link"] or LOOPBACK, **chosen), announce, seconds)
        return
    if kind == "gripper":
        from sim_devices.robotiq.process import serve as serve_gripper

        serve_gripper(announce, seconds)
        return
    from sim_devices.kinds import Wishes
    from sim_devices.process import serve

    wishes = Wishes(**{name: options[name] for name in ("hand", "faults", "seed", "rate")})
    serve(kind, wishes, announce, seconds, False)


@station.command()
@click.argument("name")
@click.option("--folder", type=click.Path(path_type=Path), help="Where the files go; else the keys of this user.")
@click.option("--replace", is_flag=True, help="Make new ones although there are some.")
def keys(name: str, folder: Path | None, replace: bool) -> None:
    """Make a pair of key files for links to other machines: one stays here, the other goes to the other side."""
    from station.keys import make_keys

    made = make_keys(name, folder, replace)
    click.echo(f"secret: {made.secret}\npublic: {made.public}")


@station.command()
@click.argument("file", required=False)
@click.option("--device", metavar="URL", help="Device in the hand; else that of the file, else the emulated syntaxer.")
@click.option("--controller", metavar="URL", help="The arm's side, for example sim:arm, tcp://10.0.0.7:5555, or none.")
@click.option(
    "--gripper", metavar="URL", help="Such as robotiq:/dev/ttyUSB0 or sim:gripper; none; else as the file says."
)
@click.option("--wait", default=0.0, metavar="S", help="How long to wait for a controller that is not there yet.")
@click.option("--rate", default=1000.0, metavar="HZ", help="Ticks per second.")
@click.option("--seconds", type=float, metavar="S", help="End after so long; without a terminal 10 s.")
@click.option("--headless", is_flag=True, help="Without a window; --json has none either.")
@click.option("--share", metavar="URL", help="Let others watch: tcp://host:port, beyond this machine with keys.")
@click.option("--robot", help="Robot, if the scene has several.")
@click.option("--frame", help="Link or frame that follows the hand; else as the file says.")
@click.option("--posture", help="Named joint values to start from.")
@click.option("--method", type=click.Choice(METHODS), help="How the forces are kept stable.")
@click.option("--bilateral", type=click.Choice(LINK_METHODS), help="How contact at the arm is reflected to the hand.")
@click.option("--architecture", type=click.Choice(ARCHITECTURES), help="What is reflected; else the measured force.")
@click.option("--spin", default=0.0, metavar="µS", help="Watch the clock for so long before a tick: sharper, but busy.")
@click.option("--priority", default=80, help="Of real-time scheduling, 1 to 99; 0: ordinary.")
@click.option("--core", default=-1, help="The only processor for the servo; -1: any.")
@click.option("--report", type=click.Path(path_type=Path), help="Where the report goes, .html or .png.")
@click.option("--no-report", is_flag=True, help="Write none.")
@click.option("--record", metavar="OUT.mcap", type=click.Path(path_type=Path), help="Record everything at full rate.")
@click.option("--force", is_flag=True, help="Write over an old recording.")
@as_json
def run(file: str | None, as_json: bool, **options: Any) -> None:
    """Teleoperate the robot of FILE (.mad, .urdf, or the name of a shipped robot); without one the default bench.

    End: Ctrl-C.
    """
    from station.bench import load
    from station.run.gripping import gripper_of
    from station.run.options import job_of, seconds_of
    from station.run.places import DEFAULT_BENCH
    from station.run.session import RunFailedError, Showing, run_session
    from station.servo.rig import robot_of

    job = job_of(str(scene_path(file) if file else DEFAULT_BENCH), options)
    showing = Showing(
        as_json=as_json,
        gripper=gripper_of(robot_of(load(job.file), job.wanted.robot), options["gripper"]),
        **{name: options[name] for name in ("report", "no_report", "record", "force", "headless", "share")},
    )
    try:
        run_session(job, seconds_of(options["seconds"]), showing)
    except RunFailedError as error:
        click.echo(str(error), err=True)
        raise click.exceptions.Exit(1) from None


@station.command()
@click.argument("file", required=False)
@click.option("--controller", metavar="URL", help="The arm; else the emulated one that runs here.")
@click.option("--posture", help="Named joint values of the file; else park, else home.")
@click.option("--speed", default=0.25, metavar="SHARE", type=click.FloatRange(0.01, 1.0), help="Of the arm's limits.")
@click.option("--robot", help="Robot, if the scene has several.")
@click.option("--wait", default=0.0, metavar="S", help="How long to wait for a controller that is not there yet.")
def park(
    file: str | None, controller: str | None, posture: str | None, speed: float, robot: str | None, wait: float
) -> None:
    """Move the arm of FILE (else of the default bench) to a posture, then let it hold by itself. Ctrl-C stops it."""
    from rich.console import Console

    from station.bench import load
    from station.controllers import open_controller, scene_joints
    from station.run.park import park as move
    from station.run.parking_way import arm_at, destination_of
    from station.run.places import DEFAULT_BENCH
    from station.servo.rig import robot_of

    scene = load(scene_path(file) if file else DEFAULT_BENCH)
    chosen = robot_of(scene, robot)
    mechanism = scene[chosen.name]
    destination = destination_of(chosen, mechanism, posture)
    joints, url = scene_joints(mechanism.joints), arm_at(controller)
    with (
        Console(stderr=True).status("looking for the arm") as status,
        open_controller(url, joints=joints, wait=wait) as arm,
    ):
        parked = move(scene, mechanism, arm, destination, speed, tell=status.update)
    click.echo(f"parked at posture {parked.posture!r}, {parked.error:.4f} rad or m from it; the arm holds by itself")


@station.command()
@click.option("--controller", metavar="URL", help="The arm; else the emulated one that runs here.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--wait", default=0.0, metavar="S", help="How long to wait for a controller that is not there yet.")
def release(controller: str | None, yes: bool, wait: float) -> None:
    """Take the torque of the arm away, so that it can be moved by hand. It may fall: park it first."""
    from station.controllers import open_controller
    from station.run.park import release as let_go
    from station.run.parking_way import arm_at

    url = arm_at(controller)
    if not yes and click.prompt("the arm may fall: type yes", default="no", show_default=False, err=True) != "yes":
        click.echo("not released", err=True)
        raise click.exceptions.Exit(1)
    with open_controller(url, wait=wait) as arm:
        let_go(arm)
    click.echo("torque released")


def _passed_on(name: str, module: str, about: str) -> None:
    """A command of another module, `NAME_command`, which is loaded only when it is called."""

    @station.command(name, help=about, context_settings={"ignore_unknown_options": True}, add_help_option=False)
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def passed_on(arguments: tuple[str, ...]) -> None:
        command: click.Command = getattr(import_module(module), f"{name}_command")
        code = command.main(list(arguments), prog_name=f"station {name}", standalone_mode=False)
        if isinstance(code, int) and code:
            raise click.exceptions.Exit(code)


_passed_on(
    "view", "station.run.viewing", "Show FILE in a window, which follows a running station, or --png: as a picture."
)
_passed_on("replay", "station.run.recordings", "Show a recorded run again, with pause, seek and speed.")
_passed_on("report", "station.run.recordings", "Write one page about a recorded run: plots, tables, pictures.")
_passed_on("export", "station.run.recordings", "Write a recording as tables: --csv or --parquet.")
_passed_on("recover", "station.run.recordings", "Make a recording whole whose recorder was killed.")
_passed_on("rehearse", "station.tasks.rehearse.command", "Drive the virtual robot and keep what was driven as a task.")
_passed_on("task", "station.tasks.task.command", "Look at a task, edit it, or move it with its work-piece.")
_passed_on("verify", "station.tasks.verify.command", "Check a task at every instant, before it is executed.")
_passed_on("execute", "station.tasks.execute.command", "Execute a verified task on an arm.")
_passed_on("calibrate", "calibration.command", "From measurements to corrected parameters, with uncertainties.")
_passed_on("beside", "station.tasks.execute.ahead.command", "Beside an arm: take tasks that are sent ahead.")


@station.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[NAME]... [--json] [--quick]")
def bench(arguments: tuple[str, ...]) -> None:
    """Side-by-side figures for this machine; all of them take about half an hour, names choose some."""
    tree = Path(__file__).resolve().parents[1]
    if not (tree / "benchmarks").is_dir():
        raise StationError("benchmarks are not installed with the program; call this from a copy of the source tree")
    code = subprocess.call([sys.executable, "-m", "benchmarks", *arguments], cwd=tree)  # noqa: S603 - ourselves
    raise click.exceptions.Exit(2 if code else 0)


@station.command()
def tour() -> None:
    """What there is, in twenty lines."""
    click.echo(TOUR.format(version=__version__, robots=", ".join(robots.names())), nl=False)


@station.command()
@as_json
def doctor(as_json: bool) -> None:
    """Is this machine fit for the servo: scheduler, memory, timer, USB; says what to change (exit code 1 if unfit)."""
    from station.servo.doctor import examined, findings_data, findings_text

    found = examined()
    data = findings_data(found)
    _print_json(data) if as_json else click.echo(findings_text(found))
    if not data["fit"]:
        raise click.exceptions.Exit(1)


def _announce(path: Path) -> None:
    """Say what is going on where it may take longer than two seconds."""
    size = path.stat().st_size if path.is_file() else 0
    if size > LONG_FILE:
        click.echo(f"reading {path} ({size / 1e6:.1f} MB) …", err=True)


def _print_json(data: dict[str, Any]) -> None:
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))


def main() -> None:
    """Run the command; a user's mistake is told in words and ends with exit code 2, never in a traceback."""
    try:
        code = station(prog_name="station", standalone_mode=False)
    except click.ClickException as error:
        command = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "station"
        click.echo(f"station: {error.format_message().rstrip('.')}; see {command} --help", err=True)
        code = 2
    except StationError as error:
        click.echo(str(error), err=True)
        code = 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("stopped", err=True)
        code = 130
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code if isinstance(code, int) else 0)
