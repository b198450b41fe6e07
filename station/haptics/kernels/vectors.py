"""Three numbers at a time, as plain tuples: compiled, they live in registers."""

from __future__ import annotations

import math

from station.devices.mapping.kernels.rotation import Quaternion, Vector
from station.haptics.kernels.cache import kernel
from station.haptics.kernels.layout import Floats


@kernel
def vector_at(numbers: Floats, at: int) -> Vector:
    """Three numbers of an array."""
    return numbers[at], numbers[at + 1], numbers[at + 2]


@kernel
def quaternion_at(numbers: Floats, at: int) -> Quaternion:
    """Four numbers of an array."""
    return numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]


@kernel
def dot(a: Vector, b: Vector) -> float:
    """Product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def minus(a: Vector, b: Vector) -> Vector:
    """The vector from b to a."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel
def plus(a: Vector, b: Vector, scale: float) -> Vector:
    """A + scale·b."""
    return a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2]


@kernel
def times(a: Vector, scale: float) -> Vector:
    """scale·a."""
    return scale * a[0], scale * a[1], scale * a[2]


@kernel
def cross(a: Vector, b: Vector) -> Vector:
    """Vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def size(a: Vector) -> float:
    """Length."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def direction(a: Vector) -> Vector:
    """The same with length 1; zero stays zero."""
    long = size(a)
    return times(a, 1.0 / long) if long > 1e-12 else (0.0, 0.0, 0.0)


@kernel
def turned(q: Quaternion, a: Vector) -> Vector:
    """A vector turned by a unit quaternion."""
    axis = (q[1], q[2], q[3])
    twice = times(cross(axis, a), 2.0)
    return plus(plus(a, twice, q[0]), cross(axis, twice), 1.0)


@kernel
def add(state: Floats, at: int, force: Vector, torque: Vector) -> None:
    """Add a wrench to six numbers of an array."""
    for i in range(3):
        state[at + i] += force[i]
        state[at + 3 + i] += torque[i]
