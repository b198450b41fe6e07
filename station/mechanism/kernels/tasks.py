"""What should happen in a step, as rows: J·x = wanted, in metres.

A radian counts `scale` metres, in rotations of frames and in turning joints, so that all rows weigh alike.
"""

from __future__ import annotations

import math

from station.mechanism.kernels import at
from station.mechanism.kernels.cache import kernel
from station.mechanism.kernels.memory import REVOLUTE, Block, Floats
from station.mechanism.kernels.tree import frame_jacobian, frame_pose, rotation_vector

TWIST, POSE, JOINT = 0, 1, 2


@kernel
def put_twist(mem: Block, task: int, frame: int, level: int, twist: Floats) -> bool:
    """Ask for a twist of a frame [m/s, rad/s]; False if it is not finite."""
    value, total = at.task_value(mem), 0.0
    for i in range(6):
        total += twist[i]
    if not math.isfinite(total):
        return False
    at.task_kind(mem)[task], at.task_place(mem)[task], at.task_level(mem)[task] = TWIST, frame, level
    for i in range(3):
        value[task, 0, i], value[task, 1, i] = twist[i], twist[3 + i]
    return True


@kernel
def put_pose(mem: Block, task: int, frame: int, level: int, pose: Floats) -> bool:
    """Ask for a pose of a frame [m]; False if it is not finite. What was asked before is kept: it tells its motion."""
    value, before, total = at.task_value(mem), at.task_before(mem), 0.0
    for i in range(3):
        for k in range(4):
            total += pose[i, k]
    if not math.isfinite(total):
        return False
    if at.task_kind(mem)[task] != POSE:  # a twist before it says nothing of where it was
        at.task_continued(mem)[task] = 0
    at.task_kind(mem)[task], at.task_place(mem)[task], at.task_level(mem)[task] = POSE, frame, level
    for i in range(3):
        for k in range(4):
            before[task, i, k] = value[task, i, k]
            value[task, i, k] = pose[i, k]
    return True


@kernel
def put_joint(mem: Block, task: int, joint: int, value: float) -> bool:
    """Ask for a joint value [rad | m]; False if it is not finite."""
    if not math.isfinite(value):
        return False
    at.task_kind(mem)[task], at.task_place(mem)[task], at.task_level(mem)[task] = JOINT, joint, 0
    at.task_value(mem)[task, 0, 0] = value
    return True


@kernel
def begin(mem: Block, continued: bool) -> None:
    """Before tasks are put: are they those of the step before? All axes count, and nothing is wished."""
    at.task_continued(mem)[:] = 1 if continued else 0
    at.task_axes(mem)[:] = 63
    at.wish_weight(mem)[:] = 0.0


@kernel
def task_rows(mem: Block, task: int, row: int, q: Floats, dt: float) -> int:
    """Append the rows of a task: Jacobian, what is missing and what the target itself moves; returns the next row."""
    joint_kind, order, poses, position = at.joint_kind(mem), at.order(mem), at.poses(mem), at.position(mem)
    rotation, row_of_pose, task_advance = at.rotation(mem), at.row_of_pose(mem), at.task_advance(mem)
    task_axes, task_before, task_continued = at.task_axes(mem), at.task_before(mem), at.task_continued(mem)
    task_error, task_kind, task_matrix = at.task_error(mem), at.task_kind(mem), at.task_matrix(mem)
    task_place, task_value = at.task_place(mem), at.task_value(mem)
    length = at.scale(mem)[0]
    spare = at.spare(mem)
    if task_kind[task] == JOINT:
        j = task_place[task]
        weight = length if joint_kind[j] == REVOLUTE else 1.0
        for k in range(order.size):
            task_matrix[row, k] = 0.0
        task_matrix[row, j] = weight
        task_error[row], task_advance[row] = weight * (task_value[task, 0, 0] - q[j]), 0.0
        row_of_pose[row] = 1
        return row + 1
    frame = task_place[task]
    frame_pose(mem, frame, rotation, position, poses[3])
    rows = task_matrix[row : row + 6]
    frame_jacobian(mem, frame, poses[3][:, 3], rotation, position, rows)
    error, moved = task_error[row : row + 6], task_advance[row : row + 6]
    if task_kind[task] == TWIST:
        for i in range(3):
            error[i], error[3 + i] = task_value[task, 0, i] * dt, task_value[task, 1, i] * dt
            moved[i], moved[3 + i] = error[i], error[3 + i]
    else:
        pose_difference(mem, poses[3], task_value[task], error)
        for i in range(6):
            moved[i] = 0.0
        if task_continued[task]:
            pose_difference(mem, task_before[task], task_value[task], moved)
    # A target that moves is missed by its own motion at every start of a step; only what is missing besides counts.
    besides = spare[7][:6]
    for i in range(6):
        besides[i] = error[i] - (moved[i] if task_kind[task] == POSE else 0.0)
    _curve(mem, frame, rows, besides)
    return _weigh(mem, task_axes[task], task_kind[task] == POSE, row)


