"""URDF text of a tree of bodies (loops are not part of URDF: workers close them by their own means)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from benchmarks.peers.bodies import FIXED, WORLD, Array, Body

UNLIMITED = 1e3  # stands for 'no limit' where URDF wants a number [rad | m, and per s]
INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'


def urdf(name: str, bodies: Sequence[Body]) -> str:
    """One link per body; the joint that carries body `n7` is called `n7_joint`: pinocchio wants different names."""
    parts = [f'<robot name="{name}">', f'<link name="{WORLD}"/>']
    for body in bodies:
        parts += [f'<link name="{body.name}">{INERTIAL}</link>', _joint(body)]
    return "\n".join([*parts, "</robot>"])


def _joint(body: Body) -> str:
    origin = np.array(body.origin)
    turn = " ".join(map(repr, angles(origin)))
    place = " ".join(repr(float(value)) for value in origin[:3, 3])
    lines = f'<origin xyz="{place}" rpy="{turn}"/><parent link="{body.parent}"/><child link="{body.name}"/>'
    if body.joint != FIXED:
        low, high = max(body.lower, -UNLIMITED), min(body.upper, UNLIMITED)
        speed = min(body.speed, UNLIMITED)
        lines += f'<axis xyz="0 0 1"/><limit lower="{low!r}" upper="{high!r}" velocity="{speed!r}" effort="1000"/>'
    return f'<joint name="{body.name}_joint" type="{body.joint}">{lines}</joint>'


def angles(pose: Array) -> tuple[float, float, float]:
    """Roll, pitch, yaw of a pose: rotation Rz(yaw)·Ry(pitch)·Rx(roll) [rad]."""
    rotation = pose[:3, :3].tolist()
    flat = math.hypot(rotation[0][0], rotation[1][0])
    pitch = math.atan2(-rotation[2][0], flat)
    if flat < 1e-9:  # looking straight up or down: yaw is free
        return math.atan2(-rotation[1][2], rotation[1][1]), pitch, 0.0
    return math.atan2(rotation[2][1], rotation[2][2]), pitch, math.atan2(rotation[1][0], rotation[0][0])
