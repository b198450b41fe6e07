"""What should happen in a step, as rows: J·x = wanted, in metres; and how far each joint may move in it.

A radian counts `length` metres, in rotations of frames and in turning joints, so that all rows weigh alike.
"""

from __future__ import annotations

import math

from station.kernel import Floats1, Floats2, entry, kernel
from station.kernel.se3 import write_difference
from station.mechanism.memory import OWN_AXES, JointKind, MechanismMemory, TaskKind
from station.mechanism.tree import frame_jacobian, frame_pose

LANDING = 4e-11  # by which closing loops may change the motion asked for [rad | m]
ALL_AXES = 63  # bits
MISSED = 1e-6  # a target that is nearer than this counts as met: nothing bends against it [m]
LARGEST_MOTION = 0.5  # of a joint in one step, whatever its speed limit [rad, or in lengths of the robot]


@entry(inline=True)
def put_twist(mem: MechanismMemory, task: int, frame: int, level: int, twist: Floats1) -> bool:
    """Ask for a twist of a frame [m/s, rad/s]; False if it is not finite."""
    value, total = mem.task_value, 0.0
    for i in range(6):
        total += twist[i]
    if not math.isfinite(total):
        return False
    mem.task_kind[task], mem.task_place[task], mem.task_level[task] = TaskKind.TWIST, frame, level
    for i in range(3):
        value[task, 0, i], value[task, 1, i] = twist[i], twist[3 + i]
    return True


@entry(inline=True)
def put_pose(mem: MechanismMemory, task: int, frame: int, level: int, pose: Floats2) -> bool:
    """Ask for a pose of a frame [m]; False if it is not finite. What was asked before is kept: it tells its motion."""
    value, before, total = mem.task_value, mem.task_before, 0.0
    for i in range(3):
        for k in range(4):
            total += pose[i, k]
    if not math.isfinite(total):
        return False
    if mem.task_kind[task] != TaskKind.POSE:  # a twist before it says nothing of where it was
        mem.task_continued[task] = False
    mem.task_kind[task], mem.task_place[task], mem.task_level[task] = TaskKind.POSE, frame, level
    for i in range(3):
        for k in range(4):
            before[task, i, k] = value[task, i, k]
            value[task, i, k] = pose[i, k]
    return True


@entry(inline=True)
def put_joint(mem: MechanismMemory, task: int, joint: int, value: float) -> bool:
    """Ask for a joint value [rad | m]; False if it is not finite."""
    if not math.isfinite(value):
        return False
    mem.task_kind[task], mem.task_place[task], mem.task_level[task] = TaskKind.JOINT, joint, 0
    mem.task_value[task, 0, 0] = value
    return True


@entry(inline=True)
def begin(mem: MechanismMemory, continued: bool) -> None:
    """Before tasks are put: are they those of the step before? All axes count, and nothing is wished."""
    mem.task_continued[:] = continued
    mem.task_axes[:] = ALL_AXES
    mem.wish_weight[:] = 0.0


