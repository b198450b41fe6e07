"""Back onto the closures, within bounds: what a linear step leaves open is closed before anybody sees it."""

from __future__ import annotations

import math

from station.mechanism.kernels import at
from station.mechanism.kernels.cache import kernel
from station.mechanism.kernels.closures import closure_rows, solve_block
from station.mechanism.kernels.dense import cholesky, cholesky_solve
from station.mechanism.kernels.memory import Block, Floats
from station.mechanism.kernels.tree import forward

CLOSED = 1e-11  # residual of the chosen rows at which a loop counts as closed [m]
NEARLY = 2e-11  # residual that is accepted when rounding allows no better [m]
MOST_TURNS = 15
ON_BOUND = 1e-13


@kernel
def land(mem: Block, q: Floats, lower: Floats, upper: Floats) -> bool:
    """Move `q` onto the closures, no joint leaving [lower, upper]; leaves the bodies there.

    Newton with the factors of the last elimination. A joint pushed over a bound is put onto it and stays there; the
    free joints make room, as little as possible.
    """
    pivot_column, position, rotation, sizes = at.pivot_column(mem), at.position(mem), at.rotation(mem), at.sizes(mem)
    spare = at.spare(mem)
    length = at.scale(mem)[0]
    before, was_outside, held = math.inf, math.inf, 0
    for _ in range(MOST_TURNS):
        forward(mem, q, rotation, position)
        closure_rows(mem, q, False)
        size = residual_size(mem)
        outside = _outside(q, lower, upper)
        settled = size <= CLOSED or (size <= NEARLY and size >= 0.5 * before)
        if settled and (outside <= ON_BOUND or (outside <= NEARLY and outside >= 0.5 * was_outside)):
            return True
        if not size < 1e3 * length:  # far off, or not a number
            return False
        before, was_outside = size, outside
        x = spare[5]
        solve_block(mem, x)
        for k in range(sizes[0]):
            q[pivot_column[k]] += x[k]
        held = _hold(mem, q, lower, upper, held)
    return False


@kernel
def residual_size(mem: Block) -> float:
    """Largest residual of the chosen rows [m]."""
    pivot_row, residual, sizes = at.pivot_row(mem), at.residual(mem), at.sizes(mem)
    size = 0.0
    for k in range(sizes[0]):
        value = abs(residual[pivot_row[k]])
        if not value <= size:
            size = value
    return size


@kernel
def _outside(q: Floats, lower: Floats, upper: Floats) -> float:
    worst = 0.0
    for j in range(q.size):
        worst = max(worst, lower[j] - q[j], q[j] - upper[j])
    return worst


@kernel
def _hold(mem: Block, q: Floats, lower: Floats, upper: Floats, held: int) -> int:
    """Put joints that are outside onto their bounds by moving the free ones; returns how many joints are held."""
    basis, held_joints, sizes, spare = at.basis(mem), at.held_joints(mem), at.sizes(mem), at.spare(mem)
    triangle, turned = at.triangle(mem), at.turned(mem)
    free = sizes[1]
    for j in range(q.size):
        if (q[j] < lower[j] - ON_BOUND or q[j] > upper[j] + ON_BOUND) and held < free:
            known = False
            for k in range(held):
                known = known or held_joints[k] == j
            # A joint that moves only together with held ones, such as the twin of a pair, needs no holding.
            if not known and _is_independent(mem, held, j):
                held_joints[held] = j
                held += 1
    if held == 0:
        return 0
    missing, move = spare[6], spare[7]
    for a in range(held):
        j = held_joints[a]
        missing[a] = (lower[j] if q[j] - lower[j] < upper[j] - q[j] else upper[j]) - q[j]
        for b in range(a + 1):
            triangle[a, b] = _product(basis, free, j, held_joints[b])
    if not cholesky(triangle, held, turned):
        return held
    cholesky_solve(turned, held, missing, missing)
    for k in range(free):
        move[k] = 0.0
        for a in range(held):
            move[k] += basis[held_joints[a], k] * missing[a]
    for j in range(q.size):
        for k in range(free):
            q[j] += basis[j, k] * move[k]
    return held


@kernel
def _product(basis: Floats, free: int, i: int, j: int) -> float:
    value = 0.0
    for k in range(free):
        value += basis[i, k] * basis[j, k]
    return value


@kernel
def _is_independent(mem: Block, held: int, joint: int) -> bool:
    """Whether a joint can move while the held ones stay: what is left of its row after taking theirs away."""
    basis, held_joints, free = at.basis(mem), at.held_joints(mem), at.sizes(mem)[1]
    triangle, turned, row = at.triangle(mem), at.turned(mem), at.spare(mem)[6]
    size = _product(basis, free, joint, joint)
    if held == 0:
        return size > 0.0
    for a in range(held):
        row[a] = _product(basis, free, held_joints[a], joint)
        for b in range(a + 1):
            triangle[a, b] = _product(basis, free, held_joints[a], held_joints[b])
    if not cholesky(triangle, held, turned):
        return False
    left = size
    for a in range(held):  # forward substitution: row becomes L⁻¹·row
        value = row[a]
        for b in range(a):
            value -= turned[a, b] * row[b]
        row[a] = value * turned[a, a]
        left -= row[a] ** 2
    return left > 1e-8 * size
