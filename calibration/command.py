"""`station calibrate`: the commands of all calibrations, each of a part of its own, and what a result file holds."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import click

import robots
from calibration.results import Subject, load_results
from calibration.saying import as_json

# Each of these modules names its commands in COMMANDS.
PARTS = (
    "calibration.camera.command",
    "calibration.force.command",
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
@click.option("--serial", help="Serial number of the device that it should be for.")
@click.option("--file", "mad_file", help="MAD file of the robot that it should be for.")
@as_json
def show(result: Path, serial: str | None, mad_file: str | None, as_json: bool) -> None:
    """What is in a RESULT file; refused if it belongs to another device or MAD file."""
    from station.mad.files import read_text

    if (serial is None) == (mad_file is None):
        raise click.UsageError("give --serial or --file: a result is only good for what it belongs to")
    if serial is not None:
        subject = Subject.device(serial)
    else:
        path = Path(str(mad_file))
        subject = Subject.mad(
            read_text(path if path.exists() or path.name not in robots.names() else robots.path(path.name))
        )
    held = load_results(result, subject)
    if as_json:
        click.echo(json.dumps([{"id": one.id, "date": one.date, "method": one.method, **one.values} for one in held]))
        return
    for one in held:
        click.echo(f"{one.date}  {one.id}  {one.method}  data {one.data_hash[:12]}")


for part in PARTS:
    for command in import_module(part).COMMANDS:
        calibrate_command.add_command(command)
