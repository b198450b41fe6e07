"""Turns in space: rotation vectors, quaternions (w, x, y, z) and rotation matrices.

    vector      a rotation vector: axis times angle [rad]. Its turn is `turn_by`, the way back (logarithm) `vector_of`,
                of a matrix `write_vector`
    quaternion  four numbers of length 1, w first; q and -q are the same turn
    matrix      its columns are where the axes point; of a pose it is the first three rows and columns

Vectors and quaternions are plain tuples: compiled, they live in registers. Turns are applied as matrices are: of a
product, the right one first. Functions for Python, at the end, take arrays of any number of them.
"""

from __future__ import annotations

import math

import numpy as np

from station.kernel.kernel import entry, kernel
from station.kernel.types import Floats, Floats1, Floats2
from station.kernel.vectors import Vector, column, cross, length, plus, times

Quaternion = tuple[float, float, float, float]


@kernel
def quaternion_of(pose: Floats2) -> Quaternion:
    """Quaternion of the rotation matrix in a pose.

    The largest of its four numbers is found first, so nothing small is divided by.
    """
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
    """The same quaternion of length 1."""
    scale = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale


@kernel
def product(p: Quaternion, q: Quaternion) -> Quaternion:
    """Quaternion product p·q: first turn by q, then by p."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@kernel
def difference(p: Quaternion, q: Quaternion) -> Quaternion:
    """The turn that takes q to p: p·q⁻¹."""
    return product(p, (q[0], -q[1], -q[2], -q[3]))


@kernel
def vector_of(q: Quaternion) -> Vector:
    """Rotation vector of a quaternion, the shorter way round [rad]: the logarithm."""
    sine = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    sign = 1.0 if q[0] >= 0.0 else -1.0
    scale = 2.0 * sign * math.atan2(sine, abs(q[0])) / sine if sine > 1e-9 else 2.0 * sign
    return scale * q[1], scale * q[2], scale * q[3]


@kernel
def turn_by(v: Vector) -> Quaternion:
    """Quaternion of a rotation vector [rad]: the exponential."""
    angle = length(v)
    scale = math.sin(0.5 * angle) / angle if angle > 1e-9 else 0.5
    return unit((math.cos(0.5 * angle), scale * v[0], scale * v[1], scale * v[2]))


@kernel
def as_quaternion(numbers: Floats) -> Quaternion:
    """Four numbers of an array."""
    return numbers[0], numbers[1], numbers[2], numbers[3]


@kernel
def turned(q: Quaternion, a: Vector) -> Vector:
    """A vector turned by a unit quaternion."""
    axis = (q[1], q[2], q[3])
    twice = times(cross(axis, a), 2.0)
    return plus(plus(a, twice, q[0]), cross(axis, twice), 1.0)


@kernel
def applied(matrix: Floats2, v: Vector) -> Vector:
    """A 3×3 matrix times a vector."""
    return (
        matrix[0, 0] * v[0] + matrix[0, 1] * v[1] + matrix[0, 2] * v[2],
        matrix[1, 0] * v[0] + matrix[1, 1] * v[1] + matrix[1, 2] * v[2],
        matrix[2, 0] * v[0] + matrix[2, 1] * v[1] + matrix[2, 2] * v[2],
    )


@kernel
def applied_back(matrix: Floats2, v: Vector) -> Vector:
    """The transpose of a 3×3 matrix times a vector: of a rotation, the turn back."""
    return (
        matrix[0, 0] * v[0] + matrix[1, 0] * v[1] + matrix[2, 0] * v[2],
        matrix[0, 1] * v[0] + matrix[1, 1] * v[1] + matrix[2, 1] * v[2],
        matrix[0, 2] * v[0] + matrix[1, 2] * v[1] + matrix[2, 2] * v[2],
    )


@kernel
def write_rotation(q: Quaternion, pose: Floats2) -> None:
    """Put the rotation matrix of a quaternion into a pose."""
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
def write_identity(rotation: Floats) -> None:
    """Write the rotation that turns nothing."""
    for i in range(3):
        for j in range(3):
            rotation[i, j] = 1.0 if i == j else 0.0


@kernel
def turn_further(rotation: Floats, vector: Vector) -> None:
    """Turn a rotation matrix further by a rotation vector [rad] about fixed axes, in place."""
    angle = length(vector)
    if angle > 1e-8:
        sine, cosine = math.sin(angle) / angle, 2.0 * (math.sin(0.5 * angle) / angle) ** 2
    else:
        sine, cosine = 1.0, 0.5  # exact to the last digit for angles this small
    for j in range(3):
        before = column(rotation, j)
        once = cross(vector, before)
        rotation[0, j], rotation[1, j], rotation[2, j] = plus(plus(before, once, sine), cross(vector, once), cosine)


@entry(inline=True)
def write_vector(matrix: Floats2, vector: Floats1) -> None:
    """Rotation vector of a rotation matrix [rad], up to and including half a turn: the logarithm."""
    x, y, z = matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]
    square = 0.25 * (x * x + y * y + z * z)  # of the sine
    cosine = 0.5 * (matrix[0, 0] + matrix[1, 1] + matrix[2, 2] - 1.0)
    if square < 1e-4 and cosine > 0.0:  # as in most steps: the series of the arc sine, exact to the last digit
        scale = 0.5 + square * (1.0 / 12.0 + square * (3.0 / 80.0 + square * (5.0 / 224.0)))
        vector[0], vector[1], vector[2] = scale * x, scale * y, scale * z
        return
    sine = math.sqrt(square)
    angle = math.atan2(sine, cosine)
    if cosine > -0.9 and sine > 1e-7:  # the latter also of what is no rotation
        scale = 0.5 * angle / sine
        vector[0], vector[1], vector[2] = scale * x, scale * y, scale * z
        return
    # Near half a turn the symmetric part, cos·I + (1 - cos)·axis·axisᵀ, tells the axis, the rest only its sign.
    best = 0
    for k in range(1, 3):
        if matrix[k, k] > matrix[best, best]:
            best = k
    ax = 0.5 * (matrix[0, best] + matrix[best, 0]) - (cosine if best == 0 else 0.0)
    ay = 0.5 * (matrix[1, best] + matrix[best, 1]) - (cosine if best == 1 else 0.0)
    az = 0.5 * (matrix[2, best] + matrix[best, 2]) - (cosine if best == 2 else 0.0)
    scale = angle / length((ax, ay, az))
    if ax * x + ay * y + az * z < 0.0:
        scale = -scale
    vector[0], vector[1], vector[2] = scale * ax, scale * ay, scale * az


@kernel
def write_log_rate(vector: Floats1, k: int, out: Floats1) -> None:
    """Row k of the matrix that takes an angular velocity, about fixed axes, to the rate of the rotation vector."""
    square = vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2
    angle = math.sqrt(square)
    if angle < 1e-4:
        c = 1.0 / 12.0 + square / 720.0
    else:
        c = 1.0 / square - (1.0 + math.cos(angle)) / (2.0 * angle * math.sin(angle))
    # I - ½[v]× + c·[v]×[v]×, row k
    for i in range(3):
        out[i] = c * vector[k] * vector[i]
    out[k] += 1.0 - c * square
    i, j = (k + 1) % 3, (k + 2) % 3
    out[i] += 0.5 * vector[j]
    out[j] -= 0.5 * vector[i]


@entry(inline=True)
def is_pose(pose: Floats2) -> bool:
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


# For Python: any number of turns at once -------------------------------------------------------------------------


def cross_matrix(vectors: Floats) -> Floats:
    """[v]× of vectors (…, 3)."""
    x, y, z = np.moveaxis(vectors, -1, 0)
    zero = np.zeros_like(x)
    flat = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1)
    return flat.reshape(*vectors.shape[:-1], 3, 3)


def rotation(vectors: Floats) -> Floats:
    """Rotation matrices (…, 3, 3) of rotation vectors (…, 3) [rad]."""
    angles = np.linalg.norm(vectors, axis=-1)[..., None, None]
    crossed = cross_matrix(vectors)
    return np.asarray(
        np.eye(3) + np.sinc(angles / np.pi) * crossed + 0.5 * np.sinc(angles / 2.0 / np.pi) ** 2 * (crossed @ crossed)
    )


def rotation_vector(matrices: Floats) -> Floats:
    """Rotation vectors (…, 3) [rad] of rotation matrices, up to and including half a turn: by way of quaternions."""
    m = matrices
    diagonal = np.diagonal(m, axis1=-2, axis2=-1)
    trace = diagonal.sum(axis=-1)
    # Four ways to the quaternion; the one with the largest component loses nothing.
    choices = np.concatenate([trace[..., None], 2.0 * diagonal - trace[..., None]], axis=-1)
    best = np.argmax(choices, axis=-1)
    k = np.empty((*m.shape[:-2], 4, 4))
    k[..., 0, 0] = trace
    k[..., 0, 1:] = np.stack(
        [m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]], axis=-1
    )
    k[..., 1:, 0] = k[..., 0, 1:]
    k[..., 1:, 1:] = m + np.swapaxes(m, -1, -2) - trace[..., None, None] * np.eye(3)
    k += np.eye(4)
    quaternion = np.take_along_axis(k, best[..., None, None], axis=-2)[..., 0, :]
    quaternion /= np.linalg.norm(quaternion, axis=-1, keepdims=True)
    quaternion *= np.where(quaternion[..., :1] < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(quaternion[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, quaternion[..., :1])
    factor = np.where(sine > 1e-12, angle / np.maximum(sine, 1e-300), 2.0)
    return np.asarray(factor * quaternion[..., 1:])


def right_rate(vectors: Floats) -> Floats:
    """How a rotation vector w changes when R(w) is turned from the right by a small vector u: dw = M·u, (…, 3, 3)."""
    angles = np.linalg.norm(vectors, axis=-1)[..., None, None]
    crossed = cross_matrix(vectors)
    half = 0.5 * angles
    small = angles < 1e-4
    safe = np.where(small, 1.0, half)
    factor = np.where(small, 1.0 / 12.0, (1.0 - safe / np.tan(safe)) / np.where(small, 1.0, angles) ** 2)
    return np.asarray(np.eye(3) + 0.5 * crossed + factor * (crossed @ crossed))


def nearest_rotation(matrix: Floats) -> Floats:
    """The rotation nearest to a 3×3 matrix."""
    u, _, v = np.linalg.svd(matrix)
    return np.asarray(u @ np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ v))]) @ v)


def angle_between(a: Floats, b: Floats) -> Floats:
    """Angles [rad] between rotation matrices (…, 3, 3), or the rotations of poses (…, 4, 4)."""
    turn = np.swapaxes(a[..., :3, :3], -1, -2) @ b[..., :3, :3]
    return np.asarray(np.linalg.norm(rotation_vector(turn), axis=-1))
