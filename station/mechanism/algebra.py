"""Small dense linear algebra on the leading n×n part of arrays, and the quadratic programme of a level, solved exactly.

    minimise ½ yᵀ·H·y - gᵀ·y   subject to   lower ≤ C·y ≤ upper

The dual active-set method of Goldfarb and Idnani: start at the free minimum and take in the most violated bound, one at
a time. It needs no starting point that keeps the bounds, it finds out if there is none, and where no bound is
touched, it costs one Cholesky factorisation.
"""

from __future__ import annotations

import math
from enum import IntEnum

from station.kernel import Floats1, Floats2, kernel
from station.mechanism.memory import MechanismMemory

TOLERANCE = 1e-12  # of a bound, in units of the bound
MOST_CHANGES = 20  # of the active set, per bound


class Programme(IntEnum):
    """How a quadratic programme, or what uses it, ended."""

    SOLVED = 0
    INFEASIBLE = 1  # nothing keeps all bounds
    GAVE_UP = 2  # too many changes of the active set
    SINGULAR = 3  # its Hessian is not positive definite


@kernel
def gram_of_columns(matrix: Floats2, rows: int, n: int, gram: Floats2) -> None:
    """Lower triangle of MᵀM of the first rows and columns of a matrix, written into `gram`."""
    for a in range(n):
        if rows == 6:  # one frame, as in most steps: its column stays in registers
            u, v, w = matrix[0, a], matrix[1, a], matrix[2, a]
            x, y, z = matrix[3, a], matrix[4, a], matrix[5, a]
            for b in range(a + 1):
                along = u * matrix[0, b] + v * matrix[1, b] + w * matrix[2, b]
                gram[a, b] = along + (x * matrix[3, b] + y * matrix[4, b] + z * matrix[5, b])
        else:
            for b in range(a + 1):
                value = 0.0
                for r in range(rows):
                    value += matrix[r, a] * matrix[r, b]
                gram[a, b] = value


@kernel
def cholesky(matrix: Floats2, n: int, lower: Floats2) -> bool:
    """Factorise a matrix into L·D·Lᵀ, Cholesky's factors without roots; False if it is not positive definite.

    L has ones on its diagonal; in their place `lower` holds 1 / D[i]. Every root and every division would keep all
    that follows waiting, as long as ten multiplications each.
    """
    for i in range(n):
        for j in range(i):
            value = matrix[i, j]
            for k in range(j):
                value -= lower[i, k] * lower[j, k]
            lower[i, j] = value  # of L·D, until the row is complete
        value = matrix[i, i]
        for k in range(i):
            unit = lower[i, k] * lower[k, k]
            value -= lower[i, k] * unit
            lower[i, k] = unit
        if not value > 0.0:
            return False
        lower[i, i] = 1.0 / value
    return True


@kernel
def cholesky_solve(lower: Floats2, n: int, right: Floats1, x: Floats1) -> None:
    """Solve L·D·Lᵀ·x = right; `x` may be `right`. The newest number of a sum comes last: nothing waits for it."""
    for i in range(n):
        value = right[i]
        for k in range(i):
            value -= lower[i, k] * x[k]
        x[i] = value
    for i in range(n - 1, -1, -1):
        value = x[i] * lower[i, i]
        for k in range(n - 1, i, -1):
            value -= lower[k, i] * x[k]
        x[i] = value


@kernel
def cholesky_solve_two(lower: Floats2, n: int, right: Floats1, other: Floats1, x: Floats1, y: Floats1) -> None:
    """Solve for two right sides at once: neither waits for the other, so it is nearly as quick as one."""
    for i in range(n):
        a, b = right[i], other[i]
        for k in range(i):
            a -= lower[i, k] * x[k]
            b -= lower[i, k] * y[k]
        x[i], y[i] = a, b
    for i in range(n - 1, -1, -1):
        a, b = x[i] * lower[i, i], y[i] * lower[i, i]
        for k in range(n - 1, i, -1):
            a -= lower[k, i] * x[k]
            b -= lower[k, i] * y[k]
        x[i], y[i] = a, b


@kernel
def symmetric_eigenvalues(matrix: Floats2, n: int) -> None:
    """Eigenvalues onto the diagonal of a symmetric matrix, which is destroyed (Jacobi's method)."""
    for _ in range(12):
        off, size = 0.0, 0.0
        for i in range(n):
            size += matrix[i, i] ** 2
            for j in range(i):
                off += matrix[i, j] ** 2
        if off <= 1e-20 * size:
            return
        for p in range(n - 1):
            for q in range(p + 1, n):
                if matrix[p, q] != 0.0:
                    _rotate(matrix, n, p, q)


