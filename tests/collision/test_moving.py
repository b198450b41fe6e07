"""Obstacles that ride on a link, that are moved, and bodies of one robot among themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest

import station
from station.collision import CollisionError, CollisionSettings, Surroundings
from tests.collision.scenes import lift, put, robot_among

DT = 1e-3
# Two bars in a plane; a peg stands on the first and is in the way of the second.
TWO_BARS = """RAFF v2.0 Bars robot bars { base { }
  link 1 { parameters { 0 0 0 0 }    type revolute pred 0 speed 180 acceleration 2000
           collision { capsule { 20 400 } pos { 200 0 0 } ori { 0 90 0 } } }
  link 2 { parameters { 90 0 0 400 } type revolute pred 1 limits { -170 170 } speed 180 acceleration 2000
           collision { capsule { 20 360 } pos { 220 0 0 } ori { 0 90 0 } } }
  obstacle peg { sphere 30 pos { 300 150 0 } pred 1 } }"""


def bars(include_self: bool = False) -> Surroundings:
    scene = station.loads(TWO_BARS)
    return Surroundings(scene, scene["bars"], include_self=include_self)


def test_what_rides_on_a_link_moves_with_it() -> None:
    surroundings = bars()
    (pair,) = surroundings.pairs  # not with the link that carries it
    assert (pair.body, pair.obstacle) == ("link 2", "peg")
    before = surroundings.distances()[0]
    after = surroundings.distances([1.0, math.pi / 2])[0]
    assert after.distance == pytest.approx(before.distance, abs=1e-6)
    turn = np.array([[math.cos(1), -math.sin(1), 0], [math.sin(1), math.cos(1), 0], [0, 0, 1]])
    assert after.normal == pytest.approx(turn @ before.normal, abs=1e-6)
    assert after.point == pytest.approx(turn @ before.point, abs=1e-6)


def test_an_obstacle_that_rides_along_is_not_entered_while_both_move() -> None:
    surroundings = bars()
    arm, least = surroundings.mechanism, math.inf
    reached = 0.0
    for tick in range(1500):  # the first joint swings, the second closes on the peg
        wanted = {1: 0.8 * math.sin(4.0 * tick * DT), 2: math.pi / 2 + min(1.0 * tick * DT, 1.2)}
        arm.step({}, DT, joints=wanted, contacts=surroundings.contacts(DT))
        surroundings.refine()
        least = min(least, surroundings.distances()[0].distance)
        reached = max(reached, arm.q[1])
    assert least > surroundings.settings.margin - 0.2e-3
    assert reached < math.pi / 2 + 1.0
    assert abs(surroundings.distances()[0].distance - surroundings.settings.margin) < 0.5e-3


def test_an_obstacle_in_the_world_can_be_moved() -> None:
    surroundings = lift("sphere 50", "obstacle it { sphere 100 }", 500)
    pose = np.eye(4)
    pose[2, 3] = 0.9
    surroundings.move("it", pose)
    assert surroundings.distances()[0].distance == pytest.approx(0.25, abs=1e-6)
    assert surroundings.distances()[0].normal == pytest.approx([0, 0, -1], abs=1e-6)
    surroundings.refine()
    pose[2, 3] = 0.64  # it comes within the horizon, from the other side than when it was last asked for
    surroundings.move("it", pose)
    told = surroundings.tell(DT)
    assert told.nearest == pytest.approx(-0.01, abs=1e-6)
    assert surroundings.rows[0, 1:4] == pytest.approx([0, 0, -1], abs=1e-6)


def test_one_that_rides_is_moved_on_its_link() -> None:
    surroundings = bars()
    pose = np.eye(4)
    pose[:3, 3] = [0.3, 0.2, 0.0]
    surroundings.move("peg", pose)
    (row,) = surroundings.distances([0.0, math.pi / 2])
    assert row.distance == pytest.approx(0.1 - 0.05, abs=1e-6)


def test_moving_what_is_not_there_lists_what_is() -> None:
    surroundings = lift("sphere 50", "obstacle it { sphere 100 }", 500)
    with pytest.raises(CollisionError, match="no obstacle 'other'; there are: it"):
        surroundings.move("other", np.eye(4))
    with pytest.raises(CollisionError, match="finite 4×4"):
        surroundings.move("it", np.full((4, 4), math.nan))
    with pytest.raises(CollisionError, match="cannot be stretched"):
        surroundings.move("it", 2.0 * np.eye(4))


def test_the_robot_does_not_enter_itself_if_asked() -> None:
    surroundings = robot_among("ur5e", "", CollisionSettings(), include_self=True)
    arm, start, least = surroundings.mechanism, surroundings.mechanism.q, math.inf
    for _ in range(1200):  # the wrist folds back onto the forearm
        step = arm.step({}, DT, joints={4: 1.5}, contacts=surroundings.contacts(DT))
        surroundings.refine()
        least = min(least, surroundings.distances()[0].distance)
    assert least > surroundings.settings.margin - 0.1e-3
    assert surroundings.distances()[0].distance == pytest.approx(surroundings.settings.margin, abs=1e-5)
    assert 4 in step.active_limits  # it is told, and felt, as a stop
    assert np.delete(arm.q, 3) == pytest.approx(np.delete(start, 3))  # and nobody else is carried along
    for _ in range(300):
        arm.step({}, DT, joints={4: -1.5}, contacts=surroundings.contacts(DT))
        surroundings.refine()
    assert arm.q[3] < 0.3  # there is a way back


def test_stops_against_its_own_bodies_end_with_the_tick() -> None:
    surroundings = bars()
    arm = surroundings.mechanism
    own = arm.memory.q_min.copy(), arm.memory.q_max.copy()
    put(arm, np.array([0.0, 1.8]))
    surroundings.tell(DT)
    assert arm.memory.q_max[1] < own[1][1]
    assert (arm.memory.q_min <= arm.q).all()
    assert (arm.memory.q_max >= arm.q).all()
    surroundings.refine()
    assert (arm.memory.q_min == own[0]).all()
    assert (arm.memory.q_max == own[1]).all()


def test_two_joints_share_the_way_that_is_left() -> None:
    """A body two joints away may come nearer by what is left, and no more, if both go as far as they may."""
    third = """link 3 { parameters { 90 0 0 400 } type revolute pred 2 speed 180
                        collision { capsule { 20 100 } pos { 150 0 0 } ori { 0 90 0 } } }"""
    peg = "obstacle peg { sphere 30 pos { 300 150 0 } pred 1 }"
    scene = station.loads(TWO_BARS.replace(peg, third + peg.replace("300 150", "60 250")))
    surroundings = Surroundings(scene, scene["bars"])
    arm, settings = surroundings.mechanism, surroundings.settings
    goal = np.array([0.0, 1.75, 1.75])
    q = arm.q
    while surroundings.distances(q)[0].distance > 0.02:
        q = q + 0.01 * (goal - arm.q)
    put(arm, q)
    surroundings.refresh()
    surroundings.tell(DT)
    toward = np.where(arm.memory.q_max < 10.0, arm.memory.q_max, arm.q)
    nearer = surroundings.distances(toward)[0].distance
    surroundings.refine()
    assert nearer > settings.margin - 1e-3


def test_without_being_asked_ticks_tell_of_obstacles_only() -> None:
    surroundings = robot_among("ur5e", "obstacle floor { plane }")
    put(surroundings.mechanism, np.array([0.0, -1.5, 2.9, -1.5, 0.0, 0.0]))
    surroundings.tell(DT)
    assert not any(pair.with_itself for pair in surroundings.row_pairs)
    assert any(row.pair.with_itself for row in surroundings.distances())
    assert not any(row.pair.with_itself for row in surroundings.distances(include_self=False))
