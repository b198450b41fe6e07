"""The arm's own limits: what it does not take, and what makes it stop by reflex."""

from __future__ import annotations

import math
from enum import IntEnum

import numpy as np

from sim_devices.arm.asked import OwnTimes
from sim_devices.arm.drives import Drive
from sim_devices.arm.machine import Floats
from sim_devices.arm.reference import Reference
from sim_devices.arm.senses import Measured
from sim_devices.arm.settings import ArmSettings
from station.controllers.controller import ControlledJoint
from station.kernel import Floats1, Floats2, Record, entry, field

HAIR = 1e-9  # of rounding, beyond a limit [rad | m]


class Finding(IntEnum):
    """What is wrong with a setpoint, or with the motion."""

    FINE = 0
    LAGS = 1
    FORCE = 2
    TORQUE = 3
    SPEED = 4
    ACCELERATION = 5
    NOT_FINITE = 6
    OUTSIDE = 7
    JUMPS = 8


class ArmLimits(Record):
    """What an arm does not take, and what makes it stop; n joints."""

    low: Floats1 = field("rad | m", "stops", shape="n")
    high: Floats1 = field("rad | m", shape="n")
    jump: Floats1 = field("rad | m", "largest from one setpoint to the next", shape="n")
    following: Floats1 = field("rad | m", "largest error", shape="n")
    speed: Floats1 = field("rad/s | m/s", shape="n")
    acceleration: Floats1 = field("rad/s² | m/s²", shape="n")
    force: float = field("N", "largest on the tool")
    torque: float = field("N·m", "largest on the tool")


# What is said of each finding, its unit behind that of the joint.
MOTION = {
    Finding.LAGS: ("following error of", ""),
    Finding.SPEED: ("setpoints move at", "/s"),
    Finding.ACCELERATION: ("setpoints accelerate by", "/s²"),
}


class Guard:
    """Checks of setpoints before they are taken, and of motion while it lasts. Answers are reasons; empty: fine."""

    def __init__(self, settings: ArmSettings, joints: tuple[ControlledJoint, ...], drives: list[Drive]) -> None:
        self._names = [joint.name for joint in joints]
        self._units = ["m" if joint.prismatic else "rad" for joint in joints]
        self.low = np.array([-np.inf if joint.low is None else joint.low for joint in joints])
        self.high = np.array([np.inf if joint.high is None else joint.high for joint in joints])
        slides = np.array([joint.prismatic for joint in joints])
        jump = np.where(slides, settings.largest_slide, settings.largest_jump)
        following = np.where(slides, settings.following_slide, settings.following_turn)
        speed = np.array([drive.speed for drive in drives]) * settings.speed_margin
        acceleration = np.array([drive.acceleration for drive in drives]) * settings.acceleration_margin
        self._limits = ArmLimits(
            low=self.low,
            high=self.high,
            jump=jump,
            following=following,
            speed=speed,
            acceleration=acceleration,
            force=settings.contact_force,
            torque=settings.contact_torque,
        )
        admit(self._limits, np.zeros(len(joints)), np.zeros(len(joints)))  # compiled or loaded before it counts
        self._own = OwnTimes(len(joints))
        self._timed = False  # whether the newest setpoint told its time
        self._effort = np.array([drive.effort for drive in drives])

    def refuses(self, v: Floats | None, effort: Floats | None) -> str:
        """Why a setpoint is not taken, by what comes with its position."""
        for name, values in (("v", v), ("effort", effort)):
            if values is not None and (values.shape != self.low.shape or not np.isfinite(values).all()):
                return f"{name} is not {len(self.low)} finite numbers"
        if v is not None and (np.abs(v) > self._limits.speed).any():
            return "speed outside the limits"
        if effort is not None and (np.abs(effort) > self._effort + HAIR).any():
            return "effort outside the limits"
        return ""

    def admits(self, q: Floats, before: Floats) -> tuple[str, str]:
        """Why a position is not taken after the one before it; and why the arm must stop because of it."""
        if q.shape != self.low.shape:
            return f"q is not {len(self.low)} finite numbers", ""
        found, place, value = admit(self._limits, q, before)
        if found == Finding.FINE:
            return "", ""
        if found == Finding.NOT_FINITE:
            return f"q is not {len(self.low)} finite numbers", ""
        if found == Finding.OUTSIDE:
            return "position outside the limits", ""
        return "jump", self._said("setpoint jumps by", "", place, value, float(self._limits.jump[place]))

    def begin(self) -> None:
        """Setpoints begin anew."""
        self._own.begin()
        self._timed = False

    def asks(self, q: Floats, stamp: float | None, arrival: float) -> str:
        """Why the arm must stop because of what setpoints ask for by their own times; None: this one tells none."""
        self._timed = stamp is not None
        if stamp is None:
            return ""
        asked = self._own.ask(q, stamp, arrival)
        if asked is None:
            return ""
        for found, values in ((Finding.SPEED, asked.speed), (Finding.ACCELERATION, asked.acceleration)):
            most = self._most(found)
            place = int(np.argmax(values / most))
            if values[place] > most[place]:
                return self._said(*MOTION[found], place, float(values[place]), float(most[place]))
        return ""

    def judges(self, reference: Reference, measured: Measured, wrench: Floats, follows: bool) -> str:
        """Why the arm must stop: following error, contact, or (while it follows) setpoints that ask too much.

        That is judged as they arrive only where they do not tell their times: `asks` has judged them otherwise.
        """
        limits = self._limits
        found, place, value = judge(
            limits,
            reference.past,
            reference.newest,
            reference.window,
            reference.tick,
            follows and not self._timed,
            measured,
            wrench,
        )
        if found == Finding.FINE:
            return ""
        if found == Finding.FORCE:
            return f"contact force of {value:.0f} N, allowed are {limits.force:g} N"
        if found == Finding.TORQUE:
            return f"contact torque of {value:.1f} N·m, allowed are {limits.torque:g} N·m"
        return self._said(*MOTION[found], place, value, float(self._most(found)[place]))

    def _most(self, found: Finding) -> Floats:
        """The limits of all joints that a finding is about."""
        limits = self._limits
        if found == Finding.LAGS:
            return limits.following
        return limits.speed if found == Finding.SPEED else limits.acceleration

    def _said(self, what: str, per: str, place: int, value: float, most: float) -> str:
        unit = self._units[place] + per
        return f"{what} {value:.3g} {unit} at {self._names[place]}, allowed are {most:.3g} {unit}"