@kernel
def _rotate(matrix: Floats2, n: int, p: int, q: int) -> None:
    """One Jacobi rotation that clears element (p, q)."""
    ratio = (matrix[q, q] - matrix[p, p]) / (2.0 * matrix[p, q])
    t = 1.0 / (abs(ratio) + math.sqrt(ratio * ratio + 1.0))
    if ratio < 0.0:
        t = -t
    c = 1.0 / math.sqrt(t * t + 1.0)
    s = t * c
    for k in range(n):
        a, b = matrix[k, p], matrix[k, q]
        matrix[k, p], matrix[k, q] = c * a - s * b, s * a + c * b
    for k in range(n):
        a, b = matrix[p, k], matrix[q, k]
        matrix[p, k], matrix[q, k] = c * a - s * b, s * a + c * b


# The quadratic programme --------------------------------------------------------------------------------------


@kernel
def solve(mem: MechanismMemory, n: int, bounds: int) -> Programme:
    """Solve for `solution`, with H = L·D·Lᵀ.

    These are in `factor`, g in `gradient`, C in `bound_rows`, the bounds in `low_left` and `high_left`.
    `multiplier` gets one number per bound: positive where the lower one pushes, negative where the upper one does.
    """
    cholesky_solve(mem.factor, n, mem.gradient, mem.solution)
    return solve_from_free(mem, n, bounds)


@kernel
def solve_from_free(mem: MechanismMemory, n: int, bounds: int) -> Programme:
    """The same, when `solution` holds the free minimum already."""
    active_set, factor = mem.active_set, mem.factor
    multiplier, turned = mem.multiplier, mem.turned
    for i in range(bounds):
        multiplier[i] = 0.0
    count = 0
    prepared = False
    for _ in range(MOST_CHANGES * (bounds + 1)):
        chosen, sign, gap = _most_violated(mem, n, bounds, count)
        if chosen < 0:
            _signed(mem, count, bounds)
            return Programme.SOLVED
        if not prepared:
            _inverse_transposed(factor, n, turned)
            prepared = True
        count = _take_in(mem, n, count, chosen, sign, gap)
        if count < 0:
            return Programme.INFEASIBLE
        active_set[count - 1] = chosen if sign > 0.0 else -chosen - 1
    return Programme.GAVE_UP


@kernel
def _most_violated(mem: MechanismMemory, n: int, bounds: int, count: int) -> tuple[int, float, float]:
    """The bound that is violated most: which, +1 for a lower one, and by how much (negative)."""
    bound_rows, high_left, low_left = mem.bound_rows, mem.high_left, mem.low_left
    solution = mem.solution
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
def _is_active(mem: MechanismMemory, count: int, bound: int) -> bool:
    active_set = mem.active_set
    for k in range(count):
        entry = active_set[k]
        if (entry if entry >= 0 else -entry - 1) == bound:
            return True
    return False


@kernel
def _signed(mem: MechanismMemory, count: int, bounds: int) -> None:
    """Multipliers from the order of the active set into the order of the bounds."""
    active_set, multiplier, values = mem.active_set, mem.multiplier, mem.active_multiplier
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
def _inverse_transposed(lower: Floats2, n: int, result: Floats2) -> None:
    """L⁻ᵀ·D^-½: the coordinates in which H is the identity."""
    for j in range(n):
        for i in range(n):
            result[i, j] = 0.0
        # Column j of L⁻ᵀ is row j of L⁻¹.
        result[j, j] = math.sqrt(lower[j, j])
        for i in range(j - 1, -1, -1):
            value = 0.0
            for k in range(i + 1, j + 1):
                value -= lower[k, i] * result[k, j]
            result[i, j] = value


@kernel
def _take_in(mem: MechanismMemory, n: int, count: int, chosen: int, sign: float, gap: float) -> int:
    """Move to where the chosen bound holds, letting go of others on the way; returns the new count, -1 if none."""
    bound_rows, u, solution, triangle, turned = mem.bound_rows, mem.multiplier, mem.solution, mem.triangle, mem.turned
    normal, d, z, r = mem.normal, mem.normal_turned, mem.way, mem.yielding
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
def _append(turned: Floats2, triangle: Floats2, d: Floats1, n: int, count: int) -> None:
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
def _remove(mem: MechanismMemory, n: int, count: int, leaving: int) -> int:
    """Let go of a bound and make the triangle a triangle again."""
    active_set, multiplier, triangle = mem.active_set, mem.multiplier, mem.triangle
    turned = mem.turned
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
