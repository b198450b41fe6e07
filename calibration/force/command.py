"""`station calibrate force` and `payload`: collected with an arm, or read from a collection, then estimated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from calibration.collection import Collection, Held, read_collection
from calibration.errors import DataError
from calibration.parameters import Floats
from calibration.results import Result, Subject
from calibration.saying import MM, as_json, column, observed, out, tell
from calibration.writing import finish

EXACT = 1e-6  # share of a noise, below which a mean is not believed to be
SWAY_MODEL = 0.002  # of an effort, by which slow motion is still not at rest

controller = click.option("--controller", metavar="URL", help="Collect with this arm first; sim:arm emulates one.")
robot_name = click.option("--robot", "name", help="Robot, if the scene has several.")
frame_name = click.option("--frame", help="Frame of the tool; else that which follows the hand.")
within = click.option("--within", default=120.0, metavar="°", help="Wrists turn so far from where the arm stands.")
share = click.option("--speed", default=0.25, metavar="SHARE", type=click.FloatRange(0.01, 1.0), help="Of limits.")


@click.command("force")
@click.argument("file")
@observed
@out
@controller
@robot_name
@frame_name
@within
@share
@click.option("--count", default=15, type=click.IntRange(4, 500), help="Orientations, with each load.")
@click.option("--load", "loads", multiple=True, metavar="KG,X,Y,Z", help="A known weight and its place [mm].")
@click.option("--hanging", default=-1, metavar="N", help="The load of the list that hangs there now, from 0.")
@click.option("--gains", default="none", type=click.Choice(["none", "diagonal", "full"]), help="Estimate them too.")
@as_json
def force(file: str, observations: Path, out: Path, as_json: bool, **options: Any) -> None:
    """Bias and gains of a force sensor, mass and centre of its tool; FILE is the scene of the arm that turns it."""
    from calibration.force import ForceReadings, Gains, calibrate_force

    loads = tuple(_load(text) for text in options["loads"])
    if options["hanging"] >= len(loads):
        raise DataError(f"--hanging {options['hanging']}: only {len(loads)} loads were named with --load")
    if options["controller"] is not None:
        _collect_force(file, observations, options)
    held = _held(observations)
    deviation = np.maximum(column(observations, held.observations, "deviation"), 1e-12)
    noise = np.sqrt(np.mean(deviation**2, axis=0))
    load_of = column(observations, held.observations, "load").astype(np.int64)
    told = held.facts.get("told", [0.0, 0.0, 0.0, 0.0])
    data = ForceReadings(
        turns=column(observations, held.observations, "turn"),
        wrenches=column(observations, held.observations, "wrench"),
        loads=loads,
        load_of=load_of if (load_of >= 0).any() else None,
        told=_load(",".join(map(str, told)), 1.0),
        force_noise=float(noise[:3].max()),
        torque_noise=float(noise[3:].max()),
    )
    found = calibrate_force(data, Gains(options["gains"]))
    result = Result(method="force sensor", subject=held.subject, values=found.data(), data_hash=data.hash())

    def say() -> None:
        tell(found.judgement)
        mass, (x, y, z) = found.correction.tool
        click.echo(
            f"tool: {mass:.4f} ± {found.mass_deviation:.4f} kg at {1e3 * x:.2f}, {1e3 * y:.2f}, {1e3 * z:.2f} mm"
        )
        click.echo(f"force: {found.before.rms:.3g} N off before, {found.after.rms:.3g} N held back after (rms)")

    finish(out, result, as_json, say)


def _collect_force(file: str, path: Path, options: dict[str, Any]) -> None:
    from calibration.force.collecting import Bench, candidate_poses, collect_force
    from calibration.opening import opened

    with opened(
        file, options["controller"], name=options["name"], frame=options["frame"], speed=options["speed"]
    ) as arm:
        load = options["hanging"]
        start = _start(path, arm.lead.stand().joints)
        plan = candidate_poses(arm.mechanism, start, np.radians(options["within"]))
        subject = Subject.device(arm.controller.capabilities.serial_number, arm.robot.name)
        collection = Collection(path, subject, plan.tolist(), {"frame": arm.frame, "start": start.tolist()})
        wanted = len(collection.observations) + options["count"]
        done = sum(one.values.get("load") == load for one in collection.observations)
        bench = Bench(arm.lead, arm.mechanism, arm.frame)
        collect_force(bench, collection, wanted - done, load, lambda text: click.echo(text, err=True))


def _start(path: Path, here: Floats) -> Floats:
    """Where the arm stood when the collection was begun: poses are planned around that, so that it can go on."""
    if not path.exists():
        return here
    return np.array(read_collection(path).facts.get("start", here), dtype=np.float64)


@click.command("payload")
@click.argument("file")
@observed
@out
@controller
@robot_name
@frame_name
@within
@share
@click.option("--count", default=12, type=click.IntRange(2, 200), help="Poses.")
@click.option("--empty", type=click.Path(path_type=Path), help="The same poses collected without the load.")
@as_json
def payload(file: str, observations: Path, out: Path, as_json: bool, **options: Any) -> None:
    """What the arm of FILE holds, by the efforts of its joints while it sways about some poses."""
    import station
    from calibration.force import PayloadReadings, calibrate_payload
    from calibration.geometry.collect_command import measured_frame
    from calibration.geometry.command import robot_in
    from station.shipped import scene_path

    if options["controller"] is not None:
        _collect_payload(file, observations, options)
    held = _held(observations)
    joints, efforts = _passes(observations, held)
    noise = np.sqrt(np.mean(column(observations, held.observations, "deviation") ** 2, axis=0))
    empty = None
    if options["empty"] is not None:
        bare = _held(options["empty"])
        others, empty = _passes(options["empty"], bare)
        if bare.subject != held.subject or others.shape != joints.shape or np.abs(others - joints).max() > 0.02:
            raise DataError(f"{options['empty']}: other poses, or another arm; collect it with the same command")
        noise = np.hypot(noise, noise)
    directions = np.tile([[1.0], [-1.0]], (len(held.observations), joints.shape[1]))
    floor = SWAY_MODEL * np.abs(efforts).max(axis=0) + EXACT
    data = PayloadReadings(
        joints=joints, directions=directions, efforts=efforts, empty=empty, noise=np.hypot(noise, floor)
    )
    scene = station.load(scene_path(file))
    robot = robot_in(scene, options["name"])
    mechanism = scene[robot.name]
    found = calibrate_payload(mechanism, measured_frame(robot, mechanism.frame_id, options["frame"]), data)
    result = Result(method="payload", subject=held.subject, values=found.data(), data_hash=data.hash())

    def say() -> None:
        tell(found.judgement)
        x, y, z = 1e3 * found.centre
        click.echo(
            f"load: {found.mass:.3f} ± {found.mass_deviation:.3f} kg at {x:.1f}, {y:.1f}, {z:.1f} mm of the tool"
        )

    finish(out, result, as_json, say)


def _collect_payload(file: str, path: Path, options: dict[str, Any]) -> None:
    from calibration.force.collecting import Bench, candidate_poses, collect_payload
    from calibration.opening import opened

    with opened(
        file, options["controller"], name=options["name"], frame=options["frame"], speed=options["speed"]
    ) as arm:
        given = options["empty"] if options["empty"] is not None and not path.exists() else path
        start = _start(given, arm.lead.stand().joints)
        plan = candidate_poses(arm.mechanism, start, np.radians(options["within"]))
        subject = Subject.device(arm.controller.capabilities.serial_number, arm.robot.name)
        collection = Collection(path, subject, plan.tolist(), {"frame": arm.frame, "start": start.tolist()})
        bench = Bench(arm.lead, arm.mechanism, arm.frame)
        collect_payload(bench, collection, options["count"], lambda text: click.echo(text, err=True))


def _passes(path: Path, held: Held) -> tuple[Floats, Floats]:
    """Joint values and efforts, upwards and downwards in turn."""
    joints = np.repeat(column(path, held.observations, "joints"), 2, axis=0)
    up, down = (column(path, held.observations, name) for name in ("up", "down"))
    return joints, np.stack([up, down], axis=1).reshape(joints.shape)


def _held(path: Path) -> Held:
    held = read_collection(path)
    if not held.observations:
        raise DataError(f"{path}: holds no observation")
    return held


def _load(text: str, unit: float = MM) -> Any:
    from calibration.force import Load

    try:
        mass, x, y, z = (float(part) for part in text.split(","))
    except ValueError:
        raise DataError(f"--load {text}: give mass and place by commas, such as 1.0,0,0,50 [kg, mm]") from None
    return Load(mass, (unit * x, unit * y, unit * z))


COMMANDS = (force, payload)
