"""Closing loops: from wrong values, with parts that are not quite true, and where it cannot be done."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import robots
import station
from station.mad.scene import Link, Robot
from station.mad.units import JointType
from station.mechanism import AssemblyError, Mechanism, Status
from tests.mechanism.mechanisms import link, made, robot
from tests.robots.assembly import beyond_stops, closure

SKEW = 0.05  # [degrees]


def four_bar(
    kind: str, skew: float = 0.0, lengths: tuple[int, int, int] = (300, 500, 300), turn: int = 0, stops: str = ""
) -> str:
    """A planar four-bar of 500 mm base: crank, coupler, rocker [mm]; `skew` tilts the axis of the crank [degrees]."""
    crank, coupler, rocker = lengths
    rows = [
        link(1, theta=60, alpha=skew, more=stops),
        link(2, 1, d=crank, theta=-60, more=f"passive {stops}"),
        link(3, 0, d=500, theta=60, more=f"passive {stops}"),
        f"frame 4 {{ pos {{ {coupler} 0 0 }} ori {{ 0 0 {turn} }} pred 2 }}\n",
        f"frame 5 {{ pos {{ {rocker} 0 0 }} pred 3 }}\n",
        f"constraint {{ frame 4 frame 5 type {kind} }}\n",
    ]
    return robot(rows)


# An ordinary four-bar, one that can lie flat, and a parallelogram, which can too.
BARS = pytest.mark.parametrize("lengths", [(300, 480, 350), (300, 450, 350), (300, 500, 300)])
KINDS = pytest.mark.parametrize("kind", ["revolute", "cylindrical", "ball"])


@BARS
@KINDS
def test_parts_that_are_not_quite_true_leave_the_mobility(kind: str, lengths: tuple[int, int, int]) -> None:
    true, skewed = made(four_bar(kind, 0.0, lengths)), made(four_bar(kind, SKEW, lengths))
    assert true.mobility == skewed.mobility == 1
    assert skewed.report.closure_rank == true.report.closure_rank == 2
    np.testing.assert_allclose(skewed.q, true.q, atol=1e-5)
    assert skewed.closure_error.metres <= math.radians(SKEW) * 0.4
    assert skewed.closure_error.radians <= math.radians(SKEW) * 1.001


@BARS
@KINDS
def test_parts_that_are_not_quite_true_move_alike(kind: str, lengths: tuple[int, int, int]) -> None:
    true, skewed = made(four_bar(kind, 0.0, lengths)), made(four_bar(kind, SKEW, lengths))
    for k in range(1000):
        goal = 1.2 + 0.5 * math.sin(0.01 * k)
        for arm in (true, skewed):
            assert arm.step({}, 1e-3, joints={1: goal}).status is not Status.CLOSURE_LOST
        np.testing.assert_allclose(skewed.q, true.q, atol=1e-5)
    assert true.set_joint(1, 0.9) == pytest.approx(0.9, abs=1e-9)
    assert skewed.set_joint(1, 0.9) == pytest.approx(0.9, abs=1e-9)


@KINDS
def test_parts_that_are_not_quite_true_can_be_put_somewhere(kind: str) -> None:
    arm = made(four_bar(kind, SKEW, (300, 480, 350)))
    arm.set_joint(1, 1.2)
    there = arm.q
    arm.set_joint(1, 1.0)
    arm.q = there
    np.testing.assert_allclose(arm.q, there, atol=1e-9)


def test_a_gap_that_cannot_be_closed_is_measured_and_named() -> None:
    with pytest.raises(AssemblyError, match="frame 4 and frame 5 stay 100 mm") as caught:
        made(four_bar("ball", lengths=(100, 200, 100)))
    assert caught.value.gap == pytest.approx(0.1, rel=1e-6)  # 500 - 100 - 200 - 100 mm
    assert caught.value.between == "frame 4 and frame 5"
    assert "robot test cannot be assembled" in str(caught.value)


def test_the_gap_does_not_depend_on_how_a_frame_is_turned() -> None:
    with pytest.raises(AssemblyError) as caught:
        made(four_bar("ball", lengths=(100, 200, 100), turn=45))
    assert caught.value.gap == pytest.approx(0.1, rel=1e-6)


def test_of_several_loops_the_one_that_stays_open_is_named() -> None:
    rows = [
        link(1, theta=60),
        link(2, 1, d=300, theta=-60),
        link(3, 0, d=500, theta=60),
        link(4, 0, d=2000, theta=90),
        "frame 11 { pos { 500 0 0 } pred 2 }\nframe 12 { pos { 300 0 0 } pred 3 }\nball { frame 11 frame 12 }\n",
        "frame 13 { pos { 100 0 0 } pred 4 }\nframe 14 { pos { 2000 400 0 } pred 0 }\nball { frame 14 frame 13 }\n",
    ]
    with pytest.raises(AssemblyError) as caught:
        made(robot(rows))
    assert caught.value.between == "frame 14 and frame 13"
    assert caught.value.gap == pytest.approx(0.3, rel=1e-6)  # 400 - 100 mm


def test_stops_can_forbid_what_lengths_allow() -> None:
    assert made(four_bar("ball", lengths=(300, 700, 300))).mobility == 1
    with pytest.raises(AssemblyError) as caught:
        made(four_bar("ball", lengths=(300, 700, 300), stops="range { -1 1 }"))
    assert 0.18 < caught.value.gap < 0.2  # 200 mm at the values of the file


def shaken(name: str, seed: int) -> Robot:
    """A shipped robot whose initial values are up to 1 rad or 0.3 m off, within the stops."""
    rng, shipped = np.random.default_rng(seed), station.load(robots.path(name)).robots[0]

    def shake(item: Link) -> Link:
        turns = item.joint is JointType.REVOLUTE
        value = item.initial + float(rng.uniform(-1.0, 1.0)) * (1.0 if turns else 0.3)
        if item.stops is not None:
            value = min(max(value, item.stops.lo), item.stops.hi)
        return dataclasses.replace(item, parameters=item.parameters._replace(**{"theta" if turns else "r": value}))

    return dataclasses.replace(shipped, links=tuple(shake(item) for item in shipped.links))


@pytest.mark.parametrize("name", ["stewart", "delta", "five-bar", "syntaxer"])
@pytest.mark.parametrize("seed", range(10))
def test_wrong_initial_values_still_assemble(name: str, seed: int) -> None:
    arm = Mechanism(shaken(name, seed))
    assert np.abs(closure(arm.robot, arm.q)[0]).max() <= 1e-10
    assert beyond_stops(arm.robot, arm.q) == []
    assert arm.mobility == {"stewart": 6, "delta": 3, "five-bar": 2, "syntaxer": 6}[name]


def test_a_closure_on_a_robot_without_joints() -> None:
    frames = "frame 1 { pos { 1 2 3 } pred 0 }\nframe 2 { pos { 1 2 3 } pred 0 }\nconstraint { frame 1 frame 2 }\n"
    assert made(robot([frames])).mobility == 0
    with pytest.raises(AssemblyError, match="frame 1 and frame 2") as caught:
        made(robot([frames.replace("2 { pos { 1 2 3", "2 { pos { 1 2 7")]))
    assert caught.value.gap == pytest.approx(0.004)


def test_a_robot_without_joints() -> None:
    arm = made(robot(["frame 1 { pos { 1 2 3 } pred 0 }\n"]))
    assert arm.mobility == 0
    assert arm.step({1: np.ones(6)}, 1e-3).q.shape == (0,)
    np.testing.assert_allclose(arm.pose(1)[:3, 3], [0.001, 0.002, 0.003])
