"""One level of tasks: what is wanted is done as well as the bounds and the levels before it allow."""

from __future__ import annotations

import math

from station.kernel import Floats1, Floats2, kernel
from station.mechanism.algebra import (
    TOLERANCE,
    Programme,
    cholesky,
    cholesky_solve,
    cholesky_solve_two,
    gram_of_columns,
    solve,
    solve_from_free,
)
from station.mechanism.memory import JointKind, MechanismMemory
from station.mechanism.tasks import braking_speed

SMALLEST_MOTION = 1e-9  # weight of motion for its own sake, against the tasks
LEAN = 0.03  # how far to lean away from stops near a singularity [rad]
ROOM = 0.02  # before a stop, less than which makes no difference [rad, or lengths of the robot]
CROWDED = 2.0  # the lean is full where the nearest stop is nearer than this, about [rad]
UNNOTICED = 0.02  # a motion that moves the tasks by less than this part of the strongest one is hardly noticed
NULL = 1e-10  # relative size of a row that asks nothing of the joints


@kernel
def reduce_rows(mem: MechanismMemory, rows: int, span: Floats2, free: int, plain: bool) -> None:
    """Task rows in the coordinates of the motions that are left; `plain`: those are the joints themselves."""
    motion, task_matrix, task_reduced = mem.motion, mem.task_matrix, mem.task_reduced
    n = motion.size
    for r in range(rows):
        for k in range(free):
            task_reduced[r, k] = task_matrix[r, k] if plain else 0.0
        if not plain:
            for j in range(n):
                value = task_matrix[r, j]
                if value != 0.0:  # only joints between base and frame move it
                    for k in range(free):
                        task_reduced[r, k] += value * span[j, k]


@kernel
def weigh_motion(mem: MechanismMemory, weight: Floats1, rows: int, span: Floats2, free: int, plain: bool) -> bool:
    """Hessian of the level, factorised: tasks, bending of the paths, wishes, and a little of everything."""
    curvature, factor, hessian, joint_kind = mem.curvature, mem.factor, mem.hessian, mem.joint_kind
    motion, diagonal, task_reduced = mem.motion, mem.diagonal, mem.task_reduced
    length = mem.length
    n = motion.size
    for j in range(n):
        unit = length * length if joint_kind[j] == JointKind.REVOLUTE else 1.0
        diagonal[j] = curvature[j] + unit * (SMALLEST_MOTION + weight[j])
    gram_of_columns(task_reduced, rows, free, hessian)
    if plain:
        for a in range(free):
            hessian[a, a] += diagonal[a]
    else:
        for j in range(n):
            for a in range(free):
                value = diagonal[j] * span[j, a]
                if value != 0.0:  # every other row of a span of loops is a row of the unit matrix
                    for b in range(a + 1):
                        hessian[a, b] += value * span[j, b]
        for a in range(free):
            hessian[a, a] += mem.bend[a]
    return cholesky(hessian, free, factor)


@kernel
def solve_level(
    mem: MechanismMemory,
    wish: Floats1,
    weight: Floats1,
    rows: int,
    span: Floats2,
    free: int,
    plain: bool,
    bounds: int,
    lean: float,
    dt: float,
) -> Programme:
    """Add to `motion` what this level wants; returns the state of the solver."""
    reduce_rows(mem, rows, span, free, plain)
    if not weigh_motion(mem, weight, rows, span, free, plain):
        return Programme.SINGULAR
    if rows == 0:
        _wish(mem, wish, weight, span, free, plain)
    elif _follow(mem, rows, span, free, plain, lean, dt):
        # The free answer is known; more often than not, no bound is in its way.
        if _is_within_bounds(mem, span, free, plain, bounds):
            return Programme.SOLVED
        bound_motion(mem, span, free, plain, bounds)
        return solve_from_free(mem, free, bounds)
    take_off_what_is_done(mem, weight, rows, span, free, plain)
    bound_motion(mem, span, free, plain, bounds)
    return solve(mem, free, bounds)


