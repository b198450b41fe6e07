"""Loops and couplings: how far they are open, what moves them, which motions keep them closed, and back onto them."""

from __future__ import annotations

import math

from station.kernel import Floats1, Floats2, Ints1, entry, kernel
from station.kernel.so3 import write_log_rate, write_vector
from station.mad.curve import CurveKind
from station.mechanism.algebra import cholesky, cholesky_solve
from station.mechanism.memory import JointKind, MechanismMemory, RowKind
from station.mechanism.tree import forward, frame_pose

KEEP_PIVOT = 0.1  # a pivot of the step before is kept unless it is this much worse than the best of its row
SMALLEST_PIVOT = 1e-9  # below this a row tells nothing new here

CLOSED = 1e-11  # residual of the chosen rows at which a loop counts as closed [m]
NEARLY = 2e-11  # residual that is accepted when rounding allows no better [m]
MOST_TURNS = 15

MOST_SKEW = math.radians(1.0)  # by which parts may fail to fit, about an axis; along one, times the size of the robot
CHAIN = 3.0  # lengths of the robot that count as its size here: three quarters of its longest chain
LOST = 2.0 * MOST_SKEW  # at which a loop counts as lost in motion: the gap of parts that do not fit changes on the way
ON_BOUND = 1e-13


@entry(inline=True)
def closure_rows(mem: MechanismMemory, q: Floats1, with_rows: bool) -> None:
    """Residual of every row [m, rad·length] into `residual`; with rows also d(residual)/dq into `matrix`."""
    coupling, coupling_value, row_start, row_kind = mem.coupling, mem.coupling_value, mem.row_start, mem.row_kind
    matrix, residual, n = mem.matrix, mem.residual, mem.order.size
    for c in range(mem.closure_a.size):
        first, last = row_start[c], row_start[c + 1]
        _ends(mem, c)
        for row in range(first, last):
            residual[row] = _row(mem, row_kind[row], row - first, with_rows)
        if with_rows:
            _columns(mem, c, first, last)
    first = row_kind.size
    for k in range(coupling_value.size):
        value = -coupling_value[k]
        for j in range(n):
            value += coupling[k, j] * q[j]
        curved = mem.curve_kind[k] != CurveKind.NONE
        if curved:
            follow_curve(mem, k, q[mem.curve_joint[k]])
            value -= mem.curve_at[0]
        residual[first + k] = value
        if with_rows:
            matrix[first + k, :n] = coupling[k]
            matrix[first + k, n] = value
            if curved:
                matrix[first + k, mem.curve_joint[k]] -= mem.curve_at[1]


@kernel
def _ends(mem: MechanismMemory, c: int) -> None:
    """Where the two frames of a closure are, and how they are turned against each other if a row asks for that."""
    a, b, relative = mem.end_a, mem.end_b, mem.turn
    frame_pose(mem, mem.closure_a[c], mem.rotation, mem.position, a)
    frame_pose(mem, mem.closure_b[c], mem.rotation, mem.position, b)
    if mem.row_kind[mem.row_start[c + 1] - 1] >= RowKind.LOG:  # rows along axes come first
        for i in range(3):
            for k in range(3):
                relative[i, k] = a[0, i] * b[0, k] + a[1, i] * b[1, k] + a[2, i] * b[2, k]
        write_vector(relative, mem.turn_vector)


