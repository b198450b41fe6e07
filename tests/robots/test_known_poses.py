"""Poses that are known from elsewhere: printed in a thesis, or by the makers' own tables."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

import robots
import station
from station.mad.placement import world_poses
from station.mad.scene import Robot
from tests.robots.assembly import by_link, movable
from tests.robots.elementary import Array, move, turn_x, turn_z

H = pi / 2
# Maker's or author's tables [m, rad], one row per joint.
UR5E = [  # standard Denavit-Hartenberg: d, a, alpha
    (0.1625, 0.0, H),
    (0.0, -0.425, 0.0),
    (0.0, -0.3922, 0.0),
    (0.1333, 0.0, H),
    (0.0997, 0.0, -H),
    (0.0996, 0.0, 0.0),
]
PUMA = [  # the same, with the twists of Fu, Gonzalez and Lee and the lengths of Armstrong, Khatib and Burdick
    (0.0, 0.0, -H),
    (0.2435, 0.4318, 0.0),
    (-0.0934, -0.0203, H),
    (0.4331, 0.0, -H),
    (0.0, 0.0, H),
    (0.05625, 0.0, 0.0),
]
PANDA = [  # Craig: a, d, alpha of the row's beginning
    (0.0, 0.333, 0.0),
    (0.0, 0.0, -H),
    (0.0, 0.316, H),
    (0.0825, 0.0, H),
    (-0.0825, 0.384, -H),
    (0.0, 0.0, H),
    (0.088, 0.0, H),
]


def robot_of(name: str) -> Robot:
    (robot,) = station.load(robots.path(name)).robots
    return robot


def in_frame(robot: Robot, q: Array, name: int, frame: int) -> Array:
    """Pose of one thing in the frame of another [m]."""
    poses = world_poses(robot, by_link(robot, q))
    return np.linalg.inv(poses[frame]) @ poses[name]


def random_joints(robot: Robot, count: int = 20) -> Array:
    """Joint values within the stops, one row each."""
    stops = np.array([link.stops for link in movable(robot)])
    return np.random.default_rng(560).uniform(stops[:, 0], stops[:, 1], (count, len(stops)))


def standard(table: list[tuple[float, float, float]], q: Array) -> Array:
    pose = np.eye(4)
    for (d, a, alpha), angle in zip(table, q, strict=True):
        pose = pose @ turn_z(angle) @ move(0, 0, d) @ move(a, 0, 0) @ turn_x(alpha)
    return pose


def craig(table: list[tuple[float, float, float]], q: Array) -> Array:
    pose = np.eye(4)
    for (a, d, alpha), angle in zip(table, q, strict=True):
        pose = pose @ turn_x(alpha) @ move(a, 0, 0) @ turn_z(angle) @ move(0, 0, d)
    return pose


@pytest.mark.parametrize(("name", "table"), [("ur5e", UR5E), ("puma560", PUMA)])
def test_flange_is_where_standard_denavit_hartenberg_puts_it(
    name: str, table: list[tuple[float, float, float]]
) -> None:
    robot = robot_of(name)
    for q in random_joints(robot):
        np.testing.assert_allclose(in_frame(robot, q, 7, 0), standard(table, q), rtol=0, atol=1e-12)


def test_panda_flange_and_hand_are_where_craigs_table_puts_them() -> None:
    robot = robot_of("panda")
    for q in random_joints(robot):
        flange = craig(PANDA, q) @ move(0, 0, 0.107)
        np.testing.assert_allclose(in_frame(robot, q, 8, 0), flange, rtol=0, atol=1e-12)
        hand = flange @ turn_z(-pi / 4) @ move(0, 0, 0.1034)
        np.testing.assert_allclose(in_frame(robot, q, 9, 0), hand, rtol=0, atol=1e-12)


def test_ur5e_upright_is_as_high_as_its_lengths_add_up() -> None:
    robot = robot_of("ur5e")
    (upright,) = [posture for posture in robot.postures if posture.name == "upright"]
    tip = in_frame(robot, np.array([value.value for value in upright.joints]), 7, 0)[:3, 3]
    np.testing.assert_allclose(tip, [0, -(0.1333 + 0.0996), 0.1625 + 0.425 + 0.3922 + 0.0997], atol=1e-12)


@pytest.mark.parametrize(
    ("degrees", "mm"),
    [
        ((0, 0, 0, 0, 0, 0), (402, -108.49, -206)),
        ((0, 80, 0, 0, 0, 0), (558.2712, -108.49, 599.7632)),
        ((20, 30, 60, 40, -30, 50), (831.5526, 262.4522, 504.5960)),
    ],
    ids=["V1 home", "V2 capture", "V3"],
)
def test_robuter_ulm_gripper_is_where_the_thesis_prints_it(
    degrees: tuple[float, ...], mm: tuple[float, float, float]
) -> None:
    tip = in_frame(robot_of("robuter-ulm"), np.radians(degrees), 9, 8)[:3, 3]
    np.testing.assert_allclose(1000 * tip, mm, rtol=0, atol=0.01)


def test_robuter_ulm_orientations() -> None:
    robot = robot_of("robuter-ulm")
    home = in_frame(robot, np.zeros(6), 9, 8)
    np.testing.assert_allclose(home[:3, :3], np.diag([1, -1, -1]), atol=1e-12)
    third = in_frame(robot, np.radians([20, 30, 60, 40, -30, 50]), 9, 8)
    rows = [[0.6251, -0.3374, 0.7039], [-0.7778, -0.1930, 0.5982], [-0.0660, -0.9214, -0.3830]]
    np.testing.assert_allclose(third[:3, :3], rows, atol=1e-4)


def test_robuter_ulm_camera_and_foot() -> None:
    robot = robot_of("robuter-ulm")
    capture = posture_degrees(robot, "capture")
    assert capture == [0, 80, 0, 0, 0, 0]
    assert posture_degrees(robot, "home") == [0] * 6
    camera = in_frame(robot, np.radians(capture), 10, 8)
    rows = [[-0.1736, 0, 0.9848, 0.5316051], [0, 1, 0, -0.10849], [-0.9848, 0, -0.1736, 0.7364706]]
    np.testing.assert_allclose(camera[:3], rows, atol=1e-4)
    np.testing.assert_allclose(camera[:3, 3], [row[3] for row in rows], atol=1e-6)
    np.testing.assert_allclose(in_frame(robot, np.zeros(6), 8, 0), move(0.030, 0, 0.520), atol=1e-15)


def posture_degrees(robot: Robot, name: str) -> list[float]:
    (posture,) = [posture for posture in robot.postures if posture.name == name]
    return [float(np.degrees(value.value).round(9)) for value in posture.joints]
