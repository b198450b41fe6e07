"""`Histogram`: how numbers are distributed over many decades, in little memory however many there are."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LOWEST, HIGHEST = -10, 4  # powers of ten: from below a nanosecond or a nanometre to hours
PER_DECADE = 200  # bars; a percentile is at most 1.2 % too large
BARS = (HIGHEST - LOWEST) * PER_DECADE


class Histogram(NamedTuple):
    """Counts of numbers; each bar is 1.2 % wider than the one before. Add to it with `add`, in place."""

    counts: Ints  # first: zero and all that is too small; last: too large
    largest: Floats  # one number, nan if there was nothing

    @classmethod
    def empty(cls) -> Histogram:
        """Nothing yet."""
        return cls(np.zeros(BARS + 2, np.int64), np.full(1, math.nan))

    @property
    def samples(self) -> int:
        """How many numbers there were."""
        return int(self.counts.sum())

    @property
    def worst(self) -> float:
        """The largest; nan if there was nothing."""
        return float(self.largest[0])

    def add(self, values: Floats) -> None:
        """Count some numbers; what is negative or not finite is left out."""
        good = values[(values >= 0.0) & (values < math.inf)]
        if good.size:
            powers = np.log10(np.maximum(good, 10.0**LOWEST / 2.0))
            places = np.clip(np.floor((powers - LOWEST) * PER_DECADE) + 1, 0, BARS + 1)
            self.counts[:] += np.bincount(places.astype(np.int64), minlength=BARS + 2)
            self.largest[0] = np.fmax(self.largest[0], good.max())

    def percentile(self, share: float) -> float:
        """The number that `share` [%] of all do not exceed; nan if there was nothing."""
        if not self.samples:
            return math.nan
        place = int(np.searchsorted(np.cumsum(self.counts), share / 100.0 * self.samples))
        return min(float(edges()[place + 1]), self.worst)

    def bars(self, wanted: int) -> tuple[Floats, Ints]:
        """Edges and counts of about `wanted` wider bars, from the first to the last that is not empty."""
        used = np.flatnonzero(self.counts[1:-1])
        if not used.size:
            return np.empty(0), np.empty(0, np.int64)
        first, last = int(used[0]), int(used[-1])
        group = max(1, (last - first) // wanted)
        starts = np.arange(first, last + 1, group)
        counts = np.add.reduceat(self.counts[1 + first : 2 + last], starts - first)
        return edges()[1 + np.append(starts, last + 1)], counts

    def copy(self) -> Histogram:
        """Another one with the same counts."""
        return Histogram(self.counts.copy(), self.largest.copy())


def edges() -> Floats:
    """Where the bars begin and end: one more than there are counts."""
    inner = 10.0 ** (LOWEST + np.arange(BARS + 1) / PER_DECADE)
    return np.concatenate([[0.0], inner, [math.inf]])
