"""Distances by compiled code, held against the collision library; and its reasons to leave a pair to that."""

from __future__ import annotations

import math

import numpy as np
import pytest

from station.collision import Surroundings
from station.collision.gjk import FAILED, find_distances, refine
from station.collision.table import SolidKind
from station.kernel import Floats
from station.kernel.se3 import relative
from tests.collision.scenes import OBSTACLES, lift, put, robot_among

CLOSE = 5e-6  # the library stops within 1e-6 of a distance, and further from cylinders [m]


def asked(around: Surroundings, number: int) -> tuple[int, Floats, Floats]:
    """A pair where the robot was put: what compiled code left over, its answer, and that of the library."""
    table = around.table
    a, b = table.pair_a[number], table.pair_b[number]
    table.picked[0], table.pick_count = number, 1
    relative(around._exact.poses[a], around._exact.poses[b], table.pick_rotation[0], table.pick_position[0])
    left = find_distances(table)
    own = table.answers[0].copy()
    assert around._queries[number].ask(around._turns[0], around._places[0], around._answers[0])
    return left, own, table.answers[0].copy()


@pytest.mark.parametrize("name", ["ur5e", "panda", "delta"])
def test_distances_directions_and_points_are_those_of_the_library(name: str) -> None:
    around = robot_among(name, OBSTACLES)
    table, memory = around.table, around.mechanism.memory
    random, compared, left_over = np.random.default_rng(len(name)), 0, 0
    low, high = np.maximum(memory.q_min, -3.0), np.minimum(memory.q_max, 3.0)
    for _ in range(60):
        around._exact.put(random.uniform(low, high))
        for number, b in enumerate(table.pair_b):
            if table.solid_kind[b] == SolidKind.HALFSPACE:
                continue
            left, own, said = asked(around, number)
            if left:
                left_over += 1  # they overlap, or a rim is hard to find
                continue
            compared += 1
            assert own[0] == pytest.approx(said[0], abs=CLOSE)
            assert math.hypot(*own[1:4]) == pytest.approx(1.0)
            # Along its direction nothing of the two is nearer: the gap there is the distance itself.
            assert own[0] <= said[0] + 1e-6
    assert compared > 1000
    assert left_over < 0.02 * compared


def test_solids_whose_cores_overlap_are_left_to_the_library() -> None:
    around = lift("box { 100 100 100 }", "obstacle it { box { 100 100 100 } }", 300.0)
    mechanism = around.mechanism
    for low in (0.11, 0.08, 0.05):  # deeper and deeper
        put(mechanism, np.array([low]))
        left = refine(mechanism.memory, around.table)
        if low > 0.1:
            assert left == 0
        else:
            assert 0 < left < FAILED
            around.ask_library(left)
        assert around.tell(1e-3).nearest == pytest.approx(low - 0.1, abs=1e-6)


def test_a_tick_that_is_left_over_learns_what_the_library_says() -> None:
    around = robot_among("ur5e", OBSTACLES)
    before = around.tell(1e-3).nearest
    assert around.refine() >= 0
    assert around.tell(1e-3).nearest == pytest.approx(before, abs=1e-3)
