"""The solids of a scene file as meshes, in the frame of what carries them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from station.mad.placement import from_position
from station.mad.scene import Shape
from station.view.geometry.files import read_mesh
from station.view.geometry.mesh import Colour, Mesh, coloured, mesh_of, placed
from station.view.geometry.primitives import box, capsule, cylinder, sphere

PLANE_OPACITY = 0.25
PLANE = 4.0  # half the side of what is drawn of a plane [m]


def shape_mesh(shape: Shape, folder: Path | None, unit: float, paint: Colour) -> Mesh:
    """The mesh of a solid; raises MeshError if its file cannot be used.

    Args:
        shape: the solid.
        folder: where its mesh file is looked up.
        unit: what one unit of a mesh without a scale is [m].
        paint: colour, where neither the scene nor the file gives one.
    """
    mesh = _solid(shape, folder, unit, paint)
    if shape.colour is not None:
        mesh = coloured(mesh, (*shape.colour,))
    return placed(mesh, from_position(shape.pos, shape.ori))


def _solid(shape: Shape, folder: Path | None, unit: float, paint: Colour) -> Mesh:
    if shape.mesh is not None:
        return file_mesh(shape.mesh, folder, shape.scale or (unit, unit, unit), paint)
    if shape.box is not None:
        mesh = box(shape.box)
    elif shape.sphere is not None:
        mesh = sphere(shape.sphere)
    elif shape.cylinder is not None:
        mesh = cylinder(*shape.cylinder)
    elif shape.capsule is not None:
        mesh = capsule(*shape.capsule)
    else:
        corners = PLANE * np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], np.float64)
        mesh = mesh_of(corners, [(0, 0, 1)] * 4, [(0, 1, 2), (0, 2, 3)])
        paint = (*paint[:3], PLANE_OPACITY)  # what stands on it has a shadow there
    return coloured(mesh, paint)


def file_mesh(file: str, folder: Path | None, scale: tuple[float, float, float], paint: Colour) -> Mesh:
    """The mesh of a file, in its own colours where it has any."""
    mesh = placed(read_mesh((folder or Path()) / file), np.eye(4), scale)
    plain = np.allclose(mesh.colours, mesh.colours[:1]) and np.allclose(mesh.colours[0, :3], 0.7)
    return coloured(mesh, paint) if plain else mesh
