"""What is set, and `JointLimits`: within what a joint is moved, from what file and arm tell and what is set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from station.controllers.controller import ControlledJoint
from station.controllers.order import scene_joints
from station.devices.parameter import SettingsError, check, parameter
from station.errors import StationError
from station.kernel import Floats1, Record, field
from station.mechanism import Mechanism

STRIDE = 5.0  # periods of the longest step in which a late tick is gone through


class ShapingError(StationError, ValueError):
    """Limits or a posture that cannot be used; one line that says what is wrong and what is allowed."""


@dataclass(frozen=True, kw_only=True)
class ShapingSettings:
    """How the arm is led after the predicted robot."""

    period: float = parameter(1e-3, "time between two ticks", "s", 1e-5, 0.1)
    longest: float = parameter(0.025, "time that a late tick stands for at most, if not 5 periods", "s", 1e-4, 0.1)
    gain: float = parameter(100.0, "how fast small errors go: the slower pole of following", "1/s", 1.0, 1000.0)
    share: float = parameter(0.9, "part of the arm's own speed, acceleration and jerk that is used", "", 0.01, 1.0)
    file_share: float = parameter(1.0, "part of the file's speed, acceleration and jerk that is used", "", 0.01, 1.0)
    speed: float = parameter(
        1.0, "speed limit of a turning joint if neither file nor arm tells one", "rad/s", 1e-3, 100.0
    )
    speed_time: float = parameter(0.2, "time to full speed, if neither tells an acceleration", "s", 1e-3, 10.0)
    acceleration_time: float = parameter(0.05, "time to full acceleration, if neither tells a jerk", "s", 1e-3, 10.0)
    metre: float = parameter(0.25, "metres of a sliding joint that count as a radian", "m/rad", 1e-3, 10.0)
    target_limit: float = parameter(0.050, "age of a target from which the arm is stopped", "s", 1e-3, 1.0)
    tube: bool = parameter(True, "whether commanded and measured joints are compared")
    inner: float = parameter(0.05, "following error from which the arm is slowed", "rad", 1e-6, 10.0)
    outer: float = parameter(0.15, "following error from which it is stopped", "rad", 2e-6, 20.0)
    lag: float = parameter(0.1, "time by which the arm may lag behind its setpoint, besides the link", "s", 0.0, 2.0)
    measured_limit: float = parameter(0.25, "age of a measurement from which the arm is stopped", "s", 1e-3, 5.0)
    outside: float = parameter(0.02, "how far outside its range a joint may begin", "rad | m", 0.0, 1.0)

    def __post_init__(self) -> None:
        check(self)
        if self.outer <= self.inner:
            raise SettingsError(f"outer is {self.outer:g} [rad]; allowed: more than inner, {self.inner:g}")


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


class ShapingLimits(Record):
    """Settings and limits of joints for kernels."""

    period: float = field("s", "between two ticks")
    longest: float = field("s", "time that a tick stands for at most")
    stride: float = field("s", "longest step in which that time is gone through")
    gain: float = field("1/s", "of the position loop")
    target_limit: float = field("s", "age of a target from which it is not followed")
    measured_limit: float = field("s", "age of a measurement from which the arm is not known to be in the tube")
    lag: float = field("s", "of the arm behind its setpoint")
    tube: bool = field("", "it is watched")
    outside: float = field("rad | m", "how far outside its range a joint may begin")
    low: Floats1 = field("rad | m", shape="n")
    high: Floats1 = field("rad | m", shape="n")
    speed: Floats1 = field("rad/s | m/s", shape="n")
    acceleration: Floats1 = field("rad/s² | m/s²", shape="n")
    jerk: Floats1 = field("rad/s³ | m/s³", shape="n")
    inner: Floats1 = field("rad | m", "tube: following error from which the arm is slowed", shape="n")
    outer: Floats1 = field("rad | m", "and from which it is stopped", shape="n")
    leap: Floats1 = field("rad | m", "further from the last setpoint than is ever allowed", shape="n")


def numbers_of(joints: Sequence[JointLimits], settings: ShapingSettings) -> ShapingLimits:
    """All that is set, for kernels."""
    limits = ShapingLimits(n=len(joints))
    limits.period, limits.gain, limits.stride = settings.period, settings.gain, STRIDE * settings.period
    limits.longest = max(settings.longest, limits.stride)
    limits.target_limit, limits.measured_limit = settings.target_limit, settings.measured_limit
    limits.lag, limits.tube, limits.outside = settings.lag, settings.tube, settings.outside
    for name in ("low", "high", "speed", "acceleration", "jerk", "inner", "outer"):
        setattr(limits, name, [getattr(joint, name) for joint in joints])
    limits.leap = 1.001 * limits.speed * limits.stride
    return limits