@kernel
def follow_curve(mem: MechanismMemory, k: int, x: float) -> None:
    """Value, slope and bend of a coupling's curve at `x`, into `curve_at`; as `station.mad.curve.Curve` has it."""
    first, last, at = mem.curve_start[k], mem.curve_start[k + 1] - 1, mem.curve_at
    xs, ys, slopes = mem.curve_x, mem.curve_y, mem.curve_slope
    if mem.curve_kind[k] == CurveKind.POLYNOMIAL:
        value, slope, bend = 0.0, 0.0, 0.0
        for i in range(last, first - 1, -1):
            bend = bend * x + 2.0 * slope
            slope = slope * x + value
            value = value * x + ys[i]
        at[0], at[1], at[2] = value, slope, bend
        return
    lift = 0.0
    if mem.curve_kind[k] == CurveKind.PERIODIC:
        turns = math.floor((x - xs[first]) / (xs[last] - xs[first]))
        x -= turns * (xs[last] - xs[first])
        lift = turns * (ys[last] - ys[first])
    inside = min(max(x, xs[first]), xs[last])
    low, high = first, last
    while high - low > 1:
        middle = (low + high) // 2
        if xs[middle] <= inside:
            low = middle
        else:
            high = middle
    width, rise = xs[high] - xs[low], ys[high] - ys[low]
    t = (inside - xs[low]) / width
    m, n = slopes[low] * width, slopes[high] * width
    slope = (m + t * (2.0 * (3.0 * rise - 2.0 * m - n) + 3.0 * t * (m + n - 2.0 * rise))) / width
    value = ys[low] + t * (m + t * (3.0 * rise - 2.0 * m - n + t * (m + n - 2.0 * rise)))
    bend = (2.0 * (3.0 * rise - 2.0 * m - n) + 6.0 * t * (m + n - 2.0 * rise)) / width**2
    at[0], at[1], at[2] = value + lift + slope * (x - inside), slope, bend if x == inside else 0.0


@kernel
def _row(mem: MechanismMemory, kind: int, nth: int, with_rows: bool) -> float:
    """Value of the nth row of a closure; how it depends on motion of b against a goes to `along` and `about`."""
    a, b, relative, vector = mem.end_a, mem.end_b, mem.turn, mem.turn_vector
    along, about, local, length = mem.along, mem.about, mem.about_own, mem.length
    if kind < RowKind.LOG:
        k = kind - RowKind.ALONG
        if with_rows:
            for i in range(3):
                along[nth, i], about[nth, i] = a[i, k], 0.0
        value: float = a[0, k] * (b[0, 3] - a[0, 3]) + a[1, k] * (b[1, 3] - a[1, 3]) + a[2, k] * (b[2, 3] - a[2, 3])
        return value
    for i in range(3):
        local[i] = 0.0
    if kind < RowKind.PARALLEL:
        k = kind - RowKind.LOG
        value = vector[k]
        if with_rows:
            write_log_rate(vector, k, local)
    elif kind < RowKind.UNIVERSAL:
        free, k = divmod(kind - RowKind.PARALLEL, 3)
        # Turning e_free onto column u of the relative rotation takes the vector e_free × u.
        i, j = (free + 1) % 3, (free + 2) % 3
        value = -relative[j, free] if k == i else relative[i, free]
        local[k] = relative[free, free]
        local[free] = -relative[k, free]
    else:
        value = relative[2, 0]
        local[0], local[1] = relative[1, 0], -relative[0, 0]
    for i in range(3):
        along[nth, i] = 0.0
        about[nth, i] = length * (a[i, 0] * local[0] + a[i, 1] * local[1] + a[i, 2] * local[2])
    return length * value


@kernel
def _columns(mem: MechanismMemory, c: int, first: int, last: int) -> None:
    """d(rows)/dq for the joints between the two frames; joints on the side of a count against it."""
    closure_joint, closure_sign, closure_start = mem.closure_joint, mem.closure_sign, mem.closure_start
    along, about, position, rotation, matrix = mem.along, mem.about, mem.position, mem.rotation, mem.matrix
    joint_kind, residual, n = mem.joint_kind, mem.residual, mem.order.size
    bx, by, bz = mem.end_b[0, 3], mem.end_b[1, 3], mem.end_b[2, 3]
    for row in range(first, last):
        for j in range(n):
            matrix[row, j] = 0.0
        matrix[row, n] = residual[row]
    for i in range(closure_start[c], closure_start[c + 1]):
        j, sign = closure_joint[i], closure_sign[i]
        zx, zy, zz = sign * rotation[j, 0, 2], sign * rotation[j, 1, 2], sign * rotation[j, 2, 2]
        if joint_kind[j] == JointKind.REVOLUTE:
            rx, ry, rz = bx - position[j, 0], by - position[j, 1], bz - position[j, 2]
            mx, my, mz = zy * rz - zz * ry, zz * rx - zx * rz, zx * ry - zy * rx
        else:
            mx, my, mz, zx, zy, zz = zx, zy, zz, 0.0, 0.0, 0.0
        for row in range(first, last):
            way, turn = along[row - first], about[row - first]
            value = way[0] * mx + way[1] * my + way[2] * mz
            matrix[row, j] = value + (turn[0] * zx + turn[1] * zy + turn[2] * zz)


