"""One tick of the surroundings: rows for the forces, and for the solver half-spaces or stops of joints.

Half-spaces are at the nearest point of a pair, at corners near a face, and where edges cross.

The nearest point alone would let a bar that lies along a table turn about it, so that its other end enters; an infinite
plane under all corners would keep the bar from tipping over the edge of the table. So what counts are the corners of
the region in which the two solids really are one above the other.

Obstacles that move with the robot, and the robot's own bodies: kept apart by stops of the joints between the two.

A half-space of the solver stands still in the world. Against a body that moves itself it would say nothing: the solver
would carry both along and call it a way out. Between the two are the joints that move one but not the other. As far as
each of them brings the two nearer, it gets an equal share of the way that is left:

    r_j = normal·(velocity of a - velocity of b) per speed of joint j
    motion of joint j towards contact ≤ d / (k·|r_j|)

with k such joints, so that all together use up d at most. The stops are in force from `tell` until the next `pick`.

Robots that other mechanisms move stand in the world for the length of a tick. Both of a pair are told the same distance
and each takes half of the way that is left, so that together they use up all of it at most, whichever steps first.
"""

from __future__ import annotations

import math

from station.collision.results import Condition
from station.collision.support import (
    SAME,
    ball_radius,
    corner_count,
    crossing,
    edge,
    lowest_point,
    outermost,
    outside,
)
from station.collision.survey import own_stops, survey
from station.collision.table import MOST_ROWS, Table
from station.kernel import Floats2, entry, kernel
from station.kernel.se3 import placed, placed_back
from station.kernel.so3 import applied, applied_back
from station.kernel.vectors import Vector
from station.mechanism.memory import MOST_CONTACTS, JointKind, MechanismMemory

NOTHING = 1e-9  # motion per joint motion that is none [m/rad | m/m]
EVERY_BODY = -2


@entry
def tell(mem: MechanismMemory, tab: Table, dt: float) -> tuple[int, int, float, Condition]:
    """Distances now: rows for the forces, and half-spaces for a step of `dt` [s].

    The half-spaces are written into the contact fields of the mechanism's memory, where its `step` takes them from.
    Returns how many rows and half-spaces there are, the smallest distance [m] and the condition.
    """
    if not 0.0 < dt < math.inf:
        dt = 0.0  # a step that takes no time goes nowhere
    own_stops(mem, tab)
    survey(mem, tab)
    told = tab.told
    tab.row_count = tab.contact_count = 0
    if tab.condition & Condition.NOT_FINITE:
        return 0, 0, math.inf, tab.condition
    for pair in range(tab.pair_count):
        if told[pair] < tab.horizon:
            _insert(tab, pair)
    rows, row_pair, way = tab.rows, tab.row_pair, tab.way
    for k in range(tab.row_count):
        pair = row_pair[k]
        rows[k, 0] = told[pair]
        rows[k, 4], rows[k, 5], rows[k, 6] = near_point(tab, pair)
        for i in range(3):
            rows[k, 1 + i] = way[pair, i]
        if told[pair] < tab.contact_range + tab.margin:
            add_contacts(mem, tab, pair, dt)
    nearest = rows[0, 0] if tab.row_count > 0 else math.inf
    return tab.row_count, tab.contact_count, nearest, tab.condition


@kernel
def _insert(tab: Table, pair: int) -> None:
    """Put a pair in its place among the nearest."""
    told, row_pair = tab.told, tab.row_pair
    k = tab.row_count
    if k == MOST_ROWS:
        tab.condition |= Condition.TOO_MANY
        if told[row_pair[k - 1]] <= told[pair]:
            return
        k -= 1
    else:
        tab.row_count = k + 1
    while k > 0 and told[row_pair[k - 1]] > told[pair]:
        row_pair[k] = row_pair[k - 1]
        k -= 1
    row_pair[k] = pair


@entry
def put_rows(tab: Table, out: Floats2, body: int) -> int:
    """Copy the nearest rows into an array of others, as many as it has room for; world axes. Returns the number.

    Only those of one body of the mechanism, such as the one that the hand moves; EVERY_BODY for all.
    """
    rows, row_pair, count = tab.rows, tab.row_pair, 0
    for k in range(tab.row_count):
        if count < out.shape[0] and (body == EVERY_BODY or tab.solid_body[tab.pair_a[row_pair[k]]] == body):
            for i in range(7):
                out[count, i] = rows[k, i]
            count += 1
    return count


# Half-spaces ------------------------------------------------------------------------------------------------------


@kernel
def near_point(tab: Table, pair: int) -> Vector:
    """The point of a that is nearest to b, in the world [m]."""
    a, way = tab.pair_a[pair], tab.way[pair]
    pose = tab.solid_pose[a]
    if tab.by_witness[pair]:
        witness = tab.witness[pair]
        return placed(pose, (witness[0], witness[1], witness[2]))
    x, y, z = applied_back(pose, (way[0], way[1], way[2]))
    px, py, pz = lowest_point(tab, a, x, y, z)
    return placed(pose, (px, py, pz))


