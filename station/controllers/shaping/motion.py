"""One joint: constant jerk, the shortest stop, and whether one can still stop within limits.

The shortest stop from speed v and acceleration a, with at most A and J, ramps the acceleration to a peak p that
opposes the motion, stays there if p reaches A, and ramps it to zero just as the speed gets there. With u = s·v and
b = s·a, where s is the sign of the push that is needed:

    p² = -J·u + b²/2      at most A²

What is left of a shortest stop is a shortest stop itself. So from a state whose stop is within limits there is always a
next one: to go on stopping. That is why limits can be kept without fail.
"""

from __future__ import annotations

import math

from station.kernel import kernel

LEAST_SHARE, HALVINGS = 1e-6, 20


@kernel
def after(q: float, v: float, a: float, jerk: float, dt: float) -> tuple[float, float, float]:
    """Position, speed and acceleration after a time of constant jerk."""
    return q + dt * (v + dt * (0.5 * a + dt * jerk / 6.0)), v + dt * (a + 0.5 * dt * jerk), a + dt * jerk


@kernel
def stop_plan(v: float, a: float, most: float, jerk: float) -> tuple[float, float, float, float]:
    """The shortest stop: sign of the push, times of ramping to its peak, of staying there, and of ramping to zero."""
    left = v + 0.5 * a * abs(a) / jerk  # speed that is left if the acceleration is just let go
    sign = -1.0 if left > 0.0 else 1.0
    u, b = sign * v, sign * a
    peak = math.sqrt(max(0.0, 0.5 * b * b - jerk * u))
    stay = 0.0
    if peak > most:
        peak = most
        stay = max(0.0, (-u - (peak * peak - 0.5 * b * b) / jerk) / peak)
    return sign, max(0.0, (peak - b) / jerk), stay, peak / jerk


@kernel
def stop_time(v: float, a: float, most: float, jerk: float) -> float:
    """How long the shortest stop takes [s]."""
    _, first, stay, last = stop_plan(v, a, most, jerk)
    return first + stay + last


@kernel
def share_for(v: float, a: float, most: float, jerk: float, time: float) -> float:
    """Of acceleration and jerk, with which the shortest stop takes a time, or comes as near to it as it can.

    No less than the present acceleration needs: it cannot be had to begin with.
    """
    least, enough = max(LEAST_SHARE, abs(a) / most), 1.0
    if not least < 1.0:
        return 1.0
    for _ in range(HALVINGS):
        share = math.sqrt(least * enough)  # by ratios: a joint that hardly moves needs next to nothing
        if stop_time(v, a, share * most, share * jerk) > time:
            least = share
        else:
            enough = share
    return enough


@kernel
def stopped_after(q: float, v: float, a: float, most: float, jerk: float, dt: float) -> tuple[float, float, float]:
    """Where the shortest stop has led after a time."""
    sign, first, stay, last = stop_plan(v, a, most, jerk)
    over = dt >= first + stay + last
    step = min(dt, first)
    q, v, a = after(q, v, a, sign * jerk, step)
    dt -= step
    step = min(dt, stay)
    q, v, a = after(q, v, a, 0.0, step)
    q, v, a = after(q, v, a, -sign * jerk, min(dt - step, last))
    return (q, 0.0, 0.0) if over else (q, v, a)  # exactly at rest, not but for rounding


@kernel
def can_stop(
    q: float, v: float, a: float, low: float, high: float, speed: float, most: float, jerk: float, slack: float
) -> bool:
    """Whether a joint is within its limits and can stop without leaving them; `slack` is for rounding."""
    wide, low, high = 1.0 + slack, low - slack, high + slack
    left = v + 0.5 * a * abs(a) / jerk
    fine = abs(a) <= most * wide and abs(v) <= speed * wide and abs(left) <= speed * wide
    if not (fine and low <= q <= high):  # also for what is no number
        return False
    sign, first, stay, last = stop_plan(v, a, most, jerk)
    u, b = sign * v, sign * a
    if u > 0.0:  # it goes on, turns, and comes back: where it turns
        turn = (-b - math.sqrt(max(0.0, b * b - 2.0 * jerk * u))) / jerk
        at, _, _ = after(q, v, a, sign * jerk, turn)
        if not low <= at <= high:
            return False
    at, w, c = after(q, v, a, sign * jerk, first)
    at, w, c = after(at, w, c, 0.0, stay)
    at, w, c = after(at, w, c, -sign * jerk, last)
    return low <= at <= high
