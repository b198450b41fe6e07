"""The corners of two solids that are near each other, and where the edges between them cross."""

from __future__ import annotations

import math

from station.collision.kernels import table as at
from station.collision.kernels.cache import kernel
from station.collision.kernels.support import Vector, corner_at, corner_count, placed, turned_back
from station.collision.kernels.table import CYLINDER, MOST_PER_PAIR
from station.mechanism.kernels.memory import Block

SAME = 1e-3  # two points nearer than this are one contact [m]
SKEW = 0.5  # angle by which the four directions are turned, so that the corners of a box are told apart [rad]
STEEPNESS = 2.0  # how much farther out a corner must be than a lower one to count more, in heights between them


@kernel
def ball_radius(tab: Block, solid: int) -> float:
    """Radius of the ball around every corner of a solid [m]."""
    radius: float = at.solid_radius(tab)[solid]
    return 0.0 if at.solid_kind(tab)[solid] == CYLINDER else radius


@kernel
def outermost(tab: Block, side: int, solid: int, way: Vector, level: float) -> int:
    """Corners of a solid below a level along a direction, the outermost in four directions; returns how many.

    They are left in the scratch table of a side (0: a, 1: b), one after the other as one goes round: point at 1 to 3.
    """
    corner, pose = at.corner(tab)[side], at.solid_pose(tab)[solid]
    x, y, z = way
    if abs(x) < 0.6:  # two directions across
        ux, uy, uz = 0.0, -z, y
    else:
        ux, uy, uz = z, 0.0, -x
    length = math.sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux / length, uy / length, uz / length
    vx, vy, vz = y * uz - z * uy, z * ux - x * uz, x * uy - y * ux
    cos, sin = math.cos(SKEW), math.sin(SKEW)
    mx, my, _ = turned_back(pose, -x, -y, -z)
    for k in range(MOST_PER_PAIR):
        corner[k, 0] = -math.inf
    for i in range(corner_count(tab, solid)):
        px, py, pz = corner_at(tab, solid, i, mx, my)
        px, py, pz = placed(pose, px, py, pz)
        height = x * px + y * py + z * pz
        if height > level:
            continue
        u, v = ux * px + uy * py + uz * pz, vx * px + vy * py + vz * pz
        for k in range(MOST_PER_PAIR):
            score = cos * u + sin * v - STEEPNESS * height
            if score > corner[k, 0]:
                corner[k, 0], corner[k, 1], corner[k, 2], corner[k, 3] = score, px, py, pz
            u, v = -v, u
    return _different(tab, side)


@kernel
def _different(tab: Block, side: int) -> int:
    """Keep every corner of a side once; returns how many there are."""
    corner, count = at.corner(tab)[side], 0
    for k in range(MOST_PER_PAIR):
        new = corner[k, 0] > -math.inf
        for m in range(count):
            apart = abs(corner[k, 1] - corner[m, 1]) + abs(corner[k, 2] - corner[m, 2])
            new = new and apart + abs(corner[k, 3] - corner[m, 3]) > SAME
        if new:
            for i in range(1, 4):
                corner[count, i] = corner[k, i]
            count += 1
    return count


@kernel
def edge(tab: Block, side: int, count: int, k: int) -> tuple[Vector, Vector]:
    """Start of the edge after the k-th corner of a side, and the way to its end [m]."""
    corner, after = at.corner(tab)[side], (k + 1) % count
    start = corner[k, 1], corner[k, 2], corner[k, 3]
    return start, (corner[after, 1] - start[0], corner[after, 2] - start[1], corner[after, 3] - start[2])


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
