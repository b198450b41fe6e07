"""A distance for every pair that is never more than the true one; and which pairs are worth an exact one.

The signed distance of two convex solids, inside or outside, is the largest of all gaps

    gap(n) = min n·a - max n·b        over points a, b of the two solids, for any unit direction n

so the gap along ANY direction is a lower bound of it, and along the best direction it is the distance. The best
direction is what the collision library found when it was last asked; it is kept in the frame of b, and the gap is taken
anew in every tick from where the solids are now. A direction that has grown old, or is plainly wrong, makes the told
distance smaller than the true one, never larger.
"""

from __future__ import annotations

import math

from station.collision.results import Condition
from station.collision.support import lowest
from station.collision.table import SolidKind, Table
from station.kernel import Floats2, Floats3, entry, kernel
from station.kernel.se3 import placed, placed_back, relative
from station.kernel.so3 import applied, applied_back
from station.mechanism.memory import MechanismMemory
from station.mechanism.tree import carried_pose

EXACT = 1e-6  # what may lie between a distance and its bound without anyone asking again [m] …
SHARE = 1e-3  # … and that in parts of the distance
NEAR = 1e-3  # added to distances where they divide, so that contact counts most but not infinitely more [m]


@kernel
def own_stops(mem: MechanismMemory, tab: Table) -> None:
    """Only the mechanism's own stops are in force again."""
    q_min, q_max, low, high = mem.q_min, mem.q_max, tab.low_stop, tab.high_stop
    for j in range(q_min.size):
        q_min[j], q_max[j] = low[j], high[j]


@entry(inline=True)
def place_solids(tab: Table, rotation: Floats3, position: Floats2, poses: Floats3) -> None:
    """Poses of all solids in the world, from where the bodies of the mechanism are."""
    for s in range(tab.solid_body.size):
        carried_pose(tab.solid_body[s], tab.solid_offset[s], rotation, position, poses[s])


@entry(inline=True)
def put_solids(tab: Table, which: int, rotation: Floats3, position: Floats2) -> bool:
    """Places of the solids of an other mechanism, from where its bodies are; False: one is nowhere, and stays put."""
    fine = True
    for k in range(tab.other_start[which], tab.other_start[which + 1]):
        body = tab.other_body[k]
        size = 0.0
        if body >= 0:
            for i in range(3):
                size += abs(position[body, i])
                for j in range(3):
                    size += abs(rotation[body, i, j])
        if size < math.inf:
            carried_pose(body, tab.other_seat[k], rotation, position, tab.solid_offset[tab.other_solid[k]])
        else:
            fine = False
    return fine


@entry
def move_solids(tab: Table, other: MechanismMemory, which: int) -> bool:
    """The solids of other mechanism number `which` are where its predicted robot is; once in a tick, before `tell`.

    False: the place of a body is not a number; it stays where it was last.
    """
    return put_solids(tab, which, other.rotation, other.position)


@kernel
def gap(tab: Table, a: int, b: int, x: float, y: float, z: float) -> float:
    """The gap min n·a - max n·b [m] along a unit direction n = (x, y, z) of the world."""
    pose_a, pose_b = tab.solid_pose[a], tab.solid_pose[b]
    ax, ay, az = applied_back(pose_a, (x, y, z))
    bx, by, bz = applied_back(pose_b, (x, y, z))
    between = 0.0
    for i, n in enumerate((x, y, z)):
        between += n * (pose_a[i, 3] - pose_b[i, 3])
    most_b = 0.0 if tab.solid_kind[b] == SolidKind.HALFSPACE else -lowest(tab, b, -bx, -by, -bz)
    return between + lowest(tab, a, ax, ay, az) - most_b


@kernel
def _moved(tab: Table, pair: int, a: int, b: int) -> float:
    """How far any point of a can have moved as b sees it since the pair was last asked for, at most [m]."""
    pose_a, pose_b, before = tab.solid_pose[a], tab.solid_pose[b], tab.known_pose[pair]
    centre = tab.solid_centre[a]
    turn = 0.0
    for j in range(3):
        column = applied_back(pose_b, (pose_a[0, j], pose_a[1, j], pose_a[2, j]))
        for i in range(3):
            turn += (column[i] - before[i, j]) ** 2
    now = placed(pose_a, (centre[0], centre[1], centre[2]))
    here = placed_back(pose_b, (now[0], now[1], now[2]))
    there = placed(before, (centre[0], centre[1], centre[2]))
    way = math.sqrt((here[0] - there[0]) ** 2 + (here[1] - there[1]) ** 2 + (here[2] - there[2]) ** 2)
    # The norm of a difference of two rotations is its Frobenius norm / √2.
    ball: float = tab.solid_ball[a]
    return way + ball * math.sqrt(0.5 * turn)


