"""`station calibrate timing|device-timing|line-up`: links are timed, and recordings lined up by what was found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from calibration.options import Finite, robot_name
from calibration.results import Result, Subject, plain
from calibration.robot import robot_in
from calibration.saying import as_json, out, progress
from calibration.timing.telling import say_device, say_lined_up, say_link
from calibration.units import DEGREE
from calibration.writing import finish
from station.address_option import ADDRESS
from station.shipped import scene_path

if TYPE_CHECKING:  # the solvers come with them
    from calibration.leading import Led
    from calibration.timing.devices import DeviceHeard

LINK, DEVICE = "timing", "device timing"  # what kept data are of

again = click.option(
    "--data", type=click.Path(path_type=Path), help="Estimate again from what an earlier run has kept; nothing moves."
)


@click.command("timing")
@click.argument("file")
@out
@click.option("--controller", metavar="URL", type=ADDRESS, help="The arm; sim:arm emulates one.")
@again
@robot_name
@click.option("--seconds", default=5.0, type=Finite(2.0, 60.0), help="How long it swings.")
@click.option("--amplitude", default=2.3, metavar="°", type=Finite(0.1, 10.0), help="Of all joints.")
@as_json
def timing(file: str, out: Path, controller: str | None, data: Path | None, as_json: bool, **options: Any) -> None:
    """Delays and clocks of the link to the arm of FILE, by a motion of all its joints about where it stands.

    What was sent and heard is kept beside the result; with --data the estimate is made again from that.
    """
    from calibration.timing.kept import keep, led_data
    from calibration.timing.link import led_hash, link_timing

    if (controller is None) == (data is None):
        raise click.UsageError("give either --controller URL, or --data FILE of an earlier run")
    held = _swung(file, str(controller), **options) if data is None else _swung_before(file, data, options["name"])
    found, measured = link_timing(held.led), led_hash(held.led)
    name = keep(out, held.subject, held.facts, led_data(held.led), measured) if data is None else data.name
    values = {**found.data(), "data_file": name}
    result = Result(method="timing", subject=held.subject, values=values, data_hash=measured)
    finish(out, result, as_json, lambda: say_link(found))


class Swung(NamedTuple):
    """A motion of an arm."""

    subject: Subject
    facts: dict[str, Any]
    led: Led


def _swung(file: str, controller: str, name: str | None, seconds: float, amplitude: float) -> Swung:
    from calibration.opening import opened
    from calibration.origin import carrier
    from calibration.timing.link import time_link

    with opened(file, controller, name=name, tell=progress) as arm:
        able = arm.controller.capabilities
        progress(f"{able.model} swings for {seconds:g} s, all joints by up to {amplitude:g}° …")
        led = time_link(arm.leader, seconds, amplitude * DEGREE)
        subject = Subject.device(able.serial_number, arm.robot.name)
        return Swung(subject, {"what": LINK, "robot": carrier(arm.robot).id}, led)


def _swung_before(file: str, data: Path, name: str | None) -> Swung:
    from calibration.origin import check_origin
    from calibration.timing.kept import kept, led_of
    from station import mad

    held = kept(data, LINK)
    check_origin(data, held, robot_in(mad.load(scene_path(file)), name), 0)
    return Swung(held.subject, held.facts, led_of(data, held.observations[0].values))


@click.command("device-timing")
@click.argument("url", required=False)
@out
@again
@click.option("--seconds", default=10.0, type=Finite(2.0, 600.0), help="How long it is listened to.")
@as_json
def device_timing_command(url: str | None, out: Path, data: Path | None, seconds: float, as_json: bool) -> None:
    """Delays and clock of the link to the haptic device at URL; nobody needs to hold it, and it is not moved.

    What was heard is kept beside the result; with --data the estimate is made again from that.
    """
    from calibration.timing.devices import device_timing
    from calibration.timing.kept import heard_data, heard_of, keep, kept

    if (url is None) == (data is None):
        raise click.UsageError("give either the URL of a device, or --data FILE of an earlier run")
    if data is None:
        subject, heard = _listened(str(url), seconds)
        found = device_timing(heard)
        name = keep(out, subject, {"what": DEVICE}, heard_data(heard), heard.hash)
    else:
        held = kept(data, DEVICE)
        subject, heard, name = held.subject, heard_of(data, held.observations[0].values), data.name
        found = device_timing(heard)
    values = {**found.data(), "data_file": name}
    result = Result(method="device timing", subject=subject, values=values, data_hash=heard.hash)
    finish(out, result, as_json, lambda: say_device(found))


def _listened(url: str, seconds: float) -> tuple[Subject, DeviceHeard]:
    from calibration.timing.devices import listen
    from station.clock import WALL
    from station.devices import open_device

    with open_device(url) as device:
        able = device.capabilities
        subject = Subject.device(able.serial_number, able.model)
        progress(f"{able.model} is listened to for {seconds:g} s …")
        return subject, listen(device, WALL, seconds)


@click.command("line-up")
@click.argument("recording", type=click.Path(path_type=Path))
@click.option("--timing", "result", required=True, type=click.Path(path_type=Path), help="Result of the arm's timing.")
@as_json
def line_up_command(recording: Path, result: Path, as_json: bool) -> None:
    """How well the arm of a RECORDING followed, once the delays of its link are taken off."""
    from calibration.timing.lining import line_up, records_of, robot_of, timing_for

    timed = timing_for(result, robot_of(recording))
    found = line_up(records_of(recording), float(timed.values["command"]))
    if as_json:
        click.echo(json.dumps({"timing": timed.id, **plain(found._asdict())}, indent=2))
    else:
        say_lined_up(found)


COMMANDS = (timing, device_timing_command, line_up_command)
