"""`Segments`: any number of straight lines of any width and colour, in one draw call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from station.view.camera import Sight
from station.view.drawing.library import gloo
from station.view.drawing.shaders import SEGMENT_FRAGMENT, SEGMENT_VERTEX

CORNER = np.dtype(
    [("a_start", np.float32, 3), ("a_end", np.float32, 3), ("a_colour", np.float32, 4), ("a_corner", np.float32, 3)]
)
ENDS = np.array([0.0, 0.0, 1.0, 1.0], np.float32)
SIDES = np.array([-1.0, 1.0, 1.0, -1.0], np.float32)
EVERYWHERE = np.array([0.0, 0.0, 0.0, 1e9], np.float32)


class Lines(NamedTuple):
    """Some lines of one width."""

    starts: NDArray[np.float64]  # (n, 3) [m]
    ends: NDArray[np.float64]  # (n, 3) [m]
    colours: NDArray[np.float32]  # (n, 4)
    width: float = 1.5  # [px]
    through: bool = False  # whether they are seen through everything


class Segments:
    """Lines of a width in pixels, smooth at their edges."""

    def __init__(self) -> None:
        self._program = gloo.Program(SEGMENT_VERTEX, SEGMENT_FRAGMENT)
        self._program["u_fade"] = EVERYWHERE
        self._buffer: gloo.VertexBuffer | None = None
        self._indices: gloo.IndexBuffer | None = None
        self._room = 0  # segments that fit into the buffers
        self._count = 0

    def put(self, starts: ArrayLike, ends: ArrayLike, colours: ArrayLike, widths: ArrayLike) -> None:
        """All lines anew: (n, 3), (n, 3) [m], (n, 4), (n,) [px]."""
        first = np.asarray(starts, np.float32).reshape(-1, 3)
        self._count = n = len(first)
        if not n:
            return
        if n > self._room:
            self._make_room(n)
        corners = np.zeros((n, 4), CORNER)
        corners["a_start"], corners["a_end"] = first[:, None], np.asarray(ends, np.float32).reshape(-1, 1, 3)
        corners["a_colour"] = np.asarray(colours, np.float32).reshape(-1, 1, 4)
        corners["a_corner"][..., 0], corners["a_corner"][..., 1] = ENDS, SIDES
        corners["a_corner"][..., 2] = np.asarray(widths, np.float32).reshape(-1, 1)
        self._write(corners.reshape(-1))

    def fade(self, centre: ArrayLike, radius: float) -> None:
        """Let lines fade away from a centre to a radius [m]."""
        self._program["u_fade"] = np.append(np.asarray(centre, np.float32), np.float32(radius))

    def draw(self, sight: Sight, viewport: tuple[int, int], scale: float) -> None:
        """All of them; `scale` is device pixels per pixel."""
        if not self._count:
            return
        self._program["u_view_projection"] = np.ascontiguousarray(sight.view_projection.T, np.float32)
        self._program["u_viewport"] = viewport
        self._program["u_scale"] = scale
        self._program.draw("triangles", self._indices)

    def _make_room(self, count: int) -> None:
        self._room = max(64, 1 << (count - 1).bit_length())
        first = 4 * np.arange(self._room, dtype=np.uint32)[:, None]
        self._indices = gloo.IndexBuffer((first + np.array([0, 1, 2, 0, 2, 3], np.uint32)).ravel())
        self._buffer = gloo.VertexBuffer(np.zeros(4 * self._room, CORNER))
        self._program.bind(self._buffer)

    def _write(self, corners: NDArray[np.void]) -> None:
        assert self._buffer is not None
        padded = np.zeros(4 * self._room, CORNER)  # what is left over has no length and no colour
        padded[: len(corners)] = corners
        self._buffer.set_data(padded)
