"""Half-spaces that a point must not enter: kept, slid along, felt, and let go."""

from __future__ import annotations

import math

import numpy as np
import pytest

from station.mechanism import Contact, Mechanism, Preference, Status
from tests.mechanism.mechanisms import Array, at, pointer, shipped

TIP, HAND = 3, 9
UP = [0.0, 1.0, 0.0]


def on_the_floor(x: float, elbow: float) -> Mechanism:
    """Links of 1.0 and 0.7 m, the tip at (x, 0)."""
    second = math.copysign(math.acos((x * x - 1.0 - 0.49) / 1.4), elbow)
    first = -math.atan2(0.7 * math.sin(second), 1.0 + 0.7 * math.cos(second))
    arm = pointer(1.0, 0.7, more="speed 100000")
    arm.q = [first, second, 0.0]
    return arm


def floor(arm: Mechanism, frame: int = TIP, normal: list[float] = UP, height: float = 0.0) -> Contact:
    """The tip above a plane through normal · height."""
    point = arm.pose(frame)[:3, 3]
    return Contact(frame, point, normal, float(point @ normal) - height)


def deepest(dt: float) -> float:
    """Drag the tip along the floor at 0.5 m/s while pushing down; lowest height that it gets to [m]."""
    arm, lowest = on_the_floor(1.0, 1.0), 0.0
    for _ in range(round(0.6 / dt)):
        step = arm.step({TIP: [0.5, -0.3, 0, 0, 0, 0]}, dt, contacts=[floor(arm)])
        assert step.multipliers[3] > 0.0  # the floor pushes up
        lowest = min(lowest, float(arm.pose(TIP)[1, 3]))
    assert arm.pose(TIP)[0, 3] == pytest.approx(1.3, abs=5e-3)  # it slid along
    return -lowest


def test_penetration_falls_with_the_square_of_the_step() -> None:
    four, two, one = deepest(4e-3), deepest(2e-3), deepest(1e-3)
    np.testing.assert_allclose([four, two, one], [1.42e-6, 0.356e-6, 0.0889e-6], rtol=0.25)
    assert four / two == pytest.approx(4.0, rel=0.05)
    assert two / one == pytest.approx(4.0, rel=0.05)


def test_a_target_behind_the_floor_leaves_the_nearest_point_on_it() -> None:
    arm = on_the_floor(1.3, 1.0)
    for _ in range(2000):
        step = arm.step({TIP: at(0.9, -0.3)}, 1e-3, contacts=[floor(arm)])
    np.testing.assert_allclose(arm.pose(TIP)[:2, 3], [0.9, 0.0], atol=1e-9)
    assert step.status is Status.UNREACHABLE
    assert step.tracking_error.metres == pytest.approx(0.3, abs=1e-9)
    assert step.multipliers[3] == pytest.approx(0.3, abs=1e-6)  # what is missing, as the floor holds it back
    np.testing.assert_array_equal(step.multipliers[:3], 0.0)


def test_it_lets_go_when_the_target_rises() -> None:
    arm = on_the_floor(1.3, 1.0)
    for _ in range(500):
        arm.step({TIP: at(0.9, -0.3)}, 1e-3, contacts=[floor(arm)])
    for _ in range(500):
        step = arm.step({TIP: at(0.9, 0.2)}, 1e-3, contacts=[floor(arm)])
    assert step.tracking_error.metres < 1e-6
    assert step.multipliers[3] == 0.0
    assert step.status is Status.OK


def test_a_far_floor_is_not_felt() -> None:
    arm, twin = on_the_floor(1.3, 1.0), on_the_floor(1.3, 1.0)
    for k in range(200):
        target = at(1.2 + 0.001 * k, 0.3)
        step = arm.step({TIP: target}, 1e-3, contacts=[floor(arm, height=-5.0)])
        np.testing.assert_allclose(step.q, twin.step({TIP: target}, 1e-3).q, atol=1e-12)
        assert step.multipliers[3] == 0.0


