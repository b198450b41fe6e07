"""Packets between the two ends: what is in them, as bytes, which are taken, and how old the newest is.

Everything in a packet is a state or counts from the start: the newest one alone is enough, and what was lost, came
twice or came late changes nothing in the books.
"""

from __future__ import annotations

import math

import numpy as np

from station.bilateral.settings import LinkNumbers
from station.kernel import Floats, Floats1, Record, entry, field, kernel

NOTHING_HEARD = -1.0  # for an echo: the place of an arm that has heard nothing means nothing
NO_ECHO = -2.0  # for an echo, of a plain controller

MOST_PACKETS = 2.0**53  # whole numbers up to here are told apart
LARGEST = 1e9  # no number of a packet, but for its sequence and times, is larger
LATEST = 2.0**33  # clocks may count from 1970, and a microsecond is told apart up to here [s]


class Packet(Record):
    """What an end says, the same both ways. It travels as it lies in memory: 29 doubles in this order."""

    sequence: float = field("", "counts packets of this sender, from 1")
    time: float = field("s", "of the sender's clock")
    echo: float = field("s", "time of the newest packet that the sender had heard, as that said; or one of the above")
    place: Floats1 = field("m, rad", "of hand or arm", shape=6)
    speed: Floats1 = field("m/s, rad/s", "of hand or arm", shape=6)
    force: Floats1 = field("N, N·m", "on the hand or on the tool", shape=6)
    energy: float = field("J", "since the start: that the hand put in; that the arm's surroundings gave by themselves")
    waves: Floats1 = field("√J·√s", "integral of the waves since the start: of u by the hand, of w by the arm", shape=6)
    wave_energy: float = field("J", "that these carry since the start")

    @property
    def numbers(self) -> Floats:
        """All of it, as it travels."""
        return self._memory.view(np.float64)


PACKET_BYTES = Packet.fixed_size
PACKET_NUMBERS = PACKET_BYTES // 8


def to_bytes(packet: Packet) -> bytes:
    """Bytes of a packet: little-endian doubles, for links that add a frame of their own."""
    return packet.numbers.astype("<f8").tobytes()


def from_bytes(data: bytes) -> Packet | None:
    """The packet, or None if it has another length; what is in it the ends judge."""
    if len(data) != PACKET_BYTES:
        return None
    packet = Packet()
    packet.numbers[:] = np.frombuffer(data, "<f8")
    return packet


class Heard(Record):
    """What an end has heard of the other."""

    anything: bool
    at: float = field("s", "when the newest packet came in")
    packet: Packet = field("", "the newest")
    refused: int = field("", "packets that were not finite, or out of range")
    late: int = field("", "packets that were old or doubled")
    lost: int = field("", "packets that were never seen")


@kernel
def within(six: Floats1) -> bool:
    """Whether numbers are finite, and of a size that anything in here can have."""
    good = True
    for i in range(6):
        good = good and abs(six[i]) <= LARGEST  # false for NaN
    return bool(good)


@kernel
def is_time(time: float) -> bool:
    """Whether this is something that a clock may say [s]."""
    return bool(abs(time) <= LATEST)  # false for NaN


@kernel
def makes_sense(packet: Packet) -> bool:
    """Whether an end may have said so."""
    sequence = packet.sequence
    good = 1.0 <= sequence <= MOST_PACKETS and sequence == math.floor(sequence)
    good = good and is_time(packet.time) and is_time(packet.echo)
    good = good and within(packet.place) and within(packet.speed) and within(packet.force) and within(packet.waves)
    return bool(good and abs(packet.energy) <= LARGEST and abs(packet.wave_energy) <= LARGEST)


@entry
def take_packet(heard: Heard, packet: Packet, now: float) -> bool:
    """Take a packet that came in at `now` [s], unless it makes no sense, or a newer one was there before."""
    if not makes_sense(packet):
        heard.refused += 1
        return False
    if heard.anything:
        gap = packet.sequence - heard.packet.sequence
        if gap <= 0.0:
            heard.late += 1
            return False
        heard.lost += int(gap) - 1
    copy_packet(packet, heard.packet)
    heard.anything, heard.at = True, now
    return True


@kernel
def copy_packet(source: Packet, target: Packet) -> None:
    """Make one packet like another."""
    target.sequence, target.time, target.echo = source.sequence, source.time, source.echo
    for i in range(6):
        target.place[i], target.speed[i] = source.place[i], source.speed[i]
        target.force[i], target.waves[i] = source.force[i], source.waves[i]
    target.energy, target.wave_energy = source.energy, source.wave_energy


@kernel
def trust_of(heard: Heard, settings: LinkNumbers, now: float) -> float:
    """How far what was heard counts: 1 while it is fresh, then fading, 0 from when on it is too old."""
    if not heard.anything:
        return 0.0
    age = now - heard.at
    return float(min(max((settings.old - age) / (settings.old - settings.fresh), 0.0), 1.0))


@kernel
def round_trip(heard: Heard) -> float:
    """From an own packet to the newest that was sent knowing it [s]; 0 until known."""
    known = heard.anything and heard.packet.echo >= 0.0
    return float(max(0.0, heard.at - heard.packet.echo)) if known else 0.0
