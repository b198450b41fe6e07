"""`station calibrate payload`: what an arm holds, collected with it or read from a collection, then estimated.

Observations hold `joints` [rad | m], the efforts of slow passes `up` and `down`, and their `deviation` [N·m | N].
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from calibration.collection import Held
from calibration.errors import DataError
from calibration.force.asked import (
    Meant,
    collecting,
    controller,
    held_of,
    meant_by,
    tool_frame,
    within,
)
from calibration.options import robot_name, speed_share
from calibration.origin import weight_said
from calibration.parameters import Floats
from calibration.results import Result
from calibration.saying import as_json, column, observed, out, progress, tell
from calibration.writing import finish

EXACT = 1e-6  # share of a noise, below which a mean is not believed to be
SWAY_MODEL = 0.002  # of an effort, by which slow motion is still not at rest
SAME_POSE = 0.02  # between a pose with the load and without [rad | m]


@click.command("payload")
@click.argument("file")
@observed
@out
@controller
@robot_name
@tool_frame
@within
@speed_share
@click.option("--count", default=12, type=click.IntRange(2, 200), help="Poses.")
@click.option("--empty", type=click.Path(path_type=Path), help="The same poses collected without the load.")
@as_json
def payload(file: str, observations: Path, out: Path, as_json: bool, **options: Any) -> None:
    """What the arm of FILE holds, by the efforts of its joints while it sways about some poses."""
    from calibration.force import PayloadReadings, calibrate_payload

    if options["controller"] is not None:
        _collect(file, observations, options)
    meant = meant_by(file, observations, options)
    held = held_of(observations, meant)
    joints, efforts = _passes(observations, held)
    noise, empty = _noise(observations, held), None
    if options["empty"] is not None:
        empty, without = _empty(options["empty"], held, meant, joints)
        noise = np.hypot(noise, without)
    floor = SWAY_MODEL * np.abs(efforts).max(axis=0) + EXACT
    data = PayloadReadings(
        joints=joints,
        directions=np.tile([[1.0], [-1.0]], (len(held.observations), joints.shape[1])),
        efforts=efforts,
        empty=empty,
        noise=np.hypot(noise, floor),
    )
    found = calibrate_payload(meant.mechanism, meant.frame, data)
    weighed = "measured" if empty is not None else weight_said(meant.mechanism.robot)
    values = {**found.data(), **meant.data, "weight_of_arm": weighed}
    result = Result(method="payload", subject=held.subject, values=values, data_hash=data.hash())

    def say() -> None:
        tell(found.judgement)
        x, y, z = 1e3 * found.centre
        click.echo(
            f"load: {found.mass:.3f} ± {found.mass_deviation:.3f} kg at {x:.1f}, {y:.1f}, {z:.1f} mm of the tool"
        )
        click.echo(f"use it with: station verify TASK --payload {out}")

    finish(out, result, as_json, say)


def _empty(path: Path, held: Held, meant: Meant, joints: Floats) -> tuple[Floats, Floats]:
    """Efforts without the load at the same poses, and their noise."""
    bare = held_of(path, meant)
    others, efforts = _passes(path, bare)
    if bare.subject != held.subject or others.shape != joints.shape or np.abs(others - joints).max() > SAME_POSE:
        raise DataError(f"{path}: other poses, or another arm; collect it with the same command")
    return efforts, _noise(path, bare)


def _noise(path: Path, held: Held) -> Floats:
    """Standard deviation of a mean, per joint [N·m | N]."""
    return np.asarray(np.sqrt(np.mean(column(path, held.observations, "deviation") ** 2, axis=0)))


def _passes(path: Path, held: Held) -> tuple[Floats, Floats]:
    """Joint values and efforts, upwards and downwards in turn."""
    joints = np.repeat(column(path, held.observations, "joints"), 2, axis=0)
    up, down = (column(path, held.observations, name) for name in ("up", "down"))
    return joints, np.stack([up, down], axis=1).reshape(joints.shape)


def _collect(file: str, path: Path, options: dict[str, Any]) -> None:
    from calibration.force.collecting import collect_payload

    around = options["empty"] if options["empty"] is not None and not path.exists() else path
    with collecting(file, path, around, options) as (bench, collection):
        collect_payload(bench, collection, options["count"], progress)


COMMANDS = (payload,)
