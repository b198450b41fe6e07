"""Encoders that cannot be right: one that jumps, and one that stands still while its neighbours travel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from firmware_bridge.syntaxer import tick_kernels
from firmware_bridge.syntaxer.protocol import MOTORS

ARMS = 3  # the strings are not compared: turning about one axis moves one of them and not the others
PERSISTENT = 5  # samples after which a jump was no moment's glitch


class EncoderWatch:
    """What six unwrapped counters may do; kernels compare (`tick_kernels.judge`), this says what it means."""

    def __init__(self, fastest: Sequence[float]) -> None:
        # a hand may outrun what the brake allows [counts/s]
        self.reach = 2.0 * np.asarray(fastest, dtype=np.float64)
        self.glitches = 0  # samples that were refused
        self.last = np.zeros(MOTORS, dtype=np.int64)  # counts of the last good sample
        self.travel = np.zeros((ARMS, ARMS), dtype=np.int64)  # of arm j since arm i last moved
        self.reset()

    def reset(self) -> None:
        """Begin anew, as after a restart of the counters."""
        self._refused = 0
        self.travel[:] = 0

    def fine(self) -> None:
        """A good sample came: what was refused before was a moment's glitch."""
        self._refused = 0

    def trouble(self, found: int, counts: NDArray[np.int64]) -> str:
        """What the answer of `judge` means: "glitch", or why it is for good."""
        if found >= tick_kernels.STUCK:
            number = found - tick_kernels.STUCK + 1
            return f"encoder {number} of {MOTORS} stands still while the other arms have moved: its cable or disc"
        self._refused += 1
        self.glitches += 1
        if self._refused < PERSISTENT:
            return "glitch"
        which = found - tick_kernels.JUMPED
        change = abs(int(counts[which] - self.last[which]))
        return f"encoder {which + 1} of {MOTORS} jumped by {change} counts and has lost its place"
