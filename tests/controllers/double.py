"""A tiny arm without physics, to test links with: goes where it is told at once, and watches its setpoints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim_devices.arm.machine import NO_SEQUENCE, ArmState, Reading
from station.controllers import Capabilities, ControlledJoint

Floats = NDArray[np.float64]

JOINTS = (
    ControlledJoint(name="base", low=-3.0, high=3.0, speed=2.0, acceleration=10.0, jerk=100.0, effort=50.0),
    ControlledJoint(name="shoulder", low=-2.0, high=2.0, speed=2.0, acceleration=10.0, effort=50.0),
    ControlledJoint(name="slide", prismatic=True, low=0.0, high=0.5, speed=0.5, acceleration=5.0),
    ControlledJoint(name="wrist"),
)


def double_capabilities(**changes: object) -> Capabilities:
    given: dict[str, object] = {
        "model": "double",
        "serial_number": "D-1",
        "joints": JOINTS,
        "rate": 1000.0,
        "watchdog": 0.05,
        "takes_velocity": True,
        "takes_effort": True,
        "measures_velocity": True,
        "measures_effort": False,
        "measures_wrench": True,
        "emulated": True,
    }
    return Capabilities(**{**given, **changes})  # type: ignore[arg-type]


class DoubleArm:
    """Implements `ArmMachine`."""

    def __init__(self, clock_offset: float = 100.0, **changes: object) -> None:
        self.capabilities = double_capabilities(**changes)
        n = len(self.capabilities.joints)
        self.q, self.v, self.effort = np.zeros(n), np.zeros(n), np.zeros(n)
        self.q[2:3] = 0.1
        self.start = self.q.copy()
        self.state, self.reason = ArmState.READY, ""
        self.echo = NO_SEQUENCE
        self.offset = clock_offset
        self.now = 0.0
        self.fresh = 0.0  # time of the newest setpoint [s]
        self.refused = 0
        self.released = False
        self.stuck_fault = False  # a cause that stays
        self.frozen = False  # connected but dead
        self.log: list[str] = []

    def setpoint(
        self, q: Floats, v: Floats | None, effort: Floats | None, sequence: int, stamp: float | None = None
    ) -> bool:
        good = self.state is ArmState.ACTIVE and len(q) == len(self.q) and bool(np.isfinite(q).all())
        for joint, value in zip(self.capabilities.joints, q, strict=False):
            good = good and (joint.low is None or joint.high is None or joint.low <= value <= joint.high)
        if not good:
            self.refused += 1
            return False
        self.q, self.echo, self.fresh = np.array(q), sequence, self.now
        if v is not None:
            self.v = np.array(v)
        if effort is not None:
            self.effort = np.array(effort)
        return True

    def activate(self) -> bool:
        self.log.append("activate")
        if self.state in (ArmState.STOPPED, ArmState.FAULT):
            return False
        self.state, self.reason, self.fresh, self.released = ArmState.ACTIVE, "", self.now, False
        return True

    def deactivate(self) -> None:
        self.log.append("deactivate")
        if self.state is ArmState.ACTIVE:
            self.state, self.reason = ArmState.READY, ""

    def stop(self) -> None:
        self.log.append("stop")
        self.state, self.reason = ArmState.STOPPED, "emergency stop"

    def reset(self) -> bool:
        self.log.append("reset")
        if self.stuck_fault:
            self.reason = "the cause is still there"
            return False
        self.state, self.reason = ArmState.READY, ""
        return True

    def release(self) -> None:
        self.log.append("release")
        self.released = True
        if self.state is ArmState.ACTIVE:
            self.state = ArmState.READY

    def advance(self, now: float) -> None:
        if self.frozen:
            return
        self.now = max(self.now, now)
        if self.state is ArmState.ACTIVE and self.now - self.fresh > self.capabilities.watchdog:
            self.state, self.reason = ArmState.READY, "no setpoint for 50 ms: stopped by the watchdog"

    def reading(self) -> Reading:
        return Reading(
            self.q.copy(),
            self.v.copy(),
            self.effort.copy(),
            np.arange(6.0),
            self.state,
            self.reason,
            self.echo,
            self.now + self.offset,
        )
