"""What is under the mouse: a ray against all triangles of a robot, in numpy. No redraw, so it serves hovering too."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.view.camera import Ray


class Hit(NamedTuple):
    """Where a ray meets a robot first."""

    robot: str
    id: int  # of the link or frame
    point: NDArray[np.float64]  # in the world [m]
    distance: float  # from the eye [m]


def first_triangle(ray: Ray, points: NDArray[np.float64], faces: NDArray[np.int64]) -> tuple[int, float] | None:
    """The nearest triangle that a ray meets and the distance [m], by the method of Möller and Trumbore (1997)."""
    a = points[faces[:, 0]]
    ab, ac = points[faces[:, 1]] - a, points[faces[:, 2]] - a
    across = np.cross(ray.direction, ac)
    volume = np.einsum("ij,ij->i", ab, across)
    with np.errstate(divide="ignore", invalid="ignore"):
        to_origin = ray.origin - a
        u = np.einsum("ij,ij->i", to_origin, across) / volume
        beside = np.cross(to_origin, ab)
        v = beside @ ray.direction / volume
        distance = np.einsum("ij,ij->i", ac, beside) / volume
        met = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (distance > 0.0) & (volume != 0.0)
    if not met.any():
        return None
    nearest = int(np.argmin(np.where(met, distance, np.inf)))
    return nearest, float(distance[nearest])
