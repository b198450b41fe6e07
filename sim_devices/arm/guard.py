"""The arm's own limits: what it does not take, and what makes it stop by reflex."""

from __future__ import annotations

import numpy as np

from sim_devices.arm.asked import OwnTimes
from sim_devices.arm.drives import Drive
from sim_devices.arm.kernels import judging
from sim_devices.arm.machine import Floats
from sim_devices.arm.reference import Reference
from sim_devices.arm.settings import ArmSettings
from station.controllers.controller import ControlledJoint

# What is said of each finding, its unit behind that of the joint, and which row of limits it broke.
MOTION = {
    judging.LAGS: ("following error of", "", 0),
    judging.SPEED: ("setpoints move at", "/s", 1),
    judging.ACCELERATION: ("setpoints accelerate by", "/s²", 2),
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
        self._bounds = np.array([self.low, self.high, jump])
        judging.admit(np.zeros(len(joints)), np.zeros(len(joints)), self._bounds)  # compiled or loaded before it counts
        self._most = np.array([following, speed, acceleration])
        self._own = OwnTimes(len(joints))
        self._timed = False  # whether the newest setpoint told its time
        self._effort = np.array([drive.effort for drive in drives])
        self._force, self._torque = settings.contact_force, settings.contact_torque

    def refuses(self, v: Floats | None, effort: Floats | None) -> str:
        """Why a setpoint is not taken, by what comes with its position."""
        for name, values in (("v", v), ("effort", effort)):
            if values is not None and (values.shape != self.low.shape or not np.isfinite(values).all()):
                return f"{name} is not {len(self.low)} finite numbers"
        if v is not None and (np.abs(v) > self._most[1]).any():
            return "speed outside the limits"
        if effort is not None and (np.abs(effort) > self._effort + judging.HAIR).any():
            return "effort outside the limits"
        return ""

    def admits(self, q: Floats, before: Floats) -> tuple[str, str]:
        """Why a position is not taken after the one before it; and why the arm must stop because of it."""
        if q.shape != self.low.shape:
            return f"q is not {len(self.low)} finite numbers", ""
        found, place, value = judging.admit(q, before, self._bounds)
        if found == judging.FINE:
            return "", ""
        if found == judging.NOT_FINITE:
            return f"q is not {len(self.low)} finite numbers", ""
        if found == judging.OUTSIDE:
            return "position outside the limits", ""
        return "jump", self._said("setpoint jumps by", "", place, value, float(self._bounds[2, place]))

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
        for found, values in ((judging.SPEED, asked.speed), (judging.ACCELERATION, asked.acceleration)):
            what, per, row = MOTION[found]
            place = int(np.argmax(values / self._most[row]))
            if values[place] > self._most[row, place]:
                return self._said(what, per, place, float(values[place]), float(self._most[row, place]))
        return ""

    def judges(self, reference: Reference, measured: Floats, wrench: Floats, follows: bool) -> str:
        """Why the arm must stop: following error, contact, or (while it follows) setpoints that ask too much.

        That is judged as they arrive only where they do not tell their times: `asks` has judged them otherwise.
        """
        found, place, value = judging.judge(
            reference.past,
            reference.newest,
            reference.window,
            reference.tick,
            follows and not self._timed,
            measured,
            self._most,
            wrench,
            self._force,
            self._torque,
        )
        if found == judging.FINE:
            return ""
        if found == judging.FORCE:
            return f"contact force of {value:.0f} N, allowed are {self._force:g} N"
        if found == judging.TORQUE:
            return f"contact torque of {value:.1f} N·m, allowed are {self._torque:g} N·m"
        what, per, row = MOTION[found]
        return self._said(what, per, place, value, float(self._most[row, place]))

    def _said(self, what: str, per: str, place: int, value: float, most: float) -> str:
        unit = self._units[place] + per
        return f"{what} {value:.3g} {unit} at {self._names[place]}, allowed are {most:.3g} {unit}"
