"""How far a solid reaches along a direction, how far a point is outside a solid, and corners that are near each other.

All solids are convex: points with a ball around each (sphere 1 point, capsule 2, box 8, hull many), a cylinder along z,
or the half-space below z = 0.
"""

from __future__ import annotations

import math

from station.collision.table import MOST_PER_PAIR, SolidKind, Table
from station.kernel import kernel
from station.kernel.se3 import placed
from station.kernel.so3 import applied_back
from station.kernel.vectors import Vector

SAME = 1e-3  # two points nearer than this are one contact [m]
SKEW = 0.5  # angle by which the four directions are turned, so that the corners of a box are told apart [rad]
STEEPNESS = 2.0  # how much farther out a corner must be than a lower one to count more, in heights between them


@kernel
def lowest(tab: Table, solid: int, x: float, y: float, z: float) -> float:
    """Smallest value of (x, y, z)·point over a solid, everything in its own frame [m]; not for a half-space."""
    radius: float = tab.solid_radius[solid]
    if tab.solid_kind[solid] == SolidKind.CYLINDER:
        half: float = tab.solid_half[solid]
        return -abs(z) * half - radius * math.sqrt(x * x + y * y)
    points, start = tab.points, tab.point_start
    value = math.inf
    for i in range(start[solid], start[solid + 1]):
        value = min(value, x * points[i, 0] + y * points[i, 1] + z * points[i, 2])
    return value - radius


@kernel
def lowest_point(tab: Table, solid: int, x: float, y: float, z: float) -> Vector:
    """Where that smallest value is taken; the middle of all such places, if there are several."""
    radius = tab.solid_radius[solid]
    if tab.solid_kind[solid] == SolidKind.CYLINDER:
        half, across = tab.solid_half[solid], math.sqrt(x * x + y * y)
        scale = -radius / across if across > 1e-9 else 0.0
        along = 0.0 if abs(z) < 1e-9 else -math.copysign(half, z)
        return scale * x, scale * y, along
    points, start = tab.points, tab.point_start
    value = lowest(tab, solid, x, y, z) + radius
    px = py = pz = count = 0.0
    for i in range(start[solid], start[solid + 1]):
        if x * points[i, 0] + y * points[i, 1] + z * points[i, 2] <= value + 1e-9:
            px, py, pz, count = px + points[i, 0], py + points[i, 1], pz + points[i, 2], count + 1.0
    return px / count - radius * x, py / count - radius * y, pz / count - radius * z


@kernel
def outside(tab: Table, solid: int, x: float, y: float, z: float) -> tuple[float, float, float, float, bool]:
    """How far a point is outside the nearest face or round part of a solid [m], and along which unit direction.

    The last says whether that is its distance: not so where the nearest place is an edge or a corner. Negative inside.
    """
    kind, radius = tab.solid_kind[solid], tab.solid_radius[solid]
    if kind == SolidKind.HALFSPACE:
        return z, 0.0, 0.0, 1.0, True
    if kind == SolidKind.CYLINDER:
        across, half = math.sqrt(x * x + y * y), tab.solid_half[solid]
        if across - radius > abs(z) - half:
            return across - radius, x / across, y / across, 0.0, abs(z) <= half
        return abs(z) - half, 0.0, 0.0, math.copysign(1.0, z), across <= radius
    faces, start = tab.faces, tab.face_start
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
def _from_core(tab: Table, solid: int, x: float, y: float, z: float) -> tuple[float, float, float, float, bool]:
    """The same for a sphere or capsule: from its centre, or from the line between its ends."""
    points, first, last = tab.points, tab.point_start[solid], tab.point_start[solid + 1] - 1
    start, end = points[first], points[last]
    ex, ey, ez = end[0] - start[0], end[1] - start[1], end[2] - start[2]
    rx, ry, rz = x - start[0], y - start[1], z - start[2]
    length = ex * ex + ey * ey + ez * ez
    share = min(max((rx * ex + ry * ey + rz * ez) / length, 0.0), 1.0) if length > 0.0 else 0.0
    rx, ry, rz = rx - share * ex, ry - share * ey, rz - share * ez
    away = math.sqrt(rx * rx + ry * ry + rz * rz)
    if away < 1e-12:  # on the line: there is no direction
        return -tab.solid_radius[solid], 0.0, 0.0, 1.0, False
    return away - tab.solid_radius[solid], rx / away, ry / away, rz / away, True


@kernel
def corner_count(tab: Table, solid: int) -> int:
    """How many corners a solid has; a half-space has none, a cylinder four on each rim."""
    kind = tab.solid_kind[solid]
    if kind == SolidKind.HALFSPACE:
        return 0
    start = tab.point_start
    return 8 if kind == SolidKind.CYLINDER else start[solid + 1] - start[solid]


