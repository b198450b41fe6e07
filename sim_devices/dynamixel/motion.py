"""From the goals of all servos to the arm that moves: each servo's own profile, its watchdog, its torque, its errors.

The physics knows an arm, not single motors: it moves while all servos have their torque on, and is limp as soon as one
has not. Everything else is per servo.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from firmware_bridge.dynamixel import table
from firmware_bridge.dynamixel.table import HardwareError
from sim_devices.arm.machine import ArmMachine, ArmState, Reading
from sim_devices.arm.model import TICK
from sim_devices.dynamixel.servo import EmulatedServo

TORQUE_CONSTANT = 1.78  # 4.1 N·m at 2.3 A, stalled at 12 V: XM430-W350 [N·m/A]
SHARE = 0.7  # of what the arm can do that a profile takes: goals that jump must not make it stop
USUAL_ACCELERATION = 20.0  # of an arm that tells none [rad/s²]
CALLED_BACK = 0.07  # time in which a joint comes back to its stop [s]
LONGEST_PAUSE = 0.5  # that is lived through afterwards; more is skipped [s]


class Motion:
    """Leads a machine where servos are told to go."""

    def __init__(self, machine: ArmMachine, servos: Sequence[EmulatedServo]) -> None:
        self._machine, self._servos = machine, list(servos)
        joints = machine.capabilities.joints
        self._low = np.array([-np.inf if joint.low is None else joint.low for joint in joints])
        self._high = np.array([np.inf if joint.high is None else joint.high for joint in joints])
        self._speed = np.array([joint.speed or np.inf for joint in joints])
        self._acceleration = SHARE * np.array([joint.acceleration or USUAL_ACCELERATION for joint in joints])
        self._q = machine.reading().q
        self._v = np.zeros(len(joints))
        self._sequence = 0
        self._last = float("nan")  # time of the last step [s]
        self._drives = False
        self._moves_from = 0.0  # [s]

    def step(self, now: float) -> None:
        """Live until `now` [s], machine and profiles in step: one setpoint for every tick of the machine."""
        if not now - self._last <= LONGEST_PAUSE:  # the first step, or the machine was asleep
            self._last = now
            self._machine.advance(now)
            self._tick(now)
        while self._last + TICK <= now + 1e-9:
            self._last += TICK
            self._machine.advance(self._last)
            self._tick(self._last)

    def _tick(self, now: float) -> None:
        said = self._machine.reading()
        self._sense(said)
        self._fail(said)
        for servo in self._servos:
            servo.watch(now)
        if not all(servo.torque for servo in self._servos):
            self._let_go(said)
        elif any(servo.tripped for servo in self._servos):
            self._stand(said)
        elif said.state is ArmState.ACTIVE and self._drives:
            self._lead(now)
        elif said.state in (ArmState.READY, ArmState.ACTIVE) and self._machine.activate():
            self._take_hold(said, now)

    def _sense(self, said: Reading) -> None:
        for place, servo in enumerate(self._servos):
            current = float(said.effort[place]) / TORQUE_CONSTANT
            servo.sense(float(said.q[place]), float(said.v[place]), current, said.time)

    def _fail(self, said: Reading) -> None:
        """An arm that has stopped by itself is servos that have shut down."""
        if said.state in (ArmState.STOPPED, ArmState.FAULT) and self._drives:
            cause = HardwareError.INPUT_VOLTAGE if "supply" in said.reason else HardwareError.OVERLOAD
            for servo in self._servos:
                servo.fail(cause)
                servo.put(table.TORQUE, 0)

    def _let_go(self, said: Reading) -> None:
        if said.state in (ArmState.STOPPED, ArmState.FAULT):
            if not any(servo.get(table.HARDWARE_ERROR) for servo in self._servos):  # they were started anew
                self._machine.reset()
        elif self._drives or said.state is ArmState.ACTIVE:
            self._machine.release()
        self._drives = False

    def _stand(self, said: Reading) -> None:
        """A watchdog has spoken: the arm comes to a standstill and holds."""
        if said.state is ArmState.ACTIVE:
            self._machine.deactivate()
        self._drives = False

    def _take_hold(self, said: Reading, now: float) -> None:
        """The torque has come on. An arm that lies beyond a stop is called back to it before anything else moves."""
        self._q, self._v, self._drives = np.clip(said.q, self._low, self._high), np.zeros(len(said.q)), True
        self._moves_from = now if np.array_equal(self._q, said.q) else now + CALLED_BACK

    def _lead(self, now: float) -> None:
        """One step of every profile."""
        goals = np.array([servo.angle(servo.get(table.GOAL_POSITION)) for servo in self._servos])
        goals = np.clip(goals, self._low, self._high) if now >= self._moves_from else self._q
        error = goals - self._q
        speed, acceleration = self._profiles()
        wanted = np.minimum(speed, np.sqrt(2.0 * acceleration * np.abs(error)))
        wanted = np.sign(error) * np.minimum(wanted, np.abs(error) / TICK)
        self._v = self._v + np.clip(wanted - self._v, -acceleration * TICK, acceleration * TICK)
        self._q = self._q + self._v * TICK
        self._sequence += 1
        self._machine.setpoint(self._q, self._v, None, self._sequence)
        for servo, q, v in zip(self._servos, self._q.tolist(), self._v.tolist(), strict=True):
            servo.plan(q, v)

    def _profiles(self) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], ...]:
        """Largest speed [rad/s] and acceleration [rad/s²] of every servo now."""
        told = np.array([servo.get(table.PROFILE_VELOCITY) for servo in self._servos]) * table.SPEED
        limit = np.array([servo.get(table.VELOCITY_LIMIT) for servo in self._servos]) * table.SPEED
        speed = np.minimum(np.where(told > 0.0, np.minimum(told, limit), limit), self._speed)
        rise = np.array([servo.get(table.PROFILE_ACCELERATION) for servo in self._servos]) * table.ACCELERATION
        return speed, np.where(rise > 0.0, np.minimum(rise, self._acceleration), self._acceleration)
