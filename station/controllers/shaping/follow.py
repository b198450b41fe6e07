"""Towards a moving target within limits, or to a stop.

Which jerk brings a joint to its target: three loops, each within what the next can do.

    speed         v_d = v_target + sign(e)·min(k·|e|, w(|e|))        w: fastest speed from which the way |e| suffices
    acceleration  a_d = sign(Δ)·min(4·k·|Δ|, √(2·J·|Δ|)) + k·(v_target - v),   Δ = v_d - v
    jerk          that reaches a_d in this tick, at most J

For small errors this is linear with the poles k and 4·k, so it does not ring; for large ones it is nearly as fast as
can be. A part of the acceleration and jerk is kept for moving along with the target (`SHARE`). A step is taken only if
one can still stop after it, else as much of it as leaves that.
"""

from __future__ import annotations

import math

from station.controllers.shaping.limits import ShapingLimits
from station.controllers.shaping.motion import after, can_stop, share_for, stop_time, stopped_after
from station.controllers.shaping.press import YIELD
from station.controllers.shaping.state import Acting, ShapingInputs, ShapingState
from station.kernel import kernel

SHARE = 0.6  # of acceleration and jerk, for closing in: with more it overshoots
FASTER = 4.0  # the inner loop, compared with the outer one
MOST_PER_TICK = 0.4  # gain of the inner loop times the tick, for stability
HALVINGS = 8
ROUNDING = 1e-12
CREEP = 0.005  # of the speed limit: a slowed joint still gets to a target that stands


@kernel
def speed_from(way: float, most: float, jerk: float) -> tuple[float, float]:
    """Fastest speed from which a joint stops within a way, beginning without acceleration; and its slope [1/s]."""
    if way <= most * most * most / (jerk * jerk):  # the acceleration does not reach its limit
        speed = (jerk * way * way) ** (1.0 / 3.0)
        return speed, 2.0 * speed / (3.0 * way) if way > 0.0 else math.inf
    half = 0.5 * most / jerk
    root = math.sqrt(half * half + 2.0 * way / most)
    return most * (root - half), 1.0 / root


@kernel
def wanted_jerk(
    q: float, v: float, a: float, goal: float, goal_v: float, limits: tuple[float, float, float], gain: float, dt: float
) -> tuple[float, int]:
    """Jerk for the next `dt` [s], and limits that act, as bits; `limits` are speed, acceleration and jerk."""
    speed, most, jerk = limits
    gain = min(gain, MOST_PER_TICK / (FASTER * dt))
    error = goal - (q + v * dt)  # what would be left at the end of this tick
    way, slope = speed_from(abs(error), SHARE * most, SHARE * jerk)
    if gain * abs(error) <= way:  # also for none
        way, slope = gain * abs(error), gain
    wanted_v = goal_v + (way if error > 0.0 else -way)
    ahead = min(max(slope * (goal_v - v), -most), most)
    acting = 0
    if abs(wanted_v) > speed:
        wanted_v, ahead, acting = math.copysign(speed, wanted_v), 0.0, Acting.SPEED
    short = wanted_v - v
    push = min(FASTER * gain * abs(short), math.sqrt(2.0 * SHARE * jerk * abs(short)))
    wanted_a = math.copysign(push, short) + ahead
    if abs(wanted_a) > most:
        wanted_a, acting = math.copysign(most, wanted_a), acting | Acting.ACCELERATION
    return min(max((wanted_a - a) / dt, -jerk), jerk), acting


@kernel
def range_of(q: float, low: float, high: float) -> tuple[float, float]:
    """Limits of position; a joint that is outside may come back, never go further."""
    return min(low, q), max(high, q)


@kernel
def brake(state: ShapingState, limits: ShapingLimits, dt: float) -> None:
    """All joints to a stop together, as soon as the one that needs longest can.

    If each stopped as soon as it can, the tool would leave its way, as joints that are fast go on while others that
    kept the balance stand already. A joint that has no room for that stops by itself.
    """
    time = 0.0
    for i in range(limits.low.size):
        time = max(time, stop_time(state.v[i], state.a[i], limits.acceleration[i], limits.jerk[i]))
    for i in range(limits.low.size):
        _brake_joint(state, limits, i, time, dt)


@kernel
def _brake_joint(state: ShapingState, limits: ShapingLimits, i: int, time: float, dt: float) -> None:
    """One joint to a stop within a time, if it has room for that, else sooner."""
    q, v, a = state.q[i], state.v[i], state.a[i]
    speed, most, jerk = limits.speed[i], limits.acceleration[i], limits.jerk[i]
    low, high = range_of(q, limits.low[i], limits.high[i])
    share = share_for(v, a, most, jerk, time)
    if not can_stop(q, v, a, low, high, speed, share * most, share * jerk, ROUNDING):
        share = 1.0
    q, v, a = stopped_after(q, v, a, share * most, share * jerk, dt)
    state.new_q[i], state.new_v[i], state.new_a[i] = q, v, a


@kernel
def follow(state: ShapingState, limits: ShapingLimits, inputs: ShapingInputs, dt: float) -> None:
    """All joints towards their targets."""
    for i in range(limits.low.size):
        _follow_joint(state, limits, inputs, i, dt)


@kernel
def _follow_joint(state: ShapingState, limits: ShapingLimits, inputs: ShapingInputs, i: int, dt: float) -> None:
    """One joint towards its target."""
    q, v, a = state.q[i], state.v[i], state.a[i]
    speed, most, jerk = limits.speed[i], limits.acceleration[i], limits.jerk[i]
    goal, goal_v = inputs.target[i], inputs.target_v[i]
    inside = min(max(goal, limits.low[i]), limits.high[i])
    if inside != goal:
        goal_v = 0.0
    fastest = speed
    if state.slow < 1.0:  # slower than the target moves, not just slower than the arm could
        fastest = state.slow * min(max(abs(goal_v), CREEP * speed), speed)
    if inputs.pressed > 1.0 and math.isfinite(inputs.measured[i]):  # to where it is, which takes the force away
        inside, goal_v, fastest = inputs.measured[i], 0.0, YIELD * speed
    wish, acting = wanted_jerk(q, v, a, inside, goal_v, (fastest, most, jerk), limits.gain, dt)
    low, high = range_of(q, limits.low[i], limits.high[i])
    acting |= Acting.COMES_BACK if low == q or high == q else 0
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
        acting |= Acting.POSITION if endless else Acting.SPEED
        wish_q = stop_q + part * (wish_q - stop_q)
        wish_v, wish_a = stop_v + part * (wish_v - stop_v), stop_a + part * (wish_a - stop_a)
    state.new_q[i], state.new_v[i], state.new_a[i] = wish_q, wish_v, wish_a
    state.acting |= acting


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
