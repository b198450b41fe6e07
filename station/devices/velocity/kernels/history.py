"""The ring of past samples, and which samples may enter it."""

from __future__ import annotations

import math

from station.devices.velocity.kernels.cache import kernel
from station.devices.velocity.kernels.layout import (
    AFTER_GAP,
    AXES,
    BACKWARDS,
    CAPACITY,
    COUNT,
    DUPLICATE,
    FARTHEST,
    FIRST,
    GAP,
    NEWEST,
    NOT_FINITE,
    PLACES,
    SHORTEST,
    SPEED,
    TIMES,
    USED,
    USED_SAMPLES,
    Floats,
)


@kernel
def forget(state: Floats) -> None:
    """Empty the history; the speed is 0 until two samples are there again."""
    state[COUNT], state[NEWEST] = 0.0, 0.0
    for i in range(AXES):
        state[SPEED + i], state[USED_SAMPLES + i] = 0.0, 0.0


@kernel
def is_sane(time: float, position: Floats) -> bool:
    """Whether stamp [s] and position [m | rad] are numbers that can be calculated with."""
    if not math.isfinite(time):
        return False
    largest = 0.0
    for i in range(AXES):
        largest += abs(position[i])
    return largest <= FARTHEST  # also False for what is not a number


@kernel
def accept(state: Floats, settings: Floats, time: float, position: Floats) -> int:
    """Take a sample into the history, or say why not.

    A stamp that goes back says that the clock was set or that samples were swapped; in either case nothing that is
    known fits with what comes next, so both the sample and the history go.
    """
    if not is_sane(time, position):
        return NOT_FINITE
    result = FIRST if state[COUNT] == 0.0 else USED
    if result == USED:
        passed = time - state[TIMES + int(state[NEWEST])]
        if abs(passed) < SHORTEST:
            return DUPLICATE
        if passed < 0.0:
            forget(state)
            return BACKWARDS
        if passed > settings[GAP]:
            forget(state)
            result = AFTER_GAP
    newest = (int(state[NEWEST]) + 1) % CAPACITY
    state[NEWEST], state[TIMES + newest] = newest, time
    for i in range(AXES):
        state[PLACES + AXES * newest + i] = position[i]
    state[COUNT] = min(state[COUNT] + 1.0, float(CAPACITY))
    return result