def test_two_walls_make_a_corner() -> None:
    arm = on_the_floor(1.3, 1.0)
    for _ in range(2000):
        walls = [floor(arm), floor(arm, normal=[1.0, 0.0, 0.0], height=1.1)]
        step = arm.step({TIP: at(0.8, -0.2)}, 1e-3, contacts=walls)
    np.testing.assert_allclose(arm.pose(TIP)[:2, 3], [1.1, 0.0], atol=1e-9)
    assert (step.multipliers[3:] > 0.0).all()
    assert len(step.multipliers) == 5


def test_what_is_inside_is_brought_out() -> None:
    arm = on_the_floor(1.3, 1.0)
    for _ in range(50):
        arm.step({TIP: at(1.2, -0.1)}, 1e-3, contacts=[floor(arm, height=0.05)])
    assert arm.pose(TIP)[1, 3] == pytest.approx(0.05, abs=1e-6)


def test_what_no_step_can_bring_out_gets_no_deeper_and_can_be_led_out() -> None:
    arm = shipped("panda")
    up, speeds = arm.pose(HAND), np.array([joint.speed for joint in arm.joints], dtype=float)
    height = float(up[2, 3]) + 0.1
    up[2, 3] = height + 0.05
    for k in range(2500):
        depth = float(arm.pose(HAND)[2, 3])
        target = [0.0, 0.0, -0.2, 0.0, 0.0, 0.0] if k < 500 else up
        step = arm.step({HAND: target}, 1e-3, contacts=[floor(arm, HAND, [0.0, 0.0, 1.0], height)])
        assert (np.abs(step.velocity) <= speeds * (1.0 + 1e-9)).all()
        assert arm.pose(HAND)[2, 3] >= min(depth, height) - 1e-5
    assert step.tracking_error.metres < 1e-6


def test_nothing_gives_way_deep_inside_where_staying_is_possible() -> None:
    """At rest far inside, say of an obstacle that has just appeared: no reason to leap to full speed."""
    arm, before = shipped("panda"), np.zeros(7)
    height, limits = float(arm.pose(HAND)[2, 3]) + 0.1, np.array([joint.acceleration for joint in arm.joints])
    for _ in range(20):
        contact = floor(arm, HAND, [0.0, 0.0, 1.0], height)
        step = arm.step({HAND: [0.1, 0.0, 0.3, 0.0, 0.0, 0.0]}, 1e-3, contacts=[contact])
        assert (np.abs(step.velocity - before) <= limits * 1e-3 * (1.0 + 1e-9) + 1e-12).all()
        before = step.velocity


def lowest(arm: Mechanism, height: float, prefer: Preference | None, then: list[dict[int | str, Array]]) -> float:
    """Over a second of motion, how far the hand is from the floor at least [m]."""
    least = math.inf
    for _ in range(1000):
        arm.step({}, 1e-3, prefer=prefer, then=then, contacts=[floor(arm, HAND, [0.0, 0.0, 1.0], height)])
        least = min(least, float(arm.pose(HAND)[2, 3]) - height)
    return least


def test_no_wish_goes_through_a_contact() -> None:
    arm = shipped("panda")
    height = float(arm.pose(HAND)[2, 3]) - 0.02
    assert lowest(arm, height, Preference(posture={2: 1.5}), []) > -1e-5


def test_no_lower_task_goes_through_a_contact() -> None:
    arm = shipped("panda")
    height = float(arm.pose(HAND)[2, 3]) - 0.02
    assert lowest(arm, height, None, [{HAND: np.array([0.0, 0.0, -0.3, 0.0, 0.0, 0.0])}]) > -1e-5


def test_a_contact_on_a_closed_loop() -> None:
    arm = shipped("delta")
    height = float(arm.pose("centre")[2, 3]) - 0.05
    for _ in range(1000):
        point = arm.pose("centre")[:3, 3]
        contact = Contact("centre", point, [0.0, 0.0, 1.0], float(point[2]) - height)
        step = arm.step({"centre": [0.2, 0.0, -0.5, 0, 0, 0]}, 1e-3, contacts=[contact])
        assert arm.pose("centre")[2, 3] >= height - 1e-5
        assert max(arm.closure_error) <= 1e-10
    assert step.multipliers[-1] > 0.0
    assert arm.pose("centre")[0, 3] > 0.1  # it slid along
