"""Joints that a cam or a polynomial moves: on the curve on every way, with its slope, within stops and speed limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from station.mad.curve import curve_of, moved_to, slopes_of
from station.mechanism import Mechanism, Status
from station.mechanism.assembly import squared_gap
from tests.mechanism.mechanisms import link, made, robot

DEGREE = math.pi / 180
CAM = "cam ( 0 0  90 20  120 20  240 5  360 0 ) periodic"


def follower(curve: str = CAM, leader: str = "", more: str = "passive", offset: float = 50) -> Mechanism:
    """A cam on link 1 lifts link 2, on which an arm of two joints stands."""
    rows = [
        link(1, theta=30, more=leader),
        link(2, 0, "prismatic", alpha=90, d=80, r=55, more=more),
        link(3, 2, d=80, theta=20),
        "frame 4 { pos { 100 0 0 } pred 3 }\n",
        f"coupling {{ link 2  leader 1  {curve}  offset {offset} }}\n",
    ]
    return made(robot(rows))


CURVES = {
    "cam": (CAM, ""),
    "open cam": ("cam ( -200 0  -20 3  30 5  160 44  200 30 )", "limits { -200 200 }"),
    "polynomial": ("polynomial ( 2 0.1 -0.003 0.00001 )", "limits { -180 180 }"),
}


def gap(arm: Mechanism) -> float:
    coupling, q = arm.robot.couplings[0], arm.q
    return float(q[1] - moved_to(coupling, {1: q[0]}))


@pytest.mark.parametrize(("curve", "leader"), CURVES.values(), ids=CURVES)
def test_compiled_curves_are_those_of_the_scene(curve: str, leader: str) -> None:
    arm = follower(curve, leader)
    made_of = curve_of(arm.robot.couplings[0])
    assert made_of is not None
    for x in np.linspace(-15.0, 15.0, 301):
        arm.memory.q[0], arm.memory.q[1] = x, 0.0
        squared_gap(arm.memory, arm.memory.q, True)
        assert arm.memory.residual[-1] == pytest.approx(-0.05 - float(made_of.value(x)), abs=1e-12, rel=1e-12)
        assert arm.memory.matrix[-1, 0] == pytest.approx(-float(made_of.rate(x)), abs=1e-12, rel=1e-12)


@pytest.mark.parametrize(("curve", "leader"), CURVES.values(), ids=CURVES)
def test_rows_of_a_curve_agree_with_finite_differences(curve: str, leader: str) -> None:
    arm = follower(curve, leader)
    mem, step = arm.memory, 1e-6
    for angle in np.radians([-170.0, -100.0, -1.0, 45.0, 100.0, 170.0]):
        q = np.array([angle, 0.06, 0.3])
        squared_gap(mem, q, True)
        rows = mem.matrix[:, :3].copy()
        for j in range(3):
            moved = np.eye(3)[j] * step
            squared_gap(mem, q + moved, False)
            above = mem.residual.copy()
            squared_gap(mem, q - moved, False)
            np.testing.assert_allclose(rows[:, j], (above - mem.residual) / (2 * step), atol=1e-7)


@pytest.mark.parametrize(("curve", "leader"), CURVES.values(), ids=CURVES)
def test_a_curve_holds_through_steps(curve: str, leader: str) -> None:
    arm, rng = follower(curve, leader), np.random.default_rng(4)
    assert arm.report.mobility == 2
    lowest, highest = np.inf, -np.inf
    for _ in range(30):
        twist = rng.normal(size=6)
        for _ in range(20):
            step = arm.step({4: twist}, 5e-3)
            assert step.status is not Status.CLOSURE_LOST
            assert abs(gap(arm)) < 1e-11
            lowest, highest = min(lowest, arm.q[0]), max(highest, arm.q[0])
    assert highest - lowest > 0.2


def test_the_leader_turns_a_periodic_cam_round_and_round() -> None:
    arm = follower(leader="speed 720 acceleration 20000")
    heights = []
    for _ in range(2000):
        step = arm.step({}, 1e-3, joints={1: 8.0 * math.pi})
        assert step.status is not Status.CLOSURE_LOST
        assert abs(gap(arm)) < 1e-11
        heights.append(arm.q[1])
    assert arm.q[0] > 6.0 * math.pi
    assert min(heights) == pytest.approx(0.05, abs=1e-5)
    assert max(heights) == pytest.approx(0.07, abs=1e-12)


def test_setting_the_leader_lifts_the_follower_and_dwells_stay() -> None:
    arm = follower()
    for degrees, height in ((90, 70), (105, 70), (120, 70), (240, 55), (360, 50)):
        assert arm.set_joint(1, degrees * DEGREE) == pytest.approx(degrees * DEGREE, abs=1e-9)
        assert arm.q[1] == pytest.approx(height * 1e-3, abs=1e-10)


def test_a_stop_of_the_follower_holds_the_leader() -> None:
    arm = follower(more="limits { 50 60 }")
    reached = arm.set_joint(1, 80 * DEGREE)
    assert arm.q[1] == pytest.approx(0.060, abs=1e-9)
    assert 30 * DEGREE < reached < 80 * DEGREE
    assert abs(gap(arm)) < 1e-11


def test_speed_limits_of_the_follower_hold_the_leader() -> None:
    arm = follower(more="speed 10 acceleration 1000")
    before = arm.q[1]
    for _ in range(300):
        step = arm.step({}, 1e-3, joints={1: 3.0})
        assert abs(step.velocity[1]) <= 0.010 * (1 + 1e-9)
    assert arm.q[1] - before == pytest.approx(0.3 * 0.010, rel=0.03)  # at the limit but for the start
    assert abs(gap(arm)) < 1e-11


def test_the_jacobian_of_what_the_follower_carries_goes_by_the_slope() -> None:
    """Motion of the frame per motion of the leader, loops closed, against finite differences."""
    arm, step = follower(), 1e-5
    for degrees in (30.0, 75.0, 180.0, 300.0):
        arm.set_joint(1, degrees * DEGREE)
        slope = float(slopes_of(arm.robot.couplings[0], {1: arm.q[0]})[1])
        columns = arm.jacobian(4)
        moved = columns[:3, 0] + columns[:3, 1] * slope
        places = []
        for way in (step, -step):
            arm.set_joint(1, degrees * DEGREE + way)
            places.append(arm.pose(4)[:3, 3].copy())
        np.testing.assert_allclose(moved, (places[0] - places[1]) / (2 * step), atol=1e-7)


def test_reach_finds_what_a_cam_allows() -> None:
    arm = follower()
    arm.set_joint(1, 200 * DEGREE)
    goal = arm.pose(4)
    other = follower()
    found = other.reach(4, goal)
    assert found.status is Status.OK
    assert abs(gap(other)) < 1e-11


def test_a_cam_and_an_adder_in_one_coupling() -> None:
    rows = [
        link(1, theta=30),
        link(2, 0, theta=10, d=100),
        link(3, 0, theta=0, d=200, more="passive"),
        "coupling { link 3  equals ( link 2 -1 )  leader 1  polynomial ( 0 0 0.01 )  offset 5 }\n",
    ]
    arm = made(robot(rows))
    assert arm.mobility == 2
    q = np.degrees(arm.q)
    assert q[2] == pytest.approx(-q[1] + 0.01 * q[0] ** 2 + 5, abs=1e-9)
