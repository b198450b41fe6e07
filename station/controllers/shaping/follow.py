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
def slowest_stop(state: ShapingState, limits: ShapingLimits) -> float:
    """How long the joint that needs longest takes to stop [s]."""
    time = 0.0
    for i in range(limits.low.size):
        time = max(time, stop_time(state.v[i], state.a[i], limits.acceleration[i], limits.jerk[i]))
    return time


@kernel
def brake(state: ShapingState, limits: ShapingLimits, time: float, dt: float) -> None:
    """All joints to a stop together, within a time: that of the one that needs longest.

    If each stopped as soon as it can, the tool would leave its way, as joints that are fast go on while others that
    kept the balance stand already. A joint that has no room for that stops by itself.
    """
    for i in range(limits.low.size):
        _brake_joint(state, limits, i, time, dt)


@kernel
def _brake_joint(state: ShapingState, limits: ShapingLimits, i: int, time: float, dt: float) -> None:
    """One joint to a stop within a time, if it has room for that, else sooner."""
    q, v, a = state.q[i], state.v[i], state.a[i]
    speed, most, jerk = limits.speed[i], limits.acceleration[i], limits.jerk[i]
    low, high = range_of(q, limits.low[i], limits.high[i])
    share = share_for(v, a, most, jerk, time)
    new_q, new_v, new_a = stopped_after(q, v, a, share * most, share * jerk, dt)
    slowly = can_stop(q, v, a, low, high, speed, share * most, share * jerk, ROUNDING)
    later = can_stop(new_q, new_v, new_a, low, high, speed, most, jerk, ROUNDING)  # the next tick may ask for that
    if not (slowly and later):
        new_q, new_v, new_a = stopped_after(q, v, a, most, jerk, dt)
    state.new_q[i], state.new_v[i], state.new_a[i] = new_q, new_v, new_a


@kernel
def follow(state: ShapingState, limits: ShapingLimits, inputs: ShapingInputs, dt: float) -> None:
    """All joints towards their targets."""
    for i in range(limits.low.size):
        _follow_joint(state, limits, inputs, i, dt)


@kernel
def _follow_joint(state: ShapingState, limits: ShapingLimits, inputs: ShapingInputs, i: int, dt: float) -> None:
    """One joint towards its target."""
    q, v, a = state.q[i], state.v[i], state.a[i]
    most, jerk = limits.acceleration[i], limits.jerk[i]
    goal, goal_v, fastest = aim(limits, inputs, i, state.slow, inputs.pressed > 1.0)
    wish, acting = wanted_jerk(q, v, a, goal, goal_v, (fastest, most, jerk), limits.gain, dt)
    state.acting |= acting
    step_joint(state, limits, i, wish, share_of_step(state, limits, i, wish, 1.0, dt), dt)


@kernel
def aim(limits: ShapingLimits, inputs: ShapingInputs, i: int, slow: float, yields: bool) -> tuple[float, float, float]:
    """Where a joint is to go, how fast that moves, and how fast the joint may go there at most."""
    speed, goal, goal_v = limits.speed[i], inputs.target[i], inputs.target_v[i]
    inside = min(max(goal, limits.low[i]), limits.high[i])
    if inside != goal:
        goal_v = 0.0
    fastest = speed
    if slow < 1.0:  # slower than the target moves, not just slower than the arm could
        fastest = slow * min(max(abs(goal_v), CREEP * speed), speed)
    if yields and math.isfinite(inputs.measured[i]):  # to where it is, which takes the force away
        inside, goal_v, fastest = inputs.measured[i], 0.0, YIELD * speed
    return inside, goal_v, fastest


@kernel
def share_of_step(
    state: ShapingState, limits: ShapingLimits, i: int, wish: float, most_of_it: float, dt: float
) -> float:
    """How much of a step with this jerk may be taken, up to `most_of_it`; the rest of it is on the way to a stop."""
    if _may(state, limits, i, wish, most_of_it, dt):
        return most_of_it
    part, step = 0.0, 0.5 * most_of_it
    for _ in range(HALVINGS):  # both ends keep the jerk, so does all between them
        if _may(state, limits, i, wish, part + step, dt):
            part += step
        step *= 0.5
    return part


@kernel
def step_joint(state: ShapingState, limits: ShapingLimits, i: int, wish: float, part: float, dt: float) -> None:
    """Take a part of a step with this jerk."""
    q = state.q[i]
    low, high = range_of(q, limits.low[i], limits.high[i])
    state.acting |= Acting.COMES_BACK if low == q or high == q else 0
    if part < 1.0:
        wish_q, wish_v, wish_a = after(q, state.v[i], state.a[i], wish, dt)
        speed, most, jerk = limits.speed[i], limits.acceleration[i], limits.jerk[i]
        endless = can_stop(wish_q, wish_v, wish_a, -math.inf, math.inf, speed, most, jerk, 0.0)
        state.acting |= Acting.POSITION if endless else Acting.SPEED
    state.new_q[i], state.new_v[i], state.new_a[i] = _stepped(state, limits, i, wish, part, dt)


@kernel
def _stepped(
    state: ShapingState, limits: ShapingLimits, i: int, wish: float, part: float, dt: float
) -> tuple[float, float, float]:
    """Where a joint is after a part of a step with this jerk, the rest of it on the way to a stop."""
    q, v, a = state.q[i], state.v[i], state.a[i]
    wish_q, wish_v, wish_a = after(q, v, a, wish, dt)
    if part == 1.0:
        return wish_q, wish_v, wish_a
    stop_q, stop_v, stop_a = stopped_after(q, v, a, limits.acceleration[i], limits.jerk[i], dt)
    return (
        stop_q + part * (wish_q - stop_q),
        stop_v + part * (wish_v - stop_v),
        stop_a + part * (wish_a - stop_a),
    )


@kernel
def _may(state: ShapingState, limits: ShapingLimits, i: int, wish: float, part: float, dt: float) -> bool:
    """Whether a part of a step may be taken."""
    q, v, a = _stepped(state, limits, i, wish, part, dt)
    was, speed = state.q[i], limits.speed[i]
    low, high = range_of(was, limits.low[i], limits.high[i])
    fine = can_stop(q, v, a, low, high, speed, limits.acceleration[i], limits.jerk[i], 0.0)
    return fine and abs(q - was) <= speed * dt
