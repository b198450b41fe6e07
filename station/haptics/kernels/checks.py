"""Which inputs are refused, and why. A refused tick has zero force and a named fault."""

from __future__ import annotations

import math

from station.haptics.kernels.cache import kernel
from station.haptics.kernels.cues import LAST_CUE
from station.haptics.kernels.layout import (
    AGE,
    CLOCK,
    CUE,
    DEVICE_LOST,
    FRESH,
    HAND_TURN,
    LAST_NOW,
    LAST_SAMPLE,
    MEASURED_AGE,
    MOST_OBSTACLES,
    MOST_STOPS,
    NO_ROTATION,
    NOT_FINITE,
    NOW,
    OBSTACLE_COUNT,
    OBSTACLE_ROWS,
    PROXY_TURN,
    READY,
    ROW,
    SAMPLE_TIME,
    STALE_AFTER,
    STALE_SAMPLE,
    STARTED,
    STOP_COUNT,
    STOP_ROWS,
    TOO_MANY_ROWS,
    Floats,
)

LARGEST = 1e9  # beyond this a number is as good as infinite: its square must not overflow
VERY_OLD = 1e6  # [s]


@kernel
def within(numbers: Floats, start: int, end: int) -> bool:
    """Whether all these are finite and not absurd."""
    for i in range(start, end):  # noqa: SIM110 - generators are not compiled
        if not abs(numbers[i]) < LARGEST:  # also for what is no number
            return False
    return True


@kernel
def is_unit(numbers: Floats, at: int) -> bool:
    """Whether four numbers are a rotation, to one per cent."""
    square = 0.0
    for i in range(4):
        square += numbers[at + i] ** 2
    return abs(square - 1.0) < 0.02


@kernel
def faults_of(state: Floats, settings: Floats, inputs: Floats) -> int:
    """What is wrong with this tick, as bits; 0 if nothing."""
    if inputs[READY] != 1.0:
        return DEVICE_LOST
    if inputs[MEASURED_AGE] == math.inf:  # never measured: as good as very old
        inputs[MEASURED_AGE] = VERY_OLD
    if not within(inputs, 0, STOP_ROWS):
        return NOT_FINITE
    stops, obstacles = inputs[STOP_COUNT], inputs[OBSTACLE_COUNT]
    if not (0.0 <= stops <= MOST_STOPS and 0.0 <= obstacles <= MOST_OBSTACLES and 0.0 <= inputs[CUE] <= LAST_CUE):
        return TOO_MANY_ROWS
    rows_fine = within(inputs, STOP_ROWS, STOP_ROWS + ROW * int(stops))
    if not (rows_fine and within(inputs, OBSTACLE_ROWS, OBSTACLE_ROWS + ROW * int(obstacles))):
        return NOT_FINITE
    if not (is_unit(inputs, HAND_TURN) and is_unit(inputs, PROXY_TURN)):
        return NO_ROTATION
    return _faults_of_time(state, settings, inputs)


@kernel
def _faults_of_time(state: Floats, settings: Floats, inputs: Floats) -> int:
    """Time that goes back, and samples that are too old."""
    fresh = inputs[FRESH] == 1.0
    if state[STARTED] == 0.0:
        return 0 if fresh else STALE_SAMPLE
    if inputs[NOW] < state[LAST_NOW] or (fresh and inputs[SAMPLE_TIME] <= state[LAST_SAMPLE]):
        return CLOCK
    if not fresh and state[AGE] + inputs[NOW] - state[LAST_NOW] > settings[STALE_AFTER]:
        return STALE_SAMPLE
    return 0
