"""Joints put directly: driven ones are where they were asked to be, passive ones follow, contradictions are said."""

from __future__ import annotations

import numpy as np
import pytest

from station.mad.units import JointType
from station.mechanism import Mechanism, MechanismError
from tests.mechanism.mechanisms import Array, link, made, robot, shipped

DRIVEN = ("delta", "stewart", "five-bar", "3-rpr", "cross-delta-driven", "hitachi-hpr", "syntaxer", "bennett")
EACH = pytest.mark.parametrize("name", DRIVEN)


def strides(arm: Mechanism, size: float) -> Array:
    """The same of every joint: rad, or lengths of the robot."""
    return np.array([size if one.type is JointType.REVOLUTE else size * arm.memory.length for one in arm.joints])


@EACH
def test_values_of_driven_joints_are_taken_exactly(name: str) -> None:
    """Though the passive ones are given as they were, which contradicts the loops."""
    arm, rng = shipped(name), np.random.default_rng(3)
    driven = arm.memory.driven
    wanted = arm.q + np.where(driven, rng.uniform(-1, 1, len(arm.q)) * strides(arm, 0.05), 0.0)
    moved = arm.put(wanted)
    np.testing.assert_allclose(arm.q[driven], wanted[driven], rtol=0, atol=1e-10)
    assert max(arm.closure_error) <= 1e-9
    assert not {one.id for one in arm.joints if one.active} & set(moved)


@EACH
def test_both_ways_to_put_driven_joints_agree(name: str) -> None:
    arm, other = shipped(name), shipped(name)
    driven = np.flatnonzero(arm.memory.driven)
    wanted = arm.q
    wanted[driven] += strides(arm, 0.04)[driven]
    arm.q = wanted
    values = other.set_joints({other.joints[j].id: float(wanted[j]) for j in driven})
    np.testing.assert_allclose(values, wanted[driven], rtol=0, atol=1e-10)
    np.testing.assert_allclose(arm.q, other.q, rtol=0, atol=1e-8)


def test_what_fits_is_not_moved() -> None:
    arm = shipped("delta")
    arm.set_joint(1, arm.q[0] + 0.2)
    there = arm.q
    arm = shipped("delta")
    assert arm.put(there) == ()
    np.testing.assert_allclose(arm.q, there, rtol=0, atol=1e-10)


def test_values_that_contradict_the_loops_are_named() -> None:
    arm = shipped("planar-hybrid")  # a file of the thesis: nothing in it is passive
    wanted = arm.q
    wanted[1] += 0.2
    wanted[4] -= 0.3
    wanted[6] += 0.3
    moved = arm.put(wanted)
    assert set(moved) & {2, 5, 7}
    assert max(arm.closure_error) <= 1e-9
    assert shipped("macdac").put(np.radians([10.0, 100.0, -90.0, 120.0, 200.0])) == ()


def test_more_joints_than_tasks_are_put_at_once() -> None:
    arm = made(robot([link(number, number - 1, d=100) for number in range(1, 13)]))
    values = {number: 0.01 * number for number in range(1, 13)}
    assert arm.set_joints(values) == pytest.approx(list(values.values()), abs=1e-12)
    with pytest.raises(MechanismError, match="not finite"):
        arm.set_joints({1: float("nan")})


def test_joints_that_rule() -> None:
    """All driven ones, or where a file has more than the loops leave free those that are wanted elsewhere."""
    delta, hybrid = shipped("delta"), shipped("planar-hybrid")
    np.testing.assert_array_equal(delta.led_joints(delta.q, delta.q + 0.1), delta.memory.driven)
    wanted = hybrid.q
    wanted[2] += 0.1
    assert hybrid.led_joints(hybrid.q, wanted).tolist() == [False, False, True, False, False, False, False]
    assert hybrid.led_joints(wanted, wanted).all()
