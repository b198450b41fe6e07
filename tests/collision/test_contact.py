"""A robot driven against obstacles by the solver, with the half-spaces of the surroundings."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import station
from station.collision import CollisionSettings, Surroundings
from station.collision.table import MOST_ROWS
from station.mad.scene import Angles, Obstacle, Vector
from station.mechanism import Status
from station.mechanism.memory import MOST_CONTACTS
from station.mechanism.step import step as step_kernel
from station.mechanism.tasks import begin, put_pose
from tests.collision.scenes import OBSTACLES, ROBOTS, lift, robot_among

DT = 1e-3
MARGIN = CollisionSettings().margin
ALLOWED = 0.1e-3  # by which the solver may come nearer than the margin: what turning within a step leaves [m]
CRATE = "obstacle floor { plane } obstacle crate { box { 400 400 300 } pos { -500 -133 150 } }"
Floats = NDArray[np.float64]


def turned_about_y(pose: Floats, angle: float) -> Floats:
    cos, sin = math.cos(angle), math.sin(angle)
    turned = pose.copy()
    turned[:3, :3] = np.array([[cos, 0.0, sin], [0.0, 1.0, 0.0], [-sin, 0.0, cos]]) @ pose[:3, :3]
    return turned


def nearest(surroundings: Surroundings) -> float:
    return surroundings.distances(include_self=False)[0].distance


def follow(surroundings: Surroundings, target: Floats) -> Status:
    """One tick, as the servo does it."""
    step = surroundings.mechanism.step({7: target}, DT, contacts=surroundings.contacts(DT))
    surroundings.refine()
    return step.status


def test_an_arm_driven_into_a_box_stops_at_it_slides_along_it_and_falls_off_its_edge() -> None:
    surroundings = robot_among("ur5e", CRATE)
    arm = surroundings.mechanism
    start, least = arm.pose(7), math.inf
    for tick in range(900):  # down, 0.2 m below the top of the box
        target = start.copy()
        target[2, 3] -= min(0.5 * tick * DT, 0.35)
        status = follow(surroundings, target)
        least = min(least, nearest(surroundings))
    assert status in (Status.LIMITED, Status.UNREACHABLE)
    height = arm.pose(7)[2, 3]
    assert nearest(surroundings) == pytest.approx(MARGIN, abs=1e-5)
    slid = arm.pose(7)[0, 3]
    for tick in range(250):  # along the top, and turning
        target = turned_about_y(start, 0.4 * math.sin(0.02 * tick))
        target[2, 3] -= 0.35
        target[0, 3] += 0.4 * tick * DT
        follow(surroundings, target)
        least = min(least, nearest(surroundings))
    assert arm.pose(7)[0, 3] - slid > 0.03
    assert abs(arm.pose(7)[2, 3] - height) < 0.005
    for tick in range(1200):  # and beyond the edge
        target = start.copy()
        target[2, 3] -= 0.35
        target[0, 3] += min(0.1 + 0.4 * tick * DT, 0.35)
        follow(surroundings, target)
        least = min(least, nearest(surroundings))
    assert height - arm.pose(7)[2, 3] > 0.1
    assert least > MARGIN - ALLOWED


def test_kernels_alone_do_the_same() -> None:
    surroundings = robot_among("ur5e", CRATE)
    arm = surroundings.mechanism
    plan, block = arm._plan({7: ()}, None, ()), arm.memory
    target, least, counted = arm.pose(7), math.inf, 0
    for _ in range(900):
        target[2, 3] -= 0.0004
        told = surroundings.tell(DT)
        begin(block, True)
        assert put_pose(block, 0, plan.frames[0], 0, target)
        step_kernel(block, 1, plan.rank, told.contacts, DT)
        surroundings.refine()
        least, counted = min(least, nearest(surroundings)), max(counted, told.contacts)
    assert counted > 0
    assert least > MARGIN - ALLOWED
    assert nearest(surroundings) == pytest.approx(MARGIN, abs=1e-5)


def test_a_fast_hand_does_not_push_through_a_thin_wall() -> None:
    surroundings = robot_among("ur5e", "obstacle wall { box { 600 600 4 } pos { -550 -133 350 } }")
    target, least = surroundings.mechanism.pose(7), math.inf
    target[2, 3] -= 0.4  # at once
    for _ in range(400):
        follow(surroundings, target)
        least = min(least, nearest(surroundings))
    assert least > MARGIN - ALLOWED
    assert surroundings.mechanism.pose(7)[2, 3] > 0.35


def test_a_bar_that_lies_on_a_table_keeps_both_ends_on_it() -> None:
    """Half-spaces at the nearest point alone would let the other end in."""
    surroundings = lift(
        "capsule { 20 400 } ori { 0 90 0 }", "obstacle table { box { 1000 1000 100 } pos { 0 0 -50 } }", 25
    )
    contacts = surroundings.contacts(DT)
    ends = sorted(float(np.asarray(contact.point)[0]) for contact in contacts)
    assert ends[0] == pytest.approx(-0.2, abs=1e-3)
    assert ends[-1] == pytest.approx(0.2, abs=1e-3)
    assert all(contact.normal == pytest.approx([0, 0, 1]) for contact in contacts)


def test_an_end_beyond_the_edge_of_the_table_is_free() -> None:
    surroundings = lift(
        "capsule { 20 400 } ori { 0 90 0 }", "obstacle table { box { 200 1000 100 } pos { 0 0 -50 } }", 25
    )
    for contact in surroundings.contacts(DT):
        assert abs(np.asarray(contact.point)[0]) <= 0.1 + 1e-6


def test_the_corners_of_a_box_are_told_apart() -> None:
    surroundings = lift("box { 200 100 50 }", "obstacle floor { plane }", 30)
    corners = {tuple(np.sign(np.asarray(contact.point)[:2])) for contact in surroundings.contacts(DT)}
    assert {(-1, -1), (-1, 1), (1, -1), (1, 1)} <= corners


def test_a_plate_on_a_small_peg_hears_of_the_corners_of_the_peg() -> None:
    surroundings = lift("box { 400 400 20 }", "obstacle peg { box { 40 40 100 } pos { 100 0 -50 } }", 15)
    contacts = surroundings.contacts(DT)
    assert len(contacts) >= 4
    for contact in contacts:
        assert contact.normal == pytest.approx([0, 0, 1], abs=1e-6)
        assert 0.08 - 1e-6 <= np.asarray(contact.point)[0] <= 0.12 + 1e-6


def test_approach_is_slowed_down_and_what_is_inside_leaves_slowly() -> None:
    floor = "obstacle floor { plane }"
    default = CollisionSettings()
    (far,) = lift("sphere 50", floor, 61).contacts(DT)
    assert far.distance == pytest.approx(0.010 * DT / default.approach_time)
    (inside,) = lift("sphere 50", floor, 20).contacts(DT)
    assert inside.distance == pytest.approx(-default.push_speed * DT)
    assert lift("sphere 50", floor, 500).contacts(DT) == ()


def test_an_old_direction_never_pushes() -> None:
    surroundings = lift("sphere 50", "obstacle crate { box { 200 200 200 } }", 155)
    table = surroundings._table
    table.normal[0] = [0.0, 0.8, 0.6]  # as if it were from elsewhere: told says 'inside', the truth is 'outside'
    table.known_pose[0, 1, 3] = 0.1
    told = surroundings.tell(DT)
    assert told.nearest < 0.05
    assert told.contacts > 0
    assert surroundings.mechanism.memory.contact_distance[0] >= 0.0


def test_more_than_there_is_room_for_is_said_and_the_nearest_are_told() -> None:
    spheres = "".join(
        f"obstacle s{k} {{ sphere 10 pos {{ {100 * math.cos(0.1 * k)} {100 * math.sin(0.1 * k)} {k % 7} }} }}"
        for k in range(MOST_ROWS + 8)
    )
    surroundings = lift("sphere 80", spheres)
    told = surroundings.tell(DT)
    assert told.condition.name == "TOO_MANY"
    assert told.rows == MOST_ROWS
    assert told.contacts == MOST_CONTACTS
    assert surroundings.rows[0, 0] == pytest.approx(nearest(surroundings), abs=1e-6)


@settings(max_examples=5)
@given(seed=st.integers(0, 10**6), include_self=st.booleans())
def test_random_targets_never_lead_into_anything(seed: int, include_self: bool) -> None:
    surroundings = robot_among("ur5e", OBSTACLES, include_self=include_self)
    generator, least = np.random.default_rng(seed), math.inf
    target = np.eye(4)
    for tick in range(900):
        if tick % 300 == 0:  # somewhere else at once: joints run at their limits
            turn, _ = np.linalg.qr(generator.normal(size=(3, 3)))
            target[:3, :3] = turn * np.sign(np.linalg.det(turn))
            target[:3, 3] = generator.uniform([-0.6, -0.6, -0.1], [0.6, 0.6, 0.7])
        follow(surroundings, target)
        least = min(least, surroundings.distances(include_self=include_self)[0].distance)
    assert least > MARGIN - ALLOWED


@pytest.mark.parametrize("name", ["cross-delta", "stewart", "five-bar", "puma560", "macdac"])
def test_robots_with_and_without_loops_stop_at_a_wall_beside_them(name: str) -> None:
    scene = station.load(ROBOTS / f"{name}.mad")
    arm = scene[scene.robots[0].name]
    size = arm.memory.length
    followed = next(each.targets[0].id for each in arm.robot.constraints if not each.closes_loop)
    along = np.array([1.0, 0.0, 0.0] if name in ("five-bar", "macdac") else [0.0, 1.0, 0.0])
    ori = Angles(0.0, -math.pi / 2, 0.0) if along[0] else Angles(math.pi / 2, 0.0, 0.0)
    bodies = Surroundings(scene, arm)
    bodies._exact.put(arm.q)
    reach = max(
        float((along @ pose[:, :3] @ solid.points.T).max() + along @ pose[:, 3] + solid.radius)
        for solid, pose in zip(bodies.solids, bodies._exact.poses, strict=True)
    )
    wall = Obstacle(name="wall", plane=True, pos=Vector(*(along * (reach + 0.02 * size))), ori=ori)
    surroundings = Surroundings(dataclasses.replace(scene, obstacles=(wall,)), arm)
    target, least = arm.pose(followed), math.inf
    for _ in range(1400):
        target[:3, 3] += 0.0004 * size * along
        arm.step({followed: target}, DT, contacts=surroundings.contacts(DT))
        surroundings.refine()
        least = min(least, nearest(surroundings))
    assert MARGIN - ALLOWED < least < MARGIN + 1e-4
    assert arm.closure_error.metres < 1e-9
