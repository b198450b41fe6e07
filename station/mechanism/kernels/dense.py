"""Small dense linear algebra on the leading n×n part of arrays."""

from __future__ import annotations

import math

from station.mechanism.kernels.cache import kernel
from station.mechanism.kernels.memory import Floats


@kernel
def cholesky(matrix: Floats, n: int, lower: Floats) -> bool:
    """Factorise a matrix into L·Lᵀ, L written into `lower`; False if it is not positive definite."""
    for i in range(n):
        for j in range(i + 1):
            value = matrix[i, j]
            for k in range(j):
                value -= lower[i, k] * lower[j, k]
            if i == j:
                if not value > 0.0:
                    return False
                lower[i, i] = math.sqrt(value)
            else:
                lower[i, j] = value / lower[j, j]
    return True


@kernel
def cholesky_solve(lower: Floats, n: int, right: Floats, x: Floats) -> None:
    """Solve L·Lᵀ·x = right; `x` may be `right`."""
    for i in range(n):
        value = right[i]
        for k in range(i):
            value -= lower[i, k] * x[k]
        x[i] = value / lower[i, i]
    for i in range(n - 1, -1, -1):
        value = x[i]
        for k in range(i + 1, n):
            value -= lower[k, i] * x[k]
        x[i] = value / lower[i, i]


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
