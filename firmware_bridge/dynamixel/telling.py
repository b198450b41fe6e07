"""What servos tell in every tick: goal, clock, current, speed and position, in one block of the control table."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from firmware_bridge.dynamixel import table
from firmware_bridge.dynamixel.servos import Counts

STATE_AT = table.GOAL_POSITION.address
STATE = struct.Struct("<iHBBhhii")  # goal, clock, moving, moving status, PWM, current, velocity, position
STATE_SIZE = STATE.size
WARMTH_AT, WARMTH = table.VOLTAGE.address, struct.Struct("<HB")  # voltage, temperature
STANDSTILL = 0.02  # of a servo's clock, after which it counts as dead [s]
REMEMBERED = 256  # goals that were sent

assert table.PRESENT_POSITION.address + table.PRESENT_POSITION.size == STATE_AT + STATE_SIZE


class ServoStates(NamedTuple):
    """All servos at one instant, in their own units."""

    goal: Counts
    tick: int  # clock of the first servo [ms]
    current: Counts
    velocity: Counts
    position: Counts


def state_of(blocks: Sequence[bytes]) -> ServoStates:
    """From the block of each servo."""
    goal, tick, _, _, _, current, velocity, position = zip(*map(STATE.unpack, blocks), strict=True)
    return ServoStates(goal, tick[0], current, velocity, position)


class ServoWarmth(NamedTuple):
    """What changes slowly."""

    volts: float  # of the supply [V]
    celsius: float  # of the motor [°C]


def warmth_of(block: bytes) -> ServoWarmth:
    """From the block of a servo."""
    volts, celsius = WARMTH.unpack(block)
    return ServoWarmth(0.1 * volts, float(celsius))


class Ticks:
    """A clock that counts milliseconds to 32,767 and begins anew."""

    def __init__(self) -> None:
        self._last = -1
        self._total = 0
        self._since = 0.0

    def unwrapped(self, tick: int, now: float) -> float | None:
        """Time since the first look [s]; None if the clock has stood still for too long at `now` [s]."""
        if tick != self._last:
            if self._last >= 0:
                self._total += (tick - self._last) % table.TICKS
            self._last, self._since = tick, now
        return None if now - self._since > STANDSTILL else 1e-3 * self._total


class Echoes:
    """Which setpoint the goals that servos hold belong to."""

    def __init__(self) -> None:
        self._sent: deque[tuple[int, Counts]] = deque(maxlen=REMEMBERED)
        self._newest = -1

    def clear(self) -> None:
        """Begin anew."""
        self._sent.clear()
        self._newest = -1

    def sent(self, sequence: int, goals: Counts) -> None:
        """Goals went out."""
        self._sent.append((sequence, goals))

    def newest(self, goals: Counts) -> int:
        """The newest setpoint whose goals all servos hold; -1: none yet."""
        for sequence, sent in reversed(self._sent):
            if sequence <= self._newest:
                break
            if sent == goals:
                self._newest = sequence
                break
        return self._newest
