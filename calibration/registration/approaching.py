"""Touches by plan: where an arm begins to feel, along which direction, and for which feature."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from calibration.collection import Collection, Tell, collect
from calibration.errors import DataError, PoseError, ResultFileError
from calibration.opening import OpenArm
from calibration.parameters import Floats
from calibration.registration.features import FARTHEST
from calibration.registration.touching import ArmProbe
from station.json_reader import JsonError, read_json
from station.mechanism import Status
from station.tasks.task.joints import driven_joints

LIFT = 0.06  # [m]


class Approach(NamedTuple):
    """One touch to be made."""

    feature: str
    begin: tuple[float, float, float]  # of the tool, in the world [m]
    direction: tuple[float, float, float]

    @property
    def numbers(self) -> list[float]:
        """By which a collection knows its plan again."""
        return [*self.begin, *self.direction]


def read_approaches(path: str | Path) -> list[Approach]:
    """From a JSON file: [["top", [x, y, z], [dx, dy, dz]], …], metres."""
    try:
        held = read_json(path)
        made = [Approach(str(name), _three(begin), _three(direction)) for name, begin, direction in held]
    except OSError as error:
        raise ResultFileError(f"{path}: cannot be read: {error.strerror or error}") from None
    except JsonError as error:
        raise DataError(str(error)) from None
    except (ValueError, TypeError):
        raise DataError(
            f"{path}: no list of approaches; allowed: [[feature, [x, y, z], [dx, dy, dz]], …] [m]"
        ) from None
    if any(not (np.abs(one.numbers) < FARTHEST).all() for one in made):
        raise DataError(f"{path}: a number is not finite, or too large; allowed: below {FARTHEST:g} m")
    if not made or any(np.linalg.norm(one.direction) < 1e-9 for one in made):
        raise DataError(f"{path}: no approach, or one without a direction")
    return made


def _three(numbers: Any) -> tuple[float, float, float]:
    x, y, z = (float(number) for number in numbers)
    return x, y, z


def touch_all(
    arm: OpenArm, collection: Collection, approaches: list[Approach], reach: float, tell: Tell, *, lift: float = LIFT
) -> None:
    """Make the touches that are missing, tool turned as it is now.

    The way to each beginning and from it is by a place above: what is to be found is not in the scene, so nothing else
    keeps the arm from running into it.

    Args:
        arm: that touches.
        collection: where touches go.
        approaches: where they begin.
        reach: how far to feel from there [m].
        tell: progress.
        lift: how far above a beginning the way goes [m].
    """
    probe = ArmProbe(arm.mechanism, arm.frame, arm.leader)
    home = arm.lead.stand().joints
    places = driven_joints(arm.mechanism)
    whole = arm.mechanism.q
    whole[places] = home
    arm.mechanism.q = whole
    upright = arm.mechanism.pose(arm.frame)

    def go(place: Floats) -> None:
        goal = upright.copy()
        goal[:3, 3] = place
        arm.mechanism.q = whole
        if arm.mechanism.reach(arm.frame, goal).status is not Status.OK:
            raise PoseError(f"the tool cannot be brought to {place.round(4).tolist()}")
        arm.lead.go(arm.mechanism.q[places])

    def measure(number: int, _: list[float]) -> dict[str, Any]:
        approach = approaches[number]
        begin, above = np.array(approach.begin), np.array([0.0, 0.0, lift])
        go(begin + above)
        go(begin)
        try:
            touch = probe.touch(np.array(approach.direction), reach)
        finally:
            go(begin + above)
        return {"feature": approach.feature, "point": touch.point, "joints": touch.joints, "force": touch.force}

    collect(collection, measure, tell)
