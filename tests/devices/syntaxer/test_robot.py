"""The model against the general solver: the same device as a robot file, solved as any other mechanism."""

from __future__ import annotations

import numpy as np
import pytest

import robots
import station
from station.devices.syntaxer import PlaceStatus, Syntaxer, SyntaxerModel
from station.devices.syntaxer.rotation import cube, turned_by
from station.devices.syntaxer.state import parts_of
from station.devices.syntaxer.translation import arm_weights, delta_place
from station.mechanism import Mechanism
from tests.devices.syntaxer.syntaxers import Array, in_cylinder

MOTORS, STRINGS, PLATE, HANDLE = (1, 6, 11), (29, 32, 35), 23, 19
UNBALANCED = Syntaxer(balancer=(0.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def robot() -> Mechanism:
    return station.load(robots.path("syntaxer"))["syntaxer"]


def turned_to(robot: Mechanism, motors: Array) -> Array:
    """Where the motors are after they were turned there."""
    wanted = dict(zip(MOTORS, motors.tolist(), strict=True))
    for _ in range(20):
        robot.step({}, 1.0, joints=wanted)
    return robot.q[[robot.joint_number(link) for link in MOTORS]]


def configurations(count: int) -> list[Array]:
    model = SyntaxerModel()
    return [model.joints_at(place).values[:3] for place in in_cylinder(model.geometry, count)]


def test_the_handle_is_where_the_robot_has_it(robot: Mechanism) -> None:
    parts, position = parts_of(Syntaxer()), np.zeros(3)
    for wanted in configurations(60):
        motors = turned_to(robot, wanted)
        np.testing.assert_allclose(motors, wanted, rtol=0, atol=1e-9)
        assert delta_place(parts.chains, motors, position, np.zeros((3, 3)))[0] == PlaceStatus.OK
        np.testing.assert_allclose(robot.pose(HANDLE)[:3, 3], position, rtol=0, atol=1e-9)
        np.testing.assert_allclose(robot.pose(HANDLE)[:3, :3], np.eye(3), rtol=0, atol=1e-9)


def test_the_handle_moves_as_the_robot_has_it(robot: Mechanism) -> None:
    parts, position, jacobian, stride = parts_of(Syntaxer()), np.zeros(3), np.zeros((3, 3)), 1e-4
    for wanted in configurations(6):
        delta_place(parts.chains, wanted, position, jacobian)
        for i in range(3):
            side = stride * np.eye(3)[i]
            after, angles_after = moved(robot, wanted + side)
            before, angles_before = moved(robot, wanted - side)
            turn = angles_after - angles_before
            np.testing.assert_allclose((after - before) / turn[i], jacobian[:, i], rtol=0, atol=2e-7)


def moved(robot: Mechanism, motors: Array) -> tuple[Array, Array]:
    angles = turned_to(robot, motors)
    return robot.pose(HANDLE)[:3, 3].copy(), angles


def test_masses_are_those_of_the_robot(robot: Mechanism) -> None:
    geometry = Syntaxer()
    links = {link.id: link for link in robot.robot.links}
    for chain, arm, bars in zip(geometry.chains, MOTORS, (3, 8, 13), strict=True):
        assert (links[arm].mass, links[bars].mass) == (chain.arm_mass, chain.bar_mass)
    paramat = geometry.paramat
    assert links[5].mass == pytest.approx(geometry.platform_mass + paramat.fixed_mass, abs=1e-15)
    assert links[PLATE].mass == paramat.handle_mass
    centre = links[PLATE].com
    assert centre is not None
    seen = np.linalg.inv(robot.pose(HANDLE)) @ robot.pose(PLATE) @ [*centre, 1.0]
    np.testing.assert_allclose(seen[:3], paramat.handle_centre, rtol=0, atol=1e-12)


def test_the_plate_turns_by_its_strings_as_the_model_has_it(robot: Mechanism) -> None:
    parts = parts_of(Syntaxer())
    for vector in cube(Syntaxer().paramat.range, 3):
        at = turned_by(parts, vector)
        for _ in range(20):
            robot.step({}, 1.0, joints=dict(zip(STRINGS, at.lengths.tolist(), strict=True)))
        found = robot.q[[robot.joint_number(link) for link in STRINGS]]
        np.testing.assert_allclose(found, at.lengths, rtol=0, atol=1e-9)
        np.testing.assert_allclose(robot.pose(HANDLE)[:3, :3], at.rotation, rtol=0, atol=1e-7)
    for _ in range(20):
        robot.step({}, 1.0, joints=dict(zip(STRINGS, (0.040, 0.050, 0.050), strict=True)))


def test_weight_is_the_slope_of_the_potential_energy_of_the_robot(robot: Mechanism) -> None:
    parts, jacobian, torques, stride = parts_of(UNBALANCED), np.zeros((3, 3)), np.zeros(3), 1e-4
    for wanted in configurations(6):
        delta_place(parts.chains, wanted, np.zeros(3), jacobian)
        arm_weights(parts.chains, parts.loads, wanted, jacobian, torques)
        for i in range(3):
            side = stride * np.eye(3)[i]
            after, before = potential(robot, wanted + side), potential(robot, wanted - side)
            assert (after - before) / (2.0 * stride) == pytest.approx(torques[i], abs=1e-6)


def potential(robot: Mechanism, motors: Array) -> float:
    """Energy of all masses of the robot above the centre of the plate [J]."""
    turned_to(robot, motors)
    total = 0.0
    for link in robot.robot.links:
        if link.mass and link.com:
            total += 9.81 * link.mass * float((robot.pose(link.id) @ [*link.com, 1.0])[2])
    return total