@entry
def judge(
    limits: ArmLimits,
    past: Floats2,
    newest: int,
    length: int,
    tick: float,
    moves: bool,
    measured: Measured,
    wrench: Floats1,
) -> tuple[Finding, int, float]:
    """What is wrong with the motion of the last moments: kind, joint and value.

    Speed and acceleration count only for setpoints, if `moves`.
    """
    following, most_speed, most_acceleration = limits.following, limits.speed, limits.acceleration
    n, size = past.shape[1], past.shape[0]
    middle, first = (newest - length) % size, (newest - 2 * length) % size
    for i in range(n):
        error = abs(past[newest, i] - measured.q[i])
        if error > following[i]:
            return Finding.LAGS, i, error
    force = math.sqrt(wrench[0] ** 2 + wrench[1] ** 2 + wrench[2] ** 2)
    if force > limits.force:
        return Finding.FORCE, 0, force
    torque = math.sqrt(wrench[3] ** 2 + wrench[4] ** 2 + wrench[5] ** 2)
    if torque > limits.torque:
        return Finding.TORQUE, 0, torque
    if moves:
        time = length * tick
        for i in range(n):
            speed = abs(past[newest, i] - past[middle, i]) / time
            if speed > most_speed[i]:
                return Finding.SPEED, i, speed
            acceleration = abs(past[newest, i] - 2.0 * past[middle, i] + past[first, i]) / time**2
            if acceleration > most_acceleration[i]:
                return Finding.ACCELERATION, i, acceleration
    return Finding.FINE, 0, 0.0


@entry
def admit(limits: ArmLimits, q: Floats1, before: Floats1) -> tuple[Finding, int, float]:
    """What is wrong with a setpoint after the one before it: kind, joint and value."""
    for i in range(q.size):
        if not math.isfinite(q[i]):
            return Finding.NOT_FINITE, i, 0.0
    for i in range(q.size):
        if not limits.low[i] - HAIR <= q[i] <= limits.high[i] + HAIR:
            return Finding.OUTSIDE, i, q[i]
    for i in range(q.size):
        jump = abs(q[i] - before[i])
        if jump > limits.jump[i]:
            return Finding.JUMPS, i, jump
    return Finding.FINE, 0, 0.0
