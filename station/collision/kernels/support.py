"""How far a solid reaches along a direction, and how far a point is outside a solid.

All solids are convex: points with a ball around each (sphere 1 point, capsule 2, box 8, hull many), a cylinder along z,
or the half-space below z = 0.
"""

from __future__ import annotations

import math

from station.collision.kernels import table as at
from station.collision.kernels.cache import kernel
from station.collision.kernels.table import CYLINDER, HALFSPACE
from station.mechanism.kernels.memory import Block, Floats

Vector = tuple[float, float, float]


@kernel
def turned(pose: Floats, x: float, y: float, z: float) -> Vector:
    """A direction of a frame, in the world."""
    return (
        pose[0, 0] * x + pose[0, 1] * y + pose[0, 2] * z,
        pose[1, 0] * x + pose[1, 1] * y + pose[1, 2] * z,
        pose[2, 0] * x + pose[2, 1] * y + pose[2, 2] * z,
    )


@kernel
def turned_back(pose: Floats, x: float, y: float, z: float) -> Vector:
    """A direction of the world, in a frame."""
    return (
        pose[0, 0] * x + pose[1, 0] * y + pose[2, 0] * z,
        pose[0, 1] * x + pose[1, 1] * y + pose[2, 1] * z,
        pose[0, 2] * x + pose[1, 2] * y + pose[2, 2] * z,
    )


@kernel
def placed(pose: Floats, x: float, y: float, z: float) -> Vector:
    """A point of a frame, in the world."""
    u, v, w = turned(pose, x, y, z)
    return u + pose[0, 3], v + pose[1, 3], w + pose[2, 3]


@kernel
def placed_back(pose: Floats, x: float, y: float, z: float) -> Vector:
    """A point of the world, in a frame."""
    return turned_back(pose, x - pose[0, 3], y - pose[1, 3], z - pose[2, 3])


@kernel
def lowest(tab: Block, solid: int, x: float, y: float, z: float) -> float:
    """Smallest value of (x, y, z)·point over a solid, everything in its own frame [m]; not for a half-space."""
    radius: float = at.solid_radius(tab)[solid]
    if at.solid_kind(tab)[solid] == CYLINDER:
        half: float = at.solid_half(tab)[solid]
        return -abs(z) * half - radius * math.sqrt(x * x + y * y)
    points, start = at.points(tab), at.point_start(tab)
    value = math.inf
    for i in range(start[solid], start[solid + 1]):
        value = min(value, x * points[i, 0] + y * points[i, 1] + z * points[i, 2])
    return value - radius


@kernel
def lowest_point(tab: Block, solid: int, x: float, y: float, z: float) -> Vector:
    """Where that smallest value is taken; the middle of all such places, if there are several."""
    radius = at.solid_radius(tab)[solid]
    if at.solid_kind(tab)[solid] == CYLINDER:
        half, across = at.solid_half(tab)[solid], math.sqrt(x * x + y * y)
        scale = -radius / across if across > 1e-9 else 0.0
        along = 0.0 if abs(z) < 1e-9 else -math.copysign(half, z)
        return scale * x, scale * y, along
    points, start = at.points(tab), at.point_start(tab)
    value = lowest(tab, solid, x, y, z) + radius
    px = py = pz = count = 0.0
    for i in range(start[solid], start[solid + 1]):
        if x * points[i, 0] + y * points[i, 1] + z * points[i, 2] <= value + 1e-9:
            px, py, pz, count = px + points[i, 0], py + points[i, 1], pz + points[i, 2], count + 1.0
    return px / count - radius * x, py / count - radius * y, pz / count - radius * z


@kernel
def outside(tab: Block, solid: int, x: float, y: float, z: float) -> tuple[float, float, float, float, bool]:
    """How far a point is outside the nearest face or round part of a solid [m], and along which unit direction.

    The last says whether that is its distance: not so where the nearest place is an edge or a corner. Negative inside.
    """
    kind, radius = at.solid_kind(tab)[solid], at.solid_radius(tab)[solid]
    if kind == HALFSPACE:
        return z, 0.0, 0.0, 1.0, True
    if kind == CYLINDER:
        across, half = math.sqrt(x * x + y * y), at.solid_half(tab)[solid]
        if across - radius > abs(z) - half:
            return across - radius, x / across, y / across, 0.0, abs(z) <= half
        return abs(z) - half, 0.0, 0.0, math.copysign(1.0, z), across <= radius
    faces, start = at.faces(tab), at.face_start(tab)
    best, most = -1, -math.inf
    for i in range(start[solid], start[solid + 1]):
        value = faces[i, 0] * x + faces[i, 1] * y + faces[i, 2] * z - faces[i, 3]
        if value > most:
            best, most = i, value
    if best < 0:
        return _from_core(tab, solid, x, y, z)
    nx, ny, nz = faces[best, 0], faces[best, 1], faces[best, 2]
    foot_x, foot_y, foot_z = x - most * nx, y - most * ny, z - most * nz
    for i in range(start[solid], start[solid + 1]):
        if faces[i, 0] * foot_x + faces[i, 1] * foot_y + faces[i, 2] * foot_z - faces[i, 3] > 1e-7:
            return most, nx, ny, nz, False
    return most, nx, ny, nz, True


@kernel
def _from_core(tab: Block, solid: int, x: float, y: float, z: float) -> tuple[float, float, float, float, bool]:
    """The same for a sphere or capsule: from its centre, or from the line between its ends."""
    points, first, last = at.points(tab), at.point_start(tab)[solid], at.point_start(tab)[solid + 1] - 1
    start, end = points[first], points[last]
    ex, ey, ez = end[0] - start[0], end[1] - start[1], end[2] - start[2]
    rx, ry, rz = x - start[0], y - start[1], z - start[2]
    length = ex * ex + ey * ey + ez * ez
    share = min(max((rx * ex + ry * ey + rz * ez) / length, 0.0), 1.0) if length > 0.0 else 0.0
    rx, ry, rz = rx - share * ex, ry - share * ey, rz - share * ez
    away = math.sqrt(rx * rx + ry * ry + rz * rz)
    if away < 1e-12:  # on the line: there is no direction
        return -at.solid_radius(tab)[solid], 0.0, 0.0, 1.0, False
    return away - at.solid_radius(tab)[solid], rx / away, ry / away, rz / away, True


@kernel
def corner_count(tab: Block, solid: int) -> int:
    """How many corners a solid has; a half-space has none, a cylinder four on each rim."""
    kind = at.solid_kind(tab)[solid]
    if kind == HALFSPACE:
        return 0
    start = at.point_start(tab)
    return 8 if kind == CYLINDER else start[solid + 1] - start[solid]


@kernel
def corner_at(tab: Block, solid: int, number: int, x: float, y: float) -> Vector:
    """A corner in the frame of the solid [m]; (x, y): where a cylinder's rim begins to count."""
    if at.solid_kind(tab)[solid] != CYLINDER:
        points, i = at.points(tab), at.point_start(tab)[solid] + number
        return points[i, 0], points[i, 1], points[i, 2]
    across, radius, half = math.sqrt(x * x + y * y), at.solid_radius(tab)[solid], at.solid_half(tab)[solid]
    if across < 1e-9:
        x, y, across = 1.0, 0.0, 1.0
    x, y = radius * x / across, radius * y / across
    for _ in range(number % 4):
        x, y = -y, x
    return x, y, half if number < 4 else -half
