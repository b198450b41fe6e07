"""Loops and couplings: how far they are open, what moves them, and which motions keep them closed."""

from __future__ import annotations

import math

from station.mechanism.kernels import at
from station.mechanism.kernels.cache import kernel
from station.mechanism.kernels.memory import ALONG, LOG, PARALLEL, REVOLUTE, UNIVERSAL, Block, Floats
from station.mechanism.kernels.tree import frame_pose, rotation_vector

KEEP_PIVOT = 0.1  # a pivot of the step before is kept unless it is this much worse than the best of its row
SMALLEST_PIVOT = 1e-9  # below this a row tells nothing new here


@kernel
def closure_rows(mem: Block, q: Floats, with_rows: bool) -> None:
    """Residual of every row [m, rad·length] into `residual`; with rows also d(residual)/dq into `matrix`."""
    closure_a, closure_b, coupling = at.closure_a(mem), at.closure_b(mem), at.coupling(mem)
    coupling_value, matrix, order, poses = at.coupling_value(mem), at.matrix(mem), at.order(mem), at.poses(mem)
    position, residual, rotation, row_kind = at.position(mem), at.residual(mem), at.rotation(mem), at.row_kind(mem)
    row_start, vectors = at.row_start(mem), at.vectors(mem)
    length = at.scale(mem)[0]
    n = order.size
    a, b, relative = poses[0], poses[1], poses[2]
    vector, along, about = vectors[0], vectors[1], vectors[2]
    for c in range(closure_a.size):
        frame_pose(mem, closure_a[c], rotation, position, a)
        frame_pose(mem, closure_b[c], rotation, position, b)
        if row_kind[row_start[c + 1] - 1] >= LOG:  # rows along axes come first; the others need the rotation
            for i in range(3):
                for k in range(3):
                    relative[i, k] = a[0, i] * b[0, k] + a[1, i] * b[1, k] + a[2, i] * b[2, k]
            rotation_vector(relative, vector)
        for row in range(row_start[c], row_start[c + 1]):
            residual[row] = _row(row_kind[row], a, b, relative, vector, length, vectors)
            if with_rows:
                _columns(mem, c, b, along, about, position, rotation, matrix[row])
                matrix[row, n] = residual[row]
    first = row_kind.size
    for k in range(coupling_value.size):
        value = -coupling_value[k]
        for j in range(n):
            value += coupling[k, j] * q[j]
        residual[first + k] = value
        if with_rows:
            matrix[first + k, :n] = coupling[k]
            matrix[first + k, n] = value


@kernel
def _row(kind: int, a: Floats, b: Floats, relative: Floats, vector: Floats, length: float, out: Floats) -> float:
    """Value of a row; how it depends on the motion of b against a, along and about world axes, goes to out[1:3]."""
    along, about, local = out[1], out[2], out[3]
    for i in range(3):
        along[i], local[i] = 0.0, 0.0
    if kind < LOG:
        k = kind - ALONG
        for i in range(3):
            along[i], about[i] = a[i, k], 0.0
        return a[0, k] * (b[0, 3] - a[0, 3]) + a[1, k] * (b[1, 3] - a[1, 3]) + a[2, k] * (b[2, 3] - a[2, 3])
    if kind < PARALLEL:
        k = kind - LOG
        value = vector[k]
        _log_derivative(vector, k, local)
    elif kind < UNIVERSAL:
        free, k = divmod(kind - PARALLEL, 3)
        # Turning e_free onto column u of the relative rotation takes the vector e_free × u.
        i, j = (free + 1) % 3, (free + 2) % 3
        value = -relative[j, free] if k == i else relative[i, free]
        local[k] = relative[free, free]
        local[free] = -relative[k, free]
    else:
        value = relative[2, 0]
        local[0], local[1] = relative[1, 0], -relative[0, 0]
    for i in range(3):
        about[i] = length * (a[i, 0] * local[0] + a[i, 1] * local[1] + a[i, 2] * local[2])
    return length * value


@kernel
def _log_derivative(vector: Floats, k: int, out: Floats) -> None:
    """Row k of the matrix that takes an angular velocity to the rate of the rotation vector."""
    square = vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2
    angle = math.sqrt(square)
    if angle < 1e-4:
        c = 1.0 / 12.0 + square / 720.0
    else:
        c = 1.0 / square - (1.0 + math.cos(angle)) / (2.0 * angle * math.sin(angle))
    # I - ½[v]× + c·[v]×[v]×, row k
    for i in range(3):
        out[i] = c * vector[k] * vector[i]
    out[k] += 1.0 - c * square
    i, j = (k + 1) % 3, (k + 2) % 3
    out[i] += 0.5 * vector[j]
    out[j] -= 0.5 * vector[i]


@kernel
def _columns(
    mem: Block, c: int, b: Floats, along: Floats, about: Floats, position: Floats, rotation: Floats, row: Floats
) -> None:
    """d(row)/dq for the joints between the two frames; joints on the side of a count against it."""
    closure_joint, closure_sign, closure_start = at.closure_joint(mem), at.closure_sign(mem), at.closure_start(mem)
    joint_kind, order = at.joint_kind(mem), at.order(mem)
    for j in range(order.size):
        row[j] = 0.0
    for i in range(closure_start[c], closure_start[c + 1]):
        j = closure_joint[i]
        zx, zy, zz = rotation[j, 0, 2], rotation[j, 1, 2], rotation[j, 2, 2]
        if joint_kind[j] == REVOLUTE:
            rx, ry, rz = b[0, 3] - position[j, 0], b[1, 3] - position[j, 1], b[2, 3] - position[j, 2]
            value = along[0] * (zy * rz - zz * ry) + along[1] * (zz * rx - zx * rz) + along[2] * (zx * ry - zy * rx)
            value += about[0] * zx + about[1] * zy + about[2] * zz
        else:
            value = along[0] * zx + along[1] * zy + along[2] * zz
        row[j] = closure_sign[i] * value


