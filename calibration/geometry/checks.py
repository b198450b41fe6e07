"""Measurements against the robot they are said to be of: units, encoders, size."""

from __future__ import annotations

import math

import numpy as np

from calibration.errors import DataError, UnitsError
from calibration.geometry.measured import ToolMeasurements
from calibration.geometry.screws import Tree
from calibration.parameters import Floats
from station.mad.units import JointType
from station.mechanism import Joint, Mechanism

THOUSANDS = {1000.0: "millimetres given for metres", 0.001: "metres given for millimetres"}
FACTOR = 1.5  # around a thousand
BEYOND = 0.5  # a stop that a joint may be measured [rad]


def check_encoders(mechanism: Mechanism, tree: Tree, data: ToolMeasurements) -> tuple[int, ...]:
    """Links whose encoders count; a DataError or UnitsError for those that cannot be right."""
    known = {joint.id: joint for joint in mechanism.joints}
    for place, name in enumerate(data.encoders):
        if name not in known:
            ids = ", ".join(map(str, known))
            raise DataError(f"robot {mechanism.robot.name} has no joint {name}; there are: {ids}")
        _check_values(known[name], data.joints[:, place])
    moving = {link.id for link in tree.links}
    used = tuple(name for name in data.encoders if name in moving)
    if any(one.holds for one in mechanism.robot.constraints) or mechanism.robot.couplings:
        needed = mechanism.mobility
        if len(used) != needed:
            raise DataError(
                f"{len(used)} encoders for a robot with loops and {needed} freedoms; name the links of {needed}"
            )
    elif len(used) < len(moving):
        without = ", ".join(str(name) for name in sorted(moving - set(used)))
        raise DataError(f"joints without an encoder: {without}; all joints up to the tool are needed")
    return used


def _check_values(joint: Joint, values: Floats) -> None:
    largest = float(np.abs(values).max())
    most = max(map(abs, joint.limits)) if joint.limits else 4.0 * math.pi
    if joint.type is JointType.REVOLUTE and largest > most + BEYOND and math.radians(largest) <= most + BEYOND:
        raise UnitsError(f"joint {joint.id} goes to {largest:.4g} rad, its stop is at {most:.4g}: degrees given")
    if joint.type is JointType.PRISMATIC and joint.limits and largest > 100.0 * max(most, 1e-3):
        raise UnitsError(f"joint {joint.id} goes to {largest:.4g} m, its stop is at {most:.4g}: {THOUSANDS[1000.0]}")


def check_scale(scale: float) -> None:
    """Refuse positions that are much larger or smaller than the robot."""
    for factor, words in THOUSANDS.items():
        if factor / FACTOR < scale < factor * FACTOR:
            raise UnitsError(f"positions are {scale:.4g} times as large as the robot reaches: {words}")
    if not 0.5 < scale < 2.0:
        raise DataError(f"positions are {scale:.3g} times as large as the robot reaches; are they of this robot?")
