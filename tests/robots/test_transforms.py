"""Every pose of every robot is the plain product of elementary rotations and translations."""

from __future__ import annotations

import numpy as np
import pytest

import robots
import station
from station.mad.placement import in_predecessor, world_poses
from tests.robots.assembly import by_link, initial, movable
from tests.robots.elementary import Array, move, placed, turn_x, turn_y, turn_z, world

every_robot = pytest.mark.parametrize("name", robots.names())


def some_values(name: str, count: int = 3) -> list[Array]:
    """The initial joint values and a few at random, whatever the stops [rad | m]."""
    (robot,) = station.load(robots.path(name)).robots
    dice = np.random.default_rng(1998)
    return [initial(robot), *(dice.uniform(-np.pi, np.pi, len(movable(robot))) for _ in range(count))]


def test_elementary_matrices_turn_the_right_way() -> None:
    x, y, z = np.eye(4)[:, :3].T
    quarter = np.pi / 2
    np.testing.assert_allclose(turn_x(quarter) @ y, z, atol=1e-15)
    np.testing.assert_allclose(turn_y(quarter) @ z, x, atol=1e-15)
    np.testing.assert_allclose(turn_z(quarter) @ x, y, atol=1e-15)
    np.testing.assert_array_equal(move(1, 2, 3)[:, 3], [1, 2, 3, 1])


@every_robot
def test_every_link_and_frame_stands_in_its_predecessor_as_the_product_says(name: str) -> None:
    (robot,) = station.load(robots.path(name)).robots
    for q in some_values(name):
        values = by_link(robot, q)
        for item in robot.placed():
            value = values.get(item.id)
            found = in_predecessor(item, value)
            np.testing.assert_allclose(found, placed(item, value), rtol=0, atol=1e-12, err_msg=f"{name} {item.id}")


@every_robot
def test_initial_pose_needs_no_joint_values(name: str) -> None:
    (robot,) = station.load(robots.path(name)).robots
    for item in robot.placed():
        np.testing.assert_allclose(in_predecessor(item), placed(item), rtol=0, atol=1e-12)
    expected = world(robot, by_link(robot, initial(robot)))
    for key, pose in world_poses(robot).items():
        np.testing.assert_allclose(pose, expected[key], rtol=0, atol=1e-12)


@every_robot
def test_world_poses_are_those_of_a_recursive_walk(name: str) -> None:
    (robot,) = station.load(robots.path(name)).robots
    for q in some_values(name):
        found, expected = world_poses(robot, by_link(robot, q)), world(robot, by_link(robot, q))
        assert found.keys() == expected.keys()
        for key, pose in expected.items():
            np.testing.assert_allclose(found[key], pose, rtol=0, atol=1e-12, err_msg=f"{name} {key}")
