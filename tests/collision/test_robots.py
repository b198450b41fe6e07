"""Every robot of the collection can touch, and none is in contact where it starts."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

import station
from station.collision import Condition, Surroundings
from station.collision.table import SolidKind
from station.mad.scene import Obstacle, Vector
from tests.collision.scenes import OBSTACLES, ROBOTS, lift, robot_among

FILES = sorted(ROBOTS.glob("*.mad"))


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_every_robot_has_bodies_and_none_touches_itself_where_it_starts(file: Path) -> None:
    scene = station.load(file)
    for robot in scene.robots:
        surroundings = Surroundings(scene, scene[robot.name], include_self=True)
        carried = {solid.frame for solid in surroundings.solids}
        assert len(carried) > 2, carried
        rows = surroundings.distances()
        assert rows
        assert rows[0].distance > 0.0, rows[0]
        # The syntaxer's strings and bars are within a hand's breadth: more pairs are near than are told.
        assert surroundings.tell(1e-3).condition in (0, Condition.TOO_MANY if robot.name == "syntaxer" else 0)


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_every_robot_can_touch_a_ball_at_its_outermost_joint(file: Path) -> None:
    scene = station.load(file)
    robot = scene.robots[0]
    arm = scene[robot.name]
    places = [arm.pose(link.id)[:3, 3] for link in robot.links]
    outermost = max(places, key=lambda place: float(np.linalg.norm(place - arm.pose(0)[:3, 3])))
    ball = Obstacle(name="ball", sphere=0.005, pos=Vector(*outermost))
    among = dataclasses.replace(scene, obstacles=(ball,))
    rows = Surroundings(among, arm).distances(include_self=False)
    assert rows[0].distance < 0.0


def test_neighbours_and_bodies_that_are_never_apart_are_left_out() -> None:
    surroundings = robot_among("ur5e", "obstacle pedestal { cylinder { 100 200 } pos { 0 0 80 } }")
    named = {(pair.body, pair.obstacle) for pair in surroundings.pairs}
    assert ("link 3 (elbow)", "link 2 (shoulder)") not in named  # neighbours
    assert ("link 2 (shoulder)", "pedestal") not in named  # it turns within
    why = {(row.body, row.obstacle): row.why for row in surroundings.left_out}
    assert "never apart" in why["link 2 (shoulder)", "pedestal"]
    assert ("link 6 (wrist 3)", "pedestal") in named


def test_collision_shapes_go_before_visual_ones() -> None:
    surroundings = lift("sphere 50", "obstacle floor { plane }", 200)
    assert [solid.radius for solid in surroundings.solids if not solid.obstacle] == [0.05]
    scene = station.loads(
        """RAFF v2.0 A robot a { base { } link 1 { parameters { 0 200 0 0 } type prismatic pred 0
        visual { sphere 30 } visual { plane } } } obstacle floor { plane }"""
    )
    (row,) = Surroundings(scene, scene["a"]).distances()
    assert row.distance == pytest.approx(0.17)  # what is drawn serves, but for a plane


def test_bodies_of_frames_and_tools_count() -> None:
    more = 'tool 2 { name "finger" pos { 0 0 -100 } pred 1 collision { box { 10 10 20 } } }'
    rows = lift("sphere 50", "obstacle floor { plane }", 500, more).distances()
    assert [(row.pair.body, round(row.distance, 6)) for row in rows] == [("tool 2 (finger)", 0.39), ("link 1", 0.45)]
    assert rows[0].pair.frame == 2


def test_made_up_bars_run_from_joint_to_joint() -> None:
    surroundings = robot_among("ur5e", OBSTACLES)
    poses = {link.id: surroundings.mechanism.pose(link.id) for link in surroundings.mechanism.robot.links}
    bar = next(solid for solid in surroundings.solids if solid.name == "link 2 (shoulder)")
    pose = poses[2] @ bar.pose
    ends = (pose[:3, :3] @ bar.points.T).T + pose[:3, 3]
    assert np.allclose(ends[0], poses[2][:3, 3])
    assert np.allclose(ends[1], poses[3][:3, 3])
    assert bar.generated


def test_solids_know_a_ball_around_them() -> None:
    for solid in robot_among("ur5e", OBSTACLES).solids:
        if solid.kind == SolidKind.HALFSPACE:
            assert solid.ball == math.inf
        else:
            reach = np.linalg.norm(solid.points - solid.centre, axis=1).max(initial=0.0)
            assert solid.ball >= max(reach, solid.half_length) + (solid.radius if len(solid.points) else 0.0) - 1e-12
