"""What the tool holds besides what the scene says: a mass that somebody typed, or what a calibration has found."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from station.controllers.controller import Capabilities
from station.controllers.order import EMULATED
from station.mad.scene import Robot
from station.mechanism import Mechanism, MechanismError
from station.tasks.task import TaskError, TaskMismatchError

METHOD = "payload"  # of the results that are taken


class Held(NamedTuple):
    """A load, in words of `VerifySettings`."""

    payload: float = 0.0  # mass [kg]
    payload_at: tuple[float, float, float] = (0.0, 0.0, 0.0)  # its centre in the frame that holds it [m]
    payload_frame: int | None = None  # None: the frame that the task leads
    payload_arm: str = ""  # serial number of the arm whose load it is; empty: any


def held_by(text: str, mechanism: Mechanism) -> Held:
    """A mass [kg], or the newest result of `station calibrate payload` in a file.

    Raises a TaskMismatchError for a result of another robot or arm, a TaskError for what is neither.
    """
    try:
        mass = float(text)
    except ValueError:
        return _found(text, mechanism)
    if not (math.isfinite(mass) and mass >= 0.0):
        raise TaskError(f"--payload {text}: give a mass of at least 0 kg, or a result of station calibrate payload")
    return Held(mass)


def check_arm(held_for: str, arm: Capabilities) -> None:
    """Refuse another arm than that whose load it is; an emulated one may stand in for a real one."""
    if not held_for or arm.serial_number == held_for or (arm.emulated and not held_for.startswith(EMULATED)):
        return
    found = arm.serial_number or "none that it tells"
    raise TaskMismatchError(
        f"the load is that of the arm with serial number {held_for}, this one has {found}; "
        "verify with a --payload of its own"
    )


def _found(path: str, mechanism: Mechanism) -> Held:
    # Tasks without a calibration do without the solvers that come with this package.
    from calibration.errors import CalibrationError
    from calibration.results import read_results

    if not Path(path).exists():
        raise TaskError(f"--payload {path}: neither a mass in kg nor a file; make one with: station calibrate payload")
    try:
        results = [one for one in read_results(path) if one.method == METHOD]
    except CalibrationError as error:
        raise TaskError(f"--payload: {error}") from None
    if not results:
        raise TaskError(f"--payload {path}: holds no result of: station calibrate payload")
    newest = results[0]
    _check_robot(path, newest.values, mechanism.robot, newest.subject.id)
    try:
        mass, frame = float(newest.values["mass"]), mechanism.frame_id(int(newest.values["frame"]))
        x, y, z = (float(value) for value in newest.values["centre"])
    except (KeyError, TypeError, ValueError, MechanismError):
        raise TaskError(f"--payload {path}: does not say what is held, and where; calibrate anew") from None
    if not (np.isfinite([mass, x, y, z]).all() and mass > 0.0):
        raise TaskError(f"--payload {path}: does not say what is held, and where; calibrate anew")
    return Held(mass, (x, y, z), frame, newest.subject.id)


def _check_robot(path: str, values: dict[str, Any], robot: Robot, arm: str) -> None:
    """Refuse a load of another robot, of an arm that the scene was not corrected for, or beside other masses."""
    from calibration.origin import carrier, weight_said

    meant, note = carrier(robot), robot.calibrated
    whose = values.get("robot")
    known = {meant.id, *([note.nominal] if note is not None and note.nominal else [])}
    if not isinstance(whose, dict) or whose.get("mad") not in known:
        name = whose.get("name", "none that it tells") if isinstance(whose, dict) else "none that it tells"
        raise TaskMismatchError(
            f"--payload {path}: was measured with the robot {name} of another file, not with {meant}"
        )
    if note is not None and note.serial and note.serial != arm:
        raise TaskMismatchError(f"--payload {path}: is of the arm {arm}, the scene was calibrated for {note.serial}")
    weighed, now = values.get("weight_of_arm"), weight_said(robot)
    if weighed not in ("measured", now):
        raise TaskMismatchError(
            f"--payload {path}: was found beside {weighed}; the scene has {now}: measure it anew, else part of it "
            "counts twice or not at all"
        )
