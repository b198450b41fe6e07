"""From driven joints to the whole robot, and to where its tool is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from station.controllers.order import joint_name
from station.mad.units import JointType
from station.mechanism import Mechanism, MechanismError
from station.mechanism.kernels.closures import closure_rows
from station.mechanism.kernels.memory import Ints
from station.tasks.task.errors import TaskError, TaskMismatchError
from station.tasks.task.kernels.loops import close_path, frame_path
from station.tasks.task.model import Floats, Task

OPEN = 1e-7  # a loop that is more than this apart is open [m]


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
    mem, count = mechanism._mem, len(mechanism.joints)
    if not len(mem.residual):
        return list(range(count))
    closure_rows(mem.block, mem.q, True)
    rows = np.array(mem.matrix[:, :count])
    least = 1e-6 * max(float(np.abs(rows).max()), 1e-12)
    classes: list[list[int]] = [[], [], []]  # that may follow from others, the likeliest first
    for number, joint in enumerate(mechanism.joints):
        classes[0 if not joint.active else 2 if joint.type is JointType.PRISMATIC else 1].append(number)
    found: list[int] = []
    for columns in classes:
        left = list(columns)
        while left and len(found) < int(mem.closure_rank[0]):
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
    if len(mechanism._mem.residual):
        close_path(mechanism.block, passive, path, gaps)
        mechanism._refresh()
    return WholePath(path, gaps)


def closed_path(mechanism: Mechanism, q: Floats) -> Floats:
    """A path of the driven joints with those that follow from others put right, so that the loops are closed."""
    driven = driven_joints(mechanism)
    if not len(mechanism._mem.residual):
        return q
    path = np.empty((len(q), len(mechanism.joints)))
    path[:] = start_of(mechanism, q[0], driven)
    free = [number for number in independent_joints(mechanism) if number in driven]
    places = [driven.index(number) for number in free]
    path[:, free] = q[:, places]
    gaps = np.zeros(len(q))
    close_path(mechanism.block, dependent_joints(mechanism), path, gaps)
    mechanism._refresh()
    if not (gaps < OPEN).all():
        raise TaskError(f"the loops of {mechanism.robot.name} do not close along this path")
    return np.ascontiguousarray(path[:, driven])


def start_of(mechanism: Mechanism, q: Floats, driven: list[int]) -> Floats:
    """All joints where a path begins: the mechanism goes there, as far as its stops and loops allow."""
    whole = mechanism.q
    if not len(mechanism._mem.residual):
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
    frame_path(mechanism.block, mechanism.frame_number(frame), np.ascontiguousarray(whole), poses)
    return poses
