"""A distance for every pair that is never more than the true one.

The signed distance of two convex solids, inside or outside, is the largest of all gaps

    gap(n) = min n·a - max n·b        over points a, b of the two solids, for any unit direction n

so the gap along ANY direction is a lower bound of it, and along the best direction it is the distance. The best
direction is what the collision library found when it was last asked; it is kept in the frame of b, and the gap is taken
anew in every tick from where the solids are now. A direction that has grown old, or is plainly wrong, makes the told
distance smaller than the true one, never larger.
"""

from __future__ import annotations

import math

from station.collision.kernels import table as at
from station.collision.kernels.cache import kernel
from station.collision.kernels.support import lowest, placed, placed_back, turned, turned_back
from station.collision.kernels.table import CONDITION, HALFSPACE, HORIZON, NOT_FINITE
from station.mechanism.kernels import at as mechanism
from station.mechanism.kernels.memory import Block, Floats


@kernel
def place_solids(tab: Block, rotation: Floats, position: Floats, poses: Floats) -> None:
    """Poses of all solids in the world, from where the bodies of the mechanism are."""
    solid_body, solid_offset = at.solid_body(tab), at.solid_offset(tab)
    for s in range(solid_body.size):
        body, offset, pose = solid_body[s], solid_offset[s], poses[s]
        for row in range(3):
            for column in range(4):
                if body < 0:
                    pose[row, column] = offset[row, column]
                else:
                    value = (
                        rotation[body, row, 0] * offset[0, column]
                        + rotation[body, row, 1] * offset[1, column]
                        + rotation[body, row, 2] * offset[2, column]
                    )
                    pose[row, column] = value + (position[body, row] if column == 3 else 0.0)


@kernel
def gap(tab: Block, a: int, b: int, x: float, y: float, z: float) -> float:
    """The gap min n·a - max n·b [m] along a unit direction n = (x, y, z) of the world."""
    pose_a, pose_b = at.solid_pose(tab)[a], at.solid_pose(tab)[b]
    ax, ay, az = turned_back(pose_a, x, y, z)
    bx, by, bz = turned_back(pose_b, x, y, z)
    between = 0.0
    for i, n in enumerate((x, y, z)):
        between += n * (pose_a[i, 3] - pose_b[i, 3])
    most_b = 0.0 if at.solid_kind(tab)[b] == HALFSPACE else -lowest(tab, b, -bx, -by, -bz)
    return between + lowest(tab, a, ax, ay, az) - most_b


@kernel
def _moved(tab: Block, pair: int, a: int, b: int) -> float:
    """How far any point of a can have moved as b sees it since the pair was last asked for, at most [m]."""
    pose_a, pose_b, before = at.solid_pose(tab)[a], at.solid_pose(tab)[b], at.known_pose(tab)[pair]
    centre = at.solid_centre(tab)[a]
    turn = 0.0
    for j in range(3):
        column = turned_back(pose_b, pose_a[0, j], pose_a[1, j], pose_a[2, j])
        for i in range(3):
            turn += (column[i] - before[i, j]) ** 2
    now = placed(pose_a, centre[0], centre[1], centre[2])
    here = placed_back(pose_b, now[0], now[1], now[2])
    there = placed(before, centre[0], centre[1], centre[2])
    way = math.sqrt((here[0] - there[0]) ** 2 + (here[1] - there[1]) ** 2 + (here[2] - there[2]) ** 2)
    # The norm of a difference of two rotations is its Frobenius norm / √2.
    ball: float = at.solid_ball(tab)[a]
    return way + ball * math.sqrt(0.5 * turn)


@kernel
def _survey_pair(tab: Block, pair: int, horizon: float) -> None:
    a, b = at.pair_a(tab)[pair], at.pair_b(tab)[pair]
    told, loose, way, by_witness = at.told(tab), at.loose(tab), at.way(tab)[pair], at.by_witness(tab)
    pose_a, pose_b, normal = at.solid_pose(tab)[a], at.solid_pose(tab)[b], at.normal(tab)[pair]
    by_witness[pair], loose[pair] = 0, 0.0
    if at.solid_kind(tab)[b] == HALFSPACE:  # its only direction, and so the distance itself
        way[0], way[1], way[2] = pose_b[0, 2], pose_b[1, 2], pose_b[2, 2]
        told[pair] = gap(tab, a, b, way[0], way[1], way[2])
        return
    ca, cb = at.solid_centre(tab)[a], at.solid_centre(tab)[b]
    pa, pb = placed(pose_a, ca[0], ca[1], ca[2]), placed(pose_b, cb[0], cb[1], cb[2])
    x, y, z = pa[0] - pb[0], pa[1] - pb[1], pa[2] - pb[2]
    apart = math.sqrt(x * x + y * y + z * z)
    balls = apart - at.solid_ball(tab)[a] - at.solid_ball(tab)[b]
    if balls >= horizon:
        told[pair] = balls
        way[0], way[1], way[2] = x / apart, y / apart, z / apart
        return
    way[0], way[1], way[2] = turned(pose_b, normal[0], normal[1], normal[2])
    told[pair], by_witness[pair] = gap(tab, a, b, way[0], way[1], way[2]), 1
    if told[pair] < balls and apart > 0.0:  # the direction is from far away: between the centres is better
        other = gap(tab, a, b, x / apart, y / apart, z / apart)
        if other > told[pair]:
            told[pair], by_witness[pair] = other, 0
            way[0], way[1], way[2] = x / apart, y / apart, z / apart
    loose[pair] = max(at.known(tab)[pair] + _moved(tab, pair, a, b) - told[pair], 0.0)


@kernel
def survey(mem: Block, tab: Block) -> None:
    """Place all solids and tell the distance of every pair."""
    place_solids(tab, mechanism.rotation(mem), mechanism.position(mem), at.solid_pose(tab))
    told, counts, horizon = at.told(tab), at.counts(tab), at.settings(tab)[HORIZON]
    counts[CONDITION] = 0
    for pair in range(told.size):
        _survey_pair(tab, pair, horizon)
        if not (-math.inf < told[pair] < math.inf):
            counts[CONDITION] |= NOT_FINITE
