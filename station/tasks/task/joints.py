"""From driven joints to the whole robot, and to where its tool is."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from station.controllers.order import joint_name
from station.kernel import Floats1, Floats2, Floats3, Ints, Ints1, entry, kernel
from station.mad.units import JointType
from station.mechanism import Mechanism, MechanismError
from station.mechanism.closures import closure_rows, is_lost
from station.mechanism.memory import MechanismMemory
from station.mechanism.tree import forward, frame_pose
from station.tasks.task.errors import TaskError, TaskMismatchError
from station.tasks.task.model import Floats, Task

OPEN = 1e-7  # a loop that is more than this apart is open [m]
TURNS = 30  # of Newton's method for one sample
CLOSED = 1e-10  # [m]
DAMPING = 1e-13  # of the normal equations, over their largest diagonal: joints that no loop holds stay where they are


class WholePath(NamedTuple):
    """A path of all joints, in the order of the file."""

    q: Floats  # n×joints [rad | m]
    gaps: Floats  # n, what stays open of any loop [m]


def driven_joints(mechanism: Mechanism) -> list[int]:
    """Numbers of the joints that an arm drives."""
    return [number for number, joint in enumerate(mechanism.joints) if joint.active]


def driven_names(mechanism: Mechanism) -> tuple[str, ...]:
    """What they are called on every link."""
    return tuple(joint_name(joint.id, joint.name) for joint in mechanism.joints if joint.active)


def check_joints(task: Task, mechanism: Mechanism) -> None:
    """Raise a TaskMismatchError if a task is not for this robot."""
    names = driven_names(mechanism)
    if task.robot != mechanism.robot.name or task.joints != names:
        raise TaskMismatchError(
            f"task {task.name} is for robot {task.robot} with joints {', '.join(task.joints)}; "
            f"this is {mechanism.robot.name} with {', '.join(names)}"
        )


def independent_joints(mechanism: Mechanism) -> list[int]:
    """As many joints as the robot has freedoms, which together say where all others are.

    Driven before passive, sliding before turning: a file need not say which joints of a loop are driven.
    """
    mem, count = mechanism.memory, len(mechanism.joints)
    if not len(mem.residual):
        return list(range(count))
    closure_rows(mem, mem.q, True)
    rows = np.array(mem.matrix[:, :count])
    least = 1e-6 * max(float(np.abs(rows).max()), 1e-12)
    classes: list[list[int]] = [[], [], []]  # that may follow from others, the likeliest first
    for number, joint in enumerate(mechanism.joints):
        classes[0 if not joint.active else 2 if joint.type is JointType.PRISMATIC else 1].append(number)
    found: list[int] = []
    for columns in classes:
        left = list(columns)
        while left and len(found) < int(mem.closure_rank):
            block = np.abs(rows[:, left])
            row, place = divmod(int(np.argmax(block)), len(left))
            if block[row, place] <= least:
                break
            column = left.pop(place)
            found.append(column)
            rows -= np.outer(rows[:, column] / rows[row, column], rows[row])
            rows[row] = 0.0
    return [number for number in range(count) if number not in found]


def dependent_joints(mechanism: Mechanism) -> Ints:
    """All other joints."""
    free = set(independent_joints(mechanism))
    return np.array([number for number in range(len(mechanism.joints)) if number not in free], dtype=np.int64)


def whole_path(mechanism: Mechanism, q: Floats) -> WholePath:
    """All joints along a path of the driven ones; loops that do not close show in `gaps`.

    Where a path begins, the loops are closed from where the mechanism is; it is moved to the begin of the path.
    """
    driven = driven_joints(mechanism)
    path = np.empty((len(q), len(mechanism.joints)))
    path[:] = start_of(mechanism, q[0], driven)
    path[:, driven] = q
    gaps = np.zeros(len(q))
    passive = np.array([j for j in range(path.shape[1]) if j not in driven], dtype=np.int64)
    if len(mechanism.memory.residual):
        close_path(mechanism.memory, passive, path, gaps)
        mechanism._refresh()
    return WholePath(path, gaps)


def closed_path(mechanism: Mechanism, q: Floats) -> Floats:
    """A path of the driven joints with those that follow from others put right, so that the loops are closed."""
    driven = driven_joints(mechanism)
    if not len(mechanism.memory.residual):
        return q
    path = np.empty((len(q), len(mechanism.joints)))
    path[:] = start_of(mechanism, q[0], driven)
    free = [number for number in independent_joints(mechanism) if number in driven]
    places = [driven.index(number) for number in free]
    path[:, free] = q[:, places]
    gaps = np.zeros(len(q))
    close_path(mechanism.memory, dependent_joints(mechanism), path, gaps)
    mechanism._refresh()
    if not (gaps < OPEN).all():
        raise TaskError(f"the loops of {mechanism.robot.name} do not close along this path")
    return np.ascontiguousarray(path[:, driven])


def start_of(mechanism: Mechanism, q: Floats, driven: list[int]) -> Floats:
    """All joints where a path begins: the mechanism goes there, as far as its stops and loops allow."""
    whole = mechanism.q
    if not len(mechanism.memory.residual):
        whole[driven] = q
        mechanism.q = whole
        return whole
    strides = max(int(float(np.abs(whole[driven] - q).max()) / 0.05), 1)
    for share in np.linspace(0.0, 1.0, strides + 1)[1:]:  # not to end in another assembly of the loops
        step = whole.copy()
        step[driven] = (1.0 - share) * whole[driven] + share * q
        try:
            mechanism.q = step
        except MechanismError as error:
            raise TaskError(
                f"the task begins where the loops of {mechanism.robot.name} do not close: {error}"
            ) from None
    return mechanism.q


def tool_path(mechanism: Mechanism, frame: int, whole: Floats) -> Floats:
    """Poses n×4×4 of a frame along a path of all joints [m]."""
    poses = np.zeros((len(whole), 4, 4))
    poses[:, 3, 3] = 1.0
    frame_path(mechanism.memory, mechanism.frame_number(frame), np.ascontiguousarray(whole), poses)
    return poses


# Passive joints of a robot with loops, from the driven ones: Newton steps, sample by sample -----------------------


@kernel
def factor(m: Floats2, size: int) -> None:
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
def solve(m: Floats2, size: int, x: Floats1) -> None:
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
def normal_matrix(mem: MechanismMemory, passive: Ints1, m: Floats2) -> None:
    """Factor of the normal equations of the passive joints, from the closure rows."""
    rows = mem.matrix
    for i in range(passive.size):
        for j in range(i + 1):
            total = 0.0
            for row in range(rows.shape[0]):
                total += rows[row, passive[i]] * rows[row, passive[j]]
            m[i, j] = m[j, i] = total
    factor(m, passive.size)


@kernel
def _largest_residual(mem: MechanismMemory) -> float:
    """Of all closure rows [m]."""
    residual, largest = mem.residual, 0.0
    for row in range(residual.size):
        largest = max(largest, abs(residual[row]))
    return largest


@kernel
def _close_loops(mem: MechanismMemory, passive: Ints1, q: Floats1, m: Floats2, x: Floats1) -> float:
    """Move the passive joints until the loops are closed; what stays open [m]. `m` and `x` are scratch."""
    rotation, position = mem.rotation, mem.position
    rows, residual = mem.matrix, mem.residual
    before, gap = math.inf, math.inf
    for _ in range(TURNS):
        forward(mem, q, rotation, position)
        closure_rows(mem, q, True)
        gap = _largest_residual(mem)
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
    if mem.strained and not is_lost(mem):
        return 0.0  # as well closed as its parts allow
    return gap


@entry
def close_path(mem: MechanismMemory, passive: Ints1, path: Floats2, gaps: Floats1) -> None:
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
        gaps[sample] = _close_loops(mem, passive, q, m, x)
        for i in range(passive.size):
            path[sample, passive[i]] = q[passive[i]]


@entry
def frame_path(mem: MechanismMemory, frame: int, path: Floats2, poses: Floats3) -> None:
    """Poses, n×3×4 or n×4×4, of a frame along a path of all joints [m]."""
    rotation, position = np.zeros_like(mem.rotation), np.zeros_like(mem.position)
    for sample in range(path.shape[0]):
        forward(mem, path[sample], rotation, position)
        frame_pose(mem, frame, rotation, position, poses[sample])
