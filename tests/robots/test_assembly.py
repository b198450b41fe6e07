"""The loops of every robot close from the values in its file, and leave it the freedom it should have."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import robots
import station
from station.mad.scene import Robot
from station.mad.units import JointType
from tests.robots.assembly import (
    assemble,
    beyond_stops,
    by_link,
    closure,
    initial,
    movable,
    point_jacobian,
    singular_values,
)
from tests.robots.elementary import Array, world

MOBILITY = {
    "macdac": 5,
    "redundant": 6,
    "planar-hybrid": 4,
    "cross-delta": 3,
    "cross-delta-driven": 3,
    "hitachi-hpr": 5,
    "delta": 3,
    "3-rpr": 3,
    "five-bar": 2,
    "stewart": 6,
    "bennett": 1,
    "cam-lifter": 1,
    "syntaxer": 6,
    "scara": 4,
    "puma560": 6,
    "ur5e": 6,
    "panda": 7,
    "robuter-ulm": 6,
    "hobby-arm": 6,
}


class Change(NamedTuple):
    """The most that closing the loops moves a joint."""

    degrees: float
    mm: float


AS_PRINTED = {"cross-delta": Change(0.6, 23.0), "planar-hybrid": Change(0.35, 0.0)}
ROUNDED = Change(0.001, 0.01)


def robot_of(name: str) -> Robot:
    (robot,) = station.load(robots.path(name)).robots
    return robot


def has_loops(name: str) -> bool:
    return any(constraint.closes_loop for constraint in robot_of(name).constraints)


every_robot = pytest.mark.parametrize("name", robots.names())
every_looped_robot = pytest.mark.parametrize("name", [name for name in robots.names() if has_loops(name)])


def largest(robot: Robot, change: Array) -> Change:
    turns = np.array([link.joint is JointType.REVOLUTE for link in movable(robot)])
    degrees = np.degrees(np.abs(change[turns]).max(initial=0.0))
    return Change(float(degrees), float(1000.0 * np.abs(change[~turns]).max(initial=0.0)))


@every_looped_robot
def test_loops_close_within_the_stops_and_near_the_file(name: str) -> None:
    robot = robot_of(name)
    start = initial(robot)
    q = assemble(robot, start)
    assert np.abs(closure(robot, q)[0]).max() < 1e-10
    assert beyond_stops(robot, q) == []
    allowed, needed = AS_PRINTED.get(name, ROUNDED), largest(robot, q - start)
    assert needed.degrees <= allowed.degrees
    assert needed.mm <= allowed.mm


@every_looped_robot
def test_only_printed_values_leave_the_loops_open(name: str) -> None:
    error = np.abs(closure(robot_of(name), initial(robot_of(name)))[0]).max()
    if name in AS_PRINTED:
        assert error > 1e-3
    else:
        assert error < 1e-5  # 0.01 mm, 0.0006°


def test_printed_values_are_as_far_open_as_published() -> None:
    for name, published in (("cross-delta", 45.0), ("planar-hybrid", 3.0)):
        robot = robot_of(name)
        gaps = closure(robot, initial(robot))[0].reshape(-1, 6)[:, :3]
        assert 1000.0 * np.linalg.norm(gaps, axis=1).max() == pytest.approx(published, abs=0.1)


@every_looped_robot
def test_every_posture_is_assembled(name: str) -> None:
    robot = robot_of(name)
    for posture in robot.postures:
        values = {value.link: value.value for value in posture.joints}
        q = np.array([values.get(link.id, link.initial) for link in movable(robot)])
        assert np.abs(closure(robot, q)[0]).max() < 1e-5, posture.name


@every_looped_robot
def test_closure_jacobian_is_the_derivative(name: str) -> None:
    robot = robot_of(name)
    q = assemble(robot, initial(robot))
    jacobian, step = closure(robot, q)[1], 1e-6
    for k in range(len(q)):
        shift = step * np.eye(len(q))[k]
        slope = (closure(robot, q + shift)[0] - closure(robot, q - shift)[0]) / (2 * step)
        np.testing.assert_allclose(slope, jacobian[:, k], rtol=0, atol=1e-8)


@every_robot
def test_mobility_by_rank_at_the_initial_pose_and_nearby(name: str) -> None:
    robot = robot_of(name)
    start = assemble(robot, initial(robot))
    dice = np.random.default_rng(7)
    reach = np.array([0.05 if link.joint is JointType.REVOLUTE else 0.01 for link in movable(robot)])
    for spread in (0.0, 1.0, 1.0, 1.0, 1.0, 1.0):
        q = assemble(robot, start + spread * reach * dice.uniform(-1, 1, len(start)))
        values = singular_values(robot, q)
        held = values[values > 1e-9]
        assert held.min(initial=1.0) > 1e-3  # far from the ones that are zero: the rank is beyond doubt
        assert len(q) - len(held) == MOBILITY[name]


def test_every_robot_has_its_mobility_stated() -> None:
    assert set(MOBILITY) == set(robots.names())


def test_over_constrained_loop_has_the_rank_of_a_planar_one() -> None:
    robot = robot_of("hitachi-hpr")
    values = singular_values(robot, assemble(robot, initial(robot)))
    assert len(movable(robot)) == 8
    assert np.sum(values > 1e-9) == 3


@pytest.mark.parametrize("name", [name for name in robots.names() if has_loops(name) and name not in AS_PRINTED])
def test_driven_joints_hold_the_mechanism_where_it_starts(name: str) -> None:
    robot = robot_of(name)
    passive = [link.passive for link in movable(robot)]
    jacobian = closure(robot, assemble(robot, initial(robot)))[1][:, passive]
    assert np.linalg.svd(jacobian, compute_uv=False)[sum(passive) - 1] > 0.02  # strings have levers of 32 mm


@pytest.mark.parametrize("name", ["hobby-arm", "panda", "puma560", "robuter-ulm", "ur5e"])
def test_arms_start_away_from_singularities(name: str) -> None:
    robot = robot_of(name)
    (tool,) = robot.tools
    poses = world(robot, by_link(robot, initial(robot)))
    assert np.linalg.svd(point_jacobian(robot, poses, tool.id), compute_uv=False)[5] > 0.1


def test_six_assemblies_share_their_leg_lengths() -> None:
    robot = robot_of("3-rpr")
    modes = [dict(posture.joints) for posture in robot.postures]
    assert len(modes) == 6
    for mode in modes:
        assert [mode[leg] for leg in (2, 5, 8)] == [0.1498, 0.1538, 0.12]
    pivots = np.array([[mode[pivot] for pivot in (1, 4, 7)] for mode in modes])
    apart = np.abs(pivots[:, None] - pivots[None]).max(axis=2) + np.eye(6)
    assert apart.min() > 0.1
