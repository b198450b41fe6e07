"""Which jerk brings a joint to a moving target: three loops, each within what the next can do.

    speed         v_d = v_target + sign(e)·min(k·|e|, w(|e|))        w: fastest speed from which the way |e| suffices
    acceleration  a_d = sign(Δ)·min(4·k·|Δ|, √(2·J·|Δ|)) + k·(v_target - v),   Δ = v_d - v
    jerk          that reaches a_d in this tick, at most J

For small errors this is linear with the poles k and 4·k, so it does not ring; for large ones it is nearly as fast as
can be. A part of the acceleration and jerk is kept for moving along with the target (`SHARE`).
"""

from __future__ import annotations

import math

from station.controllers.shaping.kernels.cache import kernel
from station.controllers.shaping.kernels.layout import AT_ACCELERATION, AT_SPEED

SHARE = 0.6  # of acceleration and jerk, for closing in: with more it overshoots
FASTER = 4.0  # the inner loop, compared with the outer one
MOST_PER_TICK = 0.4  # gain of the inner loop times the tick, for stability


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
        wanted_v, ahead, acting = math.copysign(speed, wanted_v), 0.0, AT_SPEED
    short = wanted_v - v
    push = min(FASTER * gain * abs(short), math.sqrt(2.0 * SHARE * jerk * abs(short)))
    wanted_a = math.copysign(push, short) + ahead
    if abs(wanted_a) > most:
        wanted_a, acting = math.copysign(most, wanted_a), acting | AT_ACCELERATION
    return min(max((wanted_a - a) / dt, -jerk), jerk), acting
