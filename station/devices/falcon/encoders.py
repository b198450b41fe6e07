"""Do three counters make sense? Frames have no checksum, and a counter can jump or stick; this is what can be told.

A hand cannot change its speed at once, so a count that is far from where the last two led to is held back. If the next
one is where it was (a glitch), nothing has happened; if the next one agrees with it, the counter has really jumped and
what came before means nothing any more. After a pause, in which a hand may have gone far, a set that is not used gives
the place to compare with. A counter that does not change by one while both others travel far is stuck.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto

from station.devices.falcon.geometry import HIGHEST_COUNT, LOWEST_COUNT

Counts = Sequence[int]

RANGE = 1 << 16  # the counters are 16 bits wide and run over
SLACK = 20  # counts off the expected that are always allowed
SLACK_GROWTH = 40_000.0  # further counts per second since the last sample: some 2 m/s more or less within a millisecond
CLOSE = 60  # counts between one set and the next, a millisecond or two later, for both to be believed
STUCK_TRAVEL = 400  # counts that both others travel before one counts as stuck: some 17 mm


class Reading(Enum):
    """What a set of counts is."""

    FIRST = auto()  # nothing before it to compare with
    CONTINUES = auto()  # where it was to be expected
    SUSPECT = auto()  # too far off: wait for the next
    JUMPED = auto()  # the counters have jumped: this is the first of a new stretch


def difference(new: int, old: int) -> int:
    """How far a counter went, across the end of its range if that is shorter."""
    return (new - old + RANGE // 2) % RANGE - RANGE // 2


class EncoderCheck:
    """Looks at every set of counts in turn."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Nothing is known of what was before."""
        self._last: Counts | None = None
        self._suspect: Counts | None = None
        self._baseline: Counts | None = None
        self._time = 0.0  # of the last good one [s]
        self._rate = [0.0, 0.0, 0.0]  # [1/s]
        self._travel = [[0, 0, 0] for _ in range(3)]  # by leg: travel of all legs since it moved

    def note(self, counts: Counts) -> None:
        """Counts that are not used themselves, right before some that may be."""
        self._baseline = tuple(counts)

    def take(self, counts: Counts, time: float) -> Reading:
        """Judge the counts of `time` [s]; only a SUSPECT set is not to be used."""
        baseline, self._baseline = self._baseline, None
        if baseline is not None and not _near(counts, baseline, CLOSE):
            self._baseline = self._suspect = tuple(counts)
            return Reading.SUSPECT
        if self._last is None:
            return self._begin(counts, time, Reading.FIRST)
        duration = max(time - self._time, 0.0)
        allowed = SLACK + SLACK_GROWTH * duration
        moved = [difference(new, old) for new, old in zip(counts, self._last, strict=True)]
        if all(abs(moved[leg] - self._rate[leg] * duration) <= allowed for leg in range(3)):
            if duration > 0.0:
                self._rate = [count / duration for count in moved]
            self._last, self._suspect, self._time = tuple(counts), None, time
            self._watch(moved)
            return Reading.CONTINUES
        suspect, self._suspect = self._suspect, tuple(counts)
        if suspect is not None and _near(counts, suspect, CLOSE):
            return self._begin(counts, time, Reading.JUMPED)
        return Reading.SUSPECT

    def _begin(self, counts: Counts, time: float, reading: Reading) -> Reading:
        self.forget()
        self._last, self._time = tuple(counts), time
        return reading

    def _watch(self, moved: Sequence[int]) -> None:
        for leg, travel in enumerate(self._travel):
            if moved[leg]:
                travel[:] = (0, 0, 0)
            else:
                for other in range(3):
                    travel[other] += abs(moved[other])

    @property
    def stuck(self) -> int | None:
        """The leg (0 to 2) whose counter stands still while both others move, if any."""
        for leg, travel in enumerate(self._travel):
            if all(travel[other] > STUCK_TRAVEL for other in range(3) if other != leg):
                return leg
        return None


def _near(first: Counts, second: Counts, allowed: float) -> bool:
    return all(abs(difference(new, old)) <= allowed for new, old in zip(first, second, strict=True))


def within_reach(counts: Counts) -> bool:
    """Whether the mechanism can be so at all, leg by leg; meaningful only when homed."""
    return all(LOWEST_COUNT <= count <= HIGHEST_COUNT for count in counts)
