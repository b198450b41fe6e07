"""Where the target goes: scale, frames, locks, absolute and incremental motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from station.devices.device import AxisKind
from station.devices.mapping import LockFrame, MappingSettings, Response
from station.devices.mapping.motion import response
from station.devices.mapping.state import numbers_of
from station.mad.scene import ReferenceFrame
from tests.devices.mapping.hands import BUTTONS, POINTING, TICK, TWISTING, Array, Bench, moved, pose_of

HAND = np.array([0.03, -0.02, 0.01, 0.3, -0.2, 0.1])  # a way of the hand [m, rad]
ABSOLUTE = MappingSettings(engagement=BUTTONS, motion=POINTING)
RATES = MappingSettings(engagement=BUTTONS, motion=TWISTING)
SEAT = (0.0, 0.0, np.pi / 2)  # the device stands turned by a quarter: its x is the seat's y


def way_of(bench: Bench, hand: Array = HAND) -> Array:
    """What the target moves when the hand goes along `hand`."""
    start = bench.engage()
    return moved(start, bench.go(hand[:3], hand[3:]))


def test_at_first_the_target_moves_as_the_hand_does() -> None:
    np.testing.assert_allclose(way_of(Bench(ABSOLUTE)), HAND, atol=1e-12)


def test_each_axis_has_its_scale() -> None:
    scale = (1.0, 2.0, -3.0, 0.5, 0.5, 0.5)
    way = way_of(Bench(replace(ABSOLUTE, scale=scale)))
    np.testing.assert_allclose(way, HAND * np.array(scale), atol=1e-12)


def test_the_seat_turns_the_device() -> None:
    way = way_of(Bench(replace(ABSOLUTE, seat=SEAT, scale=(1.0, 2.0, 1.0, 1.0, 1.0, 1.0))))
    np.testing.assert_allclose(way[:3], [0.02, 0.06, 0.01], atol=1e-12)  # scale is along the seat's axes
    np.testing.assert_allclose(way[3:], [0.2, 0.3, 0.1], atol=1e-12)


def test_in_the_tools_frame_the_hand_moves_along_the_tools_axes() -> None:
    bench = Bench(replace(ABSOLUTE, reference=ReferenceFrame.TOOL))
    tool = bench.robot[:3, :3].copy()
    way = way_of(bench, np.concatenate([HAND[:3], np.zeros(3)]))
    np.testing.assert_allclose(way[:3], tool @ HAND[:3], atol=1e-12)
    bench.held = False
    way = way_of(Bench(replace(ABSOLUTE, reference=ReferenceFrame.TOOL)), np.concatenate([np.zeros(3), HAND[3:]]))
    np.testing.assert_allclose(way[3:], tool @ HAND[3:], atol=1e-12)


def test_in_the_view_the_hand_moves_right_away_and_up() -> None:
    bench = Bench(replace(ABSOLUTE, reference=ReferenceFrame.VIEW))
    np.testing.assert_allclose(way_of(bench), HAND, atol=1e-12)  # no camera yet: it looks along y
    camera = pose_of((3.0, 0.0, 1.0), (0.4, 0.5, -0.6))
    bench = Bench(replace(ABSOLUTE, reference=ReferenceFrame.VIEW))
    bench.view = camera
    right, down, away = camera[:3, 0], camera[:3, 1], camera[:3, 2]
    way = way_of(bench)
    np.testing.assert_allclose(way[:3], HAND[0] * right + HAND[1] * away - HAND[2] * down, atol=1e-12)
    np.testing.assert_allclose(way[3:], HAND[3] * right + HAND[4] * away - HAND[5] * down, atol=1e-12)


@pytest.mark.parametrize("reference", list(ReferenceFrame))
def test_a_reference_that_turns_moves_nothing_by_itself(reference: ReferenceFrame) -> None:
    bench = Bench(replace(ABSOLUTE, reference=reference))
    bench.engage()
    before = bench.go(HAND[:3], HAND[3:])
    bench.held = True
    for i in range(50):
        bench.view = pose_of(turn=(0.05 * i, 0.0, 0.02 * i))
        bench.robot = pose_of((0.1, 0.2, 0.3), (0.03 * i, 0.5, 0.0))
        np.testing.assert_allclose(bench.tick(), before, atol=1e-12)


def test_the_target_returns_with_the_hand() -> None:
    bench = Bench(replace(ABSOLUTE, scale=(2.0, 3.0, 0.5, 1.0, 1.0, 1.0)))
    start = bench.engage()
    for place, turn in [
        ((0.05, 0.02, 0.0), (0.5, 0.0, 0.3)),
        ((0.0, -0.04, 0.06), (0.0, -1.0, 0.3)),
        ((0.0,) * 3,) * 2,
    ]:
        bench.go(place, turn)
    np.testing.assert_allclose(bench.mapping.target, start, atol=1e-11)


def test_absolute_rotation_has_no_seam_anywhere() -> None:
    bench = Bench(ABSOLUTE)
    start = bench.engage()
    step = Rotation.from_rotvec([0.002, 0.001, -0.003])
    for i in range(4000):  # more than two full turns
        before = bench.mapping.target.copy()
        bench.hand[:3, :3] = step.as_matrix() @ bench.hand[:3, :3]
        np.testing.assert_allclose(moved(before, bench.tick())[3:], step.as_rotvec(), atol=1e-11, err_msg=str(i))
    turn = Rotation.from_matrix(bench.hand[:3, :3]).as_matrix() @ start[:3, :3]
    np.testing.assert_allclose(bench.mapping.target[:3, :3], turn, atol=1e-9)


@pytest.mark.parametrize("axis", range(6))
def test_a_locked_axis_of_the_reference_stays(axis: int) -> None:
    a, b, c, d, e, f = (i == axis for i in range(6))
    expected: Array = HAND.copy()
    expected[axis] = 0.0
    np.testing.assert_allclose(way_of(Bench(replace(ABSOLUTE, locks=(a, b, c, d, e, f)))), expected, atol=1e-12)


def test_a_locked_axis_of_the_tool_stays_whatever_the_reference() -> None:
    for reference in ReferenceFrame:
        locked = replace(ABSOLUTE, reference=reference, lock_frame=LockFrame.TOOL, locks=(False, False, True) * 2)
        bench = Bench(locked)
        tool = bench.robot[:3, :3].copy()
        way = way_of(bench, np.concatenate([HAND[:3], np.zeros(3)]))
        assert (tool.T @ way[:3])[2] == pytest.approx(0.0, abs=1e-12)
        assert np.abs((tool.T @ way[:3])[:2]).max() > 0.01


def test_all_axes_locked_is_a_robot_that_stays() -> None:
    np.testing.assert_allclose(way_of(Bench(replace(ABSOLUTE, locks=(True,) * 6))), np.zeros(6), atol=1e-15)


def test_an_axis_that_is_not_there_moves_nothing() -> None:
    three = replace(ABSOLUTE, motion=(AxisKind.ABSOLUTE,) * 3 + (AxisKind.NONE,) * 3)
    np.testing.assert_allclose(way_of(Bench(three))[3:], np.zeros(3), atol=1e-15)


def test_full_deflection_is_the_full_rate() -> None:
    response = Response(straight_rate=0.2, turning_rate=1.0, straight_lead=10.0, turning_lead=3.0)
    bench = Bench(replace(RATES, response=response, scale=(1.0, 2.0, 1.0, 1.0, 1.0, 1.0)))
    bench.engage()
    bench.go((0.2, 0.2, 0.0), (0.0, 0.0, 0.5))  # beyond the travel of 0.1 m and 0.26 rad
    before = bench.mapping.target.copy()
    np.testing.assert_allclose(moved(before, bench.tick())[[0, 1, 5]], np.array([0.2, 0.4, 1.0]) * TICK, rtol=1e-9)


def test_rates_go_on_between_samples_and_end_with_them() -> None:
    bench = Bench(RATES)
    bench.engage()
    bench.go((0.1, 0.0, 0.0))
    start = bench.mapping.target[0, 3]
    for _ in range(100):
        bench.tick(None)
    assert bench.mapping.target[0, 3] - start == pytest.approx(0.2 * 0.020, rel=0.06)


def test_an_absolute_axis_can_be_taken_as_a_speed_about_its_middle() -> None:
    bench = Bench(replace(RATES, middle=(0.2, 0.0, 0.0, 0.0, 0.0, 0.0)))
    bench.hand = pose_of((0.2, 0.0, 0.0))
    start = bench.engage()
    for _ in range(10):
        np.testing.assert_allclose(bench.tick(), start, atol=1e-15)
    bench.go((0.25, 0.0, 0.0))
    assert bench.mapping.target[0, 3] > start[0, 3]


def test_a_robot_that_is_held_back_is_waited_for() -> None:
    bench = Bench(replace(RATES, response=Response(straight_lead=0.03, turning_lead=0.2)))
    bench.engage()
    bench.held = True
    bench.go((0.1, 0.05, 0.0), (0.2, 0.0, 0.1))
    for _ in range(2000):
        bench.tick()
    ahead = moved(bench.robot, bench.mapping.target)
    assert np.linalg.norm(ahead[:3]) == pytest.approx(0.03, abs=1e-9)
    assert np.linalg.norm(ahead[3:]) == pytest.approx(0.2, abs=1e-9)
    back = bench.go((-0.1, 0.0, 0.0), (0.0, 0.0, 0.0), ticks=300)  # and it turns back without delay
    assert moved(bench.robot, back)[0] < ahead[0] - 0.01


parts = st.floats(-1.2, 1.2)


@settings(max_examples=60, deadline=None)
@given(st.lists(parts, min_size=2, max_size=8), st.floats(0.0, 0.6), st.floats(0.3, 4.0), st.floats(0.0, 1.0))
def test_the_response_is_continuous_odd_and_growing(
    values: list[float], zone: float, exponent: float, blend: float
) -> None:
    numbers = numbers_of(replace(RATES, response=Response(dead_zone=zone, exponent=exponent, blend=blend)))
    answers = [response(numbers, value) for value in sorted(values)]
    assert answers == sorted(answers)
    for value in values:
        assert response(numbers, -value) == -response(numbers, value)
        assert abs(response(numbers, value)) <= 1.0
    assert response(numbers, zone) == 0.0
    assert response(numbers, zone + 1e-12) == pytest.approx(0.0, abs=1e-3)
    assert response(numbers, 1.0) == pytest.approx(1.0)