@kernel
def corner_at(tab: Table, solid: int, number: int, x: float, y: float) -> Vector:
    """A corner in the frame of the solid [m]; (x, y): where a cylinder's rim begins to count."""
    if tab.solid_kind[solid] != SolidKind.CYLINDER:
        points, i = tab.points, tab.point_start[solid] + number
        return points[i, 0], points[i, 1], points[i, 2]
    across, radius, half = math.sqrt(x * x + y * y), tab.solid_radius[solid], tab.solid_half[solid]
    if across < 1e-9:
        x, y, across = 1.0, 0.0, 1.0
    x, y = radius * x / across, radius * y / across
    for _ in range(number % 4):
        x, y = -y, x
    return x, y, half if number < 4 else -half


# The corners of two solids that are near each other, and where the edges between them cross ----------------------


@kernel
def ball_radius(tab: Table, solid: int) -> float:
    """Radius of the ball around every corner of a solid [m]."""
    radius: float = tab.solid_radius[solid]
    return 0.0 if tab.solid_kind[solid] == SolidKind.CYLINDER else radius


@kernel
def outermost(tab: Table, side: int, solid: int, way: Vector, level: float) -> int:
    """Corners of a solid below a level along a direction, the outermost in four directions; returns how many.

    They are left in the scratch table of a side (0: a, 1: b), one after the other as one goes round.
    """
    score, corner, pose = tab.corner_score[side], tab.corner[side], tab.solid_pose[solid]
    x, y, z = way
    if abs(x) < 0.6:  # two directions across
        ux, uy, uz = 0.0, -z, y
    else:
        ux, uy, uz = z, 0.0, -x
    length = math.sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux / length, uy / length, uz / length
    vx, vy, vz = y * uz - z * uy, z * ux - x * uz, x * uy - y * ux
    cos, sin = math.cos(SKEW), math.sin(SKEW)
    mx, my, _ = applied_back(pose, (-x, -y, -z))
    for k in range(MOST_PER_PAIR):
        score[k] = -math.inf
    for i in range(corner_count(tab, solid)):
        px, py, pz = corner_at(tab, solid, i, mx, my)
        px, py, pz = placed(pose, (px, py, pz))
        height = x * px + y * py + z * pz
        if height > level:
            continue
        u, v = ux * px + uy * py + uz * pz, vx * px + vy * py + vz * pz
        for k in range(MOST_PER_PAIR):
            out = cos * u + sin * v - STEEPNESS * height
            if out > score[k]:
                score[k], corner[k, 0], corner[k, 1], corner[k, 2] = out, px, py, pz
            u, v = -v, u
    return _different(tab, side)


@kernel
def _different(tab: Table, side: int) -> int:
    """Keep every corner of a side once; returns how many there are."""
    score, corner, count = tab.corner_score[side], tab.corner[side], 0
    for k in range(MOST_PER_PAIR):
        new = score[k] > -math.inf
        for m in range(count):
            apart = abs(corner[k, 0] - corner[m, 0]) + abs(corner[k, 1] - corner[m, 1])
            new = new and apart + abs(corner[k, 2] - corner[m, 2]) > SAME
        if new:
            for i in range(3):
                corner[count, i] = corner[k, i]
            count += 1
    return count


@kernel
def edge(tab: Table, side: int, count: int, k: int) -> tuple[Vector, Vector]:
    """Start of the edge after the k-th corner of a side, and the way to its end [m]."""
    corner, after = tab.corner[side], (k + 1) % count
    start = corner[k, 0], corner[k, 1], corner[k, 2]
    return start, (corner[after, 0] - start[0], corner[after, 1] - start[1], corner[after, 2] - start[2])


@kernel
def _triple(a: Vector, b: Vector, c: Vector) -> float:
    """a·(b × c)."""
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])


@kernel
def crossing(way: Vector, start: Vector, along: Vector, other: Vector, other_along: Vector) -> tuple[float, float]:
    """Where two edges cross as seen along a direction, in parts of each; (-1, -1): they do not."""
    area = _triple(way, along, other_along)
    if abs(area) < 1e-9:  # parallel [m²]
        return -1.0, -1.0
    between = other[0] - start[0], other[1] - start[1], other[2] - start[2]
    first, second = _triple(way, between, other_along) / area, _triple(way, between, along) / area
    if 0.0 <= first <= 1.0 and 0.0 <= second <= 1.0:
        return first, second
    return -1.0, -1.0
