"""The Stewart platform: legs from poses in closed form, and poses from legs by steps of the joints."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from station.mechanism import Mechanism, Status
from tests.mechanism.mechanisms import Array, difference, shipped

LEGS = (3, 9, 12, 15, 18, 21)  # links of the cylinders
FEET = np.radians([12, 108, 132, 228, 252, 348])  # where they stand on a circle of 400 mm
HEADS = (None, 23, 24, 25, 26, 27)  # frames on the platform; leg 1 carries it by link 6
CENTRE = "platform centre"


def lengths(arm: Mechanism, pose: Array) -> Array:
    """Distances from feet to heads when the centre of the platform is at a pose [m]."""
    feet = 0.4 * np.column_stack([np.cos(FEET), np.sin(FEET), np.zeros(6)])
    at_48 = 0.25 * np.array([math.cos(math.radians(48)), math.sin(math.radians(48)), 0.0])
    frames = {frame.id: np.array(frame.pos) for frame in arm.robot.frames}
    heads = np.array([at_48 if head is None else frames[head] for head in HEADS])
    return np.asarray(np.linalg.norm(heads @ pose[:3, :3].T + pose[:3, 3] - feet, axis=1))


def random_pose(rng: np.random.Generator) -> Array:
    """Somewhere in the workspace."""
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_rotvec(rng.uniform(-0.2, 0.2, 3)).as_matrix()
    pose[:3, 3] = np.array([0.0, 0.0, 0.6]) + rng.uniform(-0.07, 0.07, 3)
    return pose


def legs(arm: Mechanism) -> Array:
    return arm.q[[arm.joint_number(link) for link in LEGS]]


def drive(arm: Mechanism, goal: Array) -> None:
    """Direct kinematics: all six cylinders to given lengths."""
    for _ in range(200):
        step = arm.step({}, 0.01, joints=dict(zip(LEGS, goal, strict=True)))
        assert step.status is not Status.CLOSURE_LOST


def test_home_is_as_the_file_says() -> None:
    arm = shipped("stewart")
    np.testing.assert_allclose(arm.pose(CENTRE)[:3, 3], [0.0, 0.0, 0.6], atol=1e-6)
    np.testing.assert_allclose(arm.pose(CENTRE)[:3, :3], np.eye(3), atol=1e-6)
    np.testing.assert_allclose(legs(arm), lengths(arm, arm.pose(CENTRE)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_legs_of_a_reached_pose_are_those_of_geometry(seed: int) -> None:
    arm, pose = shipped("stewart"), random_pose(np.random.default_rng(seed))
    found = arm.reach(CENTRE, pose, metres=1e-11, radians=1e-11)
    assert found.status is Status.OK
    np.testing.assert_allclose(legs(arm), lengths(arm, pose), rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_from_legs_to_a_pose_and_back(seed: int) -> None:
    arm, there = shipped("stewart"), shipped("stewart")
    goal = lengths(arm, random_pose(np.random.default_rng(100 + seed)))
    drive(arm, goal)
    np.testing.assert_allclose(legs(arm), goal, rtol=0, atol=1e-9)
    pose = arm.pose(CENTRE)
    np.testing.assert_allclose(lengths(arm, pose), goal, rtol=0, atol=1e-9)
    assert there.reach(CENTRE, pose, metres=1e-11, radians=1e-11).status is Status.OK
    np.testing.assert_allclose(legs(there), goal, rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_a_pose_found_from_its_legs(seed: int) -> None:
    """Near home there is only one way to assemble six legs: the one that they were measured at."""
    arm, pose = shipped("stewart"), random_pose(np.random.default_rng(200 + seed))
    drive(arm, lengths(arm, pose))
    np.testing.assert_allclose(difference(arm.pose(CENTRE), pose), 0.0, atol=1e-8)


@pytest.mark.parametrize("link", LEGS)
def test_one_leg_can_be_set_and_the_loops_follow(link: int) -> None:
    arm = shipped("stewart")
    for goal in (0.60, 0.72, 0.65):
        assert arm.set_joint(link, goal) == pytest.approx(goal, abs=1e-9)
        assert arm.q[arm.joint_number(link)] == pytest.approx(goal, abs=1e-9)
        np.testing.assert_allclose(legs(arm), lengths(arm, arm.pose(CENTRE)), rtol=0, atol=1e-9)
        np.testing.assert_array_equal(arm.velocity, 0.0)


def test_a_leg_stops_at_its_stop() -> None:
    arm = shipped("stewart")
    assert arm.set_joint("leg 1", 5.0) <= 0.8 + 1e-9
    assert arm.set_joint("leg 1", 0.0) >= 0.52 - 1e-9
    np.testing.assert_allclose(legs(arm), lengths(arm, arm.pose(CENTRE)), rtol=0, atol=1e-9)


def test_legs_keep_their_limits_on_the_way() -> None:
    arm, rng, before = shipped("stewart"), np.random.default_rng(20), np.zeros(6)
    gave_way = 0
    for k in range(2000):
        if k % 400 == 0:
            pose = random_pose(rng)
        step = arm.step({CENTRE: pose}, 1e-3)
        speed = step.velocity[[arm.joint_number(link) for link in LEGS]]
        assert (np.abs(speed) <= 0.3 * (1.0 + 1e-9)).all()
        assert (np.abs(speed - before) <= 3e-3 * (1.0 + 1e-6) + 1e-9).all() or step.acceleration_gave_way
        gave_way += step.acceleration_gave_way
        before = speed
    assert gave_way <= 10
