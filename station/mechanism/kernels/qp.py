"""A small strictly convex quadratic programme with two-sided bounds, solved exactly.

    minimise ½ yᵀ·H·y - gᵀ·y   subject to   lower ≤ C·y ≤ upper

The dual active-set method of Goldfarb and Idnani: start at the free minimum and take in the most violated bound, one at
a time. It needs no starting point that keeps the bounds, it finds out if there is none, and where no bound is
touched, it costs one Cholesky factorisation.
"""

from __future__ import annotations

import math

from station.mechanism.kernels import at
from station.mechanism.kernels.cache import kernel
from station.mechanism.kernels.dense import cholesky_solve
from station.mechanism.kernels.memory import Block, Floats

SOLVED, INFEASIBLE, GAVE_UP = 0, 1, 2
TOLERANCE = 1e-12  # of a bound, in units of the bound
MOST_CHANGES = 20  # of the active set, per bound


@kernel
def solve(mem: Block, n: int, bounds: int) -> int:
    """Solve for `solution`, with H = L·Lᵀ.

    L is in `factor`, g in `gradient`, C in `bound_rows`, the bounds in `low_left` and `high_left`.
    `multiplier` gets one number per bound: positive where the lower one pushes, negative where the upper one does.
    """
    cholesky_solve(at.factor(mem), n, at.gradient(mem), at.solution(mem))
    return solve_from_free(mem, n, bounds)


@kernel
def solve_from_free(mem: Block, n: int, bounds: int) -> int:
    """The same, when `solution` holds the free minimum already."""
    active_set, factor = at.active_set(mem), at.factor(mem)
    multiplier, turned = at.multiplier(mem), at.turned(mem)
    for i in range(bounds):
        multiplier[i] = 0.0
    count = 0
    prepared = False
    for _ in range(MOST_CHANGES * (bounds + 1)):
        chosen, sign, gap = _most_violated(mem, n, bounds, count)
        if chosen < 0:
            _signed(mem, count, bounds)
            return SOLVED
        if not prepared:
            _inverse_transposed(factor, n, turned)
            prepared = True
        count = _take_in(mem, n, count, chosen, sign, gap)
        if count < 0:
            return INFEASIBLE
        active_set[count - 1] = chosen if sign > 0.0 else -chosen - 1
    return GAVE_UP


@kernel
def _most_violated(mem: Block, n: int, bounds: int, count: int) -> tuple[int, float, float]:
    """The bound that is violated most: which, +1 for a lower one, and by how much (negative)."""
    bound_rows, high_left, low_left = at.bound_rows(mem), at.high_left(mem), at.low_left(mem)
    solution = at.solution(mem)
    chosen, sign, worst = -1, 1.0, 0.0
    for i in range(bounds):
        value = 0.0
        for k in range(n):
            value += bound_rows[i, k] * solution[k]
        below, above = value - low_left[i], high_left[i] - value
        gap = min(below, above)
        if gap < worst and gap < -TOLERANCE * (1.0 + abs(value)) and not _is_active(mem, count, i):
            worst, chosen, sign = gap, i, 1.0 if below < above else -1.0
    return chosen, sign, worst


@kernel
def _is_active(mem: Block, count: int, bound: int) -> bool:
    active_set = at.active_set(mem)
    for k in range(count):
        entry = active_set[k]
        if (entry if entry >= 0 else -entry - 1) == bound:
            return True
    return False


@kernel
def _signed(mem: Block, count: int, bounds: int) -> None:
    """Multipliers from the order of the active set into the order of the bounds."""
    active_set, multiplier, spare = at.active_set(mem), at.multiplier(mem), at.spare(mem)
    values = spare[4]
    for k in range(count):
        values[k] = multiplier[k]
    for i in range(bounds):
        multiplier[i] = 0.0
    for k in range(count):
        entry = active_set[k]
        if entry >= 0:
            multiplier[entry] = values[k]
        else:
            multiplier[-entry - 1] = -values[k]