@kernel
def _wish(mem: MechanismMemory, wish: Floats1, weight: Floats1, span: Floats2, free: int, plain: bool) -> None:
    """Gradient towards what is wished of single joints."""
    gradient, joint_kind, length = mem.gradient, mem.joint_kind, mem.length
    for k in range(free):
        gradient[k] = 0.0
        for j in range(wish.size):
            if weight[j] > 0.0:
                value = span[j, k] if not plain else (1.0 if j == k else 0.0)
                unit = length * length if joint_kind[j] == JointKind.REVOLUTE else 1.0
                gradient[k] += value * unit * weight[j] * wish[j]


@kernel
def _follow(mem: MechanismMemory, rows: int, span: Floats2, free: int, plain: bool, lean: float, dt: float) -> bool:
    """Gradient towards the targets: what they move by themselves, and as much of the rest as can be braked from.

    Returns whether `solution` is already the free minimum, as it is when nothing but poses count.
    """
    factor, gradient, motion, row_of_pose = mem.factor, mem.gradient, mem.motion, mem.row_of_pose
    solution, task_advance = mem.solution, mem.task_advance
    task_error, task_reduced = mem.task_error, mem.task_reduced
    moving, missing, by_moving, by_missing = mem.moving, mem.missing, mem.by_moving, mem.by_missing
    size, simple = 0.0, lean == 0.0
    for r in range(rows):
        if row_of_pose[r]:
            size += task_error[r] ** 2
        else:
            simple = False
    for k in range(free):
        along, towards = 0.0, 0.0
        for r in range(rows):
            if row_of_pose[r]:
                along += task_reduced[r, k] * task_advance[r]
                towards += task_reduced[r, k] * task_error[r]
        moving[k], missing[k] = along, towards
    cholesky_solve_two(factor, free, moving, missing, by_moving, by_missing)
    trust = _trust_in_motion(mem, size, span, free, plain, dt)
    for k in range(free):
        moving[k] *= trust
        missing[k] -= moving[k]
        by_moving[k] *= trust
        by_missing[k] -= by_moving[k]
    if lean > 0.0:
        _lean(mem, lean, missing, rows, span, free, plain)
        cholesky_solve(factor, free, missing, by_missing)
    share = _share(mem, by_missing, span, free, plain, dt)
    for j in range(motion.size):
        simple = simple and motion[j] == 0.0
    for k in range(free):
        gradient[k] = moving[k] + share * missing[k]
        solution[k] = by_moving[k] + share * by_missing[k]
    if not simple:
        for r in range(rows):
            if not row_of_pose[r]:
                for k in range(free):
                    gradient[k] += task_reduced[r, k] * task_error[r]
    return simple


@kernel
def _is_within_bounds(mem: MechanismMemory, span: Floats2, free: int, plain: bool, bounds: int) -> bool:
    """Whether the free answer keeps all bounds, so that nothing pushes. With contacts the solver has a closer look."""
    lower, motion, upper = mem.lower, mem.motion, mem.upper
    multiplier, solution = mem.multiplier, mem.solution
    n = motion.size
    for i in range(bounds):
        value = 0.0
        if i < n and plain:
            value = solution[i]
        elif i < n:
            for k in range(free):
                value += span[i, k] * solution[k]
        else:
            return False
        value += motion[i]
        slack = TOLERANCE * (1.0 + abs(value))
        if value < lower[i] - slack or value > upper[i] + slack:
            return False
    for i in range(bounds):
        multiplier[i] = 0.0
    return True


