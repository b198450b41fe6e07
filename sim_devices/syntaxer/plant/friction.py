"""Dry friction that really sticks: rates after a kick with friction taken into account, not added to it.

The rates after a kick minimise ½·uᵀ·A·u - bᵀ·u + Σ Lᵢ·|uᵢ|, L being the most impulse that friction can give. This is
convex and its answer is exact: a joint whose friction can hold it has a rate of exactly zero, and no sign flips to and
fro. If it is known who sticks and who slides which way, it is a linear system; who does mostly stays as it was.
"""

from __future__ import annotations

import math

from sim_devices.syntaxer.plant.cache import kernel
from sim_devices.syntaxer.plant.memory import AFTER, FACTOR, LIMITS, RIGHT, SCRATCH, SYSTEM
from station.devices.syntaxer.kernels.layout import Floats

ATTEMPTS = 12
SWEEPS = 3  # of improving the guess between two attempts
HAIR = 1e-9  # of the limit: a joint at the edge of sliding may stick


@kernel
def sliding(work: Floats) -> int:
    """Improve AFTER to the answer; signs in it are the first guess. Returns how many attempts it took."""
    for attempt in range(ATTEMPTS):
        solve_as_guessed(work)
        if fits(work):
            for i in range(6):
                work[AFTER, i] = work[SCRATCH, i]
            return attempt + 1
        descend(work, SWEEPS)
    descend(work, 10 * ATTEMPTS)  # never needed so far; always nearer, whatever comes
    return ATTEMPTS + 1


@kernel
def sign(value: float) -> float:
    """Of a number: -1, 0 or 1."""
    return 1.0 if value > 0.0 else (-1.0 if value < 0.0 else 0.0)


@kernel
def solve_as_guessed(work: Floats) -> None:
    """Rates if those that are zero stick and all others slide on the way they go: by Cholesky."""
    for i in range(6):
        stuck = work[AFTER, i] == 0.0
        for j in range(i + 1):
            unit = 1.0 if i == j else 0.0
            total = unit if stuck or work[AFTER, j] == 0.0 else work[SYSTEM + i, j]
            for k in range(j):
                total -= work[FACTOR + i, k] * work[FACTOR + j, k]
            work[FACTOR + i, j] = math.sqrt(total) if i == j else total / work[FACTOR + j, j]
        total = 0.0 if stuck else work[RIGHT, i] - work[LIMITS, i] * sign(work[AFTER, i])
        for k in range(i):
            total -= work[FACTOR + i, k] * work[SCRATCH, k]
        work[SCRATCH, i] = total / work[FACTOR + i, i]
    for back in range(6):
        i = 5 - back
        total = work[SCRATCH, i]
        for k in range(i + 1, 6):
            total -= work[FACTOR + k, i] * work[SCRATCH, k]
        work[SCRATCH, i] = total / work[FACTOR + i, i]


@kernel
def fits(work: Floats) -> bool:
    """Whether what slides goes the way it was guessed and what sticks can be held."""
    for i in range(6):
        if work[AFTER, i] == 0.0:
            held = work[RIGHT, i]
            for j in range(6):
                held -= work[SYSTEM + i, j] * work[SCRATCH, j]
            if not abs(held) <= work[LIMITS, i] * (1.0 + HAIR):
                return False
        elif not (work[SCRATCH, i] * work[AFTER, i] > 0.0 or (work[LIMITS, i] == 0.0)):
            return False
    return True


@kernel
def descend(work: Floats, sweeps: int) -> None:
    """One joint after the other to its best rate."""
    for _ in range(sweeps):
        for i in range(6):
            asked = work[RIGHT, i] + work[SYSTEM + i, i] * work[AFTER, i]
            for j in range(6):
                asked -= work[SYSTEM + i, j] * work[AFTER, j]
            work[AFTER, i] = sign(asked) * max(abs(asked) - work[LIMITS, i], 0.0) / work[SYSTEM + i, i]
