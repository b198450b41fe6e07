"""The last check before bytes: of what is about to be sent against what was sent last, whoever made it."""

from __future__ import annotations

import math

from station.controllers.shaping.kernels.cache import kernel
from station.controllers.shaping.kernels.follow import range_of
from station.controllers.shaping.kernels.layout import (
    ACCELERATION,
    CANNOT_STOP,
    COUNT,
    HIGH,
    J_JOINTS,
    J_ROW,
    JERK,
    JUMP,
    LEAP,
    LOW,
    NEW_A,
    NEW_Q,
    NEW_V,
    NOT_FINITE,
    NOT_REFUSED,
    NOT_SMOOTH,
    OUT_OF_RANGE,
    REASON_JOINT,
    S_JOINTS,
    S_ROW,
    SPEED,
    TOO_FAST,
    TOO_JERKY,
    TOO_SUDDEN,
    A,
    Floats,
    Q,
    V,
)
from station.controllers.shaping.kernels.motion import can_stop

SLACK = 1e-9  # part of a limit, for rounding
TINY = 1e-12  # [rad | m] and derivatives, for rounding


@kernel
def refusal(state: Floats, settings: Floats, dt: float) -> int:
    """Why what is about to be sent may not be; 0 if it may."""
    for i in range(int(settings[COUNT])):
        reason = _refusal_of_joint(state, settings, i, dt)
        if reason != NOT_REFUSED:
            state[REASON_JOINT] = i
            return reason
    return NOT_REFUSED


@kernel
def is_finite(state: Floats, settings: Floats) -> bool:
    """Whether what is about to be sent is all numbers."""
    fine = True
    for i in range(int(settings[COUNT])):
        row = J_JOINTS + J_ROW * i
        fine = fine and math.isfinite(state[row + NEW_Q] + state[row + NEW_V] + state[row + NEW_A])
    return fine


@kernel
def _refusal_of_joint(state: Floats, settings: Floats, i: int, dt: float) -> int:
    """The same for one joint; what is checked first is what is worst."""
    row, limit = J_JOINTS + J_ROW * i, S_JOINTS + S_ROW * i
    was_q, was_v, was_a = state[row + Q], state[row + V], state[row + A]
    q, v, a = state[row + NEW_Q], state[row + NEW_V], state[row + NEW_A]
    speed, most, jerk = settings[limit + SPEED], settings[limit + ACCELERATION], settings[limit + JERK]
    low, high = range_of(was_q, settings[limit + LOW], settings[limit + HIGH])
    wide, rounding = 1.0 + SLACK, TINY * (1.0 + abs(was_q))
    if not (math.isfinite(q) and math.isfinite(v) and math.isfinite(a)):
        return NOT_FINITE
    if not low - SLACK <= q <= high + SLACK:
        return OUT_OF_RANGE
    if not abs(q - was_q) <= settings[limit + LEAP]:
        return JUMP
    if not (abs(v) <= speed * wide and abs(q - was_q) <= speed * dt * wide + rounding):
        return TOO_FAST
    if not (abs(a) <= most * wide and abs(v - was_v) <= most * dt * wide + TINY):
        return TOO_SUDDEN
    if not abs(a - was_a) <= jerk * dt * wide + TINY * (1.0 + most):
        return TOO_JERKY
    off_q, off_v = q - was_q - 0.5 * dt * (was_v + v), v - was_v - 0.5 * dt * (was_a + a)
    if not (abs(off_q) <= jerk * dt**3 / 6.0 + rounding and abs(off_v) <= 0.5 * jerk * dt**2 + TINY * (1.0 + speed)):
        return NOT_SMOOTH
    if not can_stop(q, v, a, low, high, speed, most, jerk, SLACK):
        return CANNOT_STOP
    return NOT_REFUSED
