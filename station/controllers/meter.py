"""How a link is doing: round trip, the two clocks against each other, ages, losses. Fed by every driver, every tick.

An exchange has four times, as in NTP: sent and back by our clock, heard and answered by the arm's. The arm's clock less
ours is taken from the exchange that took the least time on its way, since what held it up may have done so one way
only: half of that least time bounds the error. Two windows take turns, so that the least is always over 10 to 20 s and
clocks that drift are followed.
"""

from __future__ import annotations

import math
from statistics import median

from station.clock import Exchange
from station.controllers.controller import LinkHealth
from station.kernel import Floats1, Record, entry, field

HORIZON = 10.0  # time in which an estimate is renewed [s]
MOST_LOST = 2**53  # that are counted, whatever numbers an arm makes up: shared state has 64 bits
REMEMBERED = 63  # round trips whose median is told
HIGHEST = 2**63 - 1  # sequence that fits
NAN = float("nan")


class LinkCounts(Record):
    """What is known of a link."""

    received: int = field("", "measurements")
    lost: int = field("", "measurements that never arrived")
    reordered: int = field("", "measurements that came after a later one")
    refused: int = field("", "messages that made no sense")
    age: float = field("s", "of the newest measurement when it arrived", default=NAN)
    offset: float = field("s", "the arm's clock less ours", default=NAN)
    last: int = field("", "sequence of the newest measurement; -1: none", default=-1)
    exchanges: int = field("", "of this session")
    sent: float = field("s", "of the newest exchange, by our clock")
    heard: float = field("s", "by the arm's clock")
    answered: float = field("s", "by the arm's clock")
    back: float = field("s", "by our clock")
    least: float = field("s", "time on the way, over this window and the last", default=math.inf)
    growing: float = field("s", "the same of this window alone", default=math.inf)
    growing_offset: float = field("s", "that goes with it", default=NAN)
    turn: float = field("s", "when this window began", default=-math.inf)
    trips: Floats1 = field("s", "round trips, in turns", shape=REMEMBERED)
    trip_count: int = field("", "of all round trips")


@entry(inline=True)
def count_exchange(counts: LinkCounts, sent: float, heard: float, answered: float, back: float, trip: bool) -> None:
    """Times of an exchange: `sent` and `back` by our clock, `heard` and `answered` by the arm's [s]."""
    if trip:
        counts.trips[counts.trip_count % REMEMBERED] = back - sent
        counts.trip_count += 1
    counts.exchanges += 1
    counts.sent, counts.heard, counts.answered, counts.back = sent, heard, answered, back
    way = (back - sent) - (answered - heard)
    offset = 0.5 * ((heard - sent) + (answered - back))
    if back - counts.turn > HORIZON:
        counts.least, counts.growing, counts.turn = counts.growing, math.inf, back
        if not math.isnan(counts.growing_offset):
            counts.offset = counts.growing_offset
    if way < counts.growing:
        counts.growing, counts.growing_offset = way, offset
    if way <= counts.least:
        counts.least, counts.offset = way, offset


@entry(inline=True)
def count_measurement(counts: LinkCounts, sequence: int, arm_time: float, arrival: float, polled: bool) -> bool:
    """A measurement came in; whether it is newer than all before. Of a `polled` arm one may skip some unlost."""
    last = counts.last
    if sequence <= last:
        if not polled:
            counts.reordered += 1
        return False
    counts.last = sequence
    counts.received += 1
    if last >= 0 and not polled:
        counts.lost = min(counts.lost + sequence - last - 1, MOST_LOST)
    counts.age = arrival - (arm_time - counts.offset)
    return True


class LinkMeter:
    """Counts and times of one link."""

    def __init__(self) -> None:
        self.counts = LinkCounts()

    def begin(self) -> None:
        """A new session: the clock of the arm may be another, and it counts anew."""
        counts, fresh = self.counts, LinkCounts()
        for name in ("offset", "last", "exchanges", "least", "growing", "growing_offset", "turn"):
            setattr(counts, name, getattr(fresh, name))

    @property
    def received(self) -> int:
        """Measurements so far."""
        return self.counts.received

    @property
    def refused(self) -> int:
        """Messages that made no sense."""
        return self.counts.refused

    @refused.setter
    def refused(self, count: int) -> None:
        self.counts.refused = count

    @property
    def newest(self) -> Exchange | None:
        """The newest exchange of this session."""
        counts = self.counts
        return Exchange(counts.sent, counts.heard, counts.answered, counts.back) if counts.exchanges else None

    @property
    def health(self) -> LinkHealth:
        """How the link is doing."""
        counts = self.counts
        trips = counts.trips[: min(counts.trip_count, REMEMBERED)].tolist()
        return LinkHealth(
            median(trips) if trips else NAN,
            counts.age,
            counts.offset,
            counts.received,
            counts.lost,
            counts.reordered,
            counts.refused,
        )

    def exchange(self, sent: float, heard: float, answered: float, back: float, trip: bool = False) -> None:
        """Times of an exchange: `sent` and `back` by our clock, `heard` and `answered` by the arm's [s].

        With `trip` it counts as a round trip too.
        """
        count_exchange(self.counts, sent, heard, answered, back, trip)

    def measurement(self, sequence: int, arm_time: float, arrival: float, polled: bool = False) -> bool:
        """A measurement came in; whether it is newer than all before. Of a `polled` arm one may skip some unlost."""
        return count_measurement(self.counts, min(sequence, HIGHEST), arm_time, arrival, polled)