@kernel
def _add(
    mem: MechanismMemory, tab: Table, pair: int, point: Vector, way: Vector, distance: float, loose: float, dt: float
) -> None:
    """Give the solver one half-space, or stops of joints where the obstacle moves with the robot.

    Approach is slowed down before the margin. What is inside is pushed out slowly, and by no more than is certain: the
    distance that is told may be less than the true one.
    """
    a, b = tab.pair_a[pair], tab.pair_b[pair]
    left = distance - tab.margin
    if tab.solid_body[b] >= 0:
        stop_joints(mem, tab.solid_body[a], tab.solid_body[b], point, way, left)
        return
    number = tab.contact_count
    for k in range(number - 1, -1, -1):  # a second one at the same place would say nothing new
        other = mem.contact_point[k]
        if tab.contact_pair[k] != pair:
            break
        if abs(other[0] - point[0]) + abs(other[1] - point[1]) + abs(other[2] - point[2]) < SAME:
            return
    if number >= MOST_CONTACTS:
        tab.condition |= Condition.TOO_MANY
        return
    if left > 0.0:
        left *= min(1.0, dt / tab.approach_time) if tab.approach_time > 0.0 else 1.0
    else:
        left = max(min(left + loose, 0.0), -tab.push_speed * dt)
    left *= tab.solid_share[b]
    place, normal = mem.contact_point[number], mem.contact_normal[number]
    for i in range(3):
        place[i], normal[i] = point[i], way[i]
    mem.contact_frame[number] = tab.solid_frame[a]
    mem.contact_distance[number] = left
    tab.contact_pair[number] = pair
    tab.contact_count = number + 1


@kernel
def _corners(
    mem: MechanismMemory, tab: Table, pair: int, own: int, other: int, sign: float, count: int, dt: float
) -> None:
    """Half-spaces at the corners of one solid of a pair that are near a face of the other; sign -1: corners of b."""
    reach, radius, pose = tab.contact_range, ball_radius(tab, own), tab.solid_pose[other]
    corner = tab.corner[0 if sign > 0.0 else 1]
    for k in range(count):
        px, py, pz = corner[k, 0], corner[k, 1], corner[k, 2]
        lx, ly, lz = placed_back(pose, (px, py, pz))
        height, nx, ny, nz, exact = outside(tab, other, lx, ly, lz)
        if exact and height - radius < reach:
            nx, ny, nz = applied(pose, (nx, ny, nz))
            down = radius if sign > 0.0 else height  # to the surface of a
            foot = px - down * nx, py - down * ny, pz - down * nz
            _add(mem, tab, pair, foot, (sign * nx, sign * ny, sign * nz), height - radius, 0.0, dt)


@kernel
def _crossings(mem: MechanismMemory, tab: Table, pair: int, count_a: int, count_b: int, dt: float) -> None:
    """Half-spaces where edges of the two solids cross, as seen along the direction between them."""
    x, y, z = tab.way[pair]
    a, b, reach = tab.pair_a[pair], tab.pair_b[pair], tab.contact_range
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
def add_contacts(mem: MechanismMemory, tab: Table, pair: int, dt: float) -> None:
    """All half-spaces of a pair: at its nearest point, at corners above faces, where edges cross."""
    a, b, told = tab.pair_a[pair], tab.pair_b[pair], tab.told[pair]
    x, y, z = tab.way[pair]
    point, reach = near_point(tab, pair), tab.contact_range
    _add(mem, tab, pair, point, (x, y, z), told, tab.loose[pair], dt)
    level = x * point[0] + y * point[1] + z * point[2]
    count_a = count_b = 0
    if corner_count(tab, a) > 1:  # a ball has no corner but its nearest point
        count_a = outermost(tab, 0, a, (x, y, z), level + ball_radius(tab, a) + reach)
        _corners(mem, tab, pair, a, b, 1.0, count_a, dt)
    if corner_count(tab, b) > 1:
        count_b = outermost(tab, 1, b, (-x, -y, -z), told - level + ball_radius(tab, b) + reach)
        _corners(mem, tab, pair, b, a, -1.0, count_b, dt)
    _crossings(mem, tab, pair, count_a, count_b, dt)


# Stops of joints --------------------------------------------------------------------------------------------------


@kernel
def _carries(mem: MechanismMemory, joint: int, body: int) -> bool:
    """Whether a joint moves a body."""
    parents = mem.parents
    while body >= 0:
        if body == joint:
            return True
        body = parents[body]
    return False


@kernel
def _rate(mem: MechanismMemory, joint: int, point: Vector, way: Vector) -> float:
    """Speed along a direction of a point that a joint moves, per speed of the joint [m/rad | m/m]."""
    rotation, position = mem.rotation[joint], mem.position[joint]
    x, y, z = rotation[0, 2], rotation[1, 2], rotation[2, 2]
    if mem.joint_kind[joint] != JointKind.REVOLUTE:
        along: float = way[0] * x + way[1] * y + way[2] * z
        return along
    rx, ry, rz = point[0] - position[0], point[1] - position[1], point[2] - position[2]
    about: float = way[0] * (y * rz - z * ry) + way[1] * (z * rx - x * rz) + way[2] * (x * ry - y * rx)
    return about


@kernel
def stop_joints(mem: MechanismMemory, a: int, b: int, point: Vector, way: Vector, left: float) -> None:
    """Stops for the joints between two bodies, so that a point of a comes nearer to b by at most `left` [m]."""
    q, q_min, q_max = mem.q, mem.q_min, mem.q_max
    count = 0
    for j in range(q.size):
        if _carries(mem, j, a) != _carries(mem, j, b) and abs(_rate(mem, j, point, way)) > NOTHING:
            count += 1
    for j in range(q.size):
        with_a = _carries(mem, j, a)
        if with_a == _carries(mem, j, b):
            continue
        rate = _rate(mem, j, point, way) if with_a else -_rate(mem, j, point, way)
        if abs(rate) > NOTHING:
            share = max(left, 0.0) / (count * abs(rate))
            if rate > 0.0:
                q_min[j] = min(max(q_min[j], q[j] - share), q[j])
            else:
                q_max[j] = max(min(q_max[j], q[j] + share), q[j])
