"""When the hand moves the robot: dead-man, clutch, permission, and changes on the way."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from station.devices.mapping import Cause, Engagement, MappingSettings, Mode
from station.mad.scene import ReferenceFrame
from tests.devices.mapping.hands import BUTTONS, CLUTCH, DEAD_MAN, TWISTING, Bench, pose_of


def test_without_the_dead_man_the_target_is_the_robot() -> None:
    bench = Bench()
    for i in range(20):
        bench.hand = pose_of((0.001 * i, 0.0, 0.0))
        np.testing.assert_array_equal(bench.tick(), bench.robot)
        assert bench.mode() is Mode.WAITING


def test_a_dead_man_that_is_down_at_the_start_must_be_released_first() -> None:
    bench = Bench()
    bench.press(DEAD_MAN)
    assert bench.mode() is Mode.RELEASE_FIRST
    bench.press(0)
    assert bench.mode() is Mode.WAITING
    bench.press(DEAD_MAN)
    assert bench.mode() is Mode.ENGAGED


def test_a_device_without_a_dead_man_engages_by_itself() -> None:
    bench = Bench(MappingSettings(engagement=Engagement()))
    bench.tick()
    assert bench.mode() is Mode.ENGAGED


def test_the_clutch_lets_the_hand_return_without_the_robot() -> None:
    bench = Bench()
    bench.engage()
    far = bench.go((0.05, 0.0, 0.0))
    bench.press(DEAD_MAN | CLUTCH)
    assert bench.mode() is Mode.CLUTCHED
    np.testing.assert_allclose(bench.go((0.0, 0.0, 0.0)), far, atol=1e-12)
    np.testing.assert_allclose(bench.press(DEAD_MAN), far, atol=1e-12)
    further = bench.go((0.05, 0.0, 0.0))
    np.testing.assert_allclose(further[:3, 3] - far[:3, 3], [0.05, 0.0, 0.0], atol=1e-12)
    assert bench.mapping.cause is Cause.CLUTCH
    assert bench.mapping.disengagements == 0


def test_re_engaging_continues_from_where_the_robot_is() -> None:
    bench = Bench()
    bench.engage()
    bench.held = True
    bench.go((0.05, 0.0, 0.0))
    bench.press(0)
    bench.robot = pose_of((1.0, 2.0, 3.0), (0.0, 1.0, 0.0))
    bench.go((-0.05, 0.02, 0.0))
    np.testing.assert_allclose(bench.press(DEAD_MAN), bench.robot, atol=1e-12)
    assert bench.mapping.cause is Cause.RELEASED


def test_a_device_that_is_not_ready_disengages_at_once() -> None:
    bench = Bench()
    bench.engage()
    bench.tick(ready=False)
    assert (bench.mode(), bench.mapping.cause) == (Mode.NO_SAMPLE, Cause.LOST)
    bench.tick()
    assert bench.mode() is Mode.RELEASE_FIRST


def test_without_permission_nothing_moves_and_the_dead_man_must_be_pressed_anew() -> None:
    bench = Bench()
    bench.engage()
    bench.tick(permitted=False)
    assert (bench.mode(), bench.mapping.cause) == (Mode.NOT_PERMITTED, Cause.FORBIDDEN)
    bench.tick()
    assert bench.mode() is Mode.RELEASE_FIRST


def test_a_robot_whose_pose_is_not_known_is_not_moved() -> None:
    bench = Bench()
    before = bench.engage()
    bench.robot = np.full((4, 4), np.nan)
    np.testing.assert_array_equal(bench.tick(), before)
    assert (bench.mode(), bench.mapping.cause) == (Mode.NOT_PERMITTED, Cause.ROBOT_UNKNOWN)


@pytest.mark.parametrize("now", [math.nan, math.inf, 9.0])
def test_a_clock_that_is_wrong_or_goes_back_moves_nothing(now: float) -> None:
    bench = Bench(MappingSettings(engagement=BUTTONS, motion=TWISTING))
    bench.engage()
    before = bench.go((0.05, 0.0, 0.0))
    bench.mapping.tick(now, None, bench.robot)
    np.testing.assert_allclose(bench.mapping.target, before, atol=1e-12)


def test_a_twisted_handle_does_not_set_the_robot_off_when_it_engages() -> None:
    bench = Bench()
    bench.hand = pose_of(turn=(0.2, 0.0, 0.0))
    start = bench.engage()
    for _ in range(20):
        np.testing.assert_allclose(bench.tick(), start, atol=1e-12)
    bench.go(turn=(0.0, 0.0, 0.0))
    bench.go(turn=(0.2, 0.0, 0.0))
    assert np.abs(bench.mapping.target - start).max() > 1e-3


def test_the_settings_can_be_changed_while_engaged() -> None:
    bench = Bench()
    bench.engage()
    before = bench.go((0.02, 0.0, 0.0))
    bench.mapping.change(replace(bench.mapping.settings, scale=(5.0,) * 6, locks=(False, True) * 3))
    np.testing.assert_allclose(bench.tick(), before, atol=1e-12)


@pytest.mark.parametrize(
    "change",
    [
        {"scale": (40.0,) * 6},
        {"scale": (-1.0, 0.01, 1.0, 1.0, 1.0, 1.0)},
        {"reference": ReferenceFrame.TOOL},
        {"reference": ReferenceFrame.VIEW},
    ],
)
def test_what_is_changed_while_the_hand_moves_changes_the_targets_motion_gradually(change: dict[str, Any]) -> None:
    bench, step = Bench(), np.array([2e-4, 1e-4, -1e-4])  # of the hand in a tick [m]
    bench.robot, bench.view = pose_of(turn=(0.0, 2.0, 0.5)), pose_of(turn=(1.0, 0.5, 2.0))
    bench.engage()
    places = [bench.go(bench.hand[:3, 3] + step, ticks=1)[:3, 3] for _ in range(20)]
    bench.mapping.change(replace(bench.mapping.settings, **change))
    places += [bench.go(bench.hand[:3, 3] + step, ticks=1)[:3, 3] for _ in range(600)]
    motion = np.diff(places, axis=0)
    largest = np.abs(motion).max()
    assert np.abs(np.diff(motion, axis=0)).max() <= 0.01 * largest  # from one tick to the next
    assert np.abs(motion[-1] - motion[0]).max() > 0.2 * largest  # but it does change


def test_a_view_that_jumps_turns_the_motion_gradually() -> None:
    bench = Bench(MappingSettings(engagement=BUTTONS, reference=ReferenceFrame.VIEW))
    bench.view = np.eye(4)
    bench.engage()
    step = np.array([2e-4, 0.0, 0.0])
    places = [bench.go(bench.hand[:3, 3] + step, ticks=1)[:3, 3] for _ in range(20)]
    bench.view = pose_of(turn=(0.0, 2.5, 0.0))
    places += [bench.go(bench.hand[:3, 3] + step, ticks=1)[:3, 3] for _ in range(600)]
    motion = np.diff(places, axis=0)
    assert np.linalg.norm(np.diff(motion, axis=0), axis=1).max() <= 0.0061 * 2e-4
    assert motion[0] @ motion[-1] < 0.0