@kernel
def _lean(
    mem: MechanismMemory, lean: float, missing: Floats1, rows: int, span: Floats2, free: int, plain: bool
) -> None:
    """Near a singularity lean a little to the side where the joints have more room before their stops.

    There the tasks do not care which way an elbow bends, but one way may end at a stop: nothing else would ever bring
    it back. The lean acts only along motions that the tasks hardly notice, fades with what is missing, and is for
    targets on the move: at rest the nearest pose is the nearest pose.
    """
    curvature, joint_kind, q, q_min, q_max = mem.curvature, mem.joint_kind, mem.q, mem.q_min, mem.q_max
    z, length = mem.leaning, mem.length
    for k in range(free):
        z[k] = 0.0
    for j in range(q.size):
        unit = 1.0 if joint_kind[j] == JointKind.REVOLUTE else length
        # Nearer stops count for more: this is the slope of a logarithmic barrier.
        crowded = unit / max(q_max[j] - q[j], ROOM * unit) - unit / max(q[j] - q_min[j], ROOM * unit)
        for k in range(free):
            z[k] += crowded * (span[j, k] if not plain else (1.0 if j == k else 0.0))
    if not _keep_unnoticed(mem, z, rows, free):
        return
    size, bend = 0.0, 0.0
    for j in range(q.size):
        value = z[j] if plain else 0.0
        if not plain:
            for k in range(free):
                value += span[j, k] * z[k]
        size += value * value
        bend += curvature[j] * value * value
    if not plain:
        for k in range(free):
            bend += mem.bend[k] * z[k] * z[k]
    if size > 0.0:
        side = math.sqrt(size)
        push = lean * LEAN * bend / size * min(CROWDED * side, 1.0) / side
        for k in range(free):
            missing[k] -= push * z[k]


@kernel
def _keep_unnoticed(mem: MechanismMemory, z: Floats1, rows: int, free: int) -> bool:
    """Leave of a motion only what the tasks hardly notice: z ← λ·(JᵀJ + λ)⁻¹·z, steady also at a singularity."""
    hessian, task_reduced, turned = mem.hessian, mem.task_reduced, mem.turned
    gram_of_columns(task_reduced, rows, free, hessian)
    largest = 0.0
    for a in range(free):
        largest = max(largest, hessian[a, a])
    unnoticed = largest * UNNOTICED**2
    for a in range(free):
        hessian[a, a] += unnoticed
    if unnoticed == 0.0 or not cholesky(hessian, free, turned):
        return False
    cholesky_solve(turned, free, z, z)
    for k in range(free):
        z[k] *= unnoticed
    return True


@kernel
def bound_motion(mem: MechanismMemory, span: Floats2, free: int, plain: bool, bounds: int) -> None:
    """The bounds in the coordinates of this level, less the motion so far."""
    bound_rows, contact_rows, high_left = mem.bound_rows, mem.contact_rows, mem.high_left
    low_left, lower, motion, upper = mem.low_left, mem.lower, mem.motion, mem.upper
    n = motion.size
    for i in range(bounds):
        done = motion[i] if i < n else 0.0
        for k in range(free):
            if i < n:
                bound_rows[i, k] = span[i, k] if not plain else (1.0 if i == k else 0.0)
            else:
                value = contact_rows[i - n, k] if plain else 0.0
                if not plain:
                    for j in range(n):
                        value += contact_rows[i - n, j] * span[j, k]
                bound_rows[i, k] = value
        if i >= n:
            for j in range(n):
                done += contact_rows[i - n, j] * motion[j]
        low_left[i] = lower[i] - done
        high_left[i] = upper[i] - done


@kernel
def add_motion(mem: MechanismMemory, span: Floats2, free: int, plain: bool) -> None:
    """Take the solution over into `motion`."""
    motion, solution = mem.motion, mem.solution
    for j in range(motion.size):
        if plain:
            motion[j] += solution[j]
        else:
            for k in range(free):
                motion[j] += span[j, k] * solution[k]


@kernel
def _trust_in_motion(mem: MechanismMemory, size: float, span: Floats2, free: int, plain: bool, dt: float) -> float:
    """How far the targets' own motion can be followed, 0 to 1; `size` is the square of all that is missing.

    Not at all if a joint would break its speed limit: then it was a jump, not a motion. And the less, the less of what
    is missing can be made up at all, as out of reach: there the motion of the target says nothing of the robot's.
    """
    motion, v_max = mem.motion, mem.v_max
    missing, by_moving, by_missing = mem.missing, mem.by_moving, mem.by_missing
    if size == 0.0:
        return 1.0
    for j in range(motion.size):
        value = by_moving[j] if plain else 0.0
        if not plain:
            for k in range(free):
                value += span[j, k] * by_moving[k]
        if abs(value) > v_max[j] * dt:
            return 0.0
    possible = 0.0
    for k in range(free):
        possible += missing[k] * by_missing[k]
    return min(max(possible / size, 0.0), 1.0) ** 2