@kernel
def eliminate(mem: Block, most: int) -> None:
    """Solve the closure rows for as many joints as they determine.

    Afterwards every motion `particular + basis · y` closes the loops to first order, y being as long as the number of
    free joints in `sizes[1]`. Rows beyond the rank `most` repeat others and are left out. Gauss-Jordan with
    complete pivoting that prefers the pivots of the step before, so that rows that contradict each other a little are
    not left out in turns.
    """
    m, order, original = at.matrix(mem), at.order(mem), at.original(mem)
    pivot_column, pivot_row, sizes = at.pivot_column(mem), at.pivot_row(mem), at.sizes(mem)
    used_column, used_row = at.used_column(mem), at.used_row(mem)
    n, rows = order.size, m.shape[0]
    used_row[:] = 0
    used_column[:] = 0
    for i in range(rows):
        for j in range(n):
            original[i, j] = m[i, j]
    rank = 0
    while rank < min(most, rows):
        i, j = _pivot(mem, rank)
        if i < 0:
            break
        pivot_row[rank], pivot_column[rank] = i, j
        used_row[i], used_column[j] = 1, 1
        scale = 1.0 / m[i, j]
        for k in range(n + 1):
            m[i, k] *= scale
        for other in range(rows):
            factor = m[other, j]
            if other != i and factor != 0.0:
                for k in range(n + 1):
                    m[other, k] -= factor * m[i, k]
        rank += 1
    sizes[0], sizes[1] = rank, n - rank
    _span(mem, rank, n)
    _factor_block(mem, rank)


@kernel
def _pivot(mem: Block, rank: int) -> tuple[int, int]:
    """Row and joint to eliminate next, -1 if no row tells anything new."""
    matrix, n, pivot_column, pivot_row = at.matrix(mem), at.order(mem).size, at.pivot_column(mem), at.pivot_row(mem)
    used_column, used_row = at.used_column(mem), at.used_row(mem)
    least = SMALLEST_PIVOT * at.scale(mem)[0]
    i, j = pivot_row[rank], pivot_column[rank]
    if i >= 0 and not used_row[i] and not used_column[j]:
        largest = 0.0
        for k in range(n):
            if not used_column[k]:
                largest = max(largest, abs(matrix[i, k]))
        if abs(matrix[i, j]) >= KEEP_PIVOT * largest and largest > least / KEEP_PIVOT:
            return i, j
    best, best_row, best_column = least, -1, -1
    for i in range(matrix.shape[0]):
        if not used_row[i]:
            for j in range(n):
                if not used_column[j] and abs(matrix[i, j]) > best:
                    best, best_row, best_column = abs(matrix[i, j]), i, j
    return best_row, best_column


@kernel
def _span(mem: Block, rank: int, n: int) -> None:
    """Basis and particular motion from the reduced rows."""
    basis, matrix, particular, pivot_column = at.basis(mem), at.matrix(mem), at.particular(mem), at.pivot_column(mem)
    pivot_row, used_column = at.pivot_row(mem), at.used_column(mem)
    free = 0
    for j in range(n):
        particular[j] = 0.0
        for k in range(n - rank):
            basis[j, k] = 0.0
    for j in range(n):
        if not used_column[j]:
            basis[j, free] = 1.0
            for p in range(rank):
                basis[pivot_column[p], free] = -matrix[pivot_row[p], j]
            free += 1
    for p in range(rank):
        particular[pivot_column[p]] = -matrix[pivot_row[p], n]


@kernel
def _factor_block(mem: Block, rank: int) -> None:
    """Triangular factors of the chosen rows and joints, in the order of the pivots (which needs no more pivoting)."""
    block, original, pivot_column = at.pivot_block(mem), at.original(mem), at.pivot_column(mem)
    pivot_row = at.pivot_row(mem)
    for i in range(rank):
        for j in range(rank):
            block[i, j] = original[pivot_row[i], pivot_column[j]]
    for k in range(rank):
        for i in range(k + 1, rank):
            if block[i, k] != 0.0:
                block[i, k] /= block[k, k]
                for j in range(k + 1, rank):
                    block[i, j] -= block[i, k] * block[k, j]


@kernel
def solve_block(mem: Block, x: Floats) -> None:
    """Motion of the determined joints that takes away the residual of the chosen rows, with the last factors."""
    block, pivot_row, residual, sizes = at.pivot_block(mem), at.pivot_row(mem), at.residual(mem), at.sizes(mem)
    rank = sizes[0]
    for i in range(rank):
        value = -residual[pivot_row[i]]
        for k in range(i):
            value -= block[i, k] * x[k]
        x[i] = value
    for i in range(rank - 1, -1, -1):
        value = x[i]
        for k in range(i + 1, rank):
            value -= block[i, k] * x[k]
        x[i] = value / block[i, i]
