"""`JointLimits`: within what a joint is moved, from what file and arm tell and what is set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from station.controllers.controller import ControlledJoint
from station.controllers.order import scene_joints
from station.controllers.shaping.errors import ShapingError
from station.controllers.shaping.settings import ShapingSettings
from station.mechanism import Mechanism


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


def joint_limits(
    mechanism: Mechanism, arm: Sequence[ControlledJoint] | None, settings: ShapingSettings | None = None
) -> tuple[JointLimits, ...]:
    """Within what setpoints are kept, whoever makes them: the smaller of what file and arm say, for each joint.

    The arm's joints are in the order of the file; None: no arm, the file alone.
    """
    settings = settings or ShapingSettings()
    ours = [_part(joint, settings.file_share) for joint in _file_joints(mechanism)]
    if arm is None:
        return tuple(_of_joint(joint, settings) for joint in ours)
    theirs = (_part(joint, settings.share) for joint in arm)
    return tuple(_of_joint(smaller(a, b), settings) for a, b in zip(ours, theirs, strict=True))


def limits_of(joints: Sequence[ControlledJoint], settings: ShapingSettings | None = None) -> tuple[JointLimits, ...]:
    """Limits for the joints of an arm alone: a share of its own, or what is set where it tells none."""
    settings = settings or ShapingSettings()
    return tuple(_of_joint(_part(joint, settings.share), settings) for joint in joints)


def smaller(a: ControlledJoint, b: ControlledJoint) -> ControlledJoint:
    """The joint `a` within the limits of both; what only one tells is that one's."""
    return replace(
        a,
        low=_most(a.low, b.low),
        high=_least(a.high, b.high),
        speed=_least(a.speed, b.speed),
        acceleration=_least(a.acceleration, b.acceleration),
        jerk=_least(a.jerk, b.jerk),
        effort=_least(a.effort, b.effort),
    )


def _file_joints(mechanism: Mechanism) -> tuple[ControlledJoint, ...]:
    """Driven joints with the jerk of the file, too."""
    jerks = {link.id: link.jerk for link in mechanism.robot.links}
    driven = [joint.id for joint in mechanism.joints if joint.active]
    return tuple(
        replace(joint, jerk=jerks[number]) for joint, number in zip(scene_joints(mechanism.joints), driven, strict=True)
    )


def _part(joint: ControlledJoint, share: float) -> ControlledJoint:
    """With a share of speed, acceleration and jerk."""
    return replace(
        joint,
        speed=None if joint.speed is None else share * joint.speed,
        acceleration=None if joint.acceleration is None else share * joint.acceleration,
        jerk=None if joint.jerk is None else share * joint.jerk,
    )


def _of_joint(joint: ControlledJoint, settings: ShapingSettings) -> JointLimits:
    scale = settings.metre if joint.prismatic else 1.0
    speed = settings.speed * scale if joint.speed is None else joint.speed
    acceleration = speed / settings.speed_time if joint.acceleration is None else joint.acceleration
    jerk = acceleration / settings.acceleration_time if joint.jerk is None else joint.jerk
    low = -math.inf if joint.low is None else joint.low
    high = math.inf if joint.high is None else joint.high
    inner, outer = settings.inner * scale, settings.outer * scale
    limits = JointLimits(low, high, speed, acceleration, jerk, inner, outer, joint.prismatic)
    check_limits(joint.name, limits)
    return limits


def _least(a: float | None, b: float | None) -> float | None:
    return b if a is None else a if b is None else min(a, b)


def _most(a: float | None, b: float | None) -> float | None:
    return b if a is None else a if b is None else max(a, b)


def check_limits(name: str, limits: JointLimits) -> None:
    """Raise a ShapingError for limits within which nothing can move."""
    for what in ("speed", "acceleration", "jerk"):
        value = getattr(limits, what)
        if not (math.isfinite(value) and value > 0.0):
            raise ShapingError(f"joint {name}: {what} limit is {value:g}; allowed: a number above 0")
    if not limits.low < limits.high:
        raise ShapingError(f"joint {name}: range is {limits.low:g} to {limits.high:g}; allowed: low below high")
