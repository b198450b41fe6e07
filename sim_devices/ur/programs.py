"""Programs that the emulated robot knows, as they behave towards registers and joints."""

from __future__ import annotations

import re

import numpy as np

from firmware_bridge.ur import script
from firmware_bridge.ur.script import ProgramState, ScriptSettings, Wanted
from sim_devices.arm.machine import Floats
from sim_devices.ur.robot import EmulatedRobot, Program

UR_RTDE = "def rtde_control():"
READY, DONE = 1, 2  # what ur_rtde's program says in its first register


def program_of(text: str) -> Program | None:
    """The program of a text; None if it is not known."""
    settings = script.recognised(text)
    if settings is not None:
        return StationProgram(settings)
    if text.startswith(UR_RTDE):
        return UrRtdeProgram(_offset(text))
    return None


def _offset(text: str) -> int:
    """Where the registers of ur_rtde's program begin: 0, or 24 if it was asked for the upper ones."""
    found = re.search(r"reg_offset_int\s*=\s*(\d+)", text)
    return int(found[1]) if found else 0


class StationProgram:
    """What `firmware_bridge/ur/script.py` says, step by step."""

    def __init__(self, settings: ScriptSettings) -> None:
        self._settings = settings
        self._state = ProgramState.NONE
        self._last = self._beat = self._quiet = 0
        self._target: Floats | None = None
        self._beat_at = 0.0  # [s]

    def step(self, robot: EmulatedRobot, now: float) -> bool:
        """One step."""
        registers = robot.registers
        if self._state is ProgramState.NONE:
            self._last, self._beat, self._beat_at = robot.number(script.NUMBER), robot.number(script.BEAT), now
            self._state = ProgramState.IDLE
            registers[script.ECHO], registers[script.NONCE] = -1, self._settings.nonce
        if not self._beats(robot, now):
            return False
        wanted, number = robot.number(script.MODE), robot.number(script.NUMBER)
        if wanted == Wanted.STOP:
            robot.stand()
            self._state = ProgramState.STOPPED
        elif wanted == Wanted.IDLE:
            if self._state is ProgramState.FOLLOWS:
                robot.stand()
            self._state, self._last = ProgramState.IDLE, number
        elif self._state is not ProgramState.SILENCE:
            self._follow(robot, number)
        registers[script.STATE] = int(self._state)
        return self._state is not ProgramState.STOPPED

    def _beats(self, robot: EmulatedRobot, now: float) -> bool:
        """The robot's own watchdog on the heartbeat."""
        beat = robot.number(script.BEAT)
        if beat != self._beat:
            self._beat, self._beat_at = beat, now
        return now - self._beat_at <= 1.0 / script.LEAST_BEATS

    def _follow(self, robot: EmulatedRobot, number: int) -> None:
        if number != self._last:
            self._last, self._quiet = number, 0
            self._target = np.array([robot.inputs[name] for name in script.TARGET])
            self._state = ProgramState.FOLLOWS
            robot.registers[script.ECHO] = number
        elif self._state is ProgramState.FOLLOWS:
            self._quiet += 1
            if self._quiet > self._settings.silence:
                robot.stand()
                self._state = ProgramState.SILENCE
                return
        if self._target is not None and self._state is ProgramState.FOLLOWS:
            robot.move_to(self._target)


class UrRtdeProgram:
    """The control program of ur_rtde (1.6), as far as moveJ, servoJ and the stops."""

    MOVE_J, SERVO_J, STOP_J, SERVO_STOP, SPEED_STOP, STOP_SCRIPT = 1, 11, 19, 16, 15, 255

    def __init__(self, first: int) -> None:
        self._first = first
        self._busy = self._executing = False
        self._goal: Floats | None = None
        self._speed, self._acceleration = 1.0, 1.0  # [rad/s], [rad/s²]
        self._q: Floats | None = None  # where a movement stands
        self._v = 0.0
        self._servo: Floats | None = None
        self.unknown: list[int] = []
        self._began = False

    def step(self, robot: EmulatedRobot, now: float) -> bool:
        """One step."""
        del now
        if not self._began:
            self._began = True
            self._say(robot, READY)
        command = robot.number(f"input_int_register_{self._first}")
        if command == self.STOP_SCRIPT:
            self._say(robot, DONE)
            return False
        if command == self.SERVO_J:
            self._servo = self._joints(robot)
            self._say(robot, READY)
        elif command == 0:
            self._executing = False
            self._say(robot, READY)
        elif not self._executing:
            self._execute(robot, command)
        self._move(robot)
        return True

    def _say(self, robot: EmulatedRobot, value: int) -> None:
        robot.registers[f"output_int_register_{self._first}"] = value

    def _real(self, robot: EmulatedRobot, number: int) -> float:
        return float(robot.inputs[f"input_double_register_{self._first + number}"])  # type: ignore[arg-type]

    def _joints(self, robot: EmulatedRobot) -> Floats:
        return np.array([self._real(robot, number) for number in range(6)])

    def _execute(self, robot: EmulatedRobot, command: int) -> None:
        if command == self.MOVE_J:
            if self._goal is None:
                self._goal, self._q, self._v = self._joints(robot), robot.said.q.copy(), 0.0
                self._speed, self._acceleration = self._real(robot, 6), self._real(robot, 7)
            return
        if command in (self.SERVO_STOP, self.SPEED_STOP, self.STOP_J):
            self._servo = self._goal = None
            robot.stand()
        else:
            self.unknown.append(command)
        self._executing = True
        self._say(robot, DONE)

    def _move(self, robot: EmulatedRobot) -> None:
        if self._servo is not None:
            robot.move_to(self._servo)
        if self._goal is None or self._q is None:
            return
        way = self._goal - self._q
        left = float(np.abs(way).max())
        wanted = min(self._speed, (2.0 * self._acceleration * left) ** 0.5, left / robot.period)
        change = self._acceleration * robot.period
        self._v = max(self._v - change, min(self._v + change, wanted))
        share = min(1.0, self._v * robot.period / left) if left > 0.0 else 1.0
        self._q = self._q + share * way
        robot.move_to(self._q)
        if share >= 1.0:
            self._goal = None
            self._executing = True
            self._say(robot, DONE)
