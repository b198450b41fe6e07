"""What a station writes: heartbeat, token, requests and the newest setpoint, as one block. And what it reads back."""

from __future__ import annotations

import secrets

import numpy as np

from firmware_bridge.arm.modbus import registers
from firmware_bridge.arm.modbus.registers import Command, GivenBits, MapCodec, State
from firmware_bridge.arm.requests import PendingRequest
from station.controllers.controller import Floats, Measurement

STALE = 0.005  # age at which a setpoint that could not be sent is not sent any more [s]
BEATS = 256  # heartbeats whose time of sending is known
SETPOINT, VELOCITY = int(GivenBits.SETPOINT), int(GivenBits.VELOCITY)  # plain: enums are slow in a tick
EFFORT, WRENCH = int(GivenBits.EFFORT), int(GivenBits.WRENCH)


class CommandWriter:
    """Makes the blocks of one station."""

    def __init__(self) -> None:
        self._token = secrets.randbits(32) | 1
        self.holder = registers.holder_of(self._token)  # what the state shows when the seat is ours
        self._heartbeat, self._sent_at = 0, np.zeros(BEATS)
        self._setpoint: tuple[int, int, tuple[int, ...], float] | None = None  # given, sequence, counts, when

    def keep(self, q: Floats, v: Floats | None, effort: Floats | None, sequence: int, now: float) -> bool:
        """Keep a setpoint for the next block, instead of any before; False if registers cannot hold it."""
        n = len(q)
        given, numbers = SETPOINT, registers.counts(q.tolist(), registers.POSITION)
        for bit, part, scale in ((VELOCITY, v, registers.VELOCITY), (EFFORT, effort, registers.EFFORT)):
            more = [0] * n if part is None else registers.counts(part.tolist(), scale)
            if numbers is None or more is None or len(more) != n:
                return False
            given |= 0 if part is None else bit
            numbers += more
        assert numbers is not None
        self._setpoint = (given, sequence & 0xFFFFFFFF, tuple(numbers), now)
        return True

    def block(
        self, codec: MapCodec, pending: PendingRequest, now: float, *, mute: bool = False, leave: bool = False
    ) -> bytes:
        """The next block at `now` [s]; without a setpoint if that is stale, or `mute`."""
        self._heartbeat = self._heartbeat % 0xFFFF + 1
        self._sent_at[self._heartbeat % BEATS] = now
        given, sequence, numbers = 0, 0, (0,) * (3 * codec.joints)
        if self._setpoint is not None:
            if now - self._setpoint[3] <= STALE and not mute:
                given, sequence, numbers, _ = self._setpoint
            self._setpoint = None
        request = registers.LEAVE if leave else 0 if pending.request is None else int(pending.request)
        number = (pending.sequence + leave) & 0xFFFF
        return codec.pack_command(
            Command(registers.MAP_VERSION, self._heartbeat, self._token, request, number, sequence, given, numbers)
        )

    def sent_at(self, heartbeat: int) -> float:
        """When the block with this heartbeat was made [s]."""
        return float(self._sent_at[heartbeat % BEATS])


def measurement_of(state: State, joints: int, last_sent: int, now: float, number: int) -> Measurement:
    """What a state says, in SI units."""
    given, numbers = state.given, state.numbers
    echo = -1 if state.echo == registers.NO_ECHO else state.echo
    if echo >= 0 and last_sent > 0xFFFFFFFF:  # the registers show the lower half only
        echo = last_sent - ((last_sent - echo) & 0xFFFFFFFF)
    return Measurement(
        np.array(numbers[6 : 6 + joints]) / registers.POSITION,
        np.array(numbers[6 + joints : 6 + 2 * joints]) / registers.VELOCITY if given & VELOCITY else None,
        np.array(numbers[6 + 2 * joints :]) / registers.EFFORT if given & EFFORT else None,
        np.array(numbers[:6]) / registers.WRENCH if given & WRENCH else None,
        echo,
        1e-6 * state.time,
        now,
        number,
    )
