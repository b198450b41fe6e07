"""Passive joints of a robot with loops: how they follow the driven ones, and what these feel of them."""

from __future__ import annotations

import math

import numpy as np

from sim_devices.arm.kernels.cache import Floats, Ints, kernel

DAMPED = 1e-9  # of the trace: passive joints that the closures leave free stay where they are


@kernel
def normal_equations(rows: Floats, driven: Ints, passive: Ints, normal: Floats, right: Floats) -> None:
    """J_pᵀ·J_p (lower half) and -J_pᵀ·J_a of the rows of closures."""
    trace = 0.0
    for row in range(rows.shape[0]):
        for i in range(passive.size):
            value = rows[row, passive[i]]
            if value == 0.0:
                continue
            trace += value * value
            for k in range(i + 1):
                normal[i, k] += value * rows[row, passive[k]]
            for k in range(driven.size):
                right[i, k] -= value * rows[row, driven[k]]
    for i in range(passive.size):
        normal[i, i] += DAMPED * max(trace, 1e-12)


@kernel
def solve(normal: Floats, right: Floats) -> None:
    """normal⁻¹·right into `right`, by Cholesky; `normal` is overwritten."""
    m = normal.shape[0]
    for i in range(m):
        for k in range(i + 1):
            total = normal[i, k]
            for j in range(k):
                total -= normal[i, j] * normal[k, j]
            normal[i, k] = math.sqrt(max(total, 1e-300)) if i == k else total / normal[k, k]
    for column in range(right.shape[1]):
        for i in range(m):
            for j in range(i):
                right[i, column] -= normal[i, j] * right[j, column]
            right[i, column] /= normal[i, i]
        for back in range(m):
            i = m - 1 - back
            for j in range(i + 1, m):
                right[i, column] -= normal[j, i] * right[j, column]
            right[i, column] /= normal[i, i]


@kernel
def felt(
    rows: Floats, full: Floats, bias: Floats, driven: Ints, passive: Ints, inertia: Floats, weight: Floats
) -> None:
    """Inertia and weight that driven joints feel in a robot with loops; `rows` are those of its closures.

    Passive joints follow: J_p·T_p = -J_a in the sense of least squares, and then Tᵀ·M·T and Tᵀ·c.
    """
    n, m = driven.size, passive.size
    normal, follow = np.zeros((m, m)), np.zeros((m, n))
    normal_equations(rows, driven, passive, normal, follow)
    solve(normal, follow)
    for a in range(n):
        weight[a] = bias[driven[a]]
        for b in range(n):
            inertia[a, b] = full[driven[a], driven[b]]
    for i in range(m):
        for a in range(n):
            weight[a] += follow[i, a] * bias[passive[i]]
            carried = full[passive[i], driven[a]]
            total = carried  # M_pa + M_pp·T_p
            for j in range(m):
                total += full[passive[i], passive[j]] * follow[j, a]
            for b in range(n):
                inertia[a, b] += carried * follow[i, b]
                inertia[b, a] += follow[i, b] * total
