"""`RegisterMap`: the arm's half of the conversation over Modbus: what can be read, what a write does.

The same rules as at the `Desk`: one station commands, the others may read; what makes no sense is counted by its reason
and has no effect; anybody may stop.

A block has a check of 16 bits and no time, so one that was changed on its way may pass for a command of who commands.
What it asks for is therefore held against the one before: no joint goes further than its speed allows, and a sequence
that is further ahead than any station counts waits for a second one that agrees, or who commands would be locked out.
"""

from __future__ import annotations

import secrets
from collections import Counter

import numpy as np
from pymodbus.constants import ExcCodes

from firmware_bridge.arm.messages import text_field
from firmware_bridge.arm.modbus import registers
from firmware_bridge.arm.modbus.registers import Command, GivenBits, MapCodec, State, counts, holder_of, limit
from firmware_bridge.arm.protocol import REASON, TEXT, Able, Refused, Request
from sim_devices.arm.machine import ArmMachine, ArmState, Floats
from sim_devices.arm_links.desk import STATES
from sim_devices.arm_links.pulse import Pulse
from sim_devices.arm_links.seats import SILENT
from station.controllers.controller import Capabilities, ControlledJoint
from station.controllers.errors import ControllerMismatchError

SPEED_MARGIN = 1.2  # over the speed limit of a joint
SLACK = 0.0005  # by which two writes may come closer together than they were made [s]
AHEAD = 2  # that a sequence may be, besides twice the pace of those before
SLOWEST, FASTEST = 1000.0, 8000.0  # pace of sequences that is reckoned with [1/s]: no servo is faster
REQUESTS = (Request.ACTIVATE, Request.DEACTIVATE, Request.RESET, Request.RELEASE)  # Modbus couples nothing to be tared


