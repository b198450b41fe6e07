"""Arrows as one mesh: frames, forces. Few enough to be made anew whenever one moves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.view.geometry.mesh import Colour, Mesh, mesh_of

SIDES = 8
AXIS_COLOURS: tuple[Colour, ...] = ((0.85, 0.16, 0.18, 1.0), (0.13, 0.62, 0.25, 1.0), (0.13, 0.38, 0.90, 1.0))


class Arrow(NamedTuple):
    """From a place along a vector [m]."""

    start: NDArray[np.float64]
    vector: NDArray[np.float64]
    colour: Colour
    radius: float  # of the shaft [m]


def axes_of(pose: NDArray[np.float64], length: float) -> list[Arrow]:
    """A frame as red, green and blue arrows along x, y, z."""
    return [Arrow(pose[:3, 3], length * pose[:3, axis], AXIS_COLOURS[axis], 0.045 * length) for axis in range(3)]


def arrows_mesh(arrows: Sequence[Arrow]) -> Mesh:
    """All arrows as triangles in the world; those without length are left out."""
    vectors = np.array([arrow.vector for arrow in arrows], np.float64).reshape(-1, 3)
    lengths = np.linalg.norm(vectors, axis=1)
    real = np.flatnonzero(lengths > 1e-9)
    if not real.size:
        return mesh_of([], [], [])
    chosen = [arrows[int(index)] for index in real]
    starts = np.array([arrow.start for arrow in chosen], np.float64)
    radii = np.array([arrow.radius for arrow in chosen], np.float64)
    lengths, turned = lengths[real], _frames_about(vectors[real] / lengths[real, None])
    heads = np.minimum(5.0 * radii, 0.6 * lengths)
    necks, none = lengths - heads, np.zeros_like(lengths)
    heights = np.stack([none, none, necks, necks, necks, lengths], axis=1)[:, _RING]
    wide = (radii[:, None] * _RADII)[:, _RING]
    local = np.stack([wide * _CIRCLE[:, 0], wide * _CIRCLE[:, 1], heights], axis=2)
    points = local @ turned.transpose(0, 2, 1) + starts[:, None]
    normals = _NORMALS @ turned.transpose(0, 2, 1)
    faces = _FACES[None] + len(_RING) * np.arange(len(chosen))[:, None, None]
    mesh = mesh_of(points, normals, faces)
    colours = np.array([arrow.colour for arrow in chosen], np.float32)
    return mesh._replace(colours=np.repeat(colours, len(_RING), axis=0))


def _frames_about(axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Some rotations (n, 3, 3) whose z are the axes (n, 3) of length 1."""
    other = np.eye(3)[np.argmin(np.abs(axes), axis=1)]
    x = np.cross(other, axes)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return np.stack([x, np.cross(axes, x), axes], axis=2)


_RADII = np.array([0.0, 1.0, 1.0, 1.0, 2.2, 0.0])  # of the rings, over that of the shaft


def _template() -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Four strips of rings (cap, shaft, underside of the head, head): ring of each point, circle, normals, faces."""
    turn = np.linspace(0.0, 2.0 * math.pi, SIDES + 1)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    down, out, slope = (0.0, -1.0), (1.0, 0.0), (0.92, 0.4)  # (outwards, along)
    strips = [(0, 1, down), (1, 2, out), (3, 4, down), (4, 5, slope)]
    ring: list[NDArray[np.int64]] = []
    around, normals, faces = [], [], []
    for low, high, (outwards, ahead) in strips:
        start = len(ring) * len(turn)
        for number in (low, high):
            ring.append(np.full(len(turn), number))
            around.append(circle)
            normals.append(np.column_stack([outwards * circle, np.full(len(turn), ahead)]))
        i = start + np.arange(SIDES)
        n = len(turn)
        faces.append(np.concatenate([np.column_stack([i, i + 1, i + n + 1]), np.column_stack([i, i + n + 1, i + n])]))
    return np.concatenate(ring), np.concatenate(around), np.concatenate(normals), np.concatenate(faces)


_RING, _CIRCLE, _NORMALS, _FACES = _template()
