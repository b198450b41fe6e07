"""Geometry that is changed in a compiled mechanism is that of a file with the same numbers."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

import robots
import station
from station.mechanism import Mechanism, MechanismError
from station.mechanism.compiling import compile_robot

NAMES = ("ur5e", "puma560", "macdac")  # with frames on frames, with loops


@pytest.mark.parametrize("name", NAMES)
def test_every_part_can_be_placed_otherwise(name: str) -> None:
    robot = station.load(robots.path(name)).robots[0]
    mechanism = Mechanism(robot)
    for frame in mechanism.frames:
        numbers = mechanism.geometry.numbers(frame)
        mechanism.geometry.put(frame, numbers + 0.01 * np.arange(1, 7))
        described = mechanism.geometry.described(mechanism.robot, frame)
        mechanism.robot = described
        other = compile_robot(described).memory
        np.testing.assert_array_equal(mechanism.memory.before, other.before)
        np.testing.assert_array_equal(mechanism.memory.frame_offset, other.frame_offset)
    assert mechanism.robot != robot


def test_the_number_that_a_joint_moves_is_not_geometry() -> None:
    arm = station.load(robots.path("ur5e"))["ur5e"]
    q, initial = arm.q, arm.geometry.numbers(2)[0]
    assert arm.change(2, arm.geometry.numbers(2) + np.array([0.5, 0.0, 0.0, 0.0, 0.0, 0.0])) == ()
    np.testing.assert_array_equal(arm.q, q)
    assert arm.geometry.numbers(2)[0] == initial


def test_passive_joints_follow_and_driven_ones_stay() -> None:
    delta = station.load(robots.path("delta"))["delta"]
    driven = [joint.active for joint in delta.joints]
    link = next(link.id for link in delta.robot.links if link.passive and link.parameters.d > 0.05)
    before, numbers = delta.q, delta.geometry.numbers(link)
    numbers[3] += 0.002
    assert delta.change(link, numbers) is not None
    assert max(delta.closure_error) < 1e-9
    np.testing.assert_allclose(delta.q[driven], before[driven], atol=1e-9)
    assert np.abs(delta.q - before).max() > 1e-4
    again = copy.copy(delta)  # it is made anew from its description
    np.testing.assert_allclose(again.q, delta.q, atol=1e-9)
    np.testing.assert_array_equal(again.memory.before, delta.memory.before)


def test_what_cannot_be_closed_changes_nothing() -> None:
    delta = station.load(robots.path("delta"))["delta"]
    link = next(link.id for link in delta.robot.links if link.passive and link.parameters.d > 0.05)
    before, pose, numbers = delta.q, delta.pose(link), delta.geometry.numbers(link)
    assert delta.change(link, numbers + np.array([0.0, 0.0, 0.0, 5.0, 0.0, 0.0])) is None
    assert delta.change(link, numbers + np.array([0.0, 0.0, 0.0, 0.01, 0.0, 0.0]), within=1e-9) is None  # too fast
    np.testing.assert_array_equal(delta.q, before)
    np.testing.assert_array_equal(delta.pose(link), pose)
    np.testing.assert_array_equal(delta.geometry.numbers(link), numbers)
    for wrong in ([0.0] * 5, [math.nan] * 6):
        with pytest.raises(MechanismError, match="6 finite numbers"):
            delta.change(link, wrong)
    with pytest.raises(MechanismError, match="no frame"):
        delta.change(4711, numbers)
