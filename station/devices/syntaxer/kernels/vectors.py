"""Three numbers at a time, as tuples: they live in registers, so nothing is allocated."""

from __future__ import annotations

import math

from station.devices.syntaxer.kernels.cache import kernel
from station.devices.syntaxer.kernels.layout import Floats, Vector


@kernel
def dot(a: Vector, b: Vector) -> float:
    """Inner product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a: Vector, b: Vector) -> Vector:
    """Outer product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def minus(a: Vector, b: Vector) -> Vector:
    """Difference."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel
def plus(a: Vector, b: Vector, times: float) -> Vector:
    """`a` and so many times `b`."""
    return a[0] + times * b[0], a[1] + times * b[1], a[2] + times * b[2]


@kernel
def length(a: Vector) -> float:
    """Euclidean length."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def row(matrix: Floats, i: int) -> Vector:
    """A row of a 3×3 matrix."""
    return matrix[i, 0], matrix[i, 1], matrix[i, 2]


@kernel
def column(matrix: Floats, i: int) -> Vector:
    """A column of a 3×3 matrix."""
    return matrix[0, i], matrix[1, i], matrix[2, i]


@kernel
def three(values: Floats, start: int) -> Vector:
    """Three neighbours of an array."""
    return values[start], values[start + 1], values[start + 2]


@kernel
def turned(rotation: Floats, a: Vector) -> Vector:
    """A vector after a rotation; only the 3×3 part of `rotation` counts."""
    return dot(row(rotation, 0), a), dot(row(rotation, 1), a), dot(row(rotation, 2), a)


@kernel
def solve(matrix: Floats, right: Vector) -> Vector:
    """The x of matrix·x = right, by Cramer's rule; not finite if the matrix is singular."""
    a, b, c = column(matrix, 0), column(matrix, 1), column(matrix, 2)
    determinant = dot(a, cross(b, c))
    x = dot(right, cross(b, c)) / determinant
    y = dot(a, cross(right, c)) / determinant
    return x, y, dot(a, cross(b, right)) / determinant


@kernel
def solve_transposed(matrix: Floats, right: Vector) -> Vector:
    """The x of matrixᵀ·x = right."""
    a, b, c = column(matrix, 0), column(matrix, 1), column(matrix, 2)
    bc, ca, ab = cross(b, c), cross(c, a), cross(a, b)
    determinant = dot(a, bc)
    x = right[0] * bc[0] + right[1] * ca[0] + right[2] * ab[0]
    y = right[0] * bc[1] + right[1] * ca[1] + right[2] * ab[1]
    z = right[0] * bc[2] + right[1] * ca[2] + right[2] * ab[2]
    return x / determinant, y / determinant, z / determinant


@kernel
def unturn(rotation: Floats) -> None:
    """Write the unit matrix."""
    for i in range(3):
        for j in range(3):
            rotation[i, j] = 1.0 if i == j else 0.0


@kernel
def turn(rotation: Floats, vector: Vector) -> None:
    """Turn a rotation further by a rotation vector [rad] about fixed axes, in place."""
    angle = length(vector)
    if angle > 1e-8:
        sine, cosine = math.sin(angle) / angle, 2.0 * (math.sin(0.5 * angle) / angle) ** 2
    else:
        sine, cosine = 1.0, 0.5  # exact to the last digit for angles this small
    for j in range(3):
        before = column(rotation, j)
        once = cross(vector, before)
        after = plus(plus(before, once, sine), cross(vector, once), cosine)
        rotation[0, j], rotation[1, j], rotation[2, j] = after
