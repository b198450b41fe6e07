"""Points of many observations at once: the pose that fits them."""

from __future__ import annotations

import numpy as np

from calibration.parameters import Floats
from station.kernel.so3 import nearest_rotation


def aligned(points: Floats, images: Floats) -> tuple[Floats, float]:
    """Pose (4, 4) that brings points (n, 3) nearest to their images, and the scale that would fit better."""
    centre, other = points.mean(axis=0), images.mean(axis=0)
    spread = (images - other).T @ (points - centre)
    turn = nearest_rotation(spread)
    size = float(np.sum((points - centre) ** 2))
    scale = float(np.trace(turn.T @ spread)) / size if size > 0.0 else 1.0
    pose = np.eye(4)
    pose[:3, :3] = turn
    pose[:3, 3] = other - turn @ centre
    return pose, scale
