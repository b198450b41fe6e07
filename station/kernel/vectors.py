"""Three numbers at a time, as plain tuples: compiled, they live in registers, and nothing is allocated."""

from __future__ import annotations

import math

from station.kernel.kernel import entry, kernel
from station.kernel.types import Floats, Floats2

Vector = tuple[float, float, float]


@kernel
def as_vector(numbers: Floats) -> Vector:
    """The first three numbers of an array."""
    return numbers[0], numbers[1], numbers[2]


@kernel
def three(numbers: Floats, start: int) -> Vector:
    """Three neighbours of an array."""
    return numbers[start], numbers[start + 1], numbers[start + 2]


@kernel
def row(matrix: Floats, i: int) -> Vector:
    """A row of a matrix."""
    return matrix[i, 0], matrix[i, 1], matrix[i, 2]


@kernel
def column(matrix: Floats, i: int) -> Vector:
    """A column of a matrix; of a pose, column 3 is its place."""
    return matrix[0, i], matrix[1, i], matrix[2, i]


@kernel
def dot(a: Vector, b: Vector) -> float:
    """Inner product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a: Vector, b: Vector) -> Vector:
    """Vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


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
def length(a: Vector) -> float:
    """Euclidean length."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def direction(a: Vector) -> Vector:
    """The same with length 1; zero stays zero."""
    long = length(a)
    return times(a, 1.0 / long) if long > 1e-12 else (0.0, 0.0, 0.0)


@kernel
def shortened(a: Vector, longest: float) -> Vector:
    """The vector, or its beginning of that length."""
    size = length(a)
    return times(a, longest / size if size > longest else 1.0)


@entry(inline=True)
def solve(matrix: Floats2, right: Vector) -> Vector:
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
