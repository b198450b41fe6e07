"""Half-spaces for the solver: at the nearest point of a pair, at corners near a face, and where edges cross.

The nearest point alone would let a bar that lies along a table turn about it, so that its other end enters; an infinite
plane under all corners would keep the bar from tipping over the edge of the table. So what counts are the corners of
the region in which the two solids really are one above the other.
"""

from __future__ import annotations

from station.collision.kernels import table as at
from station.collision.kernels.cache import kernel
from station.collision.kernels.corners import SAME, ball_radius, crossing, edge, outermost
from station.collision.kernels.stops import stop_joints
from station.collision.kernels.support import (
    Vector,
    corner_count,
    lowest_point,
    outside,
    placed,
    placed_back,
    turned,
    turned_back,
)
from station.collision.kernels.table import (
    APPROACH_TIME,
    CONDITION,
    CONTACT_RANGE,
    CONTACTS,
    MARGIN,
    PUSH_SPEED,
    TOO_MANY,
)
from station.mechanism.kernels import at as mechanism
from station.mechanism.kernels.memory import MOST_CONTACTS, Block


@kernel
def near_point(tab: Block, pair: int) -> Vector:
    """The point of a that is nearest to b, in the world [m]."""
    a, way = at.pair_a(tab)[pair], at.way(tab)[pair]
    pose = at.solid_pose(tab)[a]
    if at.by_witness(tab)[pair]:
        witness = at.witness(tab)[pair]
        return placed(pose, witness[0], witness[1], witness[2])
    x, y, z = turned_back(pose, way[0], way[1], way[2])
    px, py, pz = lowest_point(tab, a, x, y, z)
    return placed(pose, px, py, pz)


@kernel
def _add(
    mem: Block, tab: Block, pair: int, point: Vector, way: Vector, distance: float, loose: float, dt: float
) -> None:
    """Give the solver one half-space, or stops of joints where the obstacle moves with the robot.

    Approach is slowed down before the margin. What is inside is pushed out slowly, and by no more than is certain: the
    distance that is told may be less than the true one.
    """
    counts, settings = at.counts(tab), at.settings(tab)
    a, b = at.pair_a(tab)[pair], at.pair_b(tab)[pair]
    left = distance - settings[MARGIN]
    if at.solid_body(tab)[b] >= 0:
        stop_joints(mem, at.solid_body(tab)[a], at.solid_body(tab)[b], point, way, left)
        return
    number = counts[CONTACTS]
    for k in range(number - 1, -1, -1):  # a second one at the same place would say nothing new
        other = mechanism.contact_point(mem)[k]
        if at.contact_pair(tab)[k] != pair:
            break
        if abs(other[0] - point[0]) + abs(other[1] - point[1]) + abs(other[2] - point[2]) < SAME:
            return
    if number >= MOST_CONTACTS:
        counts[CONDITION] |= TOO_MANY
        return
    if left > 0.0:
        left *= min(1.0, dt / settings[APPROACH_TIME]) if settings[APPROACH_TIME] > 0.0 else 1.0
    else:
        left = max(min(left + loose, 0.0), -settings[PUSH_SPEED] * dt)
    place, normal = mechanism.contact_point(mem)[number], mechanism.contact_normal(mem)[number]
    for i in range(3):
        place[i], normal[i] = point[i], way[i]
    mechanism.contact_frame(mem)[number] = at.solid_frame(tab)[a]
    mechanism.contact_distance(mem)[number] = left
    at.contact_pair(tab)[number] = pair
    counts[CONTACTS] = number + 1


@kernel
def _corners(mem: Block, tab: Block, pair: int, own: int, other: int, sign: float, count: int, dt: float) -> None:
    """Half-spaces at the corners of one solid of a pair that are near a face of the other; sign -1: corners of b."""
    reach, radius, pose = at.settings(tab)[CONTACT_RANGE], ball_radius(tab, own), at.solid_pose(tab)[other]
    corner = at.corner(tab)[0 if sign > 0.0 else 1]
    for k in range(count):
        px, py, pz = corner[k, 1], corner[k, 2], corner[k, 3]
        lx, ly, lz = placed_back(pose, px, py, pz)
        height, nx, ny, nz, exact = outside(tab, other, lx, ly, lz)
        if exact and height - radius < reach:
            nx, ny, nz = turned(pose, nx, ny, nz)
            down = radius if sign > 0.0 else height  # to the surface of a
            foot = px - down * nx, py - down * ny, pz - down * nz
            _add(mem, tab, pair, foot, (sign * nx, sign * ny, sign * nz), height - radius, 0.0, dt)


@kernel
def _crossings(mem: Block, tab: Block, pair: int, count_a: int, count_b: int, dt: float) -> None:
    """Half-spaces where edges of the two solids cross, as seen along the direction between them."""
    x, y, z = at.way(tab)[pair]
    a, b, reach = at.pair_a(tab)[pair], at.pair_b(tab)[pair], at.settings(tab)[CONTACT_RANGE]
    radius = ball_radius(tab, a)
    both = radius + ball_radius(tab, b)
    for i in range(count_a if count_a > 2 else count_a - 1):
        start, along = edge(tab, 0, count_a, i)
        for k in range(count_b if count_b > 2 else count_b - 1):
            other, other_along = edge(tab, 1, count_b, k)
            first, second = crossing((x, y, z), start, along, other, other_along)
            if first < 0.0:
                continue
            px, py, pz = start[0] + first * along[0], start[1] + first * along[1], start[2] + first * along[2]
            height = (
                x * (px - other[0] - second * other_along[0])
                + y * (py - other[1] - second * other_along[1])
                + z * (pz - other[2] - second * other_along[2])
            )
            if height - both < reach:
                foot = px - radius * x, py - radius * y, pz - radius * z
                _add(mem, tab, pair, foot, (x, y, z), height - both, 0.0, dt)


@kernel
def add_contacts(mem: Block, tab: Block, pair: int, dt: float) -> None:
    """All half-spaces of a pair: at its nearest point, at corners above faces, where edges cross."""
    a, b, told = at.pair_a(tab)[pair], at.pair_b(tab)[pair], at.told(tab)[pair]
    x, y, z = at.way(tab)[pair]
    point, reach = near_point(tab, pair), at.settings(tab)[CONTACT_RANGE]
    _add(mem, tab, pair, point, (x, y, z), told, at.loose(tab)[pair], dt)
    level = x * point[0] + y * point[1] + z * point[2]
    count_a = count_b = 0
    if corner_count(tab, a) > 1:  # a ball has no corner but its nearest point
        count_a = outermost(tab, 0, a, (x, y, z), level + ball_radius(tab, a) + reach)
        _corners(mem, tab, pair, a, b, 1.0, count_a, dt)
    if corner_count(tab, b) > 1:
        count_b = outermost(tab, 1, b, (-x, -y, -z), told - level + ball_radius(tab, b) + reach)
        _corners(mem, tab, pair, b, a, -1.0, count_b, dt)
    _crossings(mem, tab, pair, count_a, count_b, dt)
