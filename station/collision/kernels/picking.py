"""Which pairs are worth an exact distance, and what to do with the answers."""

from __future__ import annotations

import math

from station.collision.kernels import table as at
from station.collision.kernels.cache import kernel
from station.collision.kernels.stops import own_stops
from station.collision.kernels.support import placed_back, turned_back
from station.collision.kernels.survey import survey
from station.collision.kernels.table import CONDITION, HORIZON, MARGIN, NOT_FINITE, PICKED, PICKS
from station.mechanism.kernels.memory import Block, Floats

EXACT = 1e-6  # what may lie between a distance and its bound without anyone asking again [m] …
SHARE = 1e-3  # … and that in parts of the distance
NEAR = 1e-3  # added to distances where they divide, so that contact counts most but not infinitely more [m]


@kernel
def pick(mem: Block, tab: Block) -> int:
    """Choose the pairs whose distance is to be found exactly; returns how many.

    First those that are near and of which little is known: how much the distance may be more than told, over the
    distance, times the ticks since it was asked. Nothing is chosen while nothing moves. Stops that `tell` has set end
    here.
    """
    own_stops(mem, tab)
    survey(mem, tab)
    told, loose, urgency, age = at.told(tab), at.loose(tab), at.urgency(tab), at.age(tab)
    settings, picked, counts = at.settings(tab), at.picked(tab), at.counts(tab)
    counts[PICKED] = 0
    if counts[CONDITION] & NOT_FINITE:
        return 0
    for pair in range(told.size):
        age[pair] += 1
        urgency[pair] = 0.0
        positive = max(told[pair], 0.0)
        if told[pair] < settings[HORIZON] and loose[pair] > EXACT + SHARE * positive:
            urgency[pair] = age[pair] * loose[pair] / (positive + settings[MARGIN] + NEAR)
    for k in range(int(settings[PICKS])):
        best, most = -1, 0.0
        for pair in range(told.size):
            if urgency[pair] > most:
                best, most = pair, urgency[pair]
        if best < 0:
            break
        urgency[best] = 0.0
        picked[k] = best
        poses, a, b = at.solid_pose(tab), at.pair_a(tab)[best], at.pair_b(tab)[best]
        relative(poses[a], poses[b], at.pick_rotation(tab)[k], at.pick_position(tab)[k])
        counts[PICKED] = k + 1
    count: int = counts[PICKED]
    return count


@kernel
def relative(pose_a: Floats, pose_b: Floats, rotation: Floats, position: Floats) -> None:
    """The pose of a in b, in the two pieces that the library takes."""
    for j in range(3):
        column = turned_back(pose_b, pose_a[0, j], pose_a[1, j], pose_a[2, j])
        for i in range(3):
            rotation[i, j] = column[i]
    origin = placed_back(pose_b, pose_a[0, 3], pose_a[1, 3], pose_a[2, 3])
    for i in range(3):
        position[i] = origin[i]


@kernel
def learn(tab: Block) -> bool:
    """Keep the answers, but for those that make no sense; returns whether all did."""
    fine = True
    for k in range(at.counts(tab)[PICKED]):
        fine = _learn(tab, k) and fine
    return fine


@kernel
def _learn(tab: Block, k: int) -> bool:
    """Keep one answer, unless it makes no sense."""
    answer, pair = at.answers(tab)[k], at.picked(tab)[k]
    rotation, position = at.pick_rotation(tab)[k], at.pick_position(tab)[k]
    length = 0.0
    at.age(tab)[pair] = 0  # also if there is no answer: others are asked first, then
    for i in range(7):
        if not (-math.inf < answer[i] < math.inf):
            return False
        if 1 <= i <= 3:
            length += answer[i] ** 2
    if abs(length - 1.0) > 1e-6:
        return False
    at.known(tab)[pair] = answer[0]
    answer[0] = math.nan  # so that no answer is taken twice
    normal, witness, known_pose = at.normal(tab)[pair], at.witness(tab)[pair], at.known_pose(tab)[pair]
    scale = 1.0 / math.sqrt(length)
    away = answer[4] - position[0], answer[5] - position[1], answer[6] - position[2]
    for i in range(3):
        normal[i] = scale * answer[1 + i]
        witness[i] = rotation[0, i] * away[0] + rotation[1, i] * away[1] + rotation[2, i] * away[2]
        known_pose[i, 3] = position[i]
        for j in range(3):
            known_pose[i, j] = rotation[i, j]
    return True