@kernel
def eliminate(mem: MechanismMemory, most: int) -> None:
    """Solve the closure rows for as many joints as they determine.

    Afterwards every motion `particular + basis · y` closes the loops to first order, y being as long as the number of
    free joints, `free`. Rows beyond the rank `most` repeat others and are left out. Gauss-Jordan in place with
    complete pivoting that prefers the pivots of the step before, so that rows that contradict each other a little are
    not left out in turns. What is left in the chosen rows and joints of `matrix` is the inverse of that block.
    """
    m, pivot_column, pivot_row = mem.matrix, mem.pivot_column, mem.pivot_row
    used_column, used_row = mem.used_column, mem.used_row
    n, rows = mem.order.size, m.shape[0]
    if mem.strained:
        mem.all_rows[:, :] = m
    used_row[:] = False
    used_column[:] = False
    rank = 0
    while rank < min(most, rows):
        i, j = _pivot(mem, rank)
        if i < 0:
            break
        pivot_row[rank], pivot_column[rank] = i, j
        used_row[i], used_column[j] = True, True
        scale, pivot = 1.0 / m[i, j], m[i]
        pivot[j] = 1.0
        for k in range(n + 1):
            pivot[k] *= scale
        for other in range(rows):
            factor = m[other, j]
            if factor != 0.0 and other != i:
                row = m[other]
                row[j] = 0.0
                for k in range(n + 1):
                    row[k] -= factor * pivot[k]
        rank += 1
    mem.rank, mem.free = rank, n - rank
    if mem.strained:
        _share_out(mem, rank, n)
    _span(mem, rank, n)


@kernel
def _pivot(mem: MechanismMemory, rank: int) -> tuple[int, int]:
    """Row and joint to eliminate next, -1 if no row tells anything new."""
    matrix, n, pivot_column, pivot_row = mem.matrix, mem.order.size, mem.pivot_column, mem.pivot_row
    used_column, used_row = mem.used_column, mem.used_row
    least = SMALLEST_PIVOT * mem.length
    i, j = pivot_row[rank], pivot_column[rank]
    if i >= 0 and not used_row[i] and not used_column[j] and abs(matrix[i, j]) > least:
        most, keep = abs(matrix[i, j]) / KEEP_PIVOT, True
        for k in range(n):
            if abs(matrix[i, k]) > most and not used_column[k]:
                keep = False
                break
        if keep:
            return i, j
    best, best_row, best_column = least, -1, -1
    for i in range(matrix.shape[0]):
        if not used_row[i]:
            for j in range(n):
                if not used_column[j] and abs(matrix[i, j]) > best:
                    best, best_row, best_column = abs(matrix[i, j]), i, j
    return best_row, best_column


# Parts that do not quite fit: rows that repeat others contradict them a little, and all are kept as well as they can
# be together. With A all rows, r their residuals and U the left singular vectors of A that belong to its rank, the sum
# of squares of r is least, among motions that count, where Uᵀ·r = 0. That depends on where the robot is, and neither on
# how it came there nor on which rows were chosen. The columns of the chosen joints span nearly the same as U; a few
# turns of A·Aᵀ make it the same.

SHARING_TURNS = 2  # each makes the difference smaller by the square of weak to strong singular values


@kernel
def _share_out(mem: MechanismMemory, rank: int, n: int) -> None:
    """Put the rows Uᵀ·A, solved for the chosen joints, in place of the chosen rows; their inverse stays there too."""
    m, rows, u, sums, back = mem.matrix, mem.all_rows, mem.sharing, mem.sums, mem.turned
    pivot_column, pivot_row, used_column = mem.pivot_column, mem.pivot_row, mem.used_column
    for i in range(m.shape[0]):
        for p in range(rank):
            u[i, p] = rows[i, pivot_column[p]]
    _orthonormalise(u, rank)
    for _ in range(SHARING_TURNS):
        _fill_sums(mem, rank, n)
        for i in range(m.shape[0]):
            for p in range(rank):
                value = 0.0
                for j in range(n):
                    value += rows[i, j] * sums[p, j]
                u[i, p] = value
        _orthonormalise(u, rank)
    _fill_sums(mem, rank, n)
    _invert_chosen(mem, rank)
    for p in range(rank):
        row = m[pivot_row[p]]
        for k in range(rank):
            row[pivot_column[k]] = back[p, k]
        for j in range(n + 1):
            if j == n or not used_column[j]:
                value = 0.0
                for k in range(rank):
                    value += back[p, k] * sums[k, j]
                row[j] = value


