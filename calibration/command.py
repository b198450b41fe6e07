"""`station calibrate`: the commands of all calibrations, each of a part of its own, and what a result file holds."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import click

from calibration.errors import WrongDeviceError
from calibration.results import Result, Subject, load_results, read_results
from calibration.saying import as_json
from station.shipped import scene_path

# Each of these modules names its commands in COMMANDS.
PARTS = (
    "calibration.camera.command",
    "calibration.force.command",
    "calibration.force.payload_command",
    "calibration.geometry.collect_command",
    "calibration.geometry.command",
    "calibration.hand_eye.command",
    "calibration.registration.command",
    "calibration.report.command",
    "calibration.syntaxer.command",
    "calibration.timing.command",
)


@click.group("calibrate", context_settings={"help_option_names": ["-h", "--help"]})
def calibrate_command() -> None:
    """From the nominal file to the machine on the table; see docs/calibration.md."""


@calibrate_command.command()
@click.argument("result", type=click.Path(path_type=Path))
@click.option("--serial", help="Refuse it unless it is for the device with this serial number.")
@click.option("--file", "mad_file", help="Refuse it unless it is for a robot of this MAD file.")
@as_json
def show(result: Path, serial: str | None, mad_file: str | None, as_json: bool) -> None:
    """What is in a RESULT file, newest first; refused if it is for another device or robot than it should be."""
    held = read_results(result)
    if serial is not None:
        held = _of_device(result, held, serial)
    if mad_file is not None:
        _check_robot(result, held, mad_file)
    if as_json:
        click.echo(json.dumps([{"id": one.id, "date": one.date, "method": one.method, **one.values} for one in held]))
        return
    for one in held:
        arm = one.values.get("serial_number")
        whom = f"{one.subject}" + (f"  arm {arm}" if arm else "")
        click.echo(f"{one.date}  {one.id}  {one.method}  of {whom}  data {one.data_hash[:12]}")


def _of_device(path: Path, held: tuple[Result, ...], serial: str) -> tuple[Result, ...]:
    """The results of a device: bound to its serial number, or of the robot that it is, measured with it."""
    if any(one.subject.kind == "device" for one in held):
        return load_results(path, Subject.device(serial))
    its = tuple(one for one in held if one.values.get("serial_number") == serial)
    if not its:
        arms = {str(one.values.get("serial_number") or "") for one in held} - {""}
        known = f"of the arm {', '.join(sorted(arms))}" if arms else "of no arm that it names"
        raise WrongDeviceError(f"{path}: is {known}, not of {serial}")
    return its


def _check_robot(path: Path, held: tuple[Result, ...], mad_file: str) -> None:
    from calibration.geometry.subject import robot_subject
    from station.mad import load

    known = [robot_subject(robot) for robot in load(scene_path(mad_file)).robots]
    for one in held:
        if (one.subject.kind, one.subject.id) not in {(each.kind, each.id) for each in known}:
            meant = ", ".join(map(str, known)) or "any robot"
            raise WrongDeviceError(f"{path}: belongs to {one.subject}, not to {meant}")


for part in PARTS:
    for command in import_module(part).COMMANDS:
        calibrate_command.add_command(command)
