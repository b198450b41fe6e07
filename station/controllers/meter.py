"""How a link is doing: round trip, the two clocks against each other, ages, losses. Fed by every driver, every tick.

An exchange has four times, as in NTP: sent and back by our clock, heard and answered by the arm's. The arm's clock less
ours is taken from the exchange that took the least time on its way, since what held it up may have done so one way
only: half of that least time bounds the error. Two windows take turns, so that the least is always over 10 to 20 s and
clocks that drift are followed.
"""

from __future__ import annotations

from collections import deque
from statistics import median

from station.clock import Exchange
from station.controllers.controller import LinkHealth

HORIZON = 10.0  # time in which an estimate is renewed [s]
MOST_LOST = 2**53  # that are counted, whatever numbers an arm makes up: shared state has 64 bits
REMEMBERED = 63  # round trips whose median is told
NAN = float("nan")
_new = tuple.__new__  # a NamedTuple of known parts, without the time to sort arguments


class LinkMeter:
    """Counts and times of one link."""

    def __init__(self) -> None:
        self.received = self.lost = self.reordered = self.refused = 0
        self.age = NAN  # of the newest measurement when it arrived [s]
        self._trips: deque[float] = deque(maxlen=REMEMBERED)
        self.begin()

    def begin(self) -> None:
        """A new session: the clock of the arm may be another, and it counts anew."""
        self.offset = NAN  # arm's clock less ours [s]
        self.newest: Exchange | None = None
        self._last = -1  # sequence of the newest measurement
        self._least = self._growing = float("inf")  # time on the way [s]
        self._growing_offset = NAN
        self._turn = float("-inf")

    @property
    def health(self) -> LinkHealth:
        """How the link is doing."""
        trip = median(self._trips) if self._trips else NAN
        return LinkHealth(trip, self.age, self.offset, self.received, self.lost, self.reordered, self.refused)

    def exchange(self, sent: float, heard: float, answered: float, back: float, trip: bool = False) -> None:
        """Times of an exchange: `sent` and `back` by our clock, `heard` and `answered` by the arm's [s].

        With `trip` it counts as a round trip too.
        """
        if trip:
            self._trips.append(back - sent)
        self.newest = _new(Exchange, (sent, heard, answered, back))
        way = (back - sent) - (answered - heard)
        offset = 0.5 * ((heard - sent) + (answered - back))
        if back - self._turn > HORIZON:
            self._least, self._growing, self._turn = self._growing, float("inf"), back
            if self._growing_offset == self._growing_offset:  # not NaN
                self.offset = self._growing_offset
        if way < self._growing:
            self._growing, self._growing_offset = way, offset
        if way <= self._least:
            self._least, self.offset = way, offset

    def measurement(self, sequence: int, arm_time: float, arrival: float, polled: bool = False) -> bool:
        """A measurement came in; whether it is newer than all before. Of a `polled` arm one may skip some unlost."""
        last = self._last
        if sequence <= last:
            self.reordered += not polled
            return False
        self._last = sequence
        self.received += 1
        if last >= 0 and not polled:
            self.lost = min(self.lost + sequence - last - 1, MOST_LOST)
        self.age = arrival - (arm_time - self.offset)
        return True