@kernel
def task_rows(mem: MechanismMemory, task: int, row: int, q: Floats1, dt: float) -> int:
    """Append the rows of a task: Jacobian, what is missing and what the target itself moves; returns the next row."""
    joint_kind, order, position, rotation, place = mem.joint_kind, mem.order, mem.position, mem.rotation, mem.place
    task_matrix, task_error, task_advance = mem.task_matrix, mem.task_error, mem.task_advance
    task_kind, task_place, task_value, besides = mem.task_kind, mem.task_place, mem.task_value, mem.besides
    length = mem.length
    if task_kind[task] == TaskKind.JOINT:
        j = task_place[task]
        weight = length if joint_kind[j] == JointKind.REVOLUTE else 1.0
        for k in range(order.size):
            task_matrix[row, k] = 0.0
        task_matrix[row, j] = weight
        task_error[row], task_advance[row] = weight * (task_value[task, 0, 0] - q[j]), 0.0
        mem.row_of_pose[row] = True
        return row + 1
    frame = task_place[task]
    frame_pose(mem, frame, rotation, position, place)
    rows = task_matrix[row : row + 6]
    frame_jacobian(mem, frame, place[:, 3], rotation, position, rows)
    error, moved = task_error[row : row + 6], task_advance[row : row + 6]
    if task_kind[task] == TaskKind.TWIST:
        for i in range(3):
            error[i], error[3 + i] = task_value[task, 0, i] * dt, task_value[task, 1, i] * dt
            moved[i], moved[3 + i] = error[i], error[3 + i]
    else:
        write_difference(place, task_value[task], mem.turn, error)
        for i in range(6):
            moved[i] = 0.0
        if mem.task_continued[task]:
            write_difference(mem.task_before[task], task_value[task], mem.turn, moved)
    # A target that moves is missed by its own motion at every start of a step; only what is missing besides counts.
    for i in range(6):
        besides[i] = error[i] - (moved[i] if task_kind[task] == TaskKind.POSE else 0.0)
    if mem.task_axes[task] != ALL_AXES:
        _keep_what_counts(mem.task_axes[task], mem.frame_axes[frame], besides)
    if mem.matrix.shape[0] == 0:
        _curve(mem, frame, rows, besides)
    else:
        _bend(mem, frame, rows, besides, task_kind[task] == TaskKind.POSE)
    if mem.task_axes[task] & OWN_AXES:
        _turn_rows(mem.frame_axes[frame], rows, error, moved)
    return _weigh(mem, mem.task_axes[task], task_kind[task] == TaskKind.POSE, row)


@kernel
def _turn_rows(axes: Floats2, rows: Floats2, error: Floats1, moved: Floats1) -> None:
    """Rows, what is missing and what the target moves along and about other axes than the world's."""
    for first in (0, 3):
        for j in range(rows.shape[1]):
            x, y, z = rows[first, j], rows[first + 1, j], rows[first + 2, j]
            for i in range(3):
                rows[first + i, j] = axes[0, i] * x + axes[1, i] * y + axes[2, i] * z
        turn_vector(axes, error[first : first + 3])
        turn_vector(axes, moved[first : first + 3])


@kernel
def turn_vector(axes: Floats2, vector: Floats1) -> None:
    """A vector of the world in other axes, in place."""
    x, y, z = vector[0], vector[1], vector[2]
    for i in range(3):
        vector[i] = axes[0, i] * x + axes[1, i] * y + axes[2, i] * z


@kernel
def _curve(mem: MechanismMemory, frame: int, rows: Floats2, error: Floats1) -> None:
    """Add to `curvature` how strongly the path of the frame bends against what is missing.

    The true second derivative of ½·|missing|² has, besides JᵀJ, the bending of the paths times what is missing. Row
    sums of its size on the diagonal bound it from above, so a step never overshoots: targets out of reach are
    approached without a tremble, and close ones, where nearly nothing is missing, are not slowed down.
    """
    curvature, frame_body, joint_kind = mem.curvature, mem.frame_body, mem.joint_kind
    parents, rotation = mem.parents, mem.rotation
    length = mem.length
    turn = 0.5 * length * length
    i = frame_body[frame]
    while i >= 0:
        if joint_kind[i] == JointKind.REVOLUTE:
            zx, zy, zz = rotation[i, 0, 2], rotation[i, 1, 2], rotation[i, 2, 2]
            fx, fy, fz = error[1] * zz - error[2] * zy, error[2] * zx - error[0] * zz, error[0] * zy - error[1] * zx
            gx, gy, gz = error[4] * zz - error[5] * zy, error[5] * zx - error[3] * zz, error[3] * zy - error[4] * zx
            j, total = frame_body[frame], 0.0
            while True:
                bend = abs(fx * rows[0, j] + fy * rows[1, j] + fz * rows[2, j])
                bend += turn * abs(gx * rows[3, j] + gy * rows[4, j] + gz * rows[5, j])
                total += bend
                if j == i:
                    break
                curvature[j] += bend
                j = parents[j]
            curvature[i] += total
        i = parents[i]


