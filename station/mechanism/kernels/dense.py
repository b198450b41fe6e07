"""Small dense linear algebra on the leading n×n part of arrays."""

from __future__ import annotations

import math

from station.mechanism.kernels.cache import kernel
from station.mechanism.kernels.memory import Floats


@kernel
def cholesky(matrix: Floats, n: int, lower: Floats) -> bool:
    """Factorise a matrix into L·Lᵀ, L written into `lower`; False if it is not positive definite.

    The diagonal of `lower` holds 1 / L[i, i]: a division takes as long as ten multiplications, and every use divides.
    """
    for i in range(n):
        for j in range(i):
            value = matrix[i, j]
            for k in range(j):
                value -= lower[i, k] * lower[j, k]
            lower[i, j] = value * lower[j, j]
        value = matrix[i, i]
        for k in range(i):
            value -= lower[i, k] * lower[i, k]
        if not value > 0.0:
            return False
        lower[i, i] = 1.0 / math.sqrt(value)
    return True


@kernel
def cholesky_solve(lower: Floats, n: int, right: Floats, x: Floats) -> None:
    """Solve L·Lᵀ·x = right; `x` may be `right`."""
    for i in range(n):
        value = right[i]
        for k in range(i):
            value -= lower[i, k] * x[k]
        x[i] = value * lower[i, i]
    for i in range(n - 1, -1, -1):
        value = x[i]
        for k in range(i + 1, n):
            value -= lower[k, i] * x[k]
        x[i] = value * lower[i, i]


@kernel
def cholesky_solve_two(lower: Floats, n: int, right: Floats, other: Floats, x: Floats, y: Floats) -> None:
    """Solve L·Lᵀ·x = right and L·Lᵀ·y = other at once: neither waits for the other, so it is nearly as quick as one."""
    for i in range(n):
        a, b = right[i], other[i]
        for k in range(i):
            a -= lower[i, k] * x[k]
            b -= lower[i, k] * y[k]
        x[i], y[i] = a * lower[i, i], b * lower[i, i]
    for i in range(n - 1, -1, -1):
        a, b = x[i], y[i]
        for k in range(i + 1, n):
            a -= lower[k, i] * x[k]
            b -= lower[k, i] * y[k]
        x[i], y[i] = a * lower[i, i], b * lower[i, i]


@kernel
def symmetric_eigenvalues(matrix: Floats, n: int) -> None:
    """Eigenvalues onto the diagonal of a symmetric matrix, which is destroyed (Jacobi's method)."""
    for _ in range(12):
        off, size = 0.0, 0.0
        for i in range(n):
            size += matrix[i, i] ** 2
            for j in range(i):
                off += matrix[i, j] ** 2
        if off <= 1e-20 * size:
            return
        for p in range(n - 1):
            for q in range(p + 1, n):
                if matrix[p, q] != 0.0:
                    _rotate(matrix, n, p, q)


@kernel
def _rotate(matrix: Floats, n: int, p: int, q: int) -> None:
    """One Jacobi rotation that clears element (p, q)."""
    ratio = (matrix[q, q] - matrix[p, p]) / (2.0 * matrix[p, q])
    t = 1.0 / (abs(ratio) + math.sqrt(ratio * ratio + 1.0))
    if ratio < 0.0:
        t = -t
    c = 1.0 / math.sqrt(t * t + 1.0)
    s = t * c
    for k in range(n):
        a, b = matrix[k, p], matrix[k, q]
        matrix[k, p], matrix[k, q] = c * a - s * b, s * a + c * b
    for k in range(n):
        a, b = matrix[p, k], matrix[q, k]
        matrix[p, k], matrix[q, k] = c * a - s * b, s * a + c * b
