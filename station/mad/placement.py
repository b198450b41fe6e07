"""Where things are: the transforms that a file's numbers stand for, as 4×4 arrays [m].

This is the plain reference walk of a tree; the servo uses the compiled kernels of `station.mechanism`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from station.mad.scene import BASE_ID, Angles, Frame, Link, Parameters, Robot, Vector
from station.mad.units import JointType

Pose = NDArray[np.float64]


def from_parameters(parameters: Parameters) -> Pose:
    """Pose of a link's frame in its predecessor: Rz(gamma)·Tz(epsil)·Rx(alpha)·Tx(d)·Rz(theta)·Tz(r)."""
    theta, r, alpha, d, gamma, epsil = parameters
    cg, sg = math.cos(gamma), math.sin(gamma)
    ca, sa = math.cos(alpha), math.sin(alpha)
    ct, st = math.cos(theta), math.sin(theta)
    return np.array(
        [
            [cg * ct - sg * ca * st, -cg * st - sg * ca * ct, sg * sa, d * cg + r * sg * sa],
            [sg * ct + cg * ca * st, -sg * st + cg * ca * ct, -cg * sa, d * sg - r * cg * sa],
            [sa * st, sa * ct, ca, r * ca + epsil],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def from_angles(ori: Angles) -> NDArray[np.float64]:
    """3×3 rotation Rz(c)·Ry(b)·Rx(a)."""
    (ca, cb, cc), (sa, sb, sc) = np.cos(ori), np.sin(ori)
    return np.array(
        [
            [cc * cb, cc * sb * sa - sc * ca, cc * sb * ca + sc * sa],
            [sc * cb, sc * sb * sa + cc * ca, sc * sb * ca - cc * sa],
            [-sb, cb * sa, cb * ca],
        ]
    )


def from_position(pos: Vector, ori: Angles) -> Pose:
    """Pose of a frame in its predecessor: translation by `pos`, then Rz(c)·Ry(b)·Rx(a)."""
    pose = np.eye(4)
    pose[:3, :3] = from_angles(ori)
    pose[:3, 3] = pos
    return pose


def angles_of(pose: Pose) -> Angles:
    """The angles a, b, c of a pose [rad]: rotation Rz(c)·Ry(b)·Rx(a)."""
    across = math.hypot(pose[0, 0], pose[1, 0])
    b = math.atan2(-pose[2, 0], across)
    if across > 1e-9:
        return Angles(math.atan2(pose[2, 1], pose[2, 2]), b, math.atan2(pose[1, 0], pose[0, 0]))
    return Angles(math.atan2(-pose[1, 2], pose[1, 1]), b, 0.0)


def in_predecessor(item: Link | Frame, value: float | None = None) -> Pose:
    """Pose of a link or frame in its predecessor; `value` replaces the initial joint value [rad | m]."""
    if isinstance(item, Frame):
        return from_position(item.pos, item.ori)
    parameters = item.parameters
    if value is not None and item.joint is JointType.REVOLUTE:
        parameters = parameters._replace(theta=value)
    elif value is not None and item.joint is JointType.PRISMATIC:
        parameters = parameters._replace(r=value)
    return from_parameters(parameters)


def world_poses(robot: Robot, joints: Mapping[int, float] | None = None) -> dict[int, Pose]:
    """Pose of every link and frame in the world, by id; `joints` gives joint values by link id [rad | m].

    Closed loops are not closed here: each branch stands where its own joint values put it.
    """
    joints = joints or {}
    items = {item.id: item for item in robot.placed()}
    poses = {BASE_ID: from_position(robot.base.pos, robot.base.ori)}
    for start in items:
        branch = []  # from `start` up to the nearest thing whose pose is known
        at = start
        while at not in poses:
            branch.append(at)
            at = items[at].pred
        for child in reversed(branch):
            poses[child] = poses[items[child].pred] @ in_predecessor(items[child], joints.get(child))
    return poses
