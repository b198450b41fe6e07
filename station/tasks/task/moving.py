"""A task moves with its work-piece: the tool's path is kept in the frame that was calibrated anew."""

from __future__ import annotations

import numpy as np

from station.kernel.so3 import angle_between
from station.mechanism import Mechanism
from station.tasks.task.binding import Calibration, check_pose
from station.tasks.task.errors import TaskError
from station.tasks.task.joints import driven_joints, tool_path, whole_path
from station.tasks.task.model import Reference, Task, changed

METRES, RADIANS = 1e-5, 1e-5  # of the tool from where it belongs, at most
AIM = 1e-11  # at which the search for it ends [m, rad]: what is left is differenced thrice for the jerk
JUMP = 5.0  # times a joint may move further between two samples than before, and
LEAST_JUMP = 0.01  # this much is no jump in any case [rad | m]


def moved(task: Task, mechanism: Mechanism, calibration: Calibration) -> Task:
    """The task for another place of its frame, with the id of that calibration; raises a TaskError where it cannot be.

    A calibration that knows nothing of the frame leaves the joints as they are. The mechanism is moved.
    """
    reference = task.reference
    if reference is None:
        raise TaskError(f"task {task.name} belongs to no frame; allowed: one that was rehearsed with --reference")
    if reference.name not in calibration.frames:
        known = ", ".join(calibration.frames) or "none"
        raise TaskError(f"calibration {calibration.id!r} has no frame {reference.name!r}; there are: {known}")
    pose = np.array(calibration.frames[reference.name], dtype=np.float64)
    check_pose(f"frame {reference.name!r}", pose)
    change = pose @ np.linalg.inv(reference.pose)
    new = changed(task, calibration=calibration.id, reference=Reference(reference.name, pose))
    if np.abs(change - np.eye(4)).max() < 1e-12:
        return new
    return changed(new, q=_followed(task, mechanism, change))


def how_far(before: Task, after: Task) -> str:
    """How far a task was moved with its frame, for a person."""
    assert before.reference is not None
    assert after.reference is not None
    old, new = before.reference.pose, after.reference.pose
    turn = np.degrees(angle_between(old, new))
    way = 1000.0 * np.linalg.norm(new[:3, 3] - old[:3, 3])
    return f"moved with {before.reference.name} by {way:.2f} mm and {turn:.2f}°"


def _followed(task: Task, mechanism: Mechanism, change: np.ndarray) -> np.ndarray:
    """Driven joints that bring the tool where it belongs, sample by sample."""
    driven = driven_joints(mechanism)
    whole = whole_path(mechanism, task.q).q
    targets = change @ tool_path(mechanism, task.frame, whole)
    mechanism.q = whole[0]
    q = np.empty_like(task.q)
    largest = np.maximum(JUMP * np.abs(np.diff(task.q, axis=0)).max(axis=0), LEAST_JUMP)
    for sample, target in enumerate(targets):
        if sample and not np.any(task.q[sample] - task.q[sample - 1]):
            q[sample] = q[sample - 1]
            continue
        reached = mechanism.reach(task.frame, target, metres=AIM, radians=AIM, restarts=100 if sample == 0 else 0)
        time = sample * task.period
        if reached.position_error > METRES or reached.rotation_error > RADIANS:
            raise TaskError(
                f"task {task.name} cannot be moved with {task.reference.name if task.reference else 'its frame'}: "
                f"at {time:.3f} s the tool stays {1000.0 * reached.position_error:.1f} mm and "
                f"{np.degrees(reached.rotation_error):.2f}° away"
            )
        q[sample] = reached.q[driven]
        if sample and (np.abs(q[sample] - q[sample - 1]) > largest).any():
            raise TaskError(f"task {task.name} cannot be moved: at {time:.3f} s the arm would have to turn over")
    return q
