"""Poses and how they differ. A pose is a 4×4 array, or its upper 3×4 part: a rotation matrix, and a place [m].

Named as `a_from_b`, a pose takes what is known in b to a. Differences of poses and twists are six numbers, linear
first, angular then, in world axes.
"""

from __future__ import annotations

import numpy as np

from station.kernel.kernel import entry, kernel
from station.kernel.so3 import applied, applied_back, write_vector
from station.kernel.types import Floats, Floats1, Floats2
from station.kernel.vectors import Vector, column, minus, plus


@kernel
def placed(pose: Floats2, point: Vector) -> Vector:
    """A point of a frame, in the world [m]."""
    return plus(applied(pose, point), column(pose, 3), 1.0)


@kernel
def placed_back(pose: Floats2, point: Vector) -> Vector:
    """A point of the world, in a frame [m]."""
    return applied_back(pose, minus(point, column(pose, 3)))


@entry(inline=True)
def relative(a: Floats2, b: Floats2, rotation: Floats2, position: Floats1) -> None:
    """The pose of a in b, b⁻¹·a, in two pieces."""
    for k in range(3):
        rotation[0, k], rotation[1, k], rotation[2, k] = applied_back(b, column(a, k))
    position[0], position[1], position[2] = placed_back(b, column(a, 3))


@entry(inline=True)
def write_difference(start: Floats2, end: Floats2, turn: Floats2, difference: Floats1) -> None:
    """Translation and rotation vector that take one pose to another, world axes [m, rad]; `turn` (3×3) is scratch."""
    for i in range(3):
        difference[i] = end[i, 3] - start[i, 3]
        for k in range(3):
            turn[i, k] = end[i, 0] * start[k, 0] + end[i, 1] * start[k, 1] + end[i, 2] * start[k, 2]
    write_vector(turn, difference[3:6])


def difference(start: Floats, end: Floats) -> Floats:
    """Translation and rotation vector that take one pose to another, world axes [m, rad]; for Python."""
    out = np.empty(6)
    write_difference(np.ascontiguousarray(start), np.ascontiguousarray(end), np.empty((3, 3)), out)
    return out


def inverse(poses: Floats) -> Floats:
    """Inverses of poses (…, 4, 4); for Python."""
    result = np.zeros_like(poses)
    back = np.swapaxes(poses[..., :3, :3], -1, -2)
    result[..., :3, :3] = back
    result[..., :3, 3] = -(back @ poses[..., :3, 3:])[..., 0]
    result[..., 3, 3] = 1.0
    return result
