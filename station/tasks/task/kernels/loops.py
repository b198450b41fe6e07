"""Passive joints of a robot with loops, from the driven ones: Newton steps, sample by sample."""

from __future__ import annotations

import math

import numpy as np

from station.mechanism.kernels import at
from station.mechanism.kernels.closures import closure_rows
from station.mechanism.kernels.memory import Block, Floats, Ints
from station.mechanism.kernels.tree import forward, frame_pose
from station.tasks.task.kernels.cache import kernel

TURNS = 30  # of Newton's method for one sample
CLOSED = 1e-10  # [m]
DAMPING = 1e-13  # of the normal equations, over their largest diagonal: joints that no loop holds stay where they are


@kernel
def factor(m: Floats, size: int) -> None:
    """Cholesky factor of a symmetric matrix, in its lower half, in place."""
    largest = 1e-300
    for i in range(size):
        largest = max(largest, m[i, i])
    for i in range(size):
        m[i, i] += DAMPING * largest
    for j in range(size):
        for k in range(j):
            for i in range(j, size):
                m[i, j] -= m[i, k] * m[j, k]
        root = math.sqrt(max(m[j, j], DAMPING * largest))
        for i in range(j, size):
            m[i, j] /= root


@kernel
def solve(m: Floats, size: int, x: Floats) -> None:
    """Solve with a Cholesky factor, in place."""
    for i in range(size):
        for k in range(i):
            x[i] -= m[i, k] * x[k]
        x[i] /= m[i, i]
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            x[i] -= m[k, i] * x[k]
        x[i] /= m[i, i]


@kernel
def normal_matrix(mem: Block, passive: Ints, m: Floats) -> None:
    """Factor of the normal equations of the passive joints, from the closure rows."""
    rows = at.matrix(mem)
    for i in range(passive.size):
        for j in range(i + 1):
            total = 0.0
            for row in range(rows.shape[0]):
                total += rows[row, passive[i]] * rows[row, passive[j]]
            m[i, j] = m[j, i] = total
    factor(m, passive.size)


@kernel
def largest_residual(mem: Block) -> float:
    """Of all closure rows [m]."""
    residual, largest = at.residual(mem), 0.0
    for row in range(residual.size):
        largest = max(largest, abs(residual[row]))
    return largest


@kernel
def close_loops(mem: Block, passive: Ints, q: Floats, m: Floats, x: Floats) -> float:
    """Move the passive joints until the loops are closed; what stays open [m]. `m` and `x` are scratch."""
    rotation, position = at.rotation(mem), at.position(mem)
    rows, residual = at.matrix(mem), at.residual(mem)
    before, gap = math.inf, math.inf
    for _ in range(TURNS):
        forward(mem, q, rotation, position)
        closure_rows(mem, q, True)
        gap = largest_residual(mem)
        if gap <= CLOSED or not gap < 0.99 * before:
            break
        before = gap
        normal_matrix(mem, passive, m)
        for i in range(passive.size):
            x[i] = 0.0
            for row in range(rows.shape[0]):
                x[i] -= rows[row, passive[i]] * residual[row]
        solve(m, passive.size, x)
        for i in range(passive.size):
            q[passive[i]] += x[i]
    return gap


@kernel
def close_path(mem: Block, passive: Ints, path: Floats, gaps: Floats) -> None:
    """Fill in the passive joints of a path, n×joints, each sample from the one before; `gaps` is what stays open [m].

    The first row must have passive joints near the right ones. The mechanism's memory is left at the last sample.
    """
    m, x, q = np.zeros((passive.size, passive.size)), np.zeros(passive.size), path[0].copy()
    for sample in range(path.shape[0]):
        for j in range(q.size):
            q[j] = path[sample, j]
        if sample > 0:
            for i in range(passive.size):
                q[passive[i]] = path[sample - 1, passive[i]]
        gaps[sample] = close_loops(mem, passive, q, m, x)
        for i in range(passive.size):
            path[sample, passive[i]] = q[passive[i]]


@kernel
def frame_path(mem: Block, frame: int, path: Floats, poses: Floats) -> None:
    """Poses n×3×4 of a frame along a path of all joints [m]."""
    rotation, position = np.zeros_like(at.rotation(mem)), np.zeros_like(at.position(mem))
    for sample in range(path.shape[0]):
        forward(mem, path[sample], rotation, position)
        frame_pose(mem, frame, rotation, position, poses[sample])
