"""Smooth motions for targets: from rest, without a jump in acceleration."""

from __future__ import annotations

import numpy as np

from benchmarks.peers.bodies import Array


def eased(x: Array) -> Array:
    """0 for x ≤ 0, 1 for x ≥ 1, minimum-jerk between."""
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(x**3 * (10.0 - 15.0 * x + 6.0 * x**2))


def phase(ticks: int, tick: float, rise: float) -> Array:
    """Time that runs from rest to its usual pace within `rise` [s], at ticks 1 … n."""
    pace = eased(np.arange(ticks, dtype=np.float64) * (tick / rise))
    return np.asarray(np.cumsum(pace) * tick)


def turned(axis_angles: Array) -> Array:
    """Rotation matrices (T, 3, 3) of rotation vectors (T, 3) [rad]."""
    angle = np.linalg.norm(axis_angles, axis=1)[:, None, None]
    axis = axis_angles / np.maximum(angle[:, :, 0], 1e-300)
    cross = np.zeros((len(axis), 3, 3))
    for row, column, sign, component in ((0, 1, -1, 2), (0, 2, 1, 1), (1, 2, -1, 0)):
        cross[:, row, column] = sign * axis[:, component]
        cross[:, column, row] = -sign * axis[:, component]
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross)
