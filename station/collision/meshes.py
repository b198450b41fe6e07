"""Mesh files as convex hulls."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from station.collision import library
from station.collision.errors import MeshError
from station.collision.library import Floats, Ints
from station.mesh_sizes import check_size

MOST_PIECES = 64  # hulls of one mesh; more than this and it is one hull
THINNEST = 1e-6  # part of its size below which a mesh is flat
FORMATS = "STL, OBJ, DAE, glTF, NFF or DXF"


class Hull(NamedTuple):
    """A convex hull [m]."""

    points: Floats
    triangles: Ints
    faces: Floats  # unit normal outwards, offset; one for all triangles of a plane


def hulls_of(path: Path, scale: Floats, *, in_pieces: bool) -> list[Hull]:
    """The hull of a mesh file, or of each of its separate pieces; raises MeshError in one line.

    Args:
        path: the file.
        scale: what one unit of the file is along x, y, z [m].
        in_pieces: parts that share no corner become hulls of their own.
    """
    points, triangles = _read(path, scale)
    if not len(triangles) or not np.isfinite(points).all():
        raise MeshError(f"mesh {path} has {len(triangles)} triangles, or corners that are not numbers")
    pieces = _pieces(points, triangles) if in_pieces else [points]
    hulls = [found for piece in pieces if (found := _hull(piece)) is not None]
    if not hulls:
        raise MeshError(f"mesh {path} is flat: it encloses nothing; give it some thickness, or a box instead")
    if len(hulls) < len(pieces):  # a flat piece must not vanish: all in one, then
        whole = _hull(points)
        assert whole is not None
        return [whole]
    return hulls


def _read(path: Path, scale: Floats) -> tuple[Floats, Ints]:
    if not path.is_file():
        raise MeshError(f"mesh {path} is not there")
    try:
        check_size(path)
        return library.mesh_triangles(path, scale)
    except OSError as error:
        raise MeshError(f"mesh {path} cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise MeshError(f"mesh {path} cannot be read as {FORMATS}: {error}") from None


def _pieces(points: Floats, triangles: Ints) -> list[Floats]:
    """Corners of each connected part; the same place counts as the same corner."""
    from scipy.sparse import coo_array  # takes long to load: only for who has meshes
    from scipy.sparse.csgraph import connected_components

    size = float(np.ptp(points, axis=0).max())
    _, number = np.unique(np.round(points / max(1e-7 * size, 1e-12)), axis=0, return_inverse=True)
    corner = number.reshape(-1)[triangles]
    start, end = corner[:, [0, 1]].ravel(), corner[:, [1, 2]].ravel()
    count = int(number.max()) + 1
    parts, label = connected_components(coo_array((np.ones(len(start)), (start, end)), shape=(count, count)), False)
    if parts > MOST_PIECES:
        return [points]
    of_point = label[number.reshape(-1)]
    used = np.unique(of_point[triangles])
    return [points[of_point == part] for part in used]


def _hull(points: Floats) -> Hull | None:
    """The hull, or None where the points lie in a plane."""
    from scipy.spatial import ConvexHull, QhullError

    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if len(spread) < 3 or spread[2] <= THINNEST * spread[0]:
        return None
    try:
        found = ConvexHull(points)
    except QhullError:
        return None
    place = np.zeros(len(points), dtype=np.int64)
    place[found.vertices] = np.arange(len(found.vertices))
    corners = np.ascontiguousarray(points[found.vertices])
    normals = np.unique(np.round(found.equations[:, :3], 9), axis=0)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    faces = np.column_stack([normals, (normals @ corners.T).max(axis=1)])
    return Hull(corners, _outwards(corners, place[found.simplices]), faces)


def _outwards(points: Floats, triangles: Ints) -> Ints:
    """The same triangles, each turning to the left as seen from outside."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inwards = (np.cross(b - a, c - a) * (a - points.mean(axis=0))).sum(axis=1) < 0.0
    return np.where(inwards[:, None], triangles[:, ::-1], triangles)
