"""How far from a singularity: least over largest gain of the frame that works, along a path."""

from __future__ import annotations

import math

import numpy as np

from station.mechanism.kernels import at
from station.mechanism.kernels.closures import closure_rows
from station.mechanism.kernels.memory import REVOLUTE, Block, Floats, Ints
from station.mechanism.kernels.tree import forward, frame_jacobian, frame_pose
from station.tasks.task.kernels.loops import normal_matrix, solve
from station.tasks.verify.kernels.cache import kernel

SWEEPS = 12  # of Jacobi rotations
TOLERANCE = 2e-3  # to which the least ratio of a path is found


@kernel
def turn_pair(m: Floats, p: int, q: int) -> None:
    """One Jacobi rotation of a symmetric matrix that makes m[p, q] zero."""
    angle = 0.5 * math.atan2(2.0 * m[p, q], m[q, q] - m[p, p])
    c, s = math.cos(angle), math.sin(angle)
    for k in range(m.shape[0]):
        x, y = m[p, k], m[q, k]
        m[p, k], m[q, k] = c * x - s * y, s * x + c * y
    for k in range(m.shape[0]):
        x, y = m[k, p], m[k, q]
        m[k, p], m[k, q] = c * x - s * y, s * x + c * y


@kernel
def sweep(m: Floats) -> bool:
    """Jacobi rotations of all pairs; False if the matrix is diagonal already."""
    off, diagonal = 0.0, 0.0
    for i in range(m.shape[0]):
        diagonal += m[i, i]
        for j in range(i):
            off = max(off, abs(m[i, j]))
    if off <= 1e-14 * diagonal:
        return False
    for p in range(m.shape[0] - 1):
        for q in range(p + 1, m.shape[0]):
            if m[p, q] != 0.0:
                turn_pair(m, p, q)
    return True


@kernel
def gain_ratio(jacobian: Floats, rank: int, square: Floats, values: Floats) -> float:
    """The singular value number `rank` over the largest one; `square` and `values` are scratch."""
    rows = jacobian.shape[0]
    for i in range(rows):
        for j in range(i + 1):
            total = 0.0
            for k in range(jacobian.shape[1]):
                total += jacobian[i, k] * jacobian[j, k]
            square[i, j] = square[j, i] = total
    for _ in range(SWEEPS):
        if not sweep(square):
            break
    for i in range(rows):
        values[i] = square[i, i]
    values.sort()
    largest = values[rows - 1]
    return math.sqrt(max(values[rows - rank], 0.0) / largest) if largest > 0.0 else 0.0


@kernel
def reduce_columns(mem: Block, driven: Ints, passive: Ints, q: Floats, full: Floats, m: Floats, out: Floats) -> None:
    """Columns of the driven joints, with what passive ones add as they are carried along."""
    closure_rows(mem, q, True)
    rows, x = at.matrix(mem), np.zeros(passive.size)
    normal_matrix(mem, passive, m)
    for k in range(driven.size):
        for i in range(passive.size):
            x[i] = 0.0
            for row in range(rows.shape[0]):
                x[i] -= rows[row, passive[i]] * rows[row, driven[k]]
        solve(m, passive.size, x)
        for row in range(6):
            out[row, k] = full[row, driven[k]]
            for i in range(passive.size):
                out[row, k] += full[row, passive[i]] * x[i]


@kernel
def path_gains(
    mem: Block, frame: int, rank: int, driven: Ints, passive: Ints, path: Floats, limit: float, out: Floats
) -> None:
    """Gain ratios along a path of all joints; NaN where none was asked for, as it cannot be the least there.

    A ratio changes by no more than 2·√joints times how far the joints move (serial robots); samples are passed over as
    long as this leaves it above the least found so far, and above the limit.
    """
    n, count = path.shape
    full, reduced = np.zeros((6, count)), np.zeros((6, driven.size))
    square, values, pose, point = np.zeros((6, 6)), np.zeros(6), np.zeros((3, 4)), np.zeros(3)
    m = np.zeros((passive.size, passive.size))
    rotation, position, kinds = at.rotation(mem), at.position(mem), at.joint_kind(mem)
    length, best, left, steepness = at.scale(mem)[0], math.inf, 0.0, 2.0 * math.sqrt(count)
    for sample in range(n):
        if sample > 0:
            for j in range(count):
                unit = 1.0 if kinds[j] == REVOLUTE else length
                left -= steepness * abs(path[sample, j] - path[sample - 1, j]) / unit
        if left > 0.0 and passive.size == 0:
            out[sample] = math.nan
            continue
        forward(mem, path[sample], rotation, position)
        frame_pose(mem, frame, rotation, position, pose)
        for i in range(3):
            point[i] = pose[i, 3]
        frame_jacobian(mem, frame, point, rotation, position, full)
        for i in range(3, 6):
            for j in range(count):
                full[i, j] *= length
        if passive.size:
            reduce_columns(mem, driven, passive, path[sample], full, m, reduced)
            ratio = gain_ratio(reduced, rank, square, values)
        else:
            ratio = gain_ratio(full, rank, square, values)
        out[sample] = ratio
        best = min(best, ratio)
        left = ratio - max(best, limit) + TOLERANCE if ratio > limit else 0.0
