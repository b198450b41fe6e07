"""`Thinner`: growing curves in bounded memory. Beyond its capacity it keeps lowest and highest of neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from station.monitor.columns import clean

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

CAPACITY = 32768  # places: half a minute at 1 kHz is kept whole; ten minutes by 32 ticks
BLOCK = 32  # places that are folded in one go: what is needed meanwhile stays small, and memory in one piece


class Thinner:
    """Curves over a common time. No peak is ever lost: neighbours become their lowest and their highest.

    Args:
        columns: how many curves.
        capacity: places that are kept of each.
    """

    def __init__(self, columns: int, capacity: int = CAPACITY) -> None:
        if capacity < 2 or capacity % 2:
            raise ValueError(f"capacity {capacity}: an even number from 2 on is allowed")
        self.capacity = capacity
        self.samples = 0
        self.per_place = 1  # samples that share a place
        self._time = np.zeros(capacity)
        self._low = np.full((capacity, columns), np.nan, np.float32)
        self._high = self._low.copy()

    @property
    def places(self) -> int:
        """How many are in use."""
        return -(-self.samples // self.per_place)

    @property
    def time(self) -> Floats:
        """When each place begins [s]."""
        return self._time[: self.places]

    @property
    def low(self) -> Singles:
        """Lowest of each place and curve; nan where nothing was finite."""
        return self._low[: self.places]

    @property
    def high(self) -> Singles:
        """Highest of each place and curve; nan where nothing was finite."""
        return self._high[: self.places]

    def add(self, time: Floats, values: Floats) -> None:
        """Append samples: one time and one row of values each."""
        for first in range(0, len(time), self.capacity // 2):
            part = slice(first, first + self.capacity // 2)
            self._append(time[part], values[part])

    def _append(self, time: Floats, values: Floats) -> None:
        while self.samples + len(time) > self.capacity * self.per_place:
            self._fold()
        places = (self.samples + np.arange(len(time))) // self.per_place
        starts = np.flatnonzero(np.diff(places, prepend=-1))
        singles = clean(values).astype(np.float32)
        target = slice(int(places[0]), int(places[-1]) + 1)
        fresh = self.samples % self.per_place == 0  # else the first place has samples already
        self._time[target][0 if fresh else 1 :] = time[starts][0 if fresh else 1 :]
        self._low[target] = np.fmin(self._low[target], np.fmin.reduceat(singles, starts, axis=0))
        self._high[target] = np.fmax(self._high[target], np.fmax.reduceat(singles, starts, axis=0))
        self.samples += len(time)

    def _fold(self) -> None:
        """Let two neighbours share a place."""
        half = self.capacity // 2
        self._time[:half] = self._time[::2]
        for first in range(0, half, BLOCK):
            last = min(first + BLOCK, half)
            even, odd = slice(2 * first, 2 * last, 2), slice(2 * first + 1, 2 * last, 2)
            np.fmin(self._low[even], self._low[odd], out=self._low[first:last])
            np.fmax(self._high[even], self._high[odd], out=self._high[first:last])
        self._low[half:] = self._high[half:] = np.nan
        self.per_place *= 2