@kernel
def _keep_what_counts(axes: int, own: Floats2, error: Floats1) -> None:
    """Of what is missing, leave only what lies along and about the axes that count."""
    for first in (0, 3):
        part = error[first : first + 3]
        if axes & OWN_AXES:
            turn_vector(own, part)
        for i in range(3):
            if not axes & (1 << (first + i)):
                part[i] = 0.0
        if axes & OWN_AXES:
            x, y, z = part[0], part[1], part[2]
            for i in range(3):
                part[i] = own[i, 0] * x + own[i, 1] * y + own[i, 2] * z


@kernel
def _bend(mem: MechanismMemory, frame: int, rows: Floats2, error: Floats1, is_pose: bool) -> None:
    """The same with loops: pair by pair into `bending`, as loops bend too; and how hard a pose pulls at the joints.

    A twist is new in every step: nothing is overshot where loops bend.
    """
    bending, pull, parents, rotation = mem.bending, mem.pull, mem.parents, mem.rotation
    missed, n, square = 0.0, pull.size, mem.length * mem.length
    for i in range(6):
        missed = max(missed, abs(error[i]) * (1.0 if i < 3 else mem.length))
    if missed < MISSED:
        return
    if mem.missed == 0.0:
        for i in range(n):
            pull[i] = 0.0
            for j in range(n):
                bending[i, j] = 0.0
    mem.missed = max(mem.missed, missed)
    i = mem.frame_body[frame]
    while i >= 0:
        if is_pose:
            along = error[0] * rows[0, i] + error[1] * rows[1, i] + error[2] * rows[2, i]
            pull[i] += along + square * (error[3] * rows[3, i] + error[4] * rows[4, i] + error[5] * rows[5, i])
        if mem.joint_kind[i] == JointKind.REVOLUTE:
            zx, zy, zz = rotation[i, 0, 2], rotation[i, 1, 2], rotation[i, 2, 2]
            fx, fy, fz = error[1] * zz - error[2] * zy, error[2] * zx - error[0] * zz, error[0] * zy - error[1] * zx
            gx, gy, gz = error[4] * zz - error[5] * zy, error[5] * zx - error[3] * zz, error[3] * zy - error[4] * zx
            j = mem.frame_body[frame]
            while True:
                value = fx * rows[0, j] + fy * rows[1, j] + fz * rows[2, j]
                value += 0.5 * square * (gx * rows[3, j] + gy * rows[4, j] + gz * rows[5, j])
                bending[i, j] -= value
                if j == i:
                    break
                bending[j, i] -= value
                j = parents[j]
        i = parents[i]


@kernel
def _weigh(mem: MechanismMemory, axes: int, is_pose: bool, row: int) -> int:
    """Weigh rotations, and keep only the axes that count; returns the next row."""
    order, row_of_pose, task_advance = mem.order, mem.row_of_pose, mem.task_advance
    task_error, task_matrix = mem.task_error, mem.task_matrix
    length = mem.length
    kept = row
    for i in range(6):
        if axes & (1 << i):
            weight = 1.0 if i < 3 else length
            if i >= 3 or kept != row + i:
                for j in range(order.size):
                    task_matrix[kept, j] = weight * task_matrix[row + i, j]
                task_error[kept] = weight * task_error[row + i]
                task_advance[kept] = weight * task_advance[row + i]
            row_of_pose[kept] = is_pose
            kept += 1
    return kept


