"""Back onto the closures, within bounds: what a linear step leaves open is closed before anybody sees it."""

from __future__ import annotations

import math

from station.mechanism.kernels import at
from station.mechanism.kernels.cache import kernel
from station.mechanism.kernels.closures import closure_rows, solve_block
from station.mechanism.kernels.dense import cholesky, cholesky_solve
from station.mechanism.kernels.memory import Block, Floats
from station.mechanism.kernels.tree import forward

CLOSED = 1e-13  # residual of the chosen rows at which a loop counts as closed [m]
NEARLY = 1e-10  # residual that is accepted when rounding allows no better [m]
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
    before, held = math.inf, 0
    for _ in range(MOST_TURNS):
        forward(mem, q, rotation, position)
        closure_rows(mem, q, False)
        size = residual_size(mem)
        outside = _outside(q, lower, upper)
        if outside <= ON_BOUND and (size <= CLOSED or (size <= NEARLY and size >= 0.5 * before)):
            return True
        if not size < 1e3 * length:  # far off, or not a number
            return False
        before = size
        x = spare[5]
        solve_block(mem, x)
        for k in range(sizes[0]):
            q[pivot_column[k]] += x[k]
        held = _hold(mem, q, lower, upper, held)
        if held < 0:
            return False
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
    """Put joints that are outside onto their bounds by moving the free ones; returns how many, -1 if too many."""
    basis, held_joints, sizes, spare = at.basis(mem), at.held_joints(mem), at.sizes(mem), at.spare(mem)
    triangle, turned = at.triangle(mem), at.turned(mem)
    free = sizes[1]
    for j in range(q.size):
        if q[j] < lower[j] - ON_BOUND or q[j] > upper[j] + ON_BOUND:
            known = False
            for k in range(held):
                known = known or held_joints[k] == j
            if not known:
                if held >= free:
                    return -1
                held_joints[held] = j
                held += 1
    if held == 0:
        return 0
    gram, missing = triangle, spare[6]
    for a in range(held):
        j = held_joints[a]
        missing[a] = (lower[j] if q[j] - lower[j] < upper[j] - q[j] else upper[j]) - q[j]
        for b in range(a + 1):
            value = 0.0
            for k in range(free):
                value += basis[j, k] * basis[held_joints[b], k]
            gram[a, b] = value
    if not cholesky(gram, held, turned):
        return -1
    cholesky_solve(turned, held, missing, missing)
    move = spare[7]
    for k in range(free):
        move[k] = 0.0
        for a in range(held):
            move[k] += basis[held_joints[a], k] * missing[a]
    for j in range(q.size):
        for k in range(free):
            q[j] += basis[j, k] * move[k]
    return held
