"""Solids from a few numbers: boxes, and everything round by turning a profile about an axis."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from station.view.geometry.mesh import Mesh, creased, mesh_of, placed, unit

# Where OpenGL is software, triangles cost more than pixels: as few as the eye does not miss.
SIDES = 20  # of everything round
JOINT_SIDES = 16  # of joints, of which there are many
BAR_SIDES = 12  # of bars, which are thin
RINGS = 4  # from the equator of a ball to its pole
BAR_RINGS = 2  # the same of the ends of bars, which are in a joint


def lathe(profile: Sequence[tuple[float, float]], smooth: bool = False, sides: int = SIDES) -> Mesh:
    """Turn a profile of (radius, height) [m], from bottom to top, about z; `smooth` rounds its corners off."""
    line = np.array(profile, np.float64)
    steps = np.diff(line, axis=0)
    slopes = unit(np.column_stack([steps[:, 1], -steps[:, 0]]))  # outwards, as (radius, height)
    ends = np.stack([line[:-1], line[1:]], axis=1).reshape(-1, 2)  # two rings per step
    normals = np.repeat(slopes, 2, axis=0)
    if smooth:
        corners = unit(np.concatenate([slopes[:1], slopes[:-1] + slopes[1:], slopes[-1:]]))
        normals = np.stack([corners[:-1], corners[1:]], axis=1).reshape(-1, 2)
    turn = np.linspace(0.0, 2.0 * math.pi, sides + 1)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    points = np.concatenate(
        [ends[:, None, :1] * circle, np.broadcast_to(ends[:, None, 1:], (len(ends), len(turn), 1))], axis=2
    )
    outward = np.concatenate(
        [normals[:, None, :1] * circle, np.broadcast_to(normals[:, None, 1:], (len(ends), len(turn), 1))], axis=2
    )
    ring = len(turn)
    low = (2 * ring * np.arange(len(steps))[:, None] + np.arange(sides)).ravel()
    quads = np.stack([low, low + 1, low + ring + 1, low, low + ring + 1, low + ring], axis=1).reshape(-1, 3)
    mesh = mesh_of(points, outward, quads)
    corner = mesh.points[mesh.faces]
    area = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    return mesh._replace(faces=mesh.faces[np.linalg.norm(area, axis=1) > 0.0])  # a tip makes faces without area


def box(size: ArrayLike, centre: ArrayLike = (0.0, 0.0, 0.0)) -> Mesh:
    """A box by its full size along x, y, z [m]."""
    half = 0.5 * np.asarray(size, np.float64)
    points: list[NDArray[np.float64]] = []
    normals, faces = [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = np.zeros(3)
            normal[axis] = sign
            u, v = np.roll(np.eye(3), axis + 1, axis=1)[0], np.roll(np.eye(3), axis + 2, axis=1)[0]
            start = len(points)
            points += [normal + a * u + sign * b * v for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            normals += [normal] * 4
            faces += [(start, start + 1, start + 2), (start, start + 2, start + 3)]
    return mesh_of(np.array(points) * half + np.asarray(centre, np.float64), normals, faces)


def sphere(radius: float) -> Mesh:
    """A ball [m]."""
    turn = np.linspace(-0.5 * math.pi, 0.5 * math.pi, 2 * RINGS + 1)
    mesh = lathe([(radius * max(math.cos(a), 0.0), radius * math.sin(a)) for a in turn], smooth=True)
    return mesh._replace(normals=(mesh.points / radius).astype(np.float32))


def cylinder(radius: float, length: float, chamfer: float = 0.0, sides: int = SIDES) -> Mesh:
    """A cylinder about z, centred, its edges broken by `chamfer` [m]."""
    half, cut = 0.5 * length, min(chamfer, 0.3 * length, 0.5 * radius)
    if cut <= 0.0:
        return lathe([(0.0, -half), (radius, -half), (radius, half), (0.0, half)], sides=sides)
    inner = radius - cut
    rim = [(inner, -half), (radius, cut - half), (radius, half - cut), (inner, half)]
    return lathe([(0.0, -half), *rim, (0.0, half)], sides=sides)


def capsule(
    radius: float, length: float, tip_radius: float | None = None, sides: int = SIDES, rings: int = RINGS
) -> Mesh:
    """A cylinder about z with round ends, `length` between the centres of the ends [m]; it may taper upwards."""
    tip = radius if tip_radius is None else tip_radius
    turn = np.linspace(0.0, 0.5 * math.pi, rings + 1)
    low = [(radius * math.sin(a), -0.5 * length - radius * math.cos(a)) for a in turn]
    high = [(tip * math.cos(a), 0.5 * length + tip * math.sin(a)) for a in turn]
    profile = [(max(r, 0.0) if r > 1e-9 * radius else 0.0, z) for r, z in (*low, *high)]
    return lathe(profile, smooth=True, sides=sides)


def bar(start: ArrayLike, end: ArrayLike, start_radius: float, end_radius: float) -> Mesh:
    """A tapered bar with round ends between two points [m]."""
    a, b = np.asarray(start, np.float64), np.asarray(end, np.float64)
    length = float(np.linalg.norm(b - a))
    return placed(capsule(start_radius, length, end_radius, BAR_SIDES, BAR_RINGS), along(a, b))


def along(start: ArrayLike, end: ArrayLike) -> NDArray[np.float64]:
    """Pose half-way between two points, z from the first to the second [m]."""
    a, b = np.asarray(start, np.float64), np.asarray(end, np.float64)
    pose = np.eye(4)
    pose[:3, :3] = frame_about(b - a)
    pose[:3, 3] = 0.5 * (a + b)
    return pose


def frame_about(axis: ArrayLike) -> NDArray[np.float64]:
    """Some 3×3 rotation whose z is the axis; none where the axis has no length."""
    z = unit(axis)
    if not z.any():
        return np.eye(3)
    other = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = unit(np.cross(other, z))
    return np.column_stack([x, np.cross(z, x), z])


def plate(outline: ArrayLike, thickness: float) -> Mesh:
    """A flat solid over a convex outline of (x, y) [m] in order, centred on z = 0."""
    around = np.asarray(outline, np.float64)
    if _signed_area(around) < 0.0:
        around = around[::-1]
    n, half = len(around), 0.5 * thickness
    points = np.concatenate([np.column_stack([around, np.full(n, z)]) for z in (-half, half)])
    index = np.arange(n)
    after = np.roll(index, -1)
    fan = np.column_stack([np.zeros(n - 2, np.int64), index[1:-1], index[2:]])
    sides = np.concatenate([np.column_stack([index, after, after + n]), np.column_stack([index, after + n, index + n])])
    return creased(points, np.concatenate([fan[:, ::-1], fan + n, sides]))


def rounded_outline(points: ArrayLike, radius: float) -> NDArray[np.float64]:
    """The convex outline of discs around some points of a plane [m]."""
    from scipy.spatial import ConvexHull

    turn = np.linspace(0.0, 2.0 * math.pi, SIDES, endpoint=False)
    disc = radius * np.column_stack([np.cos(turn), np.sin(turn)])
    spread = (np.asarray(points, np.float64)[:, None, :] + disc).reshape(-1, 2)
    return np.asarray(spread[ConvexHull(spread).vertices], np.float64)


def _signed_area(outline: NDArray[np.float64]) -> float:
    x, y = outline.T
    return float(0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
