"""A task made of way-points: the tool goes straight from one pose to the next, at rest in each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from station.bench import Bench
from station.kernel.so3 import rotation, rotation_vector
from station.mad.placement import Pose
from station.mechanism import Mechanism, Status
from station.tasks.task.binding import Calibration
from station.tasks.task.clips import Clip, glued, standing
from station.tasks.task.errors import TaskError
from station.tasks.task.hashing import scene_text, text_hash
from station.tasks.task.joints import driven_joints, driven_names
from station.tasks.task.limits import limits_for
from station.tasks.task.model import NOMINAL, Action, Floats, Kind, LinkLoss, Mark, Segment, Task
from station.tasks.task.retime import retimed

STRIDE, TURN = 0.002, 0.01  # of the tool between two places that are solved [m], [rad]
METRES, RADIANS = 1e-5, 1e-5


class Point(NamedTuple):
    """Where the tool goes, how, and what it does there."""

    name: str
    pose: Pose  # 4×4 in the world [m]
    speed: float = 0.1  # of the tool on the way there [m/s]
    contact: float = 0.0  # force that is expected on the way there [N]; 0: nothing is to be touched
    action: Action | None = None
    seconds: float = 1.0  # of the action
    on_link_loss: LinkLoss = LinkLoss.HOLD
    comment: str = ""


def from_points(
    name: str,
    scene: Bench,
    mechanism: Mechanism,
    frame: int | str,
    points: Sequence[Point],
    period: float = 1e-3,
    calibration: Calibration | None = None,
) -> Task:
    """A task from where the mechanism stands through all points; raises a TaskError where one cannot be reached.

    Every stretch is timed within the limits of the scene. The mechanism is moved.
    """
    if scene.file is None or not points:
        raise TaskError(f"task {name}: allowed: a scene from a file, and at least one point")
    text, driven, limits = scene_text(scene.file), driven_joints(mechanism), limits_for(mechanism)
    clips: list[Clip] = []
    whole = mechanism.q
    task = Task(
        name=name,
        robot=mechanism.robot.name,
        joints=driven_names(mechanism),
        frame=mechanism.frame_id(frame),
        period=period,
        q=np.tile(whole[driven], (2, 1)),
        segments=(Segment(0, 1),),
        scene_hash=text_hash(text),
        scene_file=str(scene.file),
        scene_text=text,
        calibration=NOMINAL if calibration is None else calibration.id,
    )
    for point in points:
        mechanism.q = whole
        path, whole = _straight(mechanism, frame, point)
        q = path[:, driven]
        if len(q) > 2:
            kind = Kind.CONTACT if point.contact else Kind.FREE
            segment = Segment(0, len(q) - 1, kind, point.name, point.comment, point.on_link_loss, point.contact)
            plain = Clip(q, (segment,), (Mark(len(q) - 1, point.name, point.comment),))
            timed = retimed(glued(task, [plain]), mechanism, limits, point.speed).task
            clips.append(Clip(timed.q, timed.segments, timed.marks))
        if point.action is not None:
            count = max(round(point.seconds / period), 1)
            clips.append(standing(q[-1], count, Kind.ACTION, name=point.action.word, action=point.action))
    return glued(task, clips)


def _straight(mechanism: Mechanism, frame: int | str, point: Point) -> tuple[Floats, Floats]:
    """All joints along a straight way of the tool, and at its end."""
    start, goal = mechanism.pose(frame), np.asarray(point.pose, dtype=float)
    turn = start[:3, :3].T @ goal[:3, :3]
    vector = rotation_vector(turn)
    length, angle = float(np.linalg.norm(goal[:3, 3] - start[:3, 3])), float(np.linalg.norm(vector))
    if angle > math.pi - 1e-9:
        raise TaskError("half a turn of the tool between two points; allowed: put a point in between")
    count = max(int(np.ceil(max(length / STRIDE, angle / TURN))), 1)
    rows = [mechanism.q]
    for share in np.linspace(0.0, 1.0, count + 1)[1:]:
        pose = np.eye(4)
        pose[:3, :3] = start[:3, :3] @ rotation(share * vector)
        pose[:3, 3] = (1.0 - share) * start[:3, 3] + share * goal[:3, 3]
        reached = mechanism.reach(frame, pose, metres=METRES, radians=RADIANS, restarts=0)
        if reached.status is not Status.OK or np.abs(reached.q - rows[-1]).max() > 0.2:
            far, part = 1000.0 * reached.position_error, f"{100.0 * share:.0f} % of the way"
            raise TaskError(f"point {point.name!r}: the tool leaves the straight way after {part}, {far:.1f} mm off")
        rows.append(reached.q)
    return np.array(rows), rows[-1]