@kernel
def pose_errors(mem: MechanismMemory, count: int) -> None:
    """Largest distance [m] and angle [rad] of first-level poses from what is wanted, where the bodies are."""
    place, task_axes, task_value = mem.place, mem.task_axes, mem.task_value
    difference = mem.task_error[:6]
    metres, radians = 0.0, 0.0
    for task in range(count):
        if mem.task_kind[task] == TaskKind.POSE and mem.task_level[task] == 0:
            frame_pose(mem, mem.task_place[task], mem.rotation, mem.position, place)
            write_difference(place, task_value[task], mem.turn, difference)
            if task_axes[task] & OWN_AXES:
                turn_vector(mem.frame_axes[mem.task_place[task]], difference[:3])
                turn_vector(mem.frame_axes[mem.task_place[task]], difference[3:])
            along, about = 0.0, 0.0
            for i in range(3):
                if task_axes[task] & (1 << i):
                    along += difference[i] ** 2
                if task_axes[task] & (8 << i):
                    about += difference[3 + i] ** 2
            metres = max(metres, math.sqrt(along))
            radians = max(radians, math.sqrt(about))
    mem.position_error, mem.rotation_error = metres, radians


# How far each joint may move in one step: position, speed and acceleration in one pair of numbers -----------------


@kernel
def braking_speed(distance: float, a_max: float, dt: float) -> float:
    """Largest speed for this step after which braking by at most a_max·dt per step stops within `distance`.

    Moving at v and then at v - a·dt, v - 2·a·dt, … covers dt·((k + 1)·v - a·dt·k·(k + 1)/2) in k + 1 steps; k is the
    number of steps that still have a speed when the whole distance is used.
    """
    if distance <= 0.0:
        return 0.0
    if a_max == math.inf or distance == math.inf:
        return distance / dt
    unit = a_max * dt * dt
    k = math.floor(0.5 * (math.sqrt(1.0 + 8.0 * distance / unit) - 1.0))
    return distance / ((k + 1.0) * dt) + 0.5 * a_max * dt * k


@kernel
def needs_braking(distance: float, speed: float, a_max: float, dt: float) -> bool:
    """Whether stopping within `distance` may ask for less than `speed`; in doubt it does, and the root is taken."""
    return 2.0 * a_max * distance <= speed * (speed + 2.0 * a_max * dt)


@kernel
def step_bounds(mem: MechanismMemory, dt: float, ease: float) -> None:
    """Smallest and largest motion of every joint in this step [rad | m].

    Position limits are approached so that braking within the acceleration limits stops in time; the two then never
    contradict each other. `ease` is 1, or a factor for the acceleration limits where loops or contacts leave no other
    way; at infinity a joint may come to a stop at once.
    """
    q, v, lower, upper = mem.q, mem.v, mem.lower, mem.upper
    a_max, q_max, q_min, v_max = mem.a_max, mem.q_max, mem.q_min, mem.v_max
    joint_kind, length = mem.joint_kind, mem.length
    slack = LANDING / dt if mem.matrix.shape[0] > 0 else 0.0  # so that closing loops breaks no speed limit
    stopping = 0.0  # time in which all joints together can come to rest [s]
    for j in range(q.size):
        if a_max[j] < math.inf:
            stopping = max(stopping, abs(v[j]) / (ease * a_max[j]))
    for j in range(q.size):
        a = ease * a_max[j]
        above, below = q_max[j] - q[j], q[j] - q_min[j]
        unit = 1.0 if joint_kind[j] == JointKind.REVOLUTE else length
        fastest = min(max(v_max[j] - slack, 0.0), LARGEST_MOTION * unit / dt)
        if a == math.inf:
            # A joint without a limit of its own, such as a passive one in a loop, stops with the others.
            hi = min(fastest, max(above, 0.0) / (dt + 0.5 * stopping))
            lo = max(-fastest, -max(below, 0.0) / (dt + 0.5 * stopping))
        else:
            hi = lo = fastest
            if needs_braking(above, min(fastest, v[j] + a * dt), a, dt):
                hi = min(fastest, braking_speed(above, a, dt))
            if needs_braking(below, min(fastest, a * dt - v[j]), a, dt):
                lo = min(fastest, braking_speed(below, a, dt))
            lo = min(max(-lo, v[j] - a * dt), hi)
            hi = max(min(hi, v[j] + a * dt), lo)
        lower[j], upper[j] = lo * dt, hi * dt
