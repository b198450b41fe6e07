"""Beginning to lead an arm: with a motion, never with a leap.

While setpoints are being sent, the motion that they are is continued: the arm is on its way along it, and whatever else
came next would be a step. Otherwise it begins where the arm is, as fast as it moves.
"""

from __future__ import annotations

import math

from station.controllers.shaping.kernels.cache import kernel
from station.controllers.shaping.kernels.follow import range_of
from station.controllers.shaping.kernels.layout import (
    ACCELERATION,
    COUNT,
    DELAY,
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
    TUBE_ON,
    A,
    Floats,
    Q,
    V,
)
from station.controllers.shaping.kernels.motion import can_stop
from station.controllers.shaping.kernels.tube import forget_sent, is_in_tube

HALVINGS = 20
STANDS = 0.02  # of the speed limit: what is measured as slower than this stands still


@kernel
def begin(state: Floats, settings: Floats, inputs: Floats) -> bool:
    """Begin to lead the arm; returns whether it began anew, at the measured place."""
    state[PARK_LOADED] = 0.0
    if state[RUNNING] == 1.0:
        follows = settings[TUBE_ON] != 1.0 or is_in_tube(state, settings, inputs)
        state[STOPPED] = FINE if follows else TUBE
        return False
    state[STOPPED] = TUBE  # until the arm is known to be where it may be
    if not abs(inputs[MEASURED_AGE]) <= settings[MEASURED_LIMIT]:
        return False
    for i in range(int(settings[COUNT])):
        limit, q = S_JOINTS + S_ROW * i, inputs[I_JOINTS + I_ROW * i + MEASURED]
        out = max(settings[limit + LOW] - q, q - settings[limit + HIGH])
        if not (math.isfinite(q) and out <= settings[OUTSIDE]):
            return False
    for i in range(int(settings[COUNT])):
        row = J_JOINTS + J_ROW * i
        state[row + Q], state[row + V] = _measured_motion(settings, inputs, i)
        state[row + A] = 0.0
    state[RUNNING], state[STOPPED] = 1.0, FINE
    forget_sent(state, settings)
    return True


@kernel
def beginning(state: Floats, settings: Floats, inputs: Floats, motion: Floats) -> None:
    """Where and how fast each joint would be if it began now; `motion` is 2×n: places, speeds."""
    for i in range(int(settings[COUNT])):
        row = J_JOINTS + J_ROW * i
        if state[RUNNING] == 1.0:
            motion[0, i], motion[1, i] = state[row + Q], state[row + V]
        else:
            motion[0, i], motion[1, i] = _measured_motion(settings, inputs, i)


@kernel
def _measured_motion(settings: Floats, inputs: Floats, i: int) -> tuple[float, float]:
    """Where a joint is by the time that it hears of it, and its speed as far as it can stop from it.

    A measurement is of the past, and a setpoint is for the future: an arm that moves has gone on meanwhile.
    """
    limit, told = S_JOINTS + S_ROW * i, I_JOINTS + I_ROW * i
    q, v = inputs[told + MEASURED], inputs[told + MEASURED_V]
    if not (math.isfinite(v) and abs(v) > STANDS * settings[limit + SPEED]):  # stands, or cannot be measured
        return q, 0.0
    delay = inputs[DELAY] if 0.0 <= inputs[DELAY] < math.inf else 0.0
    ahead = min(max(v, -settings[limit + SPEED]), settings[limit + SPEED]) * (max(inputs[MEASURED_AGE], 0.0) + delay)
    low, high = range_of(q, settings[limit + LOW], settings[limit + HIGH])
    q = min(max(q + ahead, low), high)
    return q, _speed_to_begin_with(settings, i, q, v)


@kernel
def _speed_to_begin_with(settings: Floats, i: int, q: float, v: float) -> float:
    """The measured speed, or as much of it as lets the joint stop within its limits."""
    limit = S_JOINTS + S_ROW * i
    speed, most, jerk = settings[limit + SPEED], settings[limit + ACCELERATION], settings[limit + JERK]
    low, high = range_of(q, settings[limit + LOW], settings[limit + HIGH])
    if can_stop(q, v, 0.0, low, high, speed, most, jerk, 0.0):
        return v
    part, step = 0.0, 0.5
    for _ in range(HALVINGS):
        if can_stop(q, (part + step) * v, 0.0, low, high, speed, most, jerk, 0.0):
            part += step
        step *= 0.5
    return part * v
