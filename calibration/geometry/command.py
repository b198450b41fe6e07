"""`station calibrate geometry` and `apply`: from a collection to the robot as it is, and from that to a MAD file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import numpy as np

from calibration.collection import Held, read_collection
from calibration.errors import DataError, WrongDeviceError
from calibration.options import POSITIVE, robot_name
from calibration.results import Result, plain, write_result
from calibration.robot import robot_in
from calibration.saying import as_json, column, observed, out, tell
from calibration.units import DEGREE, MM
from station.mad.scene import Robot
from station.shipped import scene_path

USUAL_NOISE, USUAL_TURN_NOISE = 5e-5, 2e-4  # where neither the collection nor the person says [m], [rad]


@click.command()
@click.argument("file")
@observed
@out
@click.option("--frame", help="Link or frame that was measured, by id or name; else as the collection says.")
@click.option("--encoders", metavar="ID,ID,…", help="Links of the measured joints; else as the collection says.")
@robot_name
@click.option("--noise", type=POSITIVE, metavar="MM", help="Standard deviation of positions or touches, per axis.")
@click.option("--turn-noise", type=POSITIVE, metavar="°", help="Standard deviation of rotations, per axis.")
@click.option("--ratios", is_flag=True, help="Estimate gear ratios too.")
@click.option("--prior", is_flag=True, help="Dimensions are known beforehand, to 1 mm and 0.2°.")
@as_json
def geometry(file: str, observations: Path, out: Path, as_json: bool, **options: Any) -> None:
    """Dimensions, zeros and ratios of the robot of FILE from measured places of one of its frames, or from touches."""
    from calibration.geometry import GeometrySettings, calibrate_geometry, robot_subject
    from station import mad

    scene = mad.load(scene_path(file))
    robot = robot_in(scene, options["name"])
    held = read_collection(observations)
    subject = robot_subject(robot)
    if held.subject.kind == "mad" and held.subject.id != subject.id:
        raise WrongDeviceError(
            f"{observations}: is of {held.subject}, not of {subject}; give the file it was begun with"
        )
    data = _measurements(observations, held, robot, options)
    frame = options["frame"] or held.facts.get("frame")
    if frame is None:
        raise DataError(f"{observations}: does not say which frame was measured; name it with --frame")
    click.echo(f"{len(held.observations)} observations of {robot.name}; estimating …", err=True)
    settings = GeometrySettings(ratios=options["ratios"], prior=options["prior"])
    found = calibrate_geometry(robot, int(frame) if str(frame).isdecimal() else frame, data, settings)
    values = {**found.data(), "serial_number": str(held.facts.get("arm", ""))}
    result = Result(method="robot geometry", subject=subject, values=values, data_hash=data.hash())
    write_result(out, result)
    if as_json:
        click.echo(json.dumps(plain({"id": result.id, **values}), indent=2))
        return
    tell(found.judgement)
    click.echo(
        f"tool on held-back poses: {1e3 * found.before.rms:.4g} mm before, {1e3 * found.after.rms:.4g} mm after (rms)"
    )
    click.echo(f"{out}: result {result.id}; use it with: station calibrate apply {out} {file} --out CALIBRATED.mad")


def _measurements(path: Path, held: Held, robot: Robot, options: dict[str, Any]) -> Any:
    """What was measured: places, poses, or touches."""
    from calibration.geometry import Surface, ToolMeasurements, TouchMeasurements
    from calibration.geometry.candidates import columns_of

    if not held.observations:
        raise DataError(f"{path}: holds no observation")
    joints = column(path, held.observations, "joints")
    known = tuple(held.facts.get("encoders", ()))
    encoders = ids_of(options["encoders"]) or known
    encoders = encoders or tuple(link.id for link in robot.links if link.joint.name != "FIXED")
    if known:
        joints = joints[:, columns_of(known, encoders)]
    noise = held.facts.get("noise", USUAL_NOISE) if options["noise"] is None else options["noise"] * MM
    first = held.observations[0].values
    if "touched" in first:
        surfaces = tuple(Surface(name, *about) for name, about in dict(held.facts.get("surfaces", {})).items())
        places = {surface.name: number for number, surface in enumerate(surfaces)}
        try:
            touched = np.array([places[one.values["touched"]] for one in held.observations], dtype=np.int64)
        except (KeyError, TypeError):
            raise DataError(f"{path}: a touch of a surface that the collection does not name") from None
        return TouchMeasurements(encoders=encoders, joints=joints, surfaces=surfaces, touched=touched, noise=noise)
    turn = held.facts.get("turn_noise") or USUAL_TURN_NOISE
    turned = "rotation" in first
    return ToolMeasurements(
        encoders=encoders,
        joints=joints,
        positions=column(path, held.observations, "position"),
        rotations=column(path, held.observations, "rotation") if turned else None,
        position_noise=noise,
        rotation_noise=turn if options["turn_noise"] is None else options["turn_noise"] * DEGREE,
    )


def ids_of(text: str | None) -> tuple[int, ...]:
    """Ids of links by commas; none if nothing was given."""
    if not text:
        return ()
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise DataError(f"--encoders {text}: give ids of links by commas, such as 1,6,11") from None


@click.command()
@click.argument("result", type=click.Path(path_type=Path))
@click.argument("file")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="New MAD file; never over one.")
@robot_name
@click.option("--id", "wanted", help="An earlier result of the file, by its id; else the newest.")
@click.option("--serial", help="Serial number of the arm; needed if RESULT knows several.")
def apply(result: Path, file: str, out: Path, name: str | None, wanted: str | None, serial: str | None) -> None:
    """Write FILE with its robot as RESULT says it is; FILE stays. Refused if RESULT is of another robot."""
    from calibration.geometry.applying import applied, arm_of, result_for
    from station import mad
    from station.mad.files import save

    scene = mad.load(scene_path(file))
    robot = robot_in(scene, name)
    found = result_for(str(result), robot, wanted, serial)
    save(applied(scene, robot.name, found, result), out)
    arm = arm_of(found)
    for_whom = f"for the arm {arm}" if arm else "for whichever arm: the result names none"
    click.echo(f"{out}: robot {robot.name} by result {found.id} of {found.date}, {for_whom}")


COMMANDS = (geometry, apply)
