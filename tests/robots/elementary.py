"""Placement out of elementary rotations and translations: what `station.mad.placement` is measured against.

Nothing here uses a formula of the station; a pose is a plain product of 4×4 matrices [m].
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, sin

import numpy as np
from numpy.typing import NDArray

from station.mad.scene import Frame, Link, Robot
from station.mad.units import JointType

Array = NDArray[np.float64]


def turn_x(angle: float) -> Array:
    c, s = cos(angle), sin(angle)
    return np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])


def turn_y(angle: float) -> Array:
    c, s = cos(angle), sin(angle)
    return np.array([[c, 0, s, 0], [0, 1, 0, 0], [-s, 0, c, 0], [0, 0, 0, 1.0]])


def turn_z(angle: float) -> Array:
    c, s = cos(angle), sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])


def move(x: float, y: float, z: float) -> Array:
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def placed(item: Link | Frame, value: float | None = None) -> Array:
    """Pose in the predecessor; `value` replaces the initial joint value [rad | m]."""
    if isinstance(item, Frame):
        return move(*item.pos) @ turn_z(item.ori.c) @ turn_y(item.ori.b) @ turn_x(item.ori.a)
    p = item.parameters
    theta = p.theta if value is None or item.joint is not JointType.REVOLUTE else value
    r = p.r if value is None or item.joint is not JointType.PRISMATIC else value
    before = turn_z(p.gamma) @ move(0, 0, p.epsil) @ turn_x(p.alpha) @ move(p.d, 0, 0)
    return before @ turn_z(theta) @ move(0, 0, r)


def world(robot: Robot, joints: Mapping[int, float]) -> dict[int, Array]:
    """Pose of everything in the world by id, by recursion from each thing up to the base."""
    items = {item.id: item for item in robot.placed()}
    base = robot.base
    done = {0: move(*base.pos) @ turn_z(base.ori.c) @ turn_y(base.ori.b) @ turn_x(base.ori.a)}

    def pose(name: int) -> Array:
        if name not in done:
            done[name] = pose(items[name].pred) @ placed(items[name], joints.get(name))
        return done[name]

    return {name: pose(name) for name in (0, *items)}
