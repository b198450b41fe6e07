"""`RobotiqGripper`: a gripper behind Modbus RTU. One exchange writes the command and reads the state (function 23)."""

from __future__ import annotations

import math

from firmware_bridge.arm.modbus.framing import exchange_request, read_request
from firmware_bridge.arm.modbus.lines import Line
from firmware_bridge.robotiq import registers
from firmware_bridge.robotiq.registers import Activity, GripperState, Met, Model, share_of
from station.clock import Clock
from station.controllers.errors import (
    ControllerError,
    ControllerLostError,
    ControllerMismatchError,
    ControllerSilentError,
)
from station.controllers.tool import GripperMeasurement, GrippingTool, ToolStatus

PERIOD = 0.005  # of exchanges: the gripper itself works at 200 Hz [s]
LOST_AFTER = 0.5  # [s]
RETRY = 0.25  # time between two attempts to find a lost port again [s]
PAUSE = 0.0005  # time between two looks while being opened [s]
RESET_TIME = 0.1  # that the activation bit stays off [s]


class RobotiqGripper(GrippingTool):
    """A gripper at a line. `ends` are the positions at which it is open and closed, 0 to 255."""

    def __init__(self, url: str, clock: Clock, line: Line, model: Model, ends: tuple[int, int] = (0, 255)) -> None:
        self.url, self.model, self._clock, self._line = url, model, clock, line
        self.largest_width, self.forces, self.speeds = model.width, model.forces, model.speeds
        self._ends = ends
        self._action = 0
        self._goal = (0, 0, 0)  # position, speed, force
        self._reset_until = float("-inf")  # [s]
        self._asked = self._heard = self._next_try = float("-inf")  # [s]
        self._connected = False
        self._commands = False  # before anybody has asked for something the gripper is only looked at
        self._error: ControllerError | None = None
        self.lost = 0  # times that it was lost

    # Opening ---------------------------------------------------------------------------------------------

    def wait_until_ready(self, timeout: float = 2.0) -> None:
        """For opening functions: return at the first measurement, or raise the ControllerError that says why not."""
        try:
            self._line.connect()
            self._connected = True
            end = self._clock.now() + timeout
            while self.newest() is None:
                if self._error is not None:
                    raise self._error
                if not self._connected:
                    raise ControllerLostError(self.reason)
                if self._clock.now() >= end:
                    raise ControllerSilentError(
                        f"{self.url}: no gripper answers; is its power on, and are port, baud and unit right?"
                    )
                self._clock.sleep_until(self._clock.now() + PAUSE)
        except BaseException:
            self.close()
            raise

    # The interface ---------------------------------------------------------------------------------------

    def newest(self) -> GripperMeasurement | None:
        """The newest measurement that has not been returned yet, or None."""
        if self.status is ToolStatus.CLOSED:
            return None
        now = self._clock.now()
        try:
            if not self._connected and not self._reconnect(now):
                return None
            said = self._exchange(now)
        except ControllerLostError as error:
            self._lose(str(error))
            self._connected = False
            self._line.disconnect()
            return None
        known = self.status not in (ToolStatus.OPENING, ToolStatus.LOST)
        if said is None and known and now - self._heard > LOST_AFTER:
            self._lose(f"{self.url}: no answer for {1000.0 * (now - self._heard):.0f} ms")
        return said

    def activate(self) -> None:
        """Take the activation bit away, then set it: the fingers find their range."""
        self._commands, self._action = True, registers.ACTIVATE
        self._reset_until = self._clock.now() + RESET_TIME
        self._goal = (0, 0, 0)

    def move(self, width: float, force: float | None = None, speed: float | None = None) -> bool:
        """Go to a width [m]."""
        low, high = self.speeds
        wanted = (width, self.forces[0] if force is None else force, 0.5 * (low + high) if speed is None else speed)
        if self.status is not ToolStatus.READY or not all(math.isfinite(one) for one in wanted):
            return False
        self._commands, self._action = True, registers.ACTIVATE | registers.GO_TO
        self._goal = (self._position(wanted[0]), share_of(wanted[2], self.speeds), share_of(wanted[1], self.forces))
        return True

    def stop(self) -> None:
        """Take the go-to bit away."""
        self._commands = self._commands or self.status is ToolStatus.READY
        self._action &= ~registers.GO_TO

    def close(self) -> None:
        """Let it go as it stands."""
        if self.status is not ToolStatus.CLOSED:
            self._line.disconnect()
            self._connected = False
            self.status, self.reason = ToolStatus.CLOSED, "closed"

    # Every tick ------------------------------------------------------------------------------------------

    def _exchange(self, now: float) -> GripperMeasurement | None:
        answer = self._line.take(now)
        said = None
        if answer is not None:
            if answer.exception:
                self._error = ControllerMismatchError(
                    f"{self.url}: what answers there is no Robotiq gripper: Modbus exception {answer.exception}"
                )
            elif len(answer.data) == 2 * registers.WORDS:
                said = self._heed(registers.read_state(answer.data), now)
        if self._line.idle and now - self._asked >= PERIOD:
            self._asked = now
            self._line.send(self._request(now), now)
        return said

    def _request(self, now: float) -> bytes:
        if not self._commands:
            return read_request(registers.STATE_AT, registers.WORDS)
        action = 0 if now < self._reset_until else self._action
        command = registers.pack_command(action, *self._goal)
        return exchange_request(registers.STATE_AT, registers.WORDS, registers.COMMAND_AT, command)

    def _heed(self, state: GripperState, now: float) -> GripperMeasurement:
        self._heard = now
        if not self._commands and state.activated:  # it was at work before we came: go on as it was
            self._action = registers.ACTIVATE | (registers.GO_TO if state.going else 0)
            self._goal = (state.requested, 0, 0)
        self.status, self.reason = self._status(state, now)
        met = state.met
        return GripperMeasurement(
            self._width(state.position),
            self._width(state.requested),
            state.going and met == Met.MOVING,
            state.going and met in (Met.OPENING, Met.CLOSING),
            state.going and met == Met.OPENING,
            registers.CURRENT * state.current,
            now,
        )

    def _status(self, state: GripperState, now: float) -> tuple[ToolStatus, str]:
        if state.fault and state.fault not in registers.PRIORITY:
            return ToolStatus.FAULT, f"{self.model.name}: {registers.fault_text(state.fault)}"
        if now < self._reset_until or state.activity == Activity.ACTIVATING:
            return ToolStatus.ACTIVATING, ""
        if state.activity == Activity.ACTIVE:
            return ToolStatus.READY, registers.fault_text(state.fault)
        return ToolStatus.IDLE, registers.fault_text(state.fault) or "activate it: the fingers will move"

    def _position(self, width: float) -> int:
        opened, closed = self._ends
        share = 1.0 - max(0.0, min(1.0, width / self.largest_width))
        return round(opened + share * (closed - opened))

    def _width(self, position: int) -> float:
        opened, closed = self._ends
        return self.largest_width * max(0.0, min(1.0, 1.0 - (position - opened) / (closed - opened)))

    # Being lost and found --------------------------------------------------------------------------------

    def _reconnect(self, now: float) -> bool:
        if now < self._next_try:
            return False
        self._next_try = now + RETRY
        try:
            self._line.connect()
        except ControllerError as error:
            self._lose(str(error))
            return False
        self._connected = True
        return True

    def _lose(self, reason: str) -> None:
        self.lost += self.status is not ToolStatus.LOST
        self.status, self.reason = ToolStatus.LOST, reason
        self._commands = False  # when it is back it is looked at first: nothing moves because of a cable