@kernel
def _fill_sums(mem: MechanismMemory, rank: int, n: int) -> None:
    rows, u, sums = mem.all_rows, mem.sharing, mem.sums
    for p in range(rank):
        for j in range(n + 1):
            sums[p, j] = 0.0
        for i in range(rows.shape[0]):
            weight = u[i, p]
            for j in range(n + 1):
                sums[p, j] += weight * rows[i, j]


@kernel
def _orthonormalise(u: Floats2, rank: int) -> None:
    """The first columns of a matrix at right angles to each other, of length 1; twice, for the last digits."""
    for p in range(rank):
        for _ in range(2):
            for k in range(p):
                product = 0.0
                for i in range(u.shape[0]):
                    product += u[i, k] * u[i, p]
                for i in range(u.shape[0]):
                    u[i, p] -= product * u[i, k]
        size = 0.0
        for i in range(u.shape[0]):
            size += u[i, p] ** 2
        size = 1.0 / math.sqrt(size) if size > 0.0 else 0.0
        for i in range(u.shape[0]):
            u[i, p] *= size


@kernel
def _invert_chosen(mem: MechanismMemory, rank: int) -> None:
    """Inverse of the sums in the columns of the chosen joints, into `turned`: Gauss-Jordan, the largest row first."""
    sums, block, back, pivot_column = mem.sums, mem.triangle, mem.turned, mem.pivot_column
    for p in range(rank):
        for k in range(rank):
            block[p, k] = sums[p, pivot_column[k]]
            back[p, k] = 1.0 if p == k else 0.0
    for c in range(rank):
        best = c
        for p in range(c + 1, rank):
            if abs(block[p, c]) > abs(block[best, c]):
                best = p
        for k in range(rank):
            block[c, k], block[best, k] = block[best, k], block[c, k]
            back[c, k], back[best, k] = back[best, k], back[c, k]
        scale = 1.0 / block[c, c] if block[c, c] != 0.0 else 0.0
        for k in range(rank):
            block[c, k] *= scale
            back[c, k] *= scale
        for p in range(rank):
            factor = block[p, c]
            if p != c and factor != 0.0:
                for k in range(rank):
                    block[p, k] -= factor * block[c, k]
                    back[p, k] -= factor * back[c, k]


@kernel
def _fill_shared(mem: MechanismMemory) -> None:
    """What is to become zero, from the residuals of all rows and the last elimination, into `shared`."""
    residual, shared, u = mem.residual, mem.shared, mem.sharing
    pivot_row, rank = mem.pivot_row, mem.rank
    for p in range(rank):
        if mem.strained:
            shared[p] = 0.0
            for i in range(residual.size):
                shared[p] += u[i, p] * residual[i]
        else:
            shared[p] = residual[pivot_row[p]]


@entry(inline=True)
def is_lost(mem: MechanismMemory) -> bool:
    """Whether any row of a loop is open further than parts that do not quite fit may leave it."""
    residual, row_kind, length = mem.residual, mem.row_kind, mem.length
    for row in range(row_kind.size):
        if not abs(residual[row]) <= LOST * length * (CHAIN if row_kind[row] < RowKind.LOG else 1.0):
            return True
    return False


@kernel
def _span(mem: MechanismMemory, rank: int, n: int) -> None:
    """Basis and particular motion from the reduced rows."""
    basis, matrix, particular, pivot_column = mem.basis, mem.matrix, mem.particular, mem.pivot_column
    pivot_row, used_column = mem.pivot_row, mem.used_column
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
def _close(mem: MechanismMemory, q: Floats1) -> None:
    """Move the determined joints so that what `residual_size` looked at vanishes, by the inverse of the elimination."""
    matrix, pivot_column, pivot_row = mem.matrix, mem.pivot_column, mem.pivot_row
    shared, rank = mem.shared, mem.rank
    for p in range(rank):
        row, value = matrix[pivot_row[p]], 0.0
        for k in range(rank):
            value += row[pivot_column[k]] * shared[k]
        q[pivot_column[p]] -= value


