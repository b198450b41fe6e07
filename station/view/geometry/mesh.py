"""`Mesh`: triangles with normals and colours, and the few things that are done to them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Colour = tuple[float, float, float, float]  # red, green, blue, opacity, each 0 to 1

CREASE = np.cos(np.radians(35.0))  # faces that meet at a larger angle keep an edge between them
MOST_SMOOTHED = 300_000  # faces; smoothing larger meshes would take longer than anybody waits


class Mesh(NamedTuple):
    """Triangles: `faces` name three corners each, every corner has a place [m], a normal and a colour."""

    points: Floats  # (n, 3)
    normals: Floats  # (n, 3)
    colours: Floats  # (n, 4)
    faces: Ints  # (m, 3)


def mesh_of(points: ArrayLike, normals: ArrayLike, faces: ArrayLike, colour: Colour = (0.7, 0.7, 0.7, 1.0)) -> Mesh:
    """A mesh in one colour."""
    places = np.asarray(points, np.float32).reshape(-1, 3)
    return Mesh(
        places,
        np.asarray(normals, np.float32).reshape(-1, 3),
        np.tile(np.array(colour, np.float32), (len(places), 1)),
        np.asarray(faces, np.int64).reshape(-1, 3),
    )


EMPTY = mesh_of([], [], [])


def joined(meshes: Iterable[Mesh]) -> Mesh:
    """Several as one."""
    parts = [mesh for mesh in meshes if len(mesh.faces)]
    if not parts:
        return EMPTY
    starts = np.cumsum([0, *(len(part.points) for part in parts[:-1])])
    return Mesh(
        np.concatenate([part.points for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.colours for part in parts]),
        np.concatenate([part.faces + start for part, start in zip(parts, starts, strict=True)]),
    )


def placed(mesh: Mesh, pose: ArrayLike, scale: ArrayLike = 1.0) -> Mesh:
    """The mesh scaled along its axes, then moved by a 4×4 pose [m]."""
    matrix = np.asarray(pose, np.float64)
    factors = np.broadcast_to(np.asarray(scale, np.float64), 3)
    points = (mesh.points * factors) @ matrix[:3, :3].T + matrix[:3, 3]
    normals = unit((mesh.normals / factors) @ matrix[:3, :3].T)
    faces = mesh.faces[:, ::-1] if np.prod(factors) < 0.0 else mesh.faces  # a mirrored face turns its back
    return Mesh(points.astype(np.float32), normals.astype(np.float32), mesh.colours, faces)


def coloured(mesh: Mesh, colour: Colour) -> Mesh:
    """The mesh in one colour."""
    return mesh._replace(colours=np.tile(np.array(colour, np.float32), (len(mesh.points), 1)))


def unit(vectors: ArrayLike) -> NDArray[np.float64]:
    """The vectors with length 1; those without length stay."""
    values = np.asarray(vectors, np.float64)
    lengths = np.linalg.norm(values, axis=-1, keepdims=True)
    return values / np.where(lengths > 0.0, lengths, 1.0)


def creased(points: ArrayLike, faces: ArrayLike, colours: ArrayLike | None = None) -> Mesh:
    """A mesh from bare triangles: smooth where faces meet at a small angle, with an edge where they do not.

    Args:
        points: (n, 3) places [m].
        faces: (m, 3) numbers of points.
        colours: (m, 4) one per face, or nothing.
    """
    places, corners = np.asarray(points, np.float64).reshape(-1, 3), np.asarray(faces, np.int64).reshape(-1, 3)
    triangles = places[corners]
    areas = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    kept = np.linalg.norm(areas, axis=1) > 0.0
    corners, triangles, areas = corners[kept], triangles[kept], areas[kept]
    flat = unit(areas)
    normals = np.repeat(flat, 3, axis=0)
    if 0 < len(corners) <= MOST_SMOOTHED:
        normals = _smoothed(triangles.reshape(-1, 3), areas, flat)
    mesh = mesh_of(triangles, normals, np.arange(3 * len(corners)))
    if colours is not None:
        mesh = mesh._replace(colours=np.repeat(np.asarray(colours, np.float32)[kept], 3, axis=0))
    return mesh


def _smoothed(
    corners: NDArray[np.float64], areas: NDArray[np.float64], flat: NDArray[np.float64]
) -> NDArray[np.float64]:
    """For each corner the mean normal of all faces that meet there at a small angle, large faces counting more."""
    size = float(np.ptp(corners, axis=0).max()) or 1.0
    _, spot = np.unique(np.round(corners / (1e-6 * size)).astype(np.int64), axis=0, return_inverse=True)
    order = np.argsort(spot.ravel(), kind="stable")
    counts = np.bincount(spot.ravel())
    around = counts[spot.ravel()[order]]  # faces at the spot of each corner
    first = np.repeat(order, around)
    begins = np.repeat(np.cumsum(counts) - counts, counts * counts)
    within = np.arange(len(first)) - np.repeat(np.cumsum(around) - around, around)
    second = order[begins + within]
    near = np.einsum("ij,ij->i", flat[first // 3], flat[second // 3]) > CREASE
    total = np.zeros_like(corners)
    np.add.at(total, first[near], areas[second[near] // 3])
    return unit(total)


def edges(mesh: Mesh, angle: float) -> Ints:
    """Pairs of corners between faces that meet at more than an angle [rad], and open edges: what a wireframe shows."""
    if not len(mesh.faces):
        return np.empty((0, 2), np.int64)
    size = float(np.ptp(mesh.points, axis=0).max()) or 1.0
    keys = np.round(mesh.points.astype(np.float64) / (1e-5 * size)).astype(np.int64)
    spot = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
    triangles = mesh.points[mesh.faces].astype(np.float64)
    flat = unit(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]))
    pairs = mesh.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    face = np.repeat(np.arange(len(mesh.faces)), 3)
    ends = np.sort(spot[pairs], axis=1)
    real = ends[:, 0] != ends[:, 1]
    pairs, face, ends = pairs[real], face[real], ends[real]
    _, first, group = np.unique(ends, axis=0, return_index=True, return_inverse=True)
    group = group.ravel()
    bend = np.einsum("ij,ij->i", flat[face], flat[face[first]][group])
    sharpest = np.ones(len(first))
    np.minimum.at(sharpest, group, bend)
    shown = (sharpest < np.cos(angle)) | (np.bincount(group) == 1)
    return np.asarray(pairs[first[shown]], np.int64)
