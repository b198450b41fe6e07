"""Encoders that cannot be right: one that jumps, and one that stands still while its neighbours travel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from firmware_bridge.syntaxer.protocol import MOTORS

ARMS = 3  # the strings are not compared: turning about one axis moves one of them and not the others
SLACK = 64  # that a count may jump whatever the time [counts]
PERSISTENT = 5  # samples after which a jump was no moment's glitch
STUCK_TRAVEL = 1500  # of both other arms, 17° each, while one has not moved by a single count [counts]


class EncoderWatch:
    """Looks at six unwrapped counters, sample by sample."""

    def __init__(self, fastest: Sequence[float]) -> None:
        self._fastest = 2.0 * np.asarray(
            fastest, dtype=np.float64
        )  # a hand may outrun what the brake allows [counts/s]
        self.glitches = 0  # samples that were refused
        self.reset()

    def reset(self) -> None:
        """Begin anew, as after a restart of the counters."""
        self._last: NDArray[np.int64] | None = None
        self._refused = 0
        self._travel = np.zeros((ARMS, ARMS), dtype=np.int64)  # of arm j since arm i last moved

    def look(self, counts: NDArray[np.int64], elapsed: float) -> str:
        """What is wrong with these counts, `elapsed` [s] after the last good ones: empty, "glitch", or for good why."""
        if self._last is None:
            self._last = counts.copy()
            return ""
        change = np.abs(counts - self._last)
        too_far = change > self._fastest * max(elapsed, 0.0) + SLACK
        if too_far.any():
            self._refused += 1
            self.glitches += 1
            if self._refused < PERSISTENT:
                return "glitch"
            which = int(np.argmax(too_far))
            return f"encoder {which + 1} of {MOTORS} jumped by {int(change[which])} counts and has lost its place"
        self._refused = 0
        self._last[:] = counts
        moved = change[:ARMS]
        self._travel += moved
        self._travel[moved > 0] = 0
        for i in range(ARMS):
            others = [int(self._travel[i, j]) for j in range(ARMS) if j != i]
            if min(others) > STUCK_TRAVEL:
                return f"encoder {i + 1} of {MOTORS} stands still while the other arms have moved: its cable or disc"
        return ""