@kernel
def pose_difference(mem: Block, start: Floats, end: Floats, difference: Floats) -> None:
    """Translation and rotation vector that take one pose to another, world axes [m, rad]."""
    poses = at.poses(mem)
    turn = poses[2]
    for i in range(3):
        difference[i] = end[i, 3] - start[i, 3]
        for k in range(3):
            turn[i, k] = end[i, 0] * start[k, 0] + end[i, 1] * start[k, 1] + end[i, 2] * start[k, 2]
    rotation_vector(turn, difference[3:6])


@kernel
def _curve(mem: Block, frame: int, rows: Floats, error: Floats) -> None:
    """Add to `curvature` how strongly the path of the frame bends against what is missing.

    The true second derivative of ½·|missing|² has, besides JᵀJ, the bending of the paths times what is missing. Row
    sums of its size on the diagonal bound it from above, so a step never overshoots: targets out of reach are
    approached without a tremble, and close ones, where nearly nothing is missing, are not slowed down.
    """
    curvature, frame_body, joint_kind = at.curvature(mem), at.frame_body(mem), at.joint_kind(mem)
    parents, rotation = at.parents(mem), at.rotation(mem)
    length = at.scale(mem)[0]
    turn = 0.5 * length * length
    i = frame_body[frame]
    while i >= 0:
        if joint_kind[i] == REVOLUTE:
            zx, zy, zz = rotation[i, 0, 2], rotation[i, 1, 2], rotation[i, 2, 2]
            fx, fy, fz = error[1] * zz - error[2] * zy, error[2] * zx - error[0] * zz, error[0] * zy - error[1] * zx
            gx, gy, gz = error[4] * zz - error[5] * zy, error[5] * zx - error[3] * zz, error[3] * zy - error[4] * zx
            j = frame_body[frame]
            while True:
                bend = abs(fx * rows[0, j] + fy * rows[1, j] + fz * rows[2, j])
                bend += turn * abs(gx * rows[3, j] + gy * rows[4, j] + gz * rows[5, j])
                curvature[i] += bend
                if j == i:
                    break
                curvature[j] += bend
                j = parents[j]
        i = parents[i]


@kernel
def _weigh(mem: Block, axes: int, is_pose: bool, row: int) -> int:
    """Weigh rotations, and keep only the axes that count; returns the next row."""
    order, row_of_pose, task_advance = at.order(mem), at.row_of_pose(mem), at.task_advance(mem)
    task_error, task_matrix = at.task_error(mem), at.task_matrix(mem)
    length = at.scale(mem)[0]
    kept = row
    for i in range(6):
        if axes & (1 << i):
            weight = 1.0 if i < 3 else length
            for j in range(order.size):
                task_matrix[kept, j] = weight * task_matrix[row + i, j]
            task_error[kept] = weight * task_error[row + i]
            task_advance[kept] = weight * task_advance[row + i]
            row_of_pose[kept] = 1 if is_pose else 0
            kept += 1
    return kept


@kernel
def pose_errors(mem: Block, count: int, errors: Floats) -> None:
    """Largest distance [m] and angle [rad] of first-level poses from what is wanted, where the bodies are."""
    poses, position, rotation, task_axes = at.poses(mem), at.position(mem), at.rotation(mem), at.task_axes(mem)
    task_error, task_kind, task_level = at.task_error(mem), at.task_kind(mem), at.task_level(mem)
    task_place, task_value = at.task_place(mem), at.task_value(mem)
    errors[0], errors[1] = 0.0, 0.0
    for task in range(count):
        if task_kind[task] == POSE and task_level[task] == 0:
            frame_pose(mem, task_place[task], rotation, position, poses[3])
            difference = task_error[:6]
            pose_difference(mem, poses[3], task_value[task], difference)
            along, about = 0.0, 0.0
            for i in range(3):
                if task_axes[task] & (1 << i):
                    along += difference[i] ** 2
                if task_axes[task] & (8 << i):
                    about += difference[3 + i] ** 2
            errors[0] = max(errors[0], math.sqrt(along))
            errors[1] = max(errors[1], math.sqrt(about))
