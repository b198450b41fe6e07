"""First closing of all loops, from joint values that may be rounded or plainly wrong."""

from __future__ import annotations

import math

from station.mechanism.kernels import at
from station.mechanism.kernels.cache import kernel
from station.mechanism.kernels.closures import closure_rows, eliminate
from station.mechanism.kernels.dense import cholesky
from station.mechanism.kernels.memory import REVOLUTE, Block, Floats
from station.mechanism.kernels.newton import residual_size
from station.mechanism.kernels.qp import SOLVED, solve
from station.mechanism.kernels.tree import forward

MOST_TURNS = 200
CLOSED = 1e-13  # [m]
STRAIN = 2e-3  # gap, in lengths of the robot, that parts that are not quite true may keep: no use in creeping on
LARGEST_TURN = 0.4  # of a joint in one go [rad, or in lengths of the robot]


@kernel
def squared_gap(mem: Block, q: Floats, with_rows: bool) -> float:
    """Sum of squares of all residuals [m²] at `q`; leaves the bodies there."""
    matrix, position, residual, rotation = at.matrix(mem), at.position(mem), at.residual(mem), at.rotation(mem)
    forward(mem, q, rotation, position)
    closure_rows(mem, q, with_rows)
    total = 0.0
    for r in range(matrix.shape[0]):
        total += residual[r] ** 2
    return total


@kernel
def close_loops(mem: Block, q: Floats) -> float:
    """Levenberg-Marquardt within the stops, from `q`, which is moved; returns the root of the squared gap [m]."""
    bound_rows, factor, gradient, hessian = at.bound_rows(mem), at.factor(mem), at.gradient(mem), at.hessian(mem)
    high_left, joint_kind, low_left, matrix = at.high_left(mem), at.joint_kind(mem), at.low_left(mem), at.matrix(mem)
    q_max, q_min, residual, solution = at.q_max(mem), at.q_min(mem), at.residual(mem), at.solution(mem)
    trial = at.trial(mem)
    length = at.scale(mem)[0]
    n, rows = q.size, matrix.shape[0]
    damping = 1e-3
    gap = squared_gap(mem, q, True)
    for _ in range(MOST_TURNS):
        if math.sqrt(gap) <= CLOSED:
            break
        for a in range(n):
            gradient[a] = 0.0
            for r in range(rows):
                gradient[a] -= matrix[r, a] * residual[r]
            for b in range(a + 1):
                value = 0.0
                for r in range(rows):
                    value += matrix[r, a] * matrix[r, b]
                hessian[a, b] = value
        for j in range(n):
            unit = length * length if joint_kind[j] == REVOLUTE else 1.0
            # Damping that fades with the gap keeps the last turns quadratic.
            hessian[j, j] += unit * (damping * min(1.0, gap / length**2) + 1e-13)
            reach = LARGEST_TURN * (1.0 if joint_kind[j] == REVOLUTE else length)
            low_left[j] = max(q_min[j] - q[j], -reach)
            high_left[j] = min(q_max[j] - q[j], reach)
            for k in range(n):
                bound_rows[j, k] = 1.0 if j == k else 0.0
        if not cholesky(hessian, n, factor) or solve(mem, n, n) != SOLVED:
            damping = max(10.0 * damping, 1e-9)
            if damping > 1e12:
                break
            continue
        for j in range(n):
            trial[j] = min(max(q[j] + solution[j], q_min[j]), q_max[j])
        better = squared_gap(mem, trial, True)
        if better < gap:
            small = gap - better <= 1e-24 or better > (1.0 - 1e-9) * gap
            before = gap
            for j in range(n):
                q[j] = trial[j]
            gap, damping = better, max(0.2 * damping, 1e-12)
            strained = better > 0.8 * before and math.sqrt(gap) <= STRAIN * length
            if (small and gap < 1e-20) or strained:
                break
        else:
            damping = max(damping, 1e-6) * 8.0
            if damping > 1e9:
                break
            squared_gap(mem, q, True)
    return math.sqrt(squared_gap(mem, q, True))


@kernel
def come_nearer(mem: Block, wanted: Floats, q: Floats) -> bool:
    """Slide along the closures, within the stops, to where `q` is nearest to `wanted`; True if it stays closed."""
    basis, bound_rows, factor, gradient = at.basis(mem), at.bound_rows(mem), at.factor(mem), at.gradient(mem)
    hessian, high_left, joint_kind = at.hessian(mem), at.high_left(mem), at.joint_kind(mem)
    low_left, particular, q_max, q_min = at.low_left(mem), at.particular(mem), at.q_max(mem), at.q_min(mem)
    sizes, solution = at.sizes(mem), at.solution(mem)
    length = at.scale(mem)[0]
    rank = at.closure_rank(mem)[0]
    n = q.size
    for _ in range(60):
        squared_gap(mem, q, True)
        eliminate(mem, rank)
        free = sizes[1]
        for a in range(free):
            gradient[a] = 0.0
            for j in range(n):
                unit = length * length if joint_kind[j] == REVOLUTE else 1.0
                gradient[a] += basis[j, a] * unit * (wanted[j] - q[j] - particular[j])
            for b in range(a + 1):
                hessian[a, b] = 0.0
                for j in range(n):
                    unit = length * length if joint_kind[j] == REVOLUTE else 1.0
                    hessian[a, b] += basis[j, a] * unit * basis[j, b]
        for j in range(n):
            reach = 0.1 * (1.0 if joint_kind[j] == REVOLUTE else length)
            low_left[j] = max(q_min[j] - q[j], -reach) - particular[j]
            high_left[j] = min(q_max[j] - q[j], reach) - particular[j]
            for k in range(free):
                bound_rows[j, k] = basis[j, k]
        if not cholesky(hessian, free, factor) or solve(mem, free, n) != SOLVED:
            return residual_size(mem) <= CLOSED
        largest = 0.0
        for j in range(n):
            value = particular[j]
            for k in range(free):
                value += basis[j, k] * solution[k]
            largest = max(largest, abs(value))
            q[j] = min(max(q[j] + value, q_min[j]), q_max[j])
        if largest < 1e-12:
            squared_gap(mem, q, False)
            return residual_size(mem) <= 1e-11
    squared_gap(mem, q, False)
    return residual_size(mem) <= 1e-11
