"""Obstacles: the predicted robot stays out, the hand feels them coming and feels them, and slides along."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import robots
from station.haptics import Cause
from station.servo.shared import Acting, SetGain
from tests.servo.rigs import Bench, ideal

# A wall in front of the flange of the ur5e, across the world's x.
WALL = "obstacle wall { pos { -900 -133 488 }  box { 500 1200 1200 } }"
SCENE = robots.path("ur5e").read_text(encoding="utf8") + WALL
AWAY = np.array([0.0, -1.0, 0.0])  # of the hand, which moves the flange along -x


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with ideal(SCENE, tmp_path, force=8.0) as made:
        made.servo.part.orders.decide(SetGain(Cause.CUES, 0.0))
        made.engage()
        yield made


def test_a_wall_is_felt_coming_then_felt_and_never_entered(bench: Bench) -> None:
    surroundings = bench.servo.part.rig.surroundings
    assert surroundings is not None
    coming = None
    lowest = np.inf
    for _ in bench.move(0.30 * AWAY, 3.0):
        distance = bench.shared.obstacle_distance
        lowest = min(lowest, distance)
        if coming is None and np.linalg.norm(bench.shared.wrench_parts[Cause.OBSTACLES, :3]) > 0.1:
            coming = distance
    assert coming is not None
    assert 0.002 < coming < 0.02
    assert lowest > 0.0
    assert min(row.distance for row in surroundings.distances()) > 0.0
    assert bench.shared.acting & Acting.CONTACT
    assert bench.force @ AWAY < -5.0  # it points back
    assert np.abs(bench.shared.wrench_parts[Cause.COUPLING, :3] @ AWAY) > 1.0


def test_the_robot_slides_along_a_wall_and_leaves_it_freely(bench: Bench) -> None:
    bench.lead(0.28 * AWAY, 2.0)
    pressed = bench.shared.predicted_pose[:3, 3].copy()
    bench.lead(0.28 * AWAY + np.array([0.0, 0.0, 0.08]), 1.0)
    slid = bench.shared.predicted_pose[:3, 3].copy()
    assert slid[2] - pressed[2] > 0.05  # of 0.08: the tool turns a little rather than to enter
    assert abs(slid[0] - pressed[0]) < 0.02
    bench.lead(np.array([0.0, 0.0, 0.08]), 2.0)
    bench.ticks(500)
    assert np.linalg.norm(bench.force) < 0.05
    assert bench.shared.slow_down == 1.0


def test_motion_towards_a_wall_slows_down_and_away_from_it_does_not(bench: Bench) -> None:
    towards = away = 0.0
    for _ in bench.move(0.30 * AWAY, 0.6):  # 0.5 m/s
        if 0.002 < bench.shared.obstacle_distance < 0.01:
            towards = max(towards, float(np.linalg.norm(bench.servo.part.memory.frame_twist[:3])))
    bench.ticks(500)
    for _ in bench.move(0.0 * AWAY, 0.6):
        if bench.shared.obstacle_distance < 0.01:
            away = max(away, float(np.linalg.norm(bench.servo.part.memory.frame_twist[:3])))
    assert 0.0 < towards < 0.15
    assert away > towards
