"""Encoders that cannot be right: one that jumps, and one that stands still while its neighbours travel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from firmware_bridge.syntaxer import tick_kernels
from firmware_bridge.syntaxer.protocol import MOTORS

ARMS = 3  # the strings are not compared: turning about one axis moves one of them and not the others
SLACK = 64  # that a count may jump whatever the time [counts]
PERSISTENT = 5  # samples after which a jump was no moment's glitch
STUCK_TRAVEL = 1500  # of both other arms, 17° each, while one has not moved by a single count [counts]


class EncoderWatch:
    """Looks at six unwrapped counters, sample by sample."""

    def __init__(self, fastest: Sequence[float]) -> None:
        # a hand may outrun what the brake allows [counts/s]
        self._reach = 2.0 * np.asarray(fastest, dtype=np.float64)
        self.glitches = 0  # samples that were refused
        self._last = np.zeros(MOTORS, dtype=np.int64)
        self._travel = np.zeros((ARMS, ARMS), dtype=np.int64)  # of arm j since arm i last moved
        self.reset()

    def reset(self) -> None:
        """Begin anew, as after a restart of the counters."""
        self._begun = False
        self._refused = 0
        self._travel[:] = 0

    _begun = False

    def look(self, counts: NDArray[np.int64], elapsed: float) -> str:
        """What is wrong with these counts, `elapsed` [s] after the last good ones: empty, "glitch", or for good why."""
        if not self._begun:
            self._begun = True
            self._last[:] = counts
            return ""
        found = tick_kernels.judge(
            counts, self._last, self._reach, float(SLACK), float(elapsed), self._travel, STUCK_TRAVEL
        )
        if found == tick_kernels.FINE:
            self._refused = 0
            return ""
        if found >= tick_kernels.STUCK:
            number = found - tick_kernels.STUCK + 1
            return f"encoder {number} of {MOTORS} stands still while the other arms have moved: its cable or disc"
        self._refused += 1
        self.glitches += 1
        if self._refused < PERSISTENT:
            return "glitch"
        which = found - tick_kernels.JUMPED
        change = abs(int(counts[which] - self._last[which]))
        return f"encoder {which + 1} of {MOTORS} jumped by {change} counts and has lost its place"
