"""Limits and masses that makers publish in other units or frames arrive in the files unharmed."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

import robots
import station
from station.mad.scene import Body, Robot
from tests.robots.elementary import Array, move, turn_x

H = pi / 2
# Franka Emika, robot and interface specifications: stops, speed, acceleration, jerk, torque [rad, s, N·m].
PANDA = [
    (-2.8973, 2.8973, 2.175, 15.0, 7500.0, 87.0),
    (-1.7628, 1.7628, 2.175, 7.5, 3750.0, 87.0),
    (-2.8973, 2.8973, 2.175, 10.0, 5000.0, 87.0),
    (-3.0718, -0.0698, 2.175, 12.5, 6250.0, 87.0),
    (-2.8973, 2.8973, 2.61, 15.0, 7500.0, 12.0),
    (-0.0175, 3.7525, 2.61, 20.0, 10000.0, 12.0),
    (-2.8973, 2.8973, 2.61, 20.0, 10000.0, 12.0),
]
# Universal Robots: mass [kg], centre of mass in the standard Denavit-Hartenberg frame [m], then a [m] and alpha.
UR5E = [
    (3.761, (0.0, -0.02561, 0.00193), 0.0, H),
    (8.058, (0.2125, 0.0, 0.11336), -0.425, 0.0),
    (2.846, (0.15, 0.0, 0.0265), -0.3922, 0.0),
    (1.37, (0.0, -0.0018, 0.01634), 0.0, H),
    (1.3, (0.0, 0.0018, 0.01634), 0.0, -H),
    (0.365, (0.0, 0.0, -0.001159), 0.0, 0.0),
]
# The maker's ROS 2 description, in the axes of the same frames: xx, yy, zz, xy, xz, yz [kg·m²].
UR5E_INERTIA = [
    (0.00700210, 0.00648091, 0.00657286, 0.00000073, -0.00001053, 0.00049994),
    (0.01505885, 0.33388086, 0.33247207, -0.00005400, 0.00000563, -0.00000181),
    (0.00399632, 0.07879254, 0.07848510, -0.00001365, 0.00137272, -0.00000660),
    (0.00165491, 0.00135962, 0.00126279, -0.00000282, -0.00000438, 0.00010157),
    (0.00135617, 0.00127827, 0.00096614, -0.00000274, 0.00000444, -0.00005048),
    (0.00018694, 0.00018908, 0.00025756, 0.00000006, -0.00000017, -0.00000092),
]
WEIGHED = ("delta", "hobby-arm", "panda", "puma560", "syntaxer", "ur5e")


def robot_of(name: str) -> Robot:
    (robot,) = station.load(robots.path(name)).robots
    return robot


def tensor(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> Array:
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def test_panda_limits_are_the_makers_rounded_inwards() -> None:
    for link, (lo, hi, speed, acceleration, jerk, torque) in zip(robot_of("panda").links, PANDA, strict=True):
        assert link.limits is not None
        assert lo <= link.limits.lo < lo + 2e-5
        assert hi - 2e-5 < link.limits.hi <= hi
        for ours, makers in ((link.speed, speed), (link.acceleration, acceleration), (link.jerk, jerk)):
            assert ours is not None
            assert makers * (1 - 1e-5) < ours <= makers
        assert link.effort == torque


def test_ur5e_masses_are_the_makers_moved_to_the_frames_of_the_file() -> None:
    published = zip(robot_of("ur5e").links, UR5E, UR5E_INERTIA, strict=True)
    for link, (mass, com, a, alpha), inertia in published:
        onwards = move(a, 0, 0) @ turn_x(alpha)
        assert link.mass == mass
        assert link.com is not None
        assert link.inertia is not None
        np.testing.assert_allclose(link.com, (onwards @ [*com, 1.0])[:3], rtol=0, atol=1e-12)
        turned = onwards[:3, :3] @ tensor(*inertia) @ onwards[:3, :3].T
        np.testing.assert_allclose(tensor(*link.inertia), turned, rtol=0, atol=1e-12)


def test_puma_friction_is_the_published_one_seen_at_the_joint() -> None:
    ratio = np.array([62.6111, 107.815, 53.7063, 76.0364, 71.923, 76.686])
    viscous = np.array([1.48e-3, 0.817e-3, 1.38e-3, 71.2e-6, 82.6e-6, 36.7e-6])
    coulomb = np.array([0.830, 0.197, 0.237, 28.1e-3, 23.76e-3, 14.46e-3]) / 2  # sum of both directions, halved
    for k, link in enumerate(robot_of("puma560").links):
        assert link.friction is not None
        assert link.friction.viscous == pytest.approx(viscous[k] * ratio[k] ** 2, rel=3e-3)
        assert link.friction.coulomb == pytest.approx(coulomb[k] * ratio[k], rel=3e-3)


@pytest.mark.parametrize("name", WEIGHED)
def test_weighed_robots_have_whole_and_possible_bodies(name: str) -> None:
    robot = robot_of(name)
    bodies: list[Body] = [body for body in robot.placed() if body.mass is not None]
    assert bodies
    for body in bodies:
        assert body.com is not None
        assert body.inertia is not None
        small, middle, large = np.linalg.eigvalsh(tensor(*body.inertia))
        assert small > 0.0
        assert small + middle >= large * (1 - 1e-9)


def test_hobby_arm_can_hold_itself_up() -> None:
    robot = robot_of("hobby-arm")
    reach = {2: 0.0, 3: 0.25, 4: 0.50, 5: 0.50, 6: 0.50}  # from the shoulder to each frame, arm stretched [m]
    moment = 0.0
    for link in robot.links[1:]:
        assert link.mass is not None
        assert link.com is not None
        beyond = {2: link.com.x, 3: -link.com.y, 4: link.com.z, 5: -link.com.y, 6: link.com.z}[link.id]
        moment += 9.81 * link.mass * (reach[link.id] + beyond)
    effort = robot.links[1].effort
    assert effort is not None
    assert 1.2 * moment < effort
