"""`TickStatistics`: how long the stages of a tick take, which ticks were late and why; always on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from station.servo.pacing.kernels import block as at
from station.servo.pacing.kernels.statistics import finish, upper_edge
from station.servo.pacing.stages import PERCENTILES, Measure, Stage

Ints = NDArray[np.int64]
NANO = 1e-9  # [s/ns]
DEFAULT_WINDOW = 1000  # ticks
SHORTEST, LONGEST = 1e-6, 10.0  # period [s]


class Spread(NamedTuple):
    """How a time is distributed [s]; percentiles are at most 6.25 % too large. All 0 if there was nothing."""

    samples: int
    p50: float
    p90: float
    p99: float
    p999: float
    worst: float


class Bar(NamedTuple):
    """One bar of a histogram: `samples` times from `low` up to, not including, `high` [s]."""

    low: float
    high: float
    samples: int


class TickStatistics:
    """The numbers of one clockwork; `block` is the address that kernels get.

    Inside kernels: `pace.wait`, `pace.mark`, `statistics.finish`, each with `block`. In Python: `Pace`.
    """

    def __init__(self, period: float, window: int = DEFAULT_WINDOW) -> None:
        if not SHORTEST <= period <= LONGEST:
            raise ValueError(f"period {period:g} s: from {SHORTEST:g} to {LONGEST:g} is allowed")
        if window < at.MEASURES:
            raise ValueError(f"window of {window} ticks: at least {at.MEASURES} are needed")
        self.numbers: Ints = np.zeros(at.WORDS, np.int64)
        self.numbers[at.PERIOD] = round(period / NANO)
        self.numbers[at.WINDOW] = window
        self.block: int = self.numbers.ctypes.data

    @property
    def period(self) -> float:
        """Between two ticks [s]."""
        return float(self.numbers[at.PERIOD]) * NANO

    @property
    def ticks(self) -> int:
        """Ticks that were begun."""
        return int(self.numbers[at.TICK])

    @property
    def skipped(self) -> int:
        """Ticks that were left out, as the one before was not over."""
        return int(self.numbers[at.SKIPPED])

    @property
    def late(self) -> int:
        """Ticks that ended after the next should have begun."""
        return int(self.numbers[at.LATE])

    @property
    def late_by_stage(self) -> dict[Stage, int]:
        """Late ticks by the stage that exceeded its usual time most."""
        return {stage: int(self.numbers[at.CAUSES + stage]) for stage in Stage}

    @property
    def late_waiting(self) -> int:
        """Late ticks that were rather kept waiting for a processor than busy for longer than usual."""
        return int(self.numbers[at.LATE_WAITING])

    @property
    def last_late(self) -> tuple[int, Stage] | None:
        """Number of the last late tick and its cause."""
        if not self.late:
            return None
        return int(self.numbers[at.LAST_LATE]), Stage(int(self.numbers[at.LAST_CAUSE]))

    @property
    def away(self) -> float:
        """Time of the last tick that ended in which others had its processor [s]."""
        return float(self.numbers[at.AWAY]) * NANO

    def last(self, measure: Measure) -> float:
        """Time in the last tick that ended [s]."""
        return float(self.numbers[at.SPENT + measure]) * NANO

    def usual(self, stage: Stage) -> float:
        """A running median [s]."""
        return float(self.numbers[at.USUAL + stage]) * NANO

    def window(self, measure: Measure) -> Spread:
        """Of the last whole window; all 0 before the first is over."""
        first = at.SUMMARY + measure * at.RESULTS
        values = self.numbers[first : first + at.RESULTS] * NANO
        return Spread(int(self.numbers[at.SUMMARY_COUNT + measure]), *map(float, values))

    def total(self, measure: Measure) -> Spread:
        """Since the start, or the last `clear`."""
        counts, worst = self._counts(measure), self._worst(measure)
        whole = int(counts.sum())
        if not whole:
            return Spread(0, 0.0, 0.0, 0.0, 0.0, 0.0)
        places = np.searchsorted(np.cumsum(counts), [share / 100.0 * whole for share in PERCENTILES])
        p50, p90, p99, p999 = (min(upper_edge(int(place)), worst) * NANO for place in places)
        return Spread(whole, p50, p90, p99, p999, worst * NANO)

    def histogram(self, measure: Measure) -> Iterator[Bar]:
        """The bars that are not empty, since the start."""
        for place, count in enumerate(self._counts(measure)):
            if count:
                low = upper_edge(place - 1) if place else 0
                yield Bar(low * NANO, upper_edge(place) * NANO, int(count))

    def merge(self, other: Self) -> None:
        """Add the counts of another run to these."""
        for measure in Measure:
            first = at.TOTAL_BINS + measure * at.BINS
            counts = other._counts(measure)
            self.numbers[first : first + at.BINS] += counts
            self.numbers[at.TOTAL_COUNT + measure] += counts.sum()
            place = at.TOTAL_WORST + measure
            self.numbers[place] = max(self.numbers[place], other._worst(measure))
        for place in (at.TICK, at.SKIPPED, at.LATE, at.LATE_WAITING):
            self.numbers[place] += other.numbers[place]
        self.numbers[at.CAUSES : at.CAUSES + at.STAGES] += other.numbers[at.CAUSES : at.CAUSES + at.STAGES]

    def clear(self) -> None:
        """Forget all counts, as after warming up; the grid of ticks stays."""
        self.numbers[at.SKIPPED : at.LAST_CAUSE + 1] = self.numbers[at.LATE_WAITING] = 0
        self.numbers[at.CAUSES :] = 0

    def finish(self, latency: float = -1.0) -> bool:
        """Count the tick, which ended at the last mark; `latency` [s] of hand to force, negative if unknown."""
        return finish(self.block, round(latency / NANO) if latency >= 0.0 else -1)

    def _counts(self, measure: Measure) -> Ints:
        return self._bins(at.TOTAL_BINS, measure) + self._bins(at.WINDOW_BINS, measure)

    def _bins(self, first: int, measure: Measure) -> Ints:
        return self.numbers[first + measure * at.BINS : first + (measure + 1) * at.BINS]

    def _worst(self, measure: Measure) -> int:
        return int(max(self.numbers[at.TOTAL_WORST + measure], self.numbers[at.WINDOW_WORST + measure]))
