"""The two Deltas against their closed-form kinematics: positions, loops, and the workspaces their headers promise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import robots
import station
from station.mad.scene import Robot
from tests.robots.assembly import assemble, beyond_stops, by_link, closure, initial
from tests.robots.elementary import Array, world

MOTORS, CENTRES = (1, 6, 11), (16, 17, 18)


class Delta(NamedTuple):
    """Lengths [m] and the cylinder that the file says can be reached, along z of the base."""

    base: float  # centre to motor axis
    platform: float  # centre to bar joint
    arm: float
    bar: float
    radius: float
    near: float
    far: float


DELTAS = {
    "delta": Delta(0.16368, 0.04388, 0.524, 1.244, radius=0.8, near=0.9, far=1.2),
    "syntaxer": Delta(0.150, 0.050, 0.160, 0.265, radius=0.17, near=0.145, far=0.295),
}
both = pytest.mark.parametrize("name", DELTAS)


def robot_of(name: str) -> Robot:
    (robot,) = station.load(robots.path(name)).robots
    return robot


def spoke(chain: int) -> tuple[Array, Array]:
    """Unit vectors outwards and around at a chain."""
    angle = chain * 2 * np.pi / 3
    return np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([-np.sin(angle), np.cos(angle), 0.0])


def platform_from_motors(size: Delta, motors: Array) -> Array:
    """Where three spheres of bar length, around the elbows moved in by the platform's radius, meet under the plate."""
    down = np.array([0.0, 0.0, -1.0])
    a, b, c = (
        (size.base - size.platform + size.arm * np.cos(angle)) * spoke(k)[0] + size.arm * np.sin(angle) * down
        for k, angle in enumerate(motors)
    )
    ex = (b - a) / np.linalg.norm(b - a)
    along = float(ex @ (c - a))
    ey = (c - a - along * ex) / np.linalg.norm(c - a - along * ex)
    across, side = float(ey @ (c - a)), float(np.linalg.norm(b - a))
    x = side / 2
    y = (along**2 + across**2) / (2 * across) - along * x / across
    height = np.sqrt(size.bar**2 - x**2 - y**2)
    ez = np.cross(ex, ey)
    middle = a + x * ex + y * ey
    return np.asarray(min((middle + height * ez, middle - height * ez), key=lambda p: float(p[2])))


def joints_at(size: Delta, centre: Array) -> Array:
    """All 15 joint values with the platform centre there, elbows outwards [rad]; NaN where it cannot be reached."""
    values = []
    for k in range(3):
        out, around = spoke(k)
        x, y, z = centre @ out + size.platform - size.base, centre @ around, -centre[2]
        projected = (x**2 + y**2 + z**2 + size.arm**2 - size.bar**2) / (2 * size.arm)
        with np.errstate(invalid="ignore"):
            motor = np.arctan2(z, x) - np.arccos(projected / np.hypot(x, z))
        motor = (motor + np.pi) % (2 * np.pi) - np.pi
        bar = np.arctan2(z - size.arm * np.sin(motor), x - size.arm * np.cos(motor)) % (2 * np.pi)
        side = np.arcsin(y / size.bar)
        values += [motor, bar - motor, side, -side, -bar]
    return np.array(values)


def whole(robot: Robot, q: Array) -> Array:
    """All joint values of a robot: those of its Delta, and the rest, the syntaxer's rotation stage, as in the file."""
    return np.concatenate([q, initial(robot)[len(q) :]])


@both
def test_platform_is_where_three_spheres_meet_and_never_turns(name: str) -> None:
    robot, size = robot_of(name), DELTAS[name]
    dice = np.random.default_rng(3)
    start = initial(robot)
    for _ in range(8):
        q = start.copy()
        q[:15:5] += dice.uniform(-0.3, 0.3, 3)
        q = assemble(robot, q, held=MOTORS)
        poses = world(robot, by_link(robot, q))
        for centre in CENTRES:
            seen = np.linalg.inv(poses[0]) @ poses[centre]
            np.testing.assert_allclose(seen[:3, 3], platform_from_motors(size, q[:15:5]), rtol=0, atol=1e-9)
            np.testing.assert_allclose(seen[:3, :3], np.eye(3), rtol=0, atol=1e-9)


def cylinder(size: Delta) -> list[Array]:
    """Points all over the promised cylinder and on its skin [m]."""
    return [
        np.array([radius * np.cos(angle), radius * np.sin(angle), -depth])
        for depth in np.linspace(size.near, size.far, 9)
        for radius in np.linspace(0.0, size.radius, 5)
        for angle in np.linspace(0, 2 * np.pi, 72, endpoint=False)
    ]


@both
def test_promised_cylinder_is_within_the_stops(name: str) -> None:
    robot, size = robot_of(name), DELTAS[name]
    for centre in cylinder(size):
        q = whole(robot, joints_at(size, centre))
        assert np.isfinite(q).all(), centre
        assert beyond_stops(robot, q) == [], centre


@both
def test_inverse_kinematics_closes_the_loops_of_the_file(name: str) -> None:
    robot, size = robot_of(name), DELTAS[name]
    for centre in cylinder(size)[::97]:
        q = whole(robot, joints_at(size, centre))
        assert np.abs(closure(robot, q)[0]).max() < 1e-12
        poses = world(robot, by_link(robot, q))
        np.testing.assert_allclose((np.linalg.inv(poses[0]) @ poses[16])[:3, 3], centre, rtol=0, atol=1e-12)


def test_syntaxer_faces_the_operator() -> None:
    robot = robot_of("syntaxer")
    poses = world(robot, by_link(robot, initial(robot)))
    np.testing.assert_allclose(poses[0][:3, 2], [-1, 0, 0], atol=1e-15)  # plate upright, work on the side of x
    np.testing.assert_allclose(poses[1][:3, 3], [0, 0, 0.150], atol=1e-15)  # arm 1 on top
    np.testing.assert_allclose(poses[19][:3, :3], np.eye(3), atol=1e-6)  # handle has the axes of the world
    np.testing.assert_allclose(poses[19][:3, 3], [0.22152, 0, 0], atol=1e-5)


def test_syntaxer_gives_five_newtons_everywhere_in_its_cylinder() -> None:
    robot, size = robot_of("syntaxer"), DELTAS["syntaxer"]
    effort = robot.links[0].effort
    assert effort is not None
    weakest = min(worst_force(size, centre, effort) for centre in cylinder(size)[::5])
    assert 5.0 < weakest < 5.3


def worst_force(size: Delta, centre: Array, effort: float) -> float:
    """Least of the largest forces over all directions at the handle [N]."""
    speeds = []  # one row per chain: motor speed per speed of the platform
    for k, motor in enumerate(joints_at(size, centre)[0::5]):
        out, _ = spoke(k)
        elbow = (size.base + size.arm * np.cos(motor)) * out - size.arm * np.sin(motor) * np.array([0, 0, 1.0])
        bar = centre + size.platform * out - elbow
        swing = -size.arm * np.sin(motor) * out - size.arm * np.cos(motor) * np.array([0, 0, 1.0])
        speeds.append(bar / (bar @ swing))
    return float(effort / np.linalg.norm(np.linalg.inv(np.array(speeds)).T, axis=1).max())
