"""Quaternions (w, x, y, z) and rotation vectors, as plain tuples: compiled, they live in registers."""

from __future__ import annotations

import math

from station.devices.mapping.kernels.cache import kernel
from station.devices.mapping.kernels.layout import Floats

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


@kernel
def quaternion_of(pose: Floats) -> Quaternion:
    """Of the rotation in a pose; the largest of its four numbers is found first, so nothing small is divided by."""
    a, b, c = pose[0, 0], pose[1, 1], pose[2, 2]
    x, y, z = pose[2, 1] - pose[1, 2], pose[0, 2] - pose[2, 0], pose[1, 0] - pose[0, 1]
    if a + b + c > 0.0:
        return unit((1.0 + a + b + c, x, y, z))
    if a >= b and a >= c:
        return unit((x, 1.0 + a - b - c, pose[0, 1] + pose[1, 0], pose[0, 2] + pose[2, 0]))
    if b >= c:
        return unit((y, pose[0, 1] + pose[1, 0], 1.0 + b - a - c, pose[1, 2] + pose[2, 1]))
    return unit((z, pose[0, 2] + pose[2, 0], pose[1, 2] + pose[2, 1], 1.0 + c - a - b))


@kernel
def unit(q: Quaternion) -> Quaternion:
    """The same of length 1."""
    scale = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale


@kernel
def product(p: Quaternion, q: Quaternion) -> Quaternion:
    """First turn by q, then by p."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@kernel
def difference(p: Quaternion, q: Quaternion) -> Quaternion:
    """The turn that takes q to p."""
    return product(p, (q[0], -q[1], -q[2], -q[3]))


@kernel
def vector_of(q: Quaternion) -> Vector:
    """Rotation vector, the shorter way round [rad]."""
    sine = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    sign = 1.0 if q[0] >= 0.0 else -1.0
    scale = 2.0 * sign * math.atan2(sine, abs(q[0])) / sine if sine > 1e-9 else 2.0 * sign
    return scale * q[1], scale * q[2], scale * q[3]


@kernel
def turn_by(v: Vector) -> Quaternion:
    """Of a rotation vector [rad]."""
    angle = length(v)
    scale = math.sin(0.5 * angle) / angle if angle > 1e-9 else 0.5
    return unit((math.cos(0.5 * angle), scale * v[0], scale * v[1], scale * v[2]))


@kernel
def length(v: Vector) -> float:
    """Of a vector."""
    return math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


@kernel
def shortened(v: Vector, longest: float) -> Vector:
    """The vector, or its beginning of that length."""
    size = length(v)
    scale = longest / size if size > longest else 1.0
    return scale * v[0], scale * v[1], scale * v[2]


@kernel
def write_rotation(q: Quaternion, pose: Floats) -> None:
    """Put a rotation into a pose."""
    for k in range(3):
        pose[0, k], pose[1, k], pose[2, k] = axis_of(q, k)


@kernel
def axis_of(q: Quaternion, k: int) -> Vector:
    """Column k of the rotation matrix: where that axis points."""
    w, x, y, z = q
    if k == 0:
        return 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)
    if k == 1:
        return 2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)
    return 2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)


@kernel
def is_pose(pose: Floats) -> bool:
    """Whether a 4×4 array is a place (within 1000 km) with a right-handed rotation of unit length, to one per cent."""
    for i in range(3):
        square = 0.0
        for k in range(3):
            square += pose[i, k] * pose[i, k]
        if not (abs(square - 1.0) < 0.02 and abs(pose[i, 3]) < 1e6):  # also not a number
            return False
    determinant = (
        pose[0, 0] * (pose[1, 1] * pose[2, 2] - pose[1, 2] * pose[2, 1])
        - pose[0, 1] * (pose[1, 0] * pose[2, 2] - pose[1, 2] * pose[2, 0])
        + pose[0, 2] * (pose[1, 0] * pose[2, 1] - pose[1, 1] * pose[2, 0])
    )
    return bool(abs(determinant - 1.0) < 0.02)