@kernel
def _inverse_transposed(lower: Floats, n: int, result: Floats) -> None:
    """L⁻ᵀ: the coordinates in which H is the identity."""
    for j in range(n):
        for i in range(n):
            result[i, j] = 0.0
        # Column j of L⁻ᵀ is row j of L⁻¹.
        result[j, j] = lower[j, j]  # the diagonal of L is kept as its inverse
        for i in range(j - 1, -1, -1):
            value = 0.0
            for k in range(i + 1, j + 1):
                value -= lower[k, i] * result[k, j]
            result[i, j] = value * lower[i, i]


@kernel
def _take_in(mem: Block, n: int, count: int, chosen: int, sign: float, gap: float) -> int:
    """Move to where the chosen bound holds, letting go of others on the way; returns the new count, -1 if none."""
    bound_rows, multiplier, solution, spare = at.bound_rows(mem), at.multiplier(mem), at.solution(mem), at.spare(mem)
    triangle, turned = at.triangle(mem), at.turned(mem)
    d, z, r, normal = spare[0], spare[1], spare[2], spare[3]
    u = multiplier
    for k in range(n):
        normal[k] = sign * bound_rows[chosen, k]
    own = 0.0
    for _ in range(4 * n + 8):
        total, curve = 0.0, 0.0
        for k in range(n):
            value = 0.0
            for i in range(n):
                value += turned[i, k] * normal[i]
            d[k] = value
            total += value * value
            if k >= count:
                curve += value * value
        for i in range(n):
            value = 0.0
            for k in range(count, n):
                value += turned[i, k] * d[k]
            z[i] = value
        for k in range(count - 1, -1, -1):
            value = d[k]
            for i in range(k + 1, count):
                value -= triangle[k, i] * r[i]
            r[k] = value / triangle[k, k]
        dual, leaving = math.inf, -1
        for k in range(count):
            if r[k] > 0.0 and u[k] < dual * r[k]:
                dual, leaving = u[k] / r[k], k
        primal = -gap / curve if curve > 1e-13 * total else math.inf
        step = min(dual, primal)
        if step == math.inf:
            return -1
        for k in range(count):
            u[k] -= step * r[k]
        own += step
        if primal < math.inf:
            for i in range(n):
                solution[i] += step * z[i]
            gap += step * curve
        if primal <= dual:
            _append(turned, triangle, d, n, count)
            u[count] = own
            return count + 1
        count = _remove(mem, n, count, leaving)
    return -1


@kernel
def _append(turned: Floats, triangle: Floats, d: Floats, n: int, count: int) -> None:
    """Turn the free coordinates so that the new normal lies along the first of them."""
    for k in range(n - 1, count, -1):
        a, b = d[k - 1], d[k]
        if b == 0.0:
            continue
        length = math.hypot(a, b)
        c, s = a / length, b / length
        d[k - 1], d[k] = length, 0.0
        for i in range(n):
            x, y = turned[i, k - 1], turned[i, k]
            turned[i, k - 1], turned[i, k] = c * x + s * y, c * y - s * x
    for k in range(count + 1):
        triangle[k, count] = d[k]


@kernel
def _remove(mem: Block, n: int, count: int, leaving: int) -> int:
    """Let go of a bound and make the triangle a triangle again."""
    active_set, multiplier, triangle = at.active_set(mem), at.multiplier(mem), at.triangle(mem)
    turned = at.turned(mem)
    for k in range(leaving, count - 1):
        active_set[k] = active_set[k + 1]
        multiplier[k] = multiplier[k + 1]
        for i in range(count):
            triangle[i, k] = triangle[i, k + 1]
    multiplier[count - 1] = 0.0
    count -= 1
    for k in range(leaving, count):
        a, b = triangle[k, k], triangle[k + 1, k]
        if b == 0.0:
            continue
        length = math.hypot(a, b)
        c, s = a / length, b / length
        triangle[k, k], triangle[k + 1, k] = length, 0.0
        for i in range(k + 1, count):
            x, y = triangle[k, i], triangle[k + 1, i]
            triangle[k, i], triangle[k + 1, i] = c * x + s * y, c * y - s * x
        for i in range(n):
            x, y = turned[i, k], turned[i, k + 1]
            turned[i, k], turned[i, k + 1] = c * x + s * y, c * y - s * x
    return count