@kernel
def follow_driven(mem: MechanismMemory, near: MechanismMemory, driven: Ints1) -> None:
    """Passive joints of `mem` for the driven ones it has, from those of `near`, the same robot nearby, loops closed.

    To first order, along the motions that the loops of `near` allow: what is left open is the square of how far the
    two are apart. Where driven joints do not determine the passive ones these stay where they are.
    """
    basis, free, q, gradient, hessian = near.basis, near.free, mem.q, mem.gradient, mem.hessian
    for a in range(free):
        gradient[a] = 0.0
        for i in range(driven.size):
            gradient[a] += basis[driven[i], a] * (q[driven[i]] - near.q[driven[i]])
        for b in range(a + 1):
            hessian[a, b] = 0.0
            for i in range(driven.size):
                hessian[a, b] += basis[driven[i], a] * basis[driven[i], b]
    if not cholesky(hessian, free, mem.factor):
        return
    cholesky_solve(mem.factor, free, gradient, gradient)
    mem.used_column[:] = False
    for i in range(driven.size):
        mem.used_column[driven[i]] = True
    for j in range(q.size):
        if not mem.used_column[j]:
            for a in range(free):
                q[j] += basis[j, a] * gradient[a]


# How loops bend: a step goes straight on, and landing then takes it along the bend. What is missing pulls at the loops,
# and they hold against it: with A the rows and J·x = missing the tasks, Aᵀ·λ = Jᵀ·missing in the joints that the loops
# determine. Along the loops the second derivative of ½·|missing|² has λ times the second derivatives of the rows in it.

IDLE = 1e-3  # what bends nothing is held by this part of what usual motions bend: rounding would move it otherwise


@kernel
def bend_loops(mem: MechanismMemory, q: Floats1, span: Floats2, free: int) -> None:
    """How strongly paths of frames and loops bend, together, against what is missing: a bound for every motion left.

    Sums of sizes bound a symmetric matrix from above, motions counted by their length in joints [m].
    """
    bending, of_span, bend, gram = mem.bending, mem.bending_span, mem.bend, mem.triangle
    n = mem.q.size
    for k in range(free):
        bend[k] = 0.0
    if mem.missed == 0.0:
        return
    _bend_rows(mem, q)
    for i in range(n):
        for k in range(free):
            of_span[i, k] = 0.0
        for j in range(n):
            value = bending[i, j]
            if value != 0.0:
                for k in range(free):
                    of_span[i, k] += value * span[j, k]
    for a in range(free):
        for b in range(free):
            gram[a, b] = 0.0
    sizes = mem.image
    for a in range(free):
        sizes[a] = 0.0
    for i in range(n):
        unit = mem.length * mem.length if mem.joint_kind[i] == JointKind.REVOLUTE else 1.0
        for a in range(free):
            value = span[i, a]
            if value != 0.0:
                sizes[a] += unit * value * value
                for b in range(a + 1):
                    gram[a, b] += value * of_span[i, b]
    for a in range(free):
        bend[a] = IDLE * mem.missed / mem.length * sizes[a]
        sizes[a] = math.sqrt(sizes[a])
    for a in range(free):
        for b in range(a + 1):
            value = abs(gram[a, b])
            bend[a] += value * sizes[a] / sizes[b]
            if b != a:
                bend[b] += value * sizes[b] / sizes[a]


@kernel
def _bend_rows(mem: MechanismMemory, q: Floats1) -> None:
    """Add to `bending` what rows of loops and curves have in it."""
    _fill_holding(mem)
    for c in range(mem.closure_a.size):
        _fill_load(mem, c)
        _bend_branch(mem, c)
    first = mem.row_kind.size
    for k in range(mem.coupling_value.size):
        if mem.curve_kind[k] != CurveKind.NONE:
            leader = mem.curve_joint[k]
            follow_curve(mem, k, q[leader])
            mem.bending[leader, leader] -= mem.holding[first + k] * mem.curve_at[2]


