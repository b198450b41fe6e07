"""Way, time and energy of a port, and what several laws need: limits that keep the direction, low-pass filters."""

from __future__ import annotations

import math

from station.bilateral.kernels.cache import kernel
from station.bilateral.kernels.layout import AXES, LAST_NOW, PERIOD, STARTED, Floats

LONGEST = 5.0  # periods: what is longer counts as this
SMOOTH = 0.003  # time constant of speeds: encoder steps must not be felt [s]


@kernel
def elapsed(state: Floats, settings: Floats, now: float) -> float:
    """Time since the last tick [s], within reason; a clock that goes back counts as one period."""
    passed = now - state[LAST_NOW]
    if state[STARTED] == 0.0 or not passed > 0.0:
        passed = settings[PERIOD]
    state[LAST_NOW] = now
    return float(min(max(passed, 0.1 * settings[PERIOD]), LONGEST * settings[PERIOD]))


@kernel
def mixing(dt: float, time_constant: float) -> float:
    """Share of the way that a first-order filter goes in a time [s]."""
    return 1.0 - math.exp(-dt / time_constant) if time_constant > 0.0 else 1.0


@kernel
def axes_of(settings: Floats) -> int:
    """Three, or six."""
    return int(settings[AXES])


@kernel
def length(numbers: Floats, first: int) -> float:
    """Of three numbers."""
    return math.sqrt(numbers[first] ** 2 + numbers[first + 1] ** 2 + numbers[first + 2] ** 2)


@kernel
def shorten(numbers: Floats, first: int, most: float) -> bool:
    """Make three numbers at most so long together; whether they were longer."""
    long = length(numbers, first)
    if long <= most:
        return False
    for i in range(first, first + 3):
        numbers[i] *= most / long
    return True
