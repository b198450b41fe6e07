"""From past samples to a slope, one axis at a time. All look back from the newest sample, at most `window` [s].

First-order adaptive windowing: F. Janabi-Sharifi, V. Hayward, C.-S. J. Chen, "Discrete-time adaptive windowing for
velocity estimation", IEEE Trans. Control Systems Technology 8(6), 2000, 1003-1009. The window grows backwards as
long as the line through the newest sample passes all samples in it within the noise bound d. That is

    |y₀ - b·τ_i - y_i| ≤ d   for all i    ⇔    max_i (y₀ - y_i - d)/τ_i ≤ b ≤ min_i (y₀ - y_i + d)/τ_i

with τ_i the age of sample i: one interval of slopes that only ever narrows. So each longer window costs one
comparison, and the whole search is O(window), where testing every sample again would be O(window²).
"""

from __future__ import annotations

import math

from station.devices.velocity.kernels.cache import kernel
from station.devices.velocity.kernels.layout import (
    AXES,
    CAPACITY,
    COUNT,
    CUTOFF,
    NEWEST,
    NOISE,
    PLACES,
    SPEED,
    TIMES,
    USED_SAMPLES,
    WINDOW,
    Floats,
)


@kernel
def difference(state: Floats, axis: int) -> float:
    """Slope between the last two samples [m/s | rad/s]."""
    newest = int(state[NEWEST])
    before = (newest - 1 + CAPACITY) % CAPACITY
    state[USED_SAMPLES + axis] = 2.0
    moved = state[PLACES + AXES * newest + axis] - state[PLACES + AXES * before + axis]
    return float(moved / (state[TIMES + newest] - state[TIMES + before]))


@kernel
def lowpass(state: Floats, settings: Floats, axis: int) -> float:
    """The same through a first-order low-pass, exact for the time that has passed [m/s | rad/s]."""
    slope = difference(state, axis)
    newest = int(state[NEWEST])
    passed = state[TIMES + newest] - state[TIMES + (newest - 1 + CAPACITY) % CAPACITY]
    share = 1.0 - math.exp(-2.0 * math.pi * settings[CUTOFF] * passed)
    return float(state[SPEED + axis] + share * (slope - state[SPEED + axis]))


@kernel
def least_squares(state: Floats, settings: Floats, axis: int) -> float:
    """Slope of the best line through all samples of the window [m/s | rad/s]."""
    newest = int(state[NEWEST])
    now, here = state[TIMES + newest], state[PLACES + AXES * newest + axis]
    n, sx, sy, sxx, sxy = 1.0, 0.0, 0.0, 0.0, 0.0  # relative to the newest, which adds nothing: no big numbers cancel
    slope = 0.0
    for back in range(1, int(state[COUNT])):
        at = (newest - back + CAPACITY) % CAPACITY
        x, y = state[TIMES + at] - now, state[PLACES + AXES * at + axis] - here
        if -x > settings[WINDOW] and back > 1:
            break
        n, sx, sy, sxx, sxy = n + 1.0, sx + x, sy + y, sxx + x * x, sxy + x * y
    spread = n * sxx - sx * sx
    if spread > 0.0:
        slope = (n * sxy - sx * sy) / spread
    state[USED_SAMPLES + axis] = n
    return slope


@kernel
def adaptive(state: Floats, settings: Floats, axis: int, best: bool) -> float:
    """Slope over the longest window whose line misses no sample by more than the noise [m/s | rad/s].

    The line is that of its two ends (end fit), or has the least-squares slope (best fit).
    """
    newest = int(state[NEWEST])
    now, here = state[TIMES + newest], state[PLACES + AXES * newest + axis]
    noise = settings[NOISE + axis] * (1.0 + 1e-9)  # a difference of exactly one step is still noise
    low, high = -math.inf, math.inf
    n, sx, sy, sxx, sxy = 1.0, 0.0, 0.0, 0.0, 0.0
    slope, used = 0.0, 1.0
    for back in range(1, int(state[COUNT])):
        at = (newest - back + CAPACITY) % CAPACITY
        x, y = state[TIMES + at] - now, state[PLACES + AXES * at + axis] - here
        if -x > settings[WINDOW] and back > 1:
            break
        trial = y / x
        if best:
            n, sx, sy, sxx, sxy = n + 1.0, sx + x, sy + y, sxx + x * x, sxy + x * y
            spread = n * sxx - sx * sx
            trial = (n * sxy - sx * sy) / spread if spread > 0.0 else trial
        if not low <= trial <= high:
            break
        slope, used = trial, back + 1.0
        low, high = max(low, (-y - noise) / -x), min(high, (-y + noise) / -x)
    state[USED_SAMPLES + axis] = used
    return slope
