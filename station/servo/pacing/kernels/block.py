"""Where everything is in the block of the clockwork: 64-bit whole numbers, all times in nanoseconds.

A kernel gets the address of the block and nothing else. Python sees the same numbers by the same places.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray, types
from numba.core import cgutils
from numba.extending import intrinsic

from station.servo.pacing.kernels.cache import kernel
from station.servo.pacing.stages import PERCENTILES, Measure, Stage

Address = int  # of a block

STAGES = len(Stage)
MEASURES = len(Measure)
SHARES = len(PERCENTILES)
RESULTS = SHARES + 1  # percentiles and the largest

# Bins are as wide as a sixteenth of their octave, so a percentile is at most 6.25 % too large.
PER_OCTAVE = 16
FIRST_OCTAVE, LAST_OCTAVE = 5, 33  # 32 ns to 8.6 s; what is outside goes to the first or last bin
BINS = PER_OCTAVE * (LAST_OCTAVE - FIRST_OCTAVE)

# Single numbers.
PERIOD = 0  # between two ticks [ns]
SPIN = 1  # how long to look at the clock, instead of sleeping, before a tick [ns]
DEADLINE = 2  # when the tick should have begun [ns]
WOKE = 3  # when it did [ns]
ENDED = 4  # when it ended [ns]
TICK = 5  # ticks that were begun
SKIPPED = 6  # moments of the grid at which no tick was begun, as the one before was not over
LATE = 7  # ticks that ended after the next should have begun
LAST_LATE = 8  # the last such tick
LAST_CAUSE = 9  # the stage it was due to
WINDOW = 10  # ticks in a window
SCRATCH = 11  # two numbers for the kernel's answer to 'what time is it'
VIRTUAL = 13  # the time of a test's clock, which kernels take for the time it is; 0: the machine's own [ns]
WORKED = 14  # that this thread had worked when the tick began [ns]
AWAY = 15  # in the tick that ended last, off the processor, which others had: what is left is its own work [ns]
LATE_WAITING = 16  # late ticks that were rather kept waiting for a processor than busy for longer than usual

# Rows of numbers, one for each stage or measure.
MARKS = 17  # when a stage of this tick ended; 0: it has not [ns]
SPENT = MARKS + STAGES  # in the tick that ended last, by measure [ns]
USUAL = SPENT + MEASURES  # a running median by stage [ns]
CAUSES = USUAL + STAGES  # late ticks by stage
WINDOW_WORST = CAUSES + STAGES  # by measure [ns]
TOTAL_WORST = WINDOW_WORST + MEASURES  # without the window that is not over [ns]
WINDOW_COUNT = TOTAL_WORST + MEASURES
TOTAL_COUNT = WINDOW_COUNT + MEASURES
SUMMARY = TOTAL_COUNT + MEASURES  # of the last whole window: percentiles and largest, by measure [ns]
SUMMARY_COUNT = SUMMARY + MEASURES * RESULTS  # how many times that was, by measure
WINDOW_BINS = SUMMARY_COUNT + MEASURES
TOTAL_BINS = WINDOW_BINS + MEASURES * BINS
WORDS = TOTAL_BINS + MEASURES * BINS

_PARTS = np.array([share / 100.0 for share in PERCENTILES])


@intrinsic  # type: ignore[untyped-decorator]
def _pointer(_context: Any, address: Any) -> Any:
    """A whole number as an address."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), generate


@kernel
def words(address: Address) -> Any:
    """The block as an array."""
    return carray(_pointer(address), (WORDS,), np.int64)


@kernel
def part(number: int) -> float:
    """The percentile of that number, as a part of 1."""
    return float(_PARTS[number])
