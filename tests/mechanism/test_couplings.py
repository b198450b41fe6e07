"""Joints that machinery moves together: held exactly on every way, counted, and told apart when they cannot be met."""

from __future__ import annotations

import math

import numpy as np
import pytest

from station.mechanism import AssemblyError, Mechanism, Status
from tests.mechanism.mechanisms import link, made, robot

DEGREE = math.pi / 180
SCREW = 0.5e-3 / DEGREE  # [m/rad]


def wrist(stops: str = "", more: str = "") -> Mechanism:
    """An adder on link 3 and a screw on link 4, as in the manual."""
    rows = [
        link(1, theta=10, more=stops),
        link(2, 1, alpha=90, theta=-20, more=stops),
        link(3, 2, alpha=90, theta=120, more=stops),
        link(4, 3, "prismatic", r=65, more=more),
        "frame 5 { pos { 100 0 50 } pred 4 }\n",
        "coupling { link 3  equals ( link 1 1  link 2 -1 )  offset 90 }\n",
        "coupling { link 4  equals ( link 3 0.5 )  offset 5 }\n",
    ]
    return made(robot(rows))


def gaps(arm: Mechanism) -> tuple[float, float]:
    """How far adder [rad] and screw [m] are off."""
    q = arm.q
    return float(q[2] - (q[0] - q[1] + 90 * DEGREE)), float(q[3] - (SCREW * q[2] + 0.005))


def test_couplings_take_mobility() -> None:
    report = wrist().report
    assert (report.mobility, report.closure_rows, report.closure_rank, report.redundant_rows) == (2, 2, 2, 0)
    assert report.opened < 1e-12
    assert report.moved < 1e-12


def test_couplings_that_are_open_in_the_file_are_closed_at_load() -> None:
    arm = made(
        robot([link(1), link(2, 1, d=100, theta=30), "coupling { link 2  equals ( link 1 2 ) }\n"]),
    )
    assert arm.report.opened == 0.0
    assert arm.report.opened_turn == pytest.approx(30 * DEGREE)
    np.testing.assert_allclose(arm.q, np.radians([12, 24]), atol=1e-10)  # nearest to (0°, 30°) on q₂ = 2·q₁


def test_couplings_hold_through_steps() -> None:
    arm, rng = wrist(), np.random.default_rng(4)
    start = arm.q
    for _ in range(25):
        twist = rng.normal(size=6)
        for _ in range(20):
            step = arm.step({5: twist}, 5e-3)
            assert step.status is not Status.CLOSURE_LOST
            np.testing.assert_allclose(gaps(arm), 0.0, atol=1e-12)
    assert np.abs(arm.q - start)[:3].min() > 0.01


def test_one_joint_moves_the_others_through_its_couplings() -> None:
    arm = wrist()
    before = arm.q
    assert arm.set_joint(4, 0.08) == pytest.approx(0.08, abs=1e-12)
    np.testing.assert_allclose(gaps(arm), 0.0, atol=1e-12)
    assert arm.q[2] - before[2] == pytest.approx(0.015 / SCREW)


def test_a_stop_of_the_moved_joint_holds_the_moving_one() -> None:
    arm = wrist(more="limits { 60 70 }")
    assert arm.set_joint(3, 10.0) == pytest.approx(130 * DEGREE, abs=1e-9)  # 5 + 0.5 · 130 = 70 mm
    np.testing.assert_allclose(gaps(arm), 0.0, atol=1e-12)
    assert arm.q[3] <= 0.070 + 1e-12


def test_speed_limits_of_the_moved_joint_hold_the_moving_one() -> None:
    arm = wrist(more="speed 10 acceleration 1000")
    fastest = 0.0
    for _ in range(300):
        step = arm.step({}, 1e-3, joints={3: 3.0})
        assert abs(step.velocity[3]) <= 0.010 * (1 + 1e-9)
        fastest = max(fastest, abs(float(step.velocity[2])))
    assert fastest == pytest.approx(0.010 / SCREW, rel=1e-5)  # loops keep 4e-8 m/s of slack


def test_a_coupling_inside_a_loop() -> None:
    """A parallelogram whose second crank is geared to the first: one more row that says nothing new."""
    rows = [
        link(1, theta=60, more="limits { 20 160 }"),
        link(2, 1, d=300, theta=-60, more="passive"),
        link(3, 0, d=500, theta=60, more="passive"),
        "frame 4 { pos { 500 0 0 } pred 2 }\nframe 5 { pos { 300 0 0 } pred 3 }\n",
        "constraint { frame 4 frame 5 type revolute }\ncoupling { link 3  equals ( link 1 1 ) }\n",
    ]
    arm = made(robot(rows))
    assert (arm.mobility, arm.report.closure_rank, arm.report.redundant_rows) == (1, 2, 4)
    for goal in (2.5, 0.5, 1.5):
        assert arm.set_joint(1, goal) == pytest.approx(goal, abs=1e-9)
        np.testing.assert_allclose(arm.q, [goal, -goal, goal], atol=1e-9)


def test_the_gap_of_a_screw_is_a_length_and_that_of_an_adder_an_angle() -> None:
    arm = wrist()
    arm.memory.q[3] += 0.002
    assert arm.closure_error == pytest.approx((0.002, 0.0), abs=1e-12)
    arm.memory.q[3] -= 0.002
    arm.memory.q[0] += 0.03
    assert arm.closure_error == pytest.approx((0.0, 0.03), abs=1e-12)


def test_couplings_that_the_stops_forbid_are_named_with_their_gap() -> None:
    stops, too_far = "limits { -1 1 }", "coupling { link 2  equals ( link 1 1 )  offset 90 }\n"
    with pytest.raises(AssemblyError, match="couplings") as caught:
        made(robot([link(1, more=stops), link(2, 1, d=50, more=stops), too_far]))
    assert caught.value.turn == pytest.approx(88 * DEGREE, rel=1e-6)  # q₂ = q₁ + 90°, both within ±1°
    assert caught.value.gap == 0.0
