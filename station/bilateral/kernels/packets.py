"""Which packets are taken, and how old the newest is.

Everything in a packet is a state or counts from the start: the newest one alone is enough, and what was lost, came
twice or came late changes nothing in the books.
"""

from __future__ import annotations

import math

from station.bilateral.kernels.cache import kernel
from station.bilateral.kernels.layout import (
    ECHO,
    FRESH,
    HAS_HEARD,
    HEARD,
    HEARD_AT,
    LATE,
    LOST,
    NOTHING_HEARD,
    OLD,
    PACKET_SIZE,
    PLACE,
    REFUSED,
    SENT,
    SEQUENCE,
    TIME,
    Floats,
)

MOST_PACKETS = 2.0**53  # whole numbers up to here are told apart
LARGEST = 1e9  # no number of a packet, but for its sequence and times, is larger
LATEST = 2.0**33  # clocks may count from 1970, and a microsecond is told apart up to here [s]


@kernel
def within(numbers: Floats, first: int, count: int) -> bool:
    """Whether numbers are finite, and of a size that anything in here can have."""
    good = True
    for i in range(first, first + count):
        good = good and abs(numbers[i]) <= LARGEST  # false for NaN
    return bool(good)


@kernel
def is_time(time: float) -> bool:
    """Whether this is something that a clock may say [s]."""
    return bool(abs(time) <= LATEST)  # false for NaN


@kernel
def take_packet(state: Floats, packet: Floats, now: float) -> bool:
    """Take a packet that came in at `now` [s], unless it makes no sense, or a newer one was there before."""
    sequence = packet[SEQUENCE]
    good = 1.0 <= sequence <= MOST_PACKETS and sequence == math.floor(sequence)
    good = good and is_time(packet[TIME]) and is_time(packet[ECHO])
    if not good or not within(packet, PLACE, PACKET_SIZE - PLACE):
        state[REFUSED] += 1.0
        return False
    if state[HAS_HEARD] == 1.0:
        gap = sequence - state[HEARD + SEQUENCE]
        if gap <= 0.0:
            state[LATE] += 1.0
            return False
        state[LOST] += gap - 1.0
    for i in range(PACKET_SIZE):
        state[HEARD + i] = packet[i]
    state[HAS_HEARD], state[HEARD_AT] = 1.0, now
    return True


@kernel
def trust_of(state: Floats, settings: Floats, now: float) -> float:
    """How far what was heard counts: 1 while it is fresh, then fading, 0 from when on it is too old."""
    if state[HAS_HEARD] == 0.0:
        return 0.0
    age = now - state[HEARD_AT]
    return float(min(max((settings[OLD] - age) / (settings[OLD] - settings[FRESH]), 0.0), 1.0))


@kernel
def round_trip(state: Floats) -> float:
    """From an own packet to the newest that was sent knowing it [s]; 0 until known."""
    known = state[HAS_HEARD] == 1.0 and state[HEARD + ECHO] >= 0.0
    return float(max(0.0, state[HEARD_AT] - state[HEARD + ECHO])) if known else 0.0


@kernel
def begin_packet(state: Floats, packet: Floats, now: float) -> None:
    """Number, time and echo of the next packet."""
    state[SENT] += 1.0
    packet[SEQUENCE], packet[TIME] = state[SENT], now
    packet[ECHO] = state[HEARD + TIME] if state[HAS_HEARD] == 1.0 else NOTHING_HEARD
