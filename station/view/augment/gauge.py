"""Gauges: tubes along an arc or a line, of which a part is filled."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from station.view.geometry.mesh import EMPTY, Colour, Mesh, mesh_of, unit

Floats = NDArray[np.float64]
SIDES = 6  # of a tube
STEP = math.radians(9.0)  # from ring to ring along an arc
TURN_WIDER = 0.25  # how much wider an arc is after a whole turn, so that it does not run into itself


def arc_points(centre: Floats, x: Floats, y: Floats, radius: float, start: float, end: float) -> Floats:
    """Places along an arc in the plane of x and y from one angle to another [rad], a spiral beyond a turn [m]."""
    count = max(2, math.ceil(abs(end - start) / STEP) + 1)
    angles = np.linspace(start, end, count)[:, None]
    wider = radius * (1.0 + TURN_WIDER * angles / (2.0 * math.pi))
    return np.asarray(centre + wider * (np.cos(angles) * x + np.sin(angles) * y))


def tube(points: Floats, radius: float, colour: Colour) -> Mesh:
    """A tube of that radius along places (n, 3) [m]; nothing if they have no length."""
    steps = np.diff(points, axis=0)
    real = np.linalg.norm(steps, axis=1) > 1e-9
    if not real.any():
        return EMPTY
    points = np.concatenate([points[:1], points[1:][real]])
    steps = unit(np.diff(points, axis=0))
    ahead = unit(np.concatenate([steps[:1], steps[:-1] + steps[1:], steps[-1:]]))
    other = np.eye(3)[np.argmin(np.abs(ahead[len(ahead) // 2]))]
    side = unit(np.cross(other, ahead))
    up = np.cross(ahead, side)
    turn = np.linspace(0.0, 2.0 * math.pi, SIDES, endpoint=False)
    normals = np.cos(turn)[None, :, None] * side[:, None] + np.sin(turn)[None, :, None] * up[:, None]
    rings = points[:, None] + radius * normals
    k, j = np.meshgrid(np.arange(len(points) - 1), np.arange(SIDES), indexing="ij")
    a, b = SIDES * k + j, SIDES * k + (j + 1) % SIDES
    faces = np.concatenate(
        [
            np.stack([a, b, b + SIDES], axis=-1).reshape(-1, 3),
            np.stack([a, b + SIDES, a + SIDES], axis=-1).reshape(-1, 3),
        ]
    )
    return mesh_of(rings, normals, faces, colour)
