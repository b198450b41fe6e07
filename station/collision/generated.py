"""Bodies for links that show none: bars from joint to joint, so that every robot can touch something."""

from __future__ import annotations

import math

import numpy as np

from station.collision.results import Floats
from station.collision.solids import Solid, capsule, sphere
from station.mad.placement import Pose, from_parameters, in_predecessor
from station.mad.scene import BASE_ID, Base, Frame, Link, Robot
from station.mad.units import JointType

THICKNESS = 0.12  # radius of a bar, in typical lengths of the robot …
SLENDERNESS = 0.3  # … and at most, in its own length
TIP = 0.05  # radius of the ball where a robot ends, in typical lengths
SHORTEST = 1e-6  # length that is something [m]


def generated_solids(robot: Robot, item: Base | Link | Frame, name: str, size: float) -> list[Solid]:
    """Bars from the origin of a link to whatever stands on it, and a ball where nothing does.

    Args:
        robot: to which it belongs.
        item: the base or a link.
        name: for people.
        size: typical length of the robot [m].
    """
    number = BASE_ID if isinstance(item, Base) else item.id
    carried = [other for other in robot.placed() if other.pred == number]
    ends = [_foot(other) for other in carried]
    if isinstance(item, Link) and item.joint is JointType.PRISMATIC:
        ends.append(np.array([0.0, 0.0, -item.initial]))  # the rod, back to where it slides out
    solids: list[Solid] = []
    done: list[Floats] = []
    for end in ends:
        length = float(np.linalg.norm(end))
        if length > SHORTEST and all(np.linalg.norm(end - other) > SHORTEST for other in done):
            done.append(end)
            radius = min(THICKNESS * size, SLENDERNESS * length)
            solids.append(capsule(name, radius, length, frame=number, pose=_along(end), generated=True))
    if not any(isinstance(other, Link) for other in carried) and isinstance(item, Link):
        tips = [in_predecessor(other) for other in carried] or [np.eye(4)]
        solids += [sphere(name, TIP * size, frame=number, pose=tip, generated=True) for tip in _apart(tips)]
    return solids


def _foot(item: Link | Frame) -> Floats:
    """Where something stands on its predecessor: of a slider, where it begins to slide."""
    if isinstance(item, Link) and item.joint is JointType.PRISMATIC:
        return from_parameters(item.parameters._replace(r=0.0))[:3, 3]
    return in_predecessor(item)[:3, 3]


def _apart(poses: list[Pose]) -> list[Pose]:
    """Poses at different places."""
    kept: list[Pose] = []
    for pose in poses:
        if all(np.linalg.norm(pose[:3, 3] - other[:3, 3]) > SHORTEST for other in kept):
            kept.append(pose)
    return kept


def _along(end: Floats) -> Pose:
    """Frame in the middle between the origin and `end`, z along the line."""
    z = end / np.linalg.norm(end)
    x = np.cross(z, [1.0, 0.0, 0.0] if abs(z[0]) < math.sqrt(0.5) else [0.0, 1.0, 0.0])
    x /= np.linalg.norm(x)
    pose = np.eye(4)
    pose[:3, 0], pose[:3, 1], pose[:3, 2], pose[:3, 3] = x, np.cross(z, x), z, 0.5 * end
    return pose