@kernel
def _fill_holding(mem: MechanismMemory) -> None:
    """How hard each row of a loop holds against what is missing, into `holding`."""
    holding, matrix, shared, u, pull = mem.holding, mem.matrix, mem.shared, mem.sharing, mem.pull
    pivot_column, pivot_row, rank = mem.pivot_column, mem.pivot_row, mem.rank
    for i in range(holding.size):
        holding[i] = 0.0
    for k in range(rank):
        shared[k] = 0.0
    for p in range(rank):
        row, value = matrix[pivot_row[p]], pull[pivot_column[p]]
        if value != 0.0:
            for k in range(rank):
                shared[k] += row[pivot_column[k]] * value
    for k in range(rank):
        if mem.strained:
            for i in range(holding.size):
                holding[i] += u[i, k] * shared[k]
        else:
            holding[pivot_row[k]] = shared[k]


@kernel
def _fill_load(mem: MechanismMemory, c: int) -> None:
    """With which force a closure holds, into `push`, and how it holds rotations, into `wrench`.

    A row w·(R·u) of two directions bends by w·(z × (y × u)) for two axes of which z comes first; with M = w·uᵀ that is
    yᵀ·M·z - tr(M)·y·z. A rotation vector about t bends by half of t·(z × y), which is the same with M = ½·[t]×.
    """
    a, b, push, wrench, holding = mem.end_a, mem.end_b, mem.push, mem.wrench, mem.holding
    first, last, row_kind = mem.row_start[c], mem.row_start[c + 1], mem.row_kind
    _ends(mem, c)
    for i in range(3):
        push[i] = 0.0
        for k in range(3):
            wrench[i, k] = 0.0
    for row in range(first, last):
        kind, hold = row_kind[row], holding[row]
        if kind < RowKind.PARALLEL:
            _row(mem, kind, row - first, True)
            t = mem.about[row - first]
            for i in range(3):
                push[i] += hold * mem.along[row - first, i]
                k, j = (i + 1) % 3, (i + 2) % 3
                wrench[i, j] += 0.5 * hold * t[k]
                wrench[j, i] -= 0.5 * hold * t[k]
        else:
            sign, of_a, of_b = mem.length, 2, 0
            if kind < RowKind.UNIVERSAL:
                of_b, k = divmod(kind - RowKind.PARALLEL, 3)
                i, j = (of_b + 1) % 3, (of_b + 2) % 3
                of_a = j if k == i else i
                sign = -mem.length if k == i else mem.length
            for i in range(3):
                for k in range(3):
                    wrench[i, k] += sign * hold * a[i, of_a] * b[k, of_b]


@kernel
def _bend_branch(mem: MechanismMemory, c: int) -> None:
    """Add the bend of one closure: its joints are a chain from its first frame to its second one."""
    closure_joint, closure_sign, joint_kind = mem.closure_joint, mem.closure_sign, mem.joint_kind
    axis, way, push, wrench, bending = mem.branch_axis, mem.branch_way, mem.push, mem.wrench, mem.bending
    position, rotation, b = mem.position, mem.rotation, mem.end_b
    start, stop = mem.closure_start[c], mem.closure_start[c + 1]
    trace = wrench[0, 0] + wrench[1, 1] + wrench[2, 2]
    for i in range(start, stop):
        j, sign, one = closure_joint[i], closure_sign[i], i - start
        zx, zy, zz = sign * rotation[j, 0, 2], sign * rotation[j, 1, 2], sign * rotation[j, 2, 2]
        if joint_kind[j] == JointKind.REVOLUTE:
            rx, ry, rz = b[0, 3] - position[j, 0], b[1, 3] - position[j, 1], b[2, 3] - position[j, 2]
            way[one, 0], way[one, 1], way[one, 2] = zy * rz - zz * ry, zz * rx - zx * rz, zx * ry - zy * rx
            axis[one, 0], axis[one, 1], axis[one, 2] = zx, zy, zz
        else:
            way[one, 0], way[one, 1], way[one, 2] = zx, zy, zz
            axis[one, 0], axis[one, 1], axis[one, 2] = 0.0, 0.0, 0.0
    for i in range(start, stop):
        one = axis[i - start]
        if joint_kind[closure_joint[i]] == JointKind.REVOLUTE:
            # push·(z × way) = (push × z)·way
            fx, fy = push[1] * one[2] - push[2] * one[1], push[2] * one[0] - push[0] * one[2]
            fz = push[0] * one[1] - push[1] * one[0]
            tx = wrench[0, 0] * one[0] + wrench[0, 1] * one[1] + wrench[0, 2] * one[2] - trace * one[0]
            ty = wrench[1, 0] * one[0] + wrench[1, 1] * one[1] + wrench[1, 2] * one[2] - trace * one[1]
            tz = wrench[2, 0] * one[0] + wrench[2, 1] * one[1] + wrench[2, 2] * one[2] - trace * one[2]
            for k in range(start, stop):
                # On the side of a the joints are listed from its frame on, on the side of b towards its frame's end.
                after = k >= i if closure_sign[i] < 0.0 else closure_sign[k] > 0.0 and k <= i
                if after:
                    turn, move = axis[k - start], way[k - start]
                    bend = fx * move[0] + fy * move[1] + fz * move[2] + tx * turn[0] + ty * turn[1] + tz * turn[2]
                    bending[closure_joint[i], closure_joint[k]] += bend
                    if k != i:
                        bending[closure_joint[k], closure_joint[i]] += bend