class RegisterMap:
    """Registers and one coil of an arm."""

    def __init__(self, machine: ArmMachine, map_version: int = registers.MAP_VERSION, combined: bool = True) -> None:
        n = len(machine.capabilities.joints)
        if n > registers.MOST_JOINTS:
            raise ControllerMismatchError(
                f"{machine.capabilities.model}: the register map has room for {registers.MOST_JOINTS} joints, not {n}"
            )
        self.machine = machine
        self.version = map_version
        self.codec = MapCodec(n)
        self.boot = secrets.randbits(31) | 1
        self.refused: Counter[Refused] = Counter()
        self.refused_setpoints = 0  # by the machine itself
        self.setpoints = 0  # let through
        self._combined = combined
        self._token = self._heard = self._sequence = self._events = 0
        self._heard_at = self._seat_at = float("-inf")  # [s]
        self._pulse = Pulse()
        self._last_setpoint = -1
        self._speeds = SPEED_MARGIN * np.array(
            [np.inf if joint.speed is None else joint.speed for joint in machine.capabilities.joints]
        )
        self._claimed, self._pace = -1, FASTEST  # sequence that was too far ahead; at which they come [1/s]
        self._asked, self._asked_at = machine.reading().q, float("-inf")  # setpoint that was taken last [rad | m], [s]
        self._number = self._accepted = 0  # of the last request
        self._told = ""
        self._command = bytes(2 * self.codec.command_words)
        self._state = bytes(2 * self.codec.state_words)
        self._fixed = self._identity()

    # Reading ---------------------------------------------------------------------------------------------

    def measure(self, now: float) -> None:
        """Refresh the measurements at `now` [s]."""
        said = self.machine.reading()
        if self._pulse.stands(said.time, now):
            return  # it says the same again
        if said.reason != self._told:
            self._told = said.reason
            self._events = (self._events + 1) & 0xFFFF
        self._sequence += 1
        able = self.machine.capabilities
        has_wrench = able.measures_wrench and said.has_wrench
        numbers, given = self._blank(said.wrench, registers.WRENCH, has_wrench), 0
        numbers += self._blank(said.q, registers.POSITION, True)
        numbers += self._blank(said.v, registers.VELOCITY, able.measures_velocity)
        numbers += self._blank(said.effort, registers.EFFORT, able.measures_effort)
        given |= GivenBits.VELOCITY if able.measures_velocity else 0
        given |= GivenBits.EFFORT if able.measures_effort else 0
        given |= GivenBits.WRENCH if has_wrench else 0
        held = now - self._heard_at
        state = State(
            self.version,
            self._sequence & 0xFFFF,
            STATES[said.state],
            int(given),
            self.boot,
            self._sequence & 0xFFFFFFFF,
            registers.NO_ECHO if said.echo < 0 else said.echo & 0xFFFFFFFF,
            max(0, round(1e6 * said.clock(now))),
            self._heard,
            min(0xFFFF, round(1e4 * held)) if held < 6.0 else 0xFFFF,
            holder_of(self._token) if self._token else 0,
            self._number,
            self._accepted,
            self._events,
            self.refused.total() & 0xFFFF,
            tuple(numbers),
        )
        self._state = self.codec.pack_state(state)

    def _blank(self, values: np.ndarray[tuple[int, ...], np.dtype[np.float64]], scale: float, given: bool) -> list[int]:
        found = counts(values.tolist(), scale) if given else None
        return [0] * len(values) if found is None else found

    def read(self, address: int, words: int) -> bytes | ExcCodes:
        """Registers from `address` on."""
        for start, block in self._blocks():
            offset = 2 * (address - start)
            if offset >= 0 and offset + 2 * words <= len(block):
                return block[offset : offset + 2 * words]
        self.refused[Refused.RANGE] += 1
        return ExcCodes.ILLEGAL_ADDRESS

    def _blocks(self) -> tuple[tuple[int, bytes], ...]:
        reason = text_field(self._told, REASON).ljust(REASON, b"\0")
        return (
            (registers.STATE_AT, self._state),
            (registers.REASON_AT, reason),
            *self._fixed,
            (registers.COMMAND_AT, self._command),
        )

    def _identity(self) -> tuple[tuple[int, bytes], tuple[int, bytes]]:
        able = self.machine.capabilities
        identity = registers.IDENTITY.pack(
            self.version,
            len(able.joints),
            round(able.rate),
            round(1000.0 * able.watchdog),
            _able(able) | (registers.COMBINED if self._combined else 0),
            self.boot,
            text_field(able.model, TEXT),
            text_field(able.serial_number, TEXT),
        )
        joints = b"".join(_joint(joint) for joint in able.joints)
        return (registers.IDENTITY_AT, identity), (registers.JOINTS_AT, joints)

    # Writing ---------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """The coil was set."""
        self.machine.stop()

    def write(self, address: int, data: bytes, now: float) -> ExcCodes | None:
        """Registers were written; None if they were taken, else the exception to answer."""
        if address != registers.COMMAND_AT:
            return self._refuse(Refused.RANGE, ExcCodes.ILLEGAL_ADDRESS)
        if len(data) != 2 * self.codec.command_words:
            return self._refuse(Refused.LENGTH, ExcCodes.ILLEGAL_VALUE)
        command = self.codec.read_command(data)
        if command is None:
            return self._refuse(Refused.CHECK, ExcCodes.ILLEGAL_VALUE)
        if command.version != self.version:
            return self._refuse(Refused.VERSION, ExcCodes.ILLEGAL_VALUE)
        if not self._is_seated(command.token, now):
            return self._refuse(Refused.SESSION, ExcCodes.DEVICE_BUSY)
        self._command = data
        if command.heartbeat == self._heard:  # the same again: sent twice, or a station whose loop stands still
            return self._refuse(Refused.REPLAY, ExcCodes.ILLEGAL_VALUE)
        self._heard, self._heard_at, self._seat_at = command.heartbeat, now, now
        return self._obey(command, now)

    def _refuse(self, why: Refused, answer: ExcCodes) -> ExcCodes:
        self.refused[why] += 1
        return answer

    def _is_seated(self, token: int, now: float) -> bool:
        """Whether a token commands; it takes the seat if that is free."""
        if token and token != self._token and (not self._token or now - self._seat_at > SILENT):
            self._leave()
            self._token, self._seat_at = token, now
        return token == self._token != 0

    def _leave(self) -> None:
        if self._token and self.machine.reading().state is ArmState.ACTIVE:
            self.machine.deactivate()
        self._token = self._number = self._accepted = self._heard = 0
        self._last_setpoint = -1

    def _obey(self, command: Command, now: float) -> ExcCodes | None:
        if command.number != self._number and command.request:
            if command.request == registers.LEAVE:
                self._leave()
                return None
            if command.request not in REQUESTS:
                return self._refuse(Refused.RANGE, ExcCodes.ILLEGAL_VALUE)
            self._number, self._accepted = command.number, int(self._do(Request(command.request)))
        if command.given & GivenBits.SETPOINT:
            if command.sequence == registers.NO_ECHO:  # it could not be echoed
                return self._refuse(Refused.RANGE, ExcCodes.ILLEGAL_VALUE)
            if command.sequence <= self._last_setpoint:
                return self._refuse(Refused.REPLAY, ExcCodes.ILLEGAL_VALUE)
            n, since = self.codec.joints, now - self._asked_at
            q = np.array(command.numbers[:n]) / registers.POSITION
            if self._is_beyond(q, command.sequence, since):
                return self._refuse(Refused.RANGE, ExcCodes.ILLEGAL_VALUE)
            pace = (command.sequence - self._last_setpoint) / max(since, 1e-6)
            self._pace = min(max(pace, SLOWEST), FASTEST)
            self._last_setpoint = command.sequence
            self._setpoint(command, q, now)
        return None

    def _is_beyond(self, q: Floats, sequence: int, since: float) -> bool:
        """Whether a setpoint is not what can follow the one that was taken `since` [s] ago, while the arm follows."""
        if not np.isfinite(since) or self.machine.reading().state is not ArmState.ACTIVE:
            return False
        is_ahead = sequence - self._last_setpoint > AHEAD + 2.0 * self._pace * since
        agrees = 0 < sequence - self._claimed <= AHEAD + FASTEST * since
        if is_ahead and not agrees:
            self._claimed = sequence
            return True
        return bool((np.abs(q - self._asked) > self._speeds * (since + SLACK)).any())

    def _setpoint(self, command: Command, q: Floats, now: float) -> None:
        n, numbers = self.codec.joints, command.numbers
        v = np.array(numbers[n : 2 * n]) / registers.VELOCITY if command.given & GivenBits.VELOCITY else None
        effort = np.array(numbers[2 * n :]) / registers.EFFORT if command.given & GivenBits.EFFORT else None
        if self.machine.setpoint(q, v, effort, command.sequence):
            self.setpoints += 1
            self._asked, self._asked_at = q, now
        else:
            self.refused_setpoints += 1

    def _do(self, request: Request) -> bool:
        if request is Request.ACTIVATE:
            self._asked_at, self._pace = float("-inf"), FASTEST  # the arm holds the first one against where it is
            return self.machine.activate()
        if request is Request.RESET:
            return self.machine.reset()
        if request is Request.RELEASE:
            self.machine.release()
        else:
            self.machine.deactivate()
        return True


def _able(able: Capabilities) -> int:
    bits = (
        (able.takes_velocity, Able.TAKES_VELOCITY),
        (able.takes_effort, Able.TAKES_EFFORT),
        (able.measures_velocity, Able.MEASURES_VELOCITY),
        (able.measures_effort, Able.MEASURES_EFFORT),
        (able.measures_wrench, Able.MEASURES_WRENCH),
        (able.emulated, Able.EMULATED),
    )
    return sum(int(bit) for given, bit in bits if given)


def _joint(joint: ControlledJoint) -> bytes:
    return registers.JOINT.pack(
        text_field(joint.name, TEXT),
        joint.prismatic,
        0,
        limit(joint.low, registers.POSITION, +1),
        limit(joint.high, registers.POSITION, -1),
        limit(joint.speed, registers.VELOCITY, -1),
        limit(joint.acceleration, registers.ACCELERATION, -1),
        limit(joint.jerk, registers.JERK, -1),
        limit(joint.effort, registers.EFFORT, -1),
    )
