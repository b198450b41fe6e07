"""What the driver computes per sample besides codec and kinematics: counters judged, a pose as six numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from station.compiled import Compiler

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

kernel = Compiler("tick", [Path(__file__)])

ARMS = 3
WORD, HALF = 1 << 32, 1 << 31
FINE, JUMPED, STUCK = 0, 1, 101  # JUMPED + i, STUCK + i: encoder i


@kernel
def unwrap_counts(shown: Floats, counts: Whole) -> None:
    """Counters of 32 bits go round: the whole numbers nearest to the last ones."""
    for i in range(counts.size):
        counts[i] += (int(shown[i]) - counts[i] + HALF) % WORD - HALF


@kernel
def judge(counts: Whole, last: Whole, reach: Floats, slack: float, elapsed: float, travel: Whole, most: int) -> int:
    """FINE, and `last` and `travel` follow; or JUMPED + i, and they stay; or STUCK + i."""
    for i in range(counts.size):
        if abs(counts[i] - last[i]) > reach[i] * max(elapsed, 0.0) + slack:
            return JUMPED + i
    for i in range(ARMS):
        still = counts[i] == last[i]
        for j in range(ARMS):
            travel[i, j] = travel[i, j] + abs(counts[j] - last[j]) if still else 0
    for i in range(counts.size):
        last[i] = counts[i]
    for i in range(ARMS):
        least = most + 1
        for j in range(ARMS):
            if j != i:
                least = min(least, travel[i, j])
        if least > most:
            return STUCK + i
    return FINE


@kernel
def place_of(pose: Floats, place: Floats) -> None:
    """Position [m] and rotation vector [rad] of a pose turned by less than a quarter turn."""
    x, y, z = pose[2, 1] - pose[1, 2], pose[0, 2] - pose[2, 0], pose[1, 0] - pose[0, 1]
    sine = 0.5 * np.sqrt(x * x + y * y + z * z)
    scale = 0.5 * np.arcsin(min(sine, 1.0)) / sine if sine > 1e-9 else 0.5
    place[0], place[1], place[2] = pose[0, 3], pose[1, 3], pose[2, 3]
    place[3], place[4], place[5] = scale * x, scale * y, scale * z
