"""`EmulatedRobot`: power, safety and the running program of a robot, in front of a machine that moves."""

from __future__ import annotations

from collections import Counter
from typing import Protocol

import numpy as np

from firmware_bridge.ur.place import EMULATED
from firmware_bridge.ur.rtde import Value
from firmware_bridge.ur.status import RobotMode, Runtime, Safety
from sim_devices.arm.machine import ArmMachine, ArmState, Floats, Reading
from sim_devices.ur.variables import ZEROS

POWERING, RELEASING = 0.2, 0.2  # real ones take some seconds [s]


class Program(Protocol):
    """What runs on a robot."""

    def step(self, robot: EmulatedRobot, now: float) -> bool:
        """One step at `now` [s]; False: it has ended."""


class EmulatedRobot:
    """What all ports of a robot see. Registers are by their names in RTDE."""

    model = "UR5"
    serial_number = f"{EMULATED}0000001"

    def __init__(self, machine: ArmMachine, inputs: dict[str, Value], step: float) -> None:
        self.machine = machine
        self.period = step  # of programs [s]
        self.inputs = inputs
        self.registers: dict[str, Value] = {
            name: value for name, value in ZEROS.items() if name.startswith("output_") and "register" in name
        }
        self.mode = RobotMode.RUNNING
        self.runtime = Runtime.STOPPED
        self.ends: Counter[str] = Counter()  # why programs have ended
        self.forced = Safety(0)  # faults that tests or people put on
        self._program: Program | None = None
        self._sequence = 0
        self._then: tuple[float, RobotMode] | None = None
        self._said = machine.reading()
        self.target = self._said.q

    # State -----------------------------------------------------------------------------------------------

    @property
    def said(self) -> Reading:
        """What the machine said at the last step."""
        return self._said

    @property
    def safety(self) -> Safety:
        """Bits of safety_status_bits."""
        if self.forced:
            return self.forced
        if self._said.state is ArmState.FAULT:
            return Safety.VIOLATION | Safety.STOPPED
        if self._said.state is ArmState.STOPPED:
            emergency = "emergency" in self._said.reason
            cause = Safety.ROBOT_EMERGENCY_STOP | Safety.EMERGENCY_STOP if emergency else Safety.PROTECTIVE_STOP
            return cause | Safety.STOPPED
        return Safety.NORMAL

    @property
    def safety_name(self) -> str:
        """As the dashboard tells it."""
        for bit in (Safety.FAULT, Safety.VIOLATION, Safety.ROBOT_EMERGENCY_STOP, Safety.PROTECTIVE_STOP):
            if self.safety & bit:
                return str(bit.name)
        return "NORMAL"

    @property
    def may_move(self) -> bool:
        """Whether programs may run."""
        return self.mode is RobotMode.RUNNING and self.safety == Safety.NORMAL

    def power_on(self) -> None:
        """Drives on, brakes still on."""
        if self.mode is RobotMode.POWER_OFF:
            self.mode, self._then = RobotMode.POWER_ON, (POWERING, RobotMode.IDLE)

    def release_brakes(self) -> None:
        """Ready to move, if there is power or none yet."""
        if self.mode in (RobotMode.POWER_OFF, RobotMode.POWER_ON, RobotMode.IDLE):
            self.mode, self._then = RobotMode.POWER_ON, (RELEASING, RobotMode.RUNNING)

    def power_off(self) -> None:
        """Brakes on, drives off: it stands where it is."""
        self.end_program("power off")
        self.mode, self._then = RobotMode.POWER_OFF, None

    def unlock(self) -> bool:
        """Leave a protective stop."""
        self.forced &= ~(Safety.PROTECTIVE_STOP | Safety.STOPPED)
        return self.machine.reset() if self._said.state is ArmState.STOPPED else True

    # Programs --------------------------------------------------------------------------------------------

    def start(self, program: Program) -> bool:
        """Run a program in place of the one before."""
        self.end_program("replaced by another")
        if not self.may_move:
            return False
        self._program, self.runtime = program, Runtime.PLAYING
        return True

    def end_program(self, why: str) -> None:
        """The program ends, and the robot comes to a standstill."""
        if self._program is not None:
            self.ends[why] += 1
        self._program, self.runtime = None, Runtime.STOPPED
        self.stand()

    def number(self, name: str) -> int:
        """An input register that is a whole number."""
        return int(self.inputs[name])  # type: ignore[arg-type]

    def move_to(self, q: Floats, v: Floats | None = None) -> None:
        """A setpoint of a program [rad]; what the machine refuses is refused."""
        if self._said.state is ArmState.READY:
            self.machine.activate()
        self._sequence += 1
        if self.machine.setpoint(q, v, None, self._sequence):
            self.target = np.array(q)

    def stand(self) -> None:
        """Come to a standstill and hold."""
        if self.machine.reading().state is ArmState.ACTIVE:
            self.machine.deactivate()

    def step(self, now: float) -> None:
        """One step."""
        self._said = self.machine.reading()
        if self._then is not None:
            left, mode = self._then
            self._then = (left - self.period, mode) if left > self.period else None
            if self._then is None:
                self.mode = mode
        if self._program is None:
            return
        if not self.may_move:
            self.end_program(f"safety: {self.safety_name}")
        elif not self._program.step(self, now):
            self.end_program("it was over")
