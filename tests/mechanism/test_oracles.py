"""Planar arms with two links: cases whose answers are known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

import station
from station.mechanism import Along, Mechanism, Status
from tests.mechanism.mechanisms import Array, at, planar_2r, pointer

TIP = 3
HALF = math.degrees(0.5)
NEAREST, RESIDUAL = (0.857149, 0.5), 0.819791  # to (0.5, 1) with the elbow within [0, 0.5]
ELBOW_UP = (0.1295522, 1.9551931)  # at (0.5, 1)


def hold(arm: Mechanism, target: Array | Along, steps: int = 3000, dt: float = 1e-3) -> float:
    """Follow a target that stands still; returns how far it is at the end [m]."""
    for _ in range(steps):
        step = arm.step({TIP: target}, dt)
    return step.tracking_error.metres


def point(x: float, y: float) -> Along:
    """A position of the tip, turned any way."""
    return Along(at(x, y, turn=1.0), "x y")


def test_pose_and_jacobian_in_closed_form() -> None:
    arm = planar_2r(1.0, 1.0)
    arm.q = np.radians([30, 60])
    np.testing.assert_allclose(arm.pose(TIP)[:2, 3], [0.8660254, 1.5], atol=1e-7)
    jacobian = arm.jacobian(TIP)[:2]
    np.testing.assert_allclose(jacobian, [[-1.5, -1.0], [0.8660254, 0.0]], atol=1e-7)
    assert np.linalg.det(jacobian) == pytest.approx(0.8660254, abs=1e-7)
    np.testing.assert_allclose(np.linalg.inv(jacobian), [[0.0, 1.1547005], [-1.0, -1.7320508]], atol=1e-7)


def test_a_reachable_point_by_steps_and_by_reach() -> None:
    arm = planar_2r(1.0, 1.0, "limits { 0 175 }")
    arm.q = [0.0, 1.5]
    assert hold(arm, point(0.5, 1.0)) < 1e-9
    np.testing.assert_allclose(arm.q, ELBOW_UP, atol=1e-6)
    other = planar_2r(1.0, 1.0, "limits { 0 175 }")
    found = other.reach(TIP, at(0.5, 1.0), axes="x y")
    assert found.status is Status.OK
    np.testing.assert_allclose(found.q, ELBOW_UP, atol=1e-5)


@pytest.mark.parametrize("turn", [-1.0, 0.0, 2.0])
def test_a_free_wrist_is_the_same_as_axes_that_do_not_count(turn: float) -> None:
    arm = pointer(1.0, 1.0, "|limits { 0 175 }", elbow=90)
    assert hold(arm, at(0.5, 1.0, turn=turn)) < 1e-9
    np.testing.assert_allclose(arm.q[:2], ELBOW_UP, atol=1e-6)


def test_a_stop_leaves_the_nearest_point() -> None:
    arm = planar_2r(1.0, 1.0, f"limits {{ 0 {HALF!r} }}")
    assert hold(arm, point(0.5, 1.0)) == pytest.approx(RESIDUAL, abs=1e-6)
    np.testing.assert_allclose(arm.q, NEAREST, atol=1e-6)
    step = arm.step({TIP: point(0.5, 1.0)}, 1e-3)
    assert step.status is Status.UNREACHABLE
    assert step.active_limits == (2,)
    assert step.multipliers[1] < 0.0  # its upper stop pushes
    assert math.isclose(RESIDUAL, math.sqrt(2 + 2 * math.cos(0.5)) - math.sqrt(1.25), abs_tol=1e-6)


def test_a_stop_leaves_the_nearest_point_to_reach_as_well() -> None:
    arm = planar_2r(1.0, 1.0, f"limits {{ 0 {HALF!r} }}")
    found = arm.reach(TIP, at(0.5, 1.0), axes="x y")
    assert found.status is Status.UNREACHABLE
    assert found.position_error == pytest.approx(RESIDUAL, abs=1e-6)
    np.testing.assert_allclose(found.q, NEAREST, atol=1e-5)


def test_a_joint_leaves_its_stop_when_the_target_comes_back() -> None:
    fast = "speed 200 acceleration 2000"
    arm = planar_2r(1.0, 1.0, f"limits {{ 0 {HALF!r} }} {fast}", f"limits {{ -170 170 }} {fast}")
    hold(arm, point(0.5, 1.0))
    assert arm.q[1] == pytest.approx(0.5, abs=1e-12)
    back = point(math.cos(0.3) + math.cos(0.5), math.sin(0.3) + math.sin(0.5))
    assert hold(arm, back) < 1e-9
    np.testing.assert_allclose(arm.q, (0.3, 0.2), atol=1e-6)
    step = arm.step({TIP: back}, 1e-3)
    assert step.status is Status.OK
    assert step.active_limits == ()
    np.testing.assert_array_equal(step.multipliers, 0.0)


def weighed_best(arm: Mechanism, pose: Array, starts: int = 40) -> tuple[Array, float]:
    """Joint values of least |position|² + (length · angle)² by an optimiser that knows nothing of ours."""
    length = arm.memory.length
    turn = math.atan2(pose[1, 0], pose[0, 0])

    def cost(q: Array) -> float:
        x, y = math.cos(q[0]) + 0.7 * math.cos(q[0] + q[1]), math.sin(q[0]) + 0.7 * math.sin(q[0] + q[1])
        angle = math.remainder(turn - q[0] - q[1], 2.0 * math.pi)
        return float((x - pose[0, 3]) ** 2 + (y - pose[1, 3]) ** 2 + (length * angle) ** 2)

    rng = np.random.default_rng(19)
    low, high = np.array([-3.0, -1.2]), np.array([3.0, 1.2])
    found = [
        minimize(cost, rng.uniform(low, high), bounds=list(zip(low, high, strict=True)), options={"ftol": 1e-15})
        for _ in range(starts)
    ]
    best = min(found, key=lambda answer: float(answer.fun))
    return np.array(best.x), float(best.fun)


@pytest.mark.parametrize(
    ("x", "y", "turn"), [(0.5, 1.0, 1.2), (1.2, -0.8, 0.3), (2.5, 1.0, 0.0), (-0.4, 0.9, 2.5), (0.2, 0.1, 1)]
)
def test_position_and_rotation_are_weighed_as_told(x: float, y: float, turn: float) -> None:
    """Two joints cannot meet a pose: the answer is the least weighed error, whichever way it is found."""
    limits = [math.degrees(value) for value in (3.0, 1.2)]
    more = [f"limits {{ {-value!r} {value!r} }}" for value in limits]
    arm, pose = planar_2r(1.0, 0.7, more[1], more[0]), at(x, y, turn=turn)
    expected, least = weighed_best(arm, pose)
    length = arm.memory.length
    found = arm.reach(TIP, pose)
    assert found.position_error**2 + (length * found.rotation_error) ** 2 <= least * (1.0 + 1e-6) + 1e-12
    np.testing.assert_allclose(found.q, expected, atol=1e-4)
    arm.q = expected + 0.1 * np.array([1.0, -np.sign(expected[1])])
    hold(arm, pose, 20_000)
    np.testing.assert_allclose(arm.q, expected, atol=1e-4)


@pytest.mark.parametrize("elbow", [1.0, -1.0])
def test_a_sweep_through_the_stretched_arm(elbow: float) -> None:
    """The target leaves the workspace and comes back: no jump, no limit broken, and the arm is with it again."""
    limits, dt = "limits { -170 170 } speed 180 acceleration 3000", 1e-3
    arm = planar_2r(1.0, 1.0, limits, limits)
    arm.q = [0.0, elbow]
    hold(arm, point(1.7, 0.0))
    before = arm.velocity
    for k in range(4000):
        x = 1.7 + 0.4 * math.sin(math.pi * k / 4000)  # the arm is 2 m long
        step = arm.step({TIP: point(x, 0.05)}, dt)
        assert (np.abs(step.velocity) <= math.pi * (1.0 + 1e-9)).all()
        assert (np.abs(step.velocity - before) <= math.radians(3000) * dt * (1.0 + 1e-9) + 1e-12).all()
        before = step.velocity
    assert hold(arm, point(1.7, 0.05), 1000) < 1e-6


def test_the_stretched_arm_asked_straight_back_takes_no_leap() -> None:
    arm = planar_2r(1.0, 1.0)
    arm.q = [0.0, 1e-6]
    step = arm.step({TIP: point(1.9, 0.0)}, 1e-3)
    assert np.abs(step.q).max() < 0.5  # where the inverse of the Jacobian would turn by 2e5 rad


def test_a_stop_as_a_unilateral_constraint_in_closed_form() -> None:
    """One joint with damping b: the stop pushes with W = b·(v_free - (q_max - q)/dt), and is met to the digit."""
    slider = "link 1 { type prismatic pred 0 parameters { 0 0.95 0 0 } limits { 0 1 } }"
    arm = station.loads(f"RAFF v2.0 A unit m robot a {{ base {{ }} {slider} }}")["a"]
    damping, dt, free = 2.0, 0.01, 20.0
    step = arm.step({1: [0, 0, free, 0, 0, 0]}, dt)
    assert step.q[0] == 1.0
    assert step.active_limits == (1,)
    assert -step.multipliers[0] * damping / dt == pytest.approx(30.0, rel=1e-7)
