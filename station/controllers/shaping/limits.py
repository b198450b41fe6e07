"""`JointLimits`: within what a joint is moved, from what the arm tells and what is set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from station.controllers.controller import ControlledJoint
from station.controllers.shaping.errors import ShapingError
from station.controllers.shaping.settings import ShapingSettings


class JointLimits(NamedTuple):
    """Limits of one joint, all positive but for the range; infinite where there is no end [rad | m]."""

    low: float
    high: float
    speed: float
    acceleration: float
    jerk: float
    inner: float  # following error from which the arm is slowed
    outer: float  # and from which it is stopped
    prismatic: bool = False


def limits_of(joints: Sequence[ControlledJoint], settings: ShapingSettings | None = None) -> tuple[JointLimits, ...]:
    """Limits for the joints of an arm: a share of its own, or what is set where it tells none."""
    settings = settings or ShapingSettings()
    return tuple(_of_joint(joint, settings) for joint in joints)


def _of_joint(joint: ControlledJoint, settings: ShapingSettings) -> JointLimits:
    scale = settings.metre if joint.prismatic else 1.0
    speed = settings.share * joint.speed if joint.speed is not None else settings.speed * scale
    acceleration = _share(joint.acceleration, settings.share, speed / settings.speed_time)
    jerk = _share(joint.jerk, settings.share, acceleration / settings.acceleration_time)
    low = -math.inf if joint.low is None else joint.low
    high = math.inf if joint.high is None else joint.high
    inner, outer = settings.inner * scale, settings.outer * scale
    limits = JointLimits(low, high, speed, acceleration, jerk, inner, outer, joint.prismatic)
    check_limits(joint.name, limits)
    return limits


def _share(limit: float | None, share: float, otherwise: float) -> float:
    return otherwise if limit is None else share * limit


def check_limits(name: str, limits: JointLimits) -> None:
    """Raise a ShapingError for limits within which nothing can move."""
    for what in ("speed", "acceleration", "jerk"):
        value = getattr(limits, what)
        if not (math.isfinite(value) and value > 0.0):
            raise ShapingError(f"joint {name}: {what} limit is {value:g}; allowed: a number above 0")
    if not limits.low < limits.high:
        raise ShapingError(f"joint {name}: range is {limits.low:g} to {limits.high:g}; allowed: low below high")
