"""From a robot that is switched off to one that follows: drives on, brakes off, our program sent, setpoints taken."""

from __future__ import annotations

import secrets

from firmware_bridge.ur.script import ProgramState, ScriptSettings, Wanted, servo_script
from firmware_bridge.ur.side_ports import Dashboard, ProgramPort
from firmware_bridge.ur.status import RobotMode
from firmware_bridge.ur.telling import Told

AGAIN = 2.0  # time until something is tried once more [s]


class Activation:
    """The steps, one at a time. `reason` is why it ended by itself the last time; `waits_for` what is missing."""

    def __init__(self, settings: ScriptSettings, programs: ProgramPort, dashboard: Dashboard) -> None:
        self.settings, self._programs, self._dashboard = settings, programs, dashboard
        self.nonce = 0  # of the program that was sent last: each is known by its own
        self.begin()

    def begin(self) -> None:
        """A new attempt."""
        self.reason = self.waits_for = ""
        self._next = self._next_switch = float("-inf")
        self._switched_in: int | None = None  # robot mode in which the last switch was thrown

    def step(self, told: Told, now: float) -> Wanted:
        """Do what is next at `now` [s]; what the program is to be told."""
        if told.robot_mode != RobotMode.RUNNING:
            self.waits_for = told.power_reason
            if self._dashboard.idle and (now >= self._next_switch or told.robot_mode != self._switched_in):
                self._next_switch, self._switched_in = now + AGAIN, told.robot_mode
                self._dashboard.ask("power on" if told.robot_mode == RobotMode.POWER_OFF else "brake release")
            return Wanted.IDLE
        if told.mode == Wanted.STOP:
            return Wanted.IDLE  # the robot has not heard yet that the stop is over: a program would end at once
        if not told.runs(self.nonce):
            self.waits_for = "the program does not start; is remote control on?"
            if now >= self._next:
                self._send(now)
            return Wanted.IDLE
        self.waits_for = "the program does not follow"
        ready = told.program in (ProgramState.IDLE, ProgramState.FOLLOWS)
        return Wanted.FOLLOW if ready else Wanted.IDLE

    def _send(self, now: float) -> None:
        nonce = secrets.randbits(30) | 1
        if self._programs.send(servo_script(self.settings._replace(nonce=nonce))):
            self.nonce, self._next = nonce, now + AGAIN

    def ended(self, told: Told) -> bool:
        """Whether following has ended by itself; `reason` then says why."""
        if told.follows(self.nonce):
            return False
        if told.runs(self.nonce) and told.program == ProgramState.SILENCE:
            silence = 1000.0 * self.settings.silence * self.settings.step
            self.reason = f"no fresh setpoint for {silence:.0f} ms: the program has stopped the robot; activate again"
        else:
            self.reason = "the program on the robot has ended; activate sends it again"
        return True
