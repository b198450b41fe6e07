"""`Points`: clouds of coloured points, in one draw call each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.view.camera import Sight
from station.view.drawing.library import gloo
from station.view.drawing.shaders import POINT_FRAGMENT, POINT_VERTEX

CORNER = np.dtype([("a_place", np.float32, 3), ("a_colour", np.float32, 4)])


class Cloud(NamedTuple):
    """Points in the world; replaced, not changed."""

    places: NDArray[np.float64]  # (n, 3) [m]
    colours: NDArray[np.float32]  # (n, 4)
    size: float = 4.0  # of a point [px]


class Points:
    """One cloud on the graphics card."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        corners = np.zeros(len(cloud.places), CORNER)
        corners["a_place"], corners["a_colour"] = cloud.places, cloud.colours
        self._program = gloo.Program(POINT_VERTEX, POINT_FRAGMENT)
        self._program.bind(gloo.VertexBuffer(corners))

    def draw(self, sight: Sight, scale: float) -> None:
        """All points; `scale` is device pixels per pixel."""
        self._program["u_view_projection"] = np.ascontiguousarray(sight.view_projection.T, np.float32)
        self._program["u_size"] = self.cloud.size * scale
        self._program.draw("points")
