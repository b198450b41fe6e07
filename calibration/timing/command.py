"""`station calibrate timing|device-timing|line-up`: links are timed, and recordings lined up by what was found."""

from __future__ import annotations

import json
from pathlib import Path

import click

from calibration.options import Finite, robot_name
from calibration.results import Result, Subject, plain
from calibration.saying import as_json, out
from calibration.timing.telling import say_device, say_lined_up, say_link
from calibration.units import DEGREE
from calibration.writing import finish
from station.address_option import ADDRESS


@click.command("timing")
@click.argument("file")
@out
@click.option("--controller", required=True, metavar="URL", type=ADDRESS, help="The arm; sim:arm emulates one.")
@robot_name
@click.option("--seconds", default=5.0, type=Finite(2.0, 60.0), help="How long it swings.")
@click.option("--amplitude", default=2.3, metavar="°", type=Finite(0.1, 10.0), help="Of all joints.")
@as_json
def timing(
    file: str, out: Path, controller: str, name: str | None, seconds: float, amplitude: float, as_json: bool
) -> None:
    """Delays and clocks of the link to the arm of FILE, by a motion of all its joints about where it stands."""
    from calibration.opening import opened
    from calibration.timing.link import led_hash, link_timing, time_link

    with opened(file, controller, name=name) as arm:
        able = arm.controller.capabilities
        click.echo(f"{able.model} swings for {seconds:g} s, all joints by up to {amplitude:g}° …", err=True)
        led = time_link(arm.leader, seconds, amplitude * DEGREE)
        subject = Subject.device(able.serial_number, arm.robot.name)
    found = link_timing(led)
    result = Result(method="timing", subject=subject, values=found.data(), data_hash=led_hash(led))
    finish(out, result, as_json, lambda: say_link(found))


@click.command("device-timing")
@click.argument("url")
@out
@click.option("--seconds", default=10.0, type=Finite(2.0, 600.0), help="How long it is listened to.")
@as_json
def device_timing_command(url: str, out: Path, seconds: float, as_json: bool) -> None:
    """Delays and clock of the link to the haptic device at URL; nobody needs to hold it, and it is not moved."""
    from calibration.timing.devices import device_timing, listen
    from station.clock import WALL
    from station.devices import open_device

    with open_device(url) as device:
        able = device.capabilities
        subject = Subject.device(able.serial_number, able.model)
        click.echo(f"{able.model} is listened to for {seconds:g} s …", err=True)
        heard = listen(device, WALL, seconds)
    found = device_timing(heard)
    result = Result(method="device timing", subject=subject, values=found.data(), data_hash=heard.hash)
    finish(out, result, as_json, lambda: say_device(found))


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
