"""The law within limits: a step is taken only if one can still stop after it, else as much of it as leaves that."""

from __future__ import annotations

import math

from station.controllers.shaping.kernels.cache import kernel
from station.controllers.shaping.kernels.law import wanted_jerk
from station.controllers.shaping.kernels.layout import (
    ACCELERATION,
    ACTING,
    AT_POSITION,
    AT_SPEED,
    COMES_BACK,
    COUNT,
    GAIN,
    HIGH,
    I_JOINTS,
    I_ROW,
    J_JOINTS,
    J_ROW,
    JERK,
    LOW,
    MEASURED,
    NEW_A,
    NEW_Q,
    NEW_V,
    PRESSED,
    S_JOINTS,
    S_ROW,
    SLOW,
    SPEED,
    TARGET,
    TARGET_V,
    A,
    Floats,
    Q,
    V,
)
from station.controllers.shaping.kernels.motion import after, can_stop, share_for, stop_time, stopped_after
from station.controllers.shaping.kernels.press import YIELD

HALVINGS = 8
ROUNDING = 1e-12
CREEP = 0.005  # of the speed limit: a slowed joint still gets to a target that stands


@kernel
def range_of(q: float, low: float, high: float) -> tuple[float, float]:
    """Limits of position; a joint that is outside may come back, never go further."""
    return min(low, q), max(high, q)


@kernel
def brake(state: Floats, settings: Floats, dt: float) -> None:
    """All joints to a stop together, as soon as the one that needs longest can.

    If each stopped as soon as it can, the tool would leave its way, as joints that are fast go on while others that
    kept the balance stand already. A joint that has no room for that stops by itself.
    """
    time = 0.0
    for i in range(int(settings[COUNT])):
        row, limit = J_JOINTS + J_ROW * i, S_JOINTS + S_ROW * i
        most, jerk = settings[limit + ACCELERATION], settings[limit + JERK]
        time = max(time, stop_time(state[row + V], state[row + A], most, jerk))
    for i in range(int(settings[COUNT])):
        _brake_joint(state, settings, i, time, dt)


@kernel
def _brake_joint(state: Floats, settings: Floats, i: int, time: float, dt: float) -> None:
    """One joint to a stop within a time, if it has room for that, else sooner."""
    row, limit = J_JOINTS + J_ROW * i, S_JOINTS + S_ROW * i
    q, v, a = state[row + Q], state[row + V], state[row + A]
    speed, most, jerk = settings[limit + SPEED], settings[limit + ACCELERATION], settings[limit + JERK]
    low, high = range_of(q, settings[limit + LOW], settings[limit + HIGH])
    share = share_for(v, a, most, jerk, time)
    if not can_stop(q, v, a, low, high, speed, share * most, share * jerk, ROUNDING):
        share = 1.0
    q, v, a = stopped_after(q, v, a, share * most, share * jerk, dt)
    state[row + NEW_Q], state[row + NEW_V], state[row + NEW_A] = q, v, a


@kernel
def follow(state: Floats, settings: Floats, inputs: Floats, dt: float) -> None:
    """All joints towards their targets."""
    for i in range(int(settings[COUNT])):
        _follow_joint(state, settings, inputs, i, dt)


@kernel
def _follow_joint(state: Floats, settings: Floats, inputs: Floats, i: int, dt: float) -> None:
    """One joint towards its target."""
    row, limit, told = J_JOINTS + J_ROW * i, S_JOINTS + S_ROW * i, I_JOINTS + I_ROW * i
    q, v, a = state[row + Q], state[row + V], state[row + A]
    speed, most, jerk = settings[limit + SPEED], settings[limit + ACCELERATION], settings[limit + JERK]
    goal, goal_v = inputs[told + TARGET], inputs[told + TARGET_V]
    inside = min(max(goal, settings[limit + LOW]), settings[limit + HIGH])
    if inside != goal:
        goal_v = 0.0
    fastest = speed
    if state[SLOW] < 1.0:  # slower than the target moves, not just slower than the arm could
        fastest = state[SLOW] * min(max(abs(goal_v), CREEP * speed), speed)
    if inputs[PRESSED] > 1.0 and math.isfinite(inputs[told + MEASURED]):  # to where it is, which takes the force away
        inside, goal_v, fastest = inputs[told + MEASURED], 0.0, YIELD * speed
    wish, acting = wanted_jerk(q, v, a, inside, goal_v, (fastest, most, jerk), settings[GAIN], dt)
    low, high = range_of(q, settings[limit + LOW], settings[limit + HIGH])
    acting |= COMES_BACK if low == q or high == q else 0
    wish_q, wish_v, wish_a = after(q, v, a, wish, dt)
    part = 1.0
    if not _may(q, wish_q, wish_v, wish_a, low, high, speed, most, jerk, dt):
        stop_q, stop_v, stop_a = stopped_after(q, v, a, most, jerk, dt)
        part, step = 0.0, 0.5
        for _ in range(HALVINGS):  # both ends keep the jerk, so does all between them
            more = part + step
            mixed_q = stop_q + more * (wish_q - stop_q)
            mixed_v, mixed_a = stop_v + more * (wish_v - stop_v), stop_a + more * (wish_a - stop_a)
            if _may(q, mixed_q, mixed_v, mixed_a, low, high, speed, most, jerk, dt):
                part = more
            step *= 0.5
        endless = can_stop(wish_q, wish_v, wish_a, -math.inf, math.inf, speed, most, jerk, 0.0)
        acting |= AT_POSITION if endless else AT_SPEED
        wish_q = stop_q + part * (wish_q - stop_q)
        wish_v, wish_a = stop_v + part * (wish_v - stop_v), stop_a + part * (wish_a - stop_a)
    state[row + NEW_Q], state[row + NEW_V], state[row + NEW_A] = wish_q, wish_v, wish_a
    state[ACTING] = int(state[ACTING]) | acting


@kernel
def _may(
    was: float,
    q: float,
    v: float,
    a: float,
    low: float,
    high: float,
    speed: float,
    most: float,
    jerk: float,
    dt: float,
) -> bool:
    """Whether a step may be taken."""
    return abs(q - was) <= speed * dt and can_stop(q, v, a, low, high, speed, most, jerk, 0.0)