@kernel
def _share(mem: MechanismMemory, wanted: Floats1, span: Floats2, free: int, plain: bool, dt: float) -> float:
    """Part of a wanted motion that may be made in this step, such that every joint can brake in time."""
    a_max, motion = mem.a_max, mem.motion
    share = 1.0
    for j in range(motion.size):
        if a_max[j] < math.inf:
            value = wanted[j] if plain else 0.0
            if not plain:
                for k in range(free):
                    value += span[j, k] * wanted[k]
            distance = abs(value)
            if distance > a_max[j] * dt * dt:  # a shorter way is made and braked from within two steps
                share = min(share, braking_speed(distance, a_max[j], dt) * dt / distance)
    return share


@kernel
def take_off_what_is_done(
    mem: MechanismMemory, weight: Floats1, rows: int, span: Floats2, free: int, plain: bool
) -> None:
    """The motion so far counts too: for the tasks, and as motion."""
    curvature, gradient, joint_kind, motion = mem.curvature, mem.gradient, mem.joint_kind, mem.motion
    task_matrix, task_reduced = mem.task_matrix, mem.task_reduced
    length = mem.length
    n = motion.size
    for r in range(rows):
        done = 0.0
        for j in range(n):
            done += task_matrix[r, j] * motion[j]
        if done != 0.0:
            for k in range(free):
                gradient[k] -= task_reduced[r, k] * done
    for j in range(n):
        if motion[j] != 0.0:
            unit = length * length if joint_kind[j] == JointKind.REVOLUTE else 1.0
            pull = motion[j] * (curvature[j] + unit * (SMALLEST_MOTION + weight[j]))
            for k in range(free):
                gradient[k] -= pull * (span[j, k] if not plain else (1.0 if j == k else 0.0))


@kernel
def left_over(mem: MechanismMemory, rows: int, span: Floats2, free: int, plain: bool, result: Floats2) -> int:
    """Motions that change nothing for the tasks of this level, into `result`; returns how many there are.

    `task_reduced` is used up. Rows are eliminated with complete pivoting; only what they really leave alone is left.
    """
    m, motion, rows_taken, motions_taken = mem.task_reduced, mem.motion, mem.pivot_rows, mem.pivot_motions
    row_left, motion_left = mem.row_left, mem.motion_left
    n, largest = motion.size, 0.0
    for k in range(free):
        motion_left[k] = True
    for r in range(rows):
        row_left[r] = True
        for k in range(free):
            largest = max(largest, abs(m[r, k]))
    rank = 0
    while rank < min(rows, free):
        best, row, column = NULL * largest, -1, -1
        for r in range(rows):
            if row_left[r]:
                for k in range(free):
                    if motion_left[k] and abs(m[r, k]) > best:
                        best, row, column = abs(m[r, k]), r, k
        if row < 0:
            break
        row_left[row], motion_left[column] = False, False
        rows_taken[rank], motions_taken[rank] = row, column
        inverse = 1.0 / m[row, column]
        for k in range(free):
            m[row, k] *= inverse
        for r in range(rows):
            factor = m[r, column]
            if r != row and factor != 0.0:
                for k in range(free):
                    m[r, k] -= factor * m[row, k]
        rank += 1
    left = 0
    for k in range(free):
        if motion_left[k]:
            for j in range(n):
                value = span[j, k] if not plain else (1.0 if j == k else 0.0)
                for p in range(rank):
                    factor = m[rows_taken[p], k]
                    if factor != 0.0:
                        other = motions_taken[p]
                        value -= factor * (span[j, other] if not plain else (1.0 if j == other else 0.0))
                result[j, left] = value
            left += 1
    return left
