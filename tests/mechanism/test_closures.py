"""Loops of the shipped robots: assembled at load, counted by rank, reported."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

from station.mad.scene import Robot
from station.mad.units import JointType
from station.mechanism import Status
from station.mechanism.assembly import squared_gap
from station.mechanism.memory import JointKind
from tests.mechanism.mechanisms import LOOPED, SHIPPED, Array, link, made, robot, shipped
from tests.robots.assembly import beyond_stops, closure, initial, singular_values


class Count(NamedTuple):
    """What a robot amounts to."""

    mobility: int
    joints: int
    rows: int = 0
    rank: int = 0  # rows that say something of their own


COUNTS = {
    "3-rpr": Count(3, joints=9, rows=12, rank=6),
    "bennett": Count(1, joints=4, rows=6, rank=3),
    "cam-lifter": Count(1, joints=3, rows=2, rank=2),
    "cross-delta": Count(3, joints=15, rows=12, rank=12),
    "cross-delta-driven": Count(3, joints=15, rows=12, rank=12),
    "delta": Count(3, joints=15, rows=12, rank=12),
    "five-bar": Count(2, joints=4, rows=3, rank=2),
    "hitachi-hpr": Count(5, joints=8, rows=6, rank=3),
    "hobby-arm": Count(6, joints=6),
    "macdac": Count(5, joints=5),
    "panda": Count(7, joints=7),
    "planar-hybrid": Count(4, joints=7, rows=6, rank=3),
    "puma560": Count(6, joints=6),
    "redundant": Count(6, joints=6),
    "robuter-ulm": Count(6, joints=6),
    "scara": Count(4, joints=4),
    "stewart": Count(6, joints=21, rows=15, rank=15),
    "syntaxer": Count(6, joints=27, rows=21, rank=21),
    "ur5e": Count(6, joints=6),
}


def test_the_table_names_every_robot() -> None:
    assert tuple(COUNTS) == SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_mobility_is_found_by_rank(name: str) -> None:
    arm, count = shipped(name), COUNTS[name]
    assert arm.mobility == arm.report.mobility == count.mobility == count.joints - count.rank
    assert len(arm.joints) == len(arm.q) == count.joints
    assert arm.report.closure_rows == count.rows
    assert arm.report.closure_rank == count.rank
    assert arm.report.redundant_rows == count.rows - count.rank
    assert arm.report.counted_mobility == count.joints - count.rows


@pytest.mark.parametrize("name", LOOPED)
def test_the_rank_is_that_of_the_plain_jacobian(name: str) -> None:
    arm = shipped(name)
    values = singular_values(arm.robot, arm.q)
    assert int((values > 1e-6 * values[0]).sum()) == arm.report.closure_rank


@pytest.mark.parametrize("name", SHIPPED)
def test_every_robot_is_assembled_at_load(name: str) -> None:
    arm = shipped(name)
    assert arm.closure_error.metres <= 1e-10
    assert arm.closure_error.radians <= 1e-10
    if COUNTS[name].rows:
        assert np.abs(closure(arm.robot, arm.q)[0]).max() <= 1e-10  # as a judge that shares no code sees it
    assert beyond_stops(arm.robot, arm.q) == []
    np.testing.assert_array_equal(arm.velocity, np.zeros(len(arm.q)))


@pytest.mark.parametrize("name", SHIPPED)
def test_the_report_says_how_far_the_file_was_off(name: str) -> None:
    arm = shipped(name)
    values = initial(arm.robot)
    assert arm.report.moved == float(np.abs(arm.q - values).max())
    apart, turned = largest_gap(arm.robot, closure(arm.robot, values)[0])
    assert math.isclose(arm.report.opened, apart, rel_tol=1e-6, abs_tol=1e-12)
    assert math.isclose(arm.report.opened_turn, turned, rel_tol=1e-6, abs_tol=1e-12)
    assert max(arm.report.left, arm.report.left_turn) <= 1e-10
    assert arm.report.loose_joints == ()


def largest_gap(robot: Robot, error: Array) -> tuple[float, float]:
    """Of any one loop [m], [rad]: welds come as three lengths and three angles, balls as three lengths."""
    apart, turned, at = [0.0], [0.0], 0
    for constraint in robot.constraints:
        if constraint.closes_loop:
            apart.append(float(np.linalg.norm(error[at : at + 3])))
            turned.append(float(np.linalg.norm(error[at + 3 : at + constraint.rows])))
            at += constraint.rows
    joints = {link.id: link.joint for link in robot.links}
    for coupling, gap in zip(robot.couplings, error[at:], strict=True):
        (turned if joints[coupling.link] is JointType.REVOLUTE else apart).append(abs(float(gap)))
    return max(apart), max(turned)


@pytest.mark.parametrize("name", ["planar-hybrid", "cross-delta", "3-rpr", "stewart"])
def test_it_is_assembled_nearest_to_the_values_of_the_file(name: str) -> None:
    arm = shipped(name)
    mem, move = arm.memory, arm.q - initial(arm.robot)
    squared_gap(mem, mem.q, True)
    free = np.linalg.svd(mem.matrix[:, : len(move)])[2][arm.report.closure_rank :]
    unit = np.where(mem.joint_kind == JointKind.REVOLUTE, mem.length**2, 1.0)
    assert np.abs(free @ (unit * move)).max() <= 1e-8 * mem.length**2  # no free motion leads nearer


def test_rounded_values_are_closed_with_small_moves() -> None:
    hybrid, delta = shipped("planar-hybrid").report, shipped("cross-delta").report
    assert 0.002 < hybrid.opened < 0.004
    assert hybrid.moved < math.radians(0.5)
    assert delta.opened == pytest.approx(0.0451, abs=1e-4)  # as robots/README.md says
    assert delta.moved < 0.05


def test_a_passive_joint_at_the_end_is_loose() -> None:
    arm = made(robot([link(1), link(2, 1, d=300, more="passive"), link(3, 2, d=200)]))
    assert arm.report.loose_joints == (2,)
    assert arm.mobility == 3


def test_a_bar_that_can_spin_is_loose() -> None:
    """A four-bar with a passive pivot along its coupler: nothing tells how far that has turned."""
    rows = [
        link(1, theta=90),
        link(2, 1, d=300, theta=-90, more="passive"),
        link(3, 2, alpha=90, theta=90, more="passive"),
        link(4, 3, alpha=90, more="passive"),
        link(5, 0, d=500, theta=90, more="passive"),
        "frame 6 { pos { 0 0 500 } pred 4 }\nframe 7 { pos { 300 0 0 } pred 5 }\nball { frame 6 frame 7 }\n",
    ]
    arm = made(robot(rows))
    assert arm.report.loose_joints == (4,)
    assert arm.mobility == 2


def test_the_five_bar_never_fails() -> None:
    """Its ball joint has one row too many for a plane."""
    arm, rng = shipped("five-bar"), np.random.default_rng(0)
    for _ in range(1000):
        step = arm.step({"pen": 0.3 * rng.normal(size=6)}, 1e-3)
        assert step.status is not Status.CLOSURE_LOST
        assert not arm.memory.unsolved  # no programme without an answer
        assert arm.closure_error.metres <= 1e-10


@pytest.mark.parametrize("name", LOOPED)
def test_loops_stay_closed_on_the_way(name: str) -> None:
    arm, rng = shipped(name), np.random.default_rng(1)
    frame = next(constraint.targets[0].id for constraint in arm.robot.constraints if not constraint.closes_loop)
    for _ in range(10):
        twist = rng.normal(size=6) * arm.memory.length
        for _ in range(20):
            assert arm.step({frame: twist}, 2e-3).status is not Status.CLOSURE_LOST
            assert max(arm.closure_error) <= 1e-10
    assert np.abs(closure(arm.robot, arm.q)[0]).max() <= 1e-10