# Back onto the closures, within bounds: what a linear step leaves open is closed before anybody sees it ---------


@kernel
def land(mem: MechanismMemory, q: Floats1, lower: Floats1, upper: Floats1) -> bool:
    """Move `q` onto the closures, no joint leaving [lower, upper]; leaves the bodies there.

    Newton with the inverse of the last elimination. A joint pushed over a bound is put onto it and stays there; the
    free joints make room, as little as possible.
    """
    position, rotation, length = mem.position, mem.rotation, mem.length
    before, was_outside, held = math.inf, math.inf, 0
    for _ in range(MOST_TURNS):
        forward(mem, q, rotation, position)
        closure_rows(mem, q, False)
        size = residual_size(mem)
        outside = _outside(q, lower, upper)
        settled = size <= CLOSED or (size <= NEARLY and size >= 0.5 * before)
        if settled and (outside <= ON_BOUND or (outside <= NEARLY and outside >= 0.5 * was_outside)):
            return not is_lost(mem)
        if not size < 1e3 * length:  # far off, or not a number
            return False
        before, was_outside = size, outside
        _close(mem, q)
        held = _hold(mem, q, lower, upper, held)
    return False


@kernel
def residual_size(mem: MechanismMemory) -> float:
    """Largest residual of the chosen rows, or of what is shared out between all [m]."""
    _fill_shared(mem)
    shared, size = mem.shared, 0.0
    for k in range(mem.rank):
        value = abs(shared[k])
        if not value <= size:
            size = value
    return size


@kernel
def _outside(q: Floats1, lower: Floats1, upper: Floats1) -> float:
    worst = 0.0
    for j in range(q.size):
        worst = max(worst, lower[j] - q[j], q[j] - upper[j])
    return worst


@kernel
def _hold(mem: MechanismMemory, q: Floats1, lower: Floats1, upper: Floats1, held: int) -> int:
    """Put joints that are outside onto their bounds by moving the free ones; returns how many joints are held."""
    basis, held_joints, free, triangle, turned = mem.basis, mem.held_joints, mem.free, mem.triangle, mem.turned
    missing, move = mem.held_missing, mem.held_move
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
def _product(basis: Floats2, free: int, i: int, j: int) -> float:
    value = 0.0
    for k in range(free):
        value += basis[i, k] * basis[j, k]
    return value


@kernel
def _is_independent(mem: MechanismMemory, held: int, joint: int) -> bool:
    """Whether a joint can move while the held ones stay: what is left of its row after taking theirs away."""
    basis, held_joints, free = mem.basis, mem.held_joints, mem.free
    triangle, turned, row = mem.triangle, mem.turned, mem.held_missing
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
        row[a] = value
        left -= value * value * turned[a, a]
    return left > 1e-8 * size
