"""Past samples, and from them a slope, one axis at a time. All look back from the newest, at most `window` [s].

First-order adaptive windowing: F. Janabi-Sharifi, V. Hayward, C.-S. J. Chen, "Discrete-time adaptive windowing for
velocity estimation", IEEE Trans. Control Systems Technology 8(6), 2000, 1003-1009. The window grows backwards as
long as the line through the newest sample passes all samples in it within the noise bound d. That is

    |y₀ - b·τ_i - y_i| ≤ d   for all i    ⇔    max_i (y₀ - y_i - d)/τ_i ≤ b ≤ min_i (y₀ - y_i + d)/τ_i

with τ_i the age of sample i: one interval of slopes that only ever narrows. So each longer window costs one
comparison, and the whole search is O(window), where testing every sample again would be O(window²).
"""

from __future__ import annotations

import math
from enum import IntEnum

from station.devices.velocity.settings import AXES, VelocityNumbers
from station.kernel import Floats1, Floats2, Ints1, Record, entry, field, kernel

CAPACITY = 128  # samples that are kept: 32 ms at 4 kHz
SHORTEST = 1e-7  # stamps closer than this are one instant [s]
FARTHEST = 1e6  # a position beyond this is no position [m | rad]


class SampleUse(IntEnum):
    """What became of a sample."""

    USED = 0
    FIRST = 1  # nothing before it: speed 0
    DUPLICATE = 2  # same stamp as the one before: passed over, speed kept
    BACKWARDS = 3  # older than the one before: passed over, history dropped, speed 0
    AFTER_GAP = 4  # too long after the one before: first of a new history, speed 0
    NOT_FINITE = 5  # no number: passed over, speed kept


class VelocityState(Record):
    """Past samples in a ring, and the answer."""

    count: int = field("", "samples in the ring")
    newest: int = field("", "where the newest is")
    speed: Floats1 = field("m/s | rad/s", "the answer", shape=AXES)
    samples: Ints1 = field("", "how many the answer of each axis rests on", shape=AXES)
    times: Floats1 = field("s", "stamps", shape=CAPACITY)
    places: Floats2 = field("m | rad", "positions", shape=(CAPACITY, AXES))


@entry(inline=True)
def forget(state: VelocityState) -> None:
    """Empty the history; the speed is 0 until two samples are there again."""
    state.count, state.newest = 0, 0
    for i in range(AXES):
        state.speed[i], state.samples[i] = 0.0, 0


@kernel
def is_sane(time: float, position: Floats1) -> bool:
    """Whether stamp [s] and position [m | rad] are numbers that can be calculated with."""
    if not math.isfinite(time):
        return False
    largest = 0.0
    for i in range(AXES):
        largest += abs(position[i])
    return largest <= FARTHEST  # also False for what is not a number


@kernel
def accept(state: VelocityState, numbers: VelocityNumbers, time: float, position: Floats1) -> SampleUse:
    """Take a sample into the history, or say why not.

    A stamp that goes back says that the clock was set or that samples were swapped; in either case nothing that is
    known fits with what comes next, so both the sample and the history go.
    """
    if not is_sane(time, position):
        return SampleUse.NOT_FINITE
    result = SampleUse.FIRST if state.count == 0 else SampleUse.USED
    if result == SampleUse.USED:
        passed = time - state.times[state.newest]
        if abs(passed) < SHORTEST:
            return SampleUse.DUPLICATE
        if passed < 0.0:
            forget(state)
            return SampleUse.BACKWARDS
        if passed > numbers.gap:
            forget(state)
            result = SampleUse.AFTER_GAP
    newest = (state.newest + 1) % CAPACITY
    state.newest, state.times[newest] = newest, time
    for i in range(AXES):
        state.places[newest, i] = position[i]
    state.count = min(state.count + 1, CAPACITY)
    return result


@kernel
def difference(state: VelocityState, axis: int) -> float:
    """Slope between the last two samples [m/s | rad/s]."""
    newest = state.newest
    before = (newest - 1 + CAPACITY) % CAPACITY
    state.samples[axis] = 2
    moved = state.places[newest, axis] - state.places[before, axis]
    return float(moved / (state.times[newest] - state.times[before]))


@kernel
def lowpass(state: VelocityState, numbers: VelocityNumbers, axis: int) -> float:
    """The same through a first-order low-pass, exact for the time that has passed [m/s | rad/s]."""
    slope = difference(state, axis)
    newest = state.newest
    passed = state.times[newest] - state.times[(newest - 1 + CAPACITY) % CAPACITY]
    share = 1.0 - math.exp(-2.0 * math.pi * numbers.cutoff * passed)
    return float(state.speed[axis] + share * (slope - state.speed[axis]))


@kernel
def least_squares(state: VelocityState, numbers: VelocityNumbers, axis: int) -> float:
    """Slope of the best line through all samples of the window [m/s | rad/s]."""
    newest = state.newest
    now, here = state.times[newest], state.places[newest, axis]
    n, sx, sy, sxx, sxy = 1.0, 0.0, 0.0, 0.0, 0.0  # relative to the newest, which adds nothing: no big numbers cancel
    slope = 0.0
    for back in range(1, state.count):
        at = (newest - back + CAPACITY) % CAPACITY
        x, y = state.times[at] - now, state.places[at, axis] - here
        if -x > numbers.window and back > 1:
            break
        n, sx, sy, sxx, sxy = n + 1.0, sx + x, sy + y, sxx + x * x, sxy + x * y
    spread = n * sxx - sx * sx
    if spread > 0.0:
        slope = (n * sxy - sx * sy) / spread
    state.samples[axis] = int(n)
    return slope


@kernel
def adaptive(state: VelocityState, numbers: VelocityNumbers, axis: int, best: bool) -> float:
    """Slope over the longest window whose line misses no sample by more than the noise [m/s | rad/s].

    The line is that of its two ends (end fit), or has the least-squares slope (best fit).
    """
    newest = state.newest
    now, here = state.times[newest], state.places[newest, axis]
    noise = numbers.noise[axis] * (1.0 + 1e-9)  # a difference of exactly one step is still noise
    low, high = -math.inf, math.inf
    n, sx, sy, sxx, sxy = 1.0, 0.0, 0.0, 0.0, 0.0
    slope, used = 0.0, 1
    for back in range(1, state.count):
        at = (newest - back + CAPACITY) % CAPACITY
        x, y = state.times[at] - now, state.places[at, axis] - here
        if -x > numbers.window and back > 1:
            break
        trial = y / x
        if best:
            n, sx, sy, sxx, sxy = n + 1.0, sx + x, sy + y, sxx + x * x, sxy + x * y
            spread = n * sxx - sx * sx
            trial = (n * sxy - sx * sy) / spread if spread > 0.0 else trial
        if not low <= trial <= high:
            break
        slope, used = trial, back + 1
        low, high = max(low, (-y - noise) / -x), min(high, (-y + noise) / -x)
    state.samples[axis] = used
    return slope
