"""Beginning at the measured pose."""

from __future__ import annotations

import math

from station.controllers.shaping.kernels.cache import kernel
from station.controllers.shaping.kernels.follow import range_of
from station.controllers.shaping.kernels.layout import (
    ACCELERATION,
    COUNT,
    FINE,
    HIGH,
    I_JOINTS,
    I_ROW,
    J_JOINTS,
    J_ROW,
    JERK,
    LOW,
    MEASURED,
    MEASURED_AGE,
    MEASURED_LIMIT,
    MEASURED_V,
    OUTSIDE,
    PARK_LOADED,
    RUNNING,
    S_JOINTS,
    S_ROW,
    SPEED,
    STOPPED,
    TUBE,
    A,
    Floats,
    Q,
    V,
)
from station.controllers.shaping.kernels.motion import can_stop
from station.controllers.shaping.kernels.tube import forget_sent

HALVINGS = 20


@kernel
def start_at_measured(state: Floats, settings: Floats, inputs: Floats) -> bool:
    """Begin at the measured pose, with the measured speed as far as one can stop from it; returns whether it could."""
    state[RUNNING], state[PARK_LOADED] = 0.0, 0.0
    state[STOPPED] = TUBE  # until the arm is known to be where it may be
    if not abs(inputs[MEASURED_AGE]) <= settings[MEASURED_LIMIT]:
        return False
    for i in range(int(settings[COUNT])):
        limit, q = S_JOINTS + S_ROW * i, inputs[I_JOINTS + I_ROW * i + MEASURED]
        out = max(settings[limit + LOW] - q, q - settings[limit + HIGH])
        if not (math.isfinite(q) and out <= settings[OUTSIDE]):
            return False
    for i in range(int(settings[COUNT])):
        row, told = J_JOINTS + J_ROW * i, I_JOINTS + I_ROW * i
        state[row + Q], state[row + A] = inputs[told + MEASURED], 0.0
        state[row + V] = _speed_to_begin_with(settings, i, inputs[told + MEASURED], inputs[told + MEASURED_V])
    state[RUNNING], state[STOPPED] = 1.0, FINE
    forget_sent(state, settings)
    return True


@kernel
def _speed_to_begin_with(settings: Floats, i: int, q: float, v: float) -> float:
    """The measured speed, or as much of it as lets the joint stop within its limits."""
    limit = S_JOINTS + S_ROW * i
    speed, most, jerk = settings[limit + SPEED], settings[limit + ACCELERATION], settings[limit + JERK]
    low, high = range_of(q, settings[limit + LOW], settings[limit + HIGH])
    if not math.isfinite(v):  # it cannot be measured
        return 0.0
    if can_stop(q, v, 0.0, low, high, speed, most, jerk, 0.0):
        return v
    part, step = 0.0, 0.5
    for _ in range(HALVINGS):
        if can_stop(q, (part + step) * v, 0.0, low, high, speed, most, jerk, 0.0):
            part += step
        step *= 0.5
    return part * v