@kernel
def _survey_pair(tab: Table, pair: int, horizon: float) -> None:
    a, b = tab.pair_a[pair], tab.pair_b[pair]
    told, loose, way, by_witness = tab.told, tab.loose, tab.way[pair], tab.by_witness
    pose_a, pose_b, normal = tab.solid_pose[a], tab.solid_pose[b], tab.normal[pair]
    by_witness[pair], loose[pair] = False, 0.0
    if tab.solid_kind[b] == SolidKind.HALFSPACE:  # its only direction, and so the distance itself
        way[0], way[1], way[2] = pose_b[0, 2], pose_b[1, 2], pose_b[2, 2]
        told[pair] = gap(tab, a, b, way[0], way[1], way[2])
        return
    ca, cb = tab.solid_centre[a], tab.solid_centre[b]
    pa, pb = placed(pose_a, (ca[0], ca[1], ca[2])), placed(pose_b, (cb[0], cb[1], cb[2]))
    x, y, z = pa[0] - pb[0], pa[1] - pb[1], pa[2] - pb[2]
    apart = math.sqrt(x * x + y * y + z * z)
    balls = apart - tab.solid_ball[a] - tab.solid_ball[b]
    if balls >= horizon:
        told[pair] = balls
        way[0], way[1], way[2] = x / apart, y / apart, z / apart
        return
    way[0], way[1], way[2] = applied(pose_b, (normal[0], normal[1], normal[2]))
    told[pair], by_witness[pair] = gap(tab, a, b, way[0], way[1], way[2]), True
    if told[pair] < balls and apart > 0.0:  # the direction is from far away: between the centres is better
        other = gap(tab, a, b, x / apart, y / apart, z / apart)
        if other > told[pair]:
            told[pair], by_witness[pair] = other, False
            way[0], way[1], way[2] = x / apart, y / apart, z / apart
    loose[pair] = max(tab.known[pair] + _moved(tab, pair, a, b) - told[pair], 0.0)


@kernel
def survey(mem: MechanismMemory, tab: Table) -> None:
    """Place all solids and tell the distance of every pair."""
    place_solids(tab, mem.rotation, mem.position, tab.solid_pose)
    told, horizon = tab.told, tab.horizon
    tab.condition = Condition.FINE
    for pair in range(tab.pair_count):
        _survey_pair(tab, pair, horizon)
        if not (-math.inf < told[pair] < math.inf):
            tab.condition |= Condition.NOT_FINITE


# Which pairs are worth an exact distance, and what to do with the answers -----------------------------------------


@entry
def pick(mem: MechanismMemory, tab: Table) -> int:
    """Choose the pairs whose distance is to be found exactly; returns how many.

    First those that are near and of which little is known: how much the distance may be more than told, over the
    distance, times the ticks since it was asked. Nothing is chosen while nothing moves. Stops that `tell` has set end
    here.
    """
    own_stops(mem, tab)
    survey(mem, tab)
    told, loose, urgency, age = tab.told, tab.loose, tab.urgency, tab.age
    picked, horizon, margin = tab.picked, tab.horizon, tab.margin
    tab.pick_count = 0
    if tab.condition & Condition.NOT_FINITE:
        return 0
    for pair in range(tab.pair_count):
        age[pair] += 1
        urgency[pair] = 0.0
        positive = max(told[pair], 0.0)
        if told[pair] < horizon and loose[pair] > EXACT + SHARE * positive:
            urgency[pair] = age[pair] * loose[pair] / (positive + margin + NEAR)
    for k in range(tab.exact_per_tick):
        best, most = -1, 0.0
        for pair in range(tab.pair_count):
            if urgency[pair] > most:
                best, most = pair, urgency[pair]
        if best < 0:
            break
        urgency[best] = 0.0
        picked[k] = best
        poses, a, b = tab.solid_pose, tab.pair_a[best], tab.pair_b[best]
        relative(poses[a], poses[b], tab.pick_rotation[k], tab.pick_position[k])
        tab.pick_count = k + 1
    return tab.pick_count


@entry
def learn(tab: Table) -> bool:
    """Keep the answers, but for those that make no sense; returns whether all did."""
    fine = True
    for k in range(tab.pick_count):
        fine = _learn(tab, k) and fine
    return fine


@kernel
def _learn(tab: Table, k: int) -> bool:
    """Keep one answer, unless it makes no sense."""
    answer, pair = tab.answers[k], tab.picked[k]
    rotation, position = tab.pick_rotation[k], tab.pick_position[k]
    length = 0.0
    tab.age[pair] = 0  # also if there is no answer: others are asked first, then
    for i in range(7):
        if not (-math.inf < answer[i] < math.inf):
            return False
        if 1 <= i <= 3:
            length += answer[i] ** 2
    if abs(length - 1.0) > 1e-6:
        return False
    tab.known[pair] = answer[0]
    answer[0] = math.nan  # so that no answer is taken twice
    normal, witness, known_pose = tab.normal[pair], tab.witness[pair], tab.known_pose[pair]
    scale = 1.0 / math.sqrt(length)
    away = answer[4] - position[0], answer[5] - position[1], answer[6] - position[2]
    for i in range(3):
        normal[i] = scale * answer[1 + i]
        witness[i] = rotation[0, i] * away[0] + rotation[1, i] * away[1] + rotation[2, i] * away[2]
        known_pose[i, 3] = position[i]
        for j in range(3):
            known_pose[i, j] = rotation[i, j]
    return True
