"""Which samples are believed, and that none of the others ever becomes a jump."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from station.devices.mapping import Cause, MappingSettings, Mode
from tests.devices.mapping.hands import BUTTONS, DEAD_MAN, POINTING, TICK, TWISTING, Array, Bench, pose_of


def test_a_stale_sample_disengages_and_the_dead_man_must_be_pressed_anew() -> None:
    bench = Bench()
    bench.engage()
    bench.go((0.02, 0.0, 0.0))
    for _ in range(19):
        bench.tick(None)
        assert bench.mode() is Mode.ENGAGED
    bench.tick(None)
    bench.tick(None)
    assert (bench.mode(), bench.mapping.cause) == (Mode.NO_SAMPLE, Cause.LOST)
    assert bench.mapping.disengagements == 1
    bench.hand = pose_of((-0.1, 0.1, 0.1), (1.0, 0.0, 0.0))  # the hand is elsewhere when the device comes back
    np.testing.assert_array_equal(bench.tick(), bench.robot)
    assert bench.mode() is Mode.RELEASE_FIRST
    np.testing.assert_allclose(bench.engage(), bench.robot, atol=1e-12)


def test_a_sample_that_is_old_when_it_comes_is_not_used() -> None:
    bench = Bench()
    bench.engage()
    late = bench.sample()
    bench.tick(late._replace(arrival=bench.now - 1.0))
    assert (bench.mode(), bench.mapping.cause) == (Mode.NO_SAMPLE, Cause.LOST)


@pytest.mark.parametrize("bad", [math.nan, math.inf, 1e9])
@pytest.mark.parametrize("part", ["place", "turn", "velocity", "arrival", "device_time"])
def test_a_sample_that_is_no_number_disengages(part: str, bad: float) -> None:
    bench = Bench()
    bench.engage()
    before = bench.go((0.02, 0.0, 0.0))
    sample = bench.sample()
    if part == "place":
        sample.pose[1, 3] = bad
    elif part == "turn":
        sample.pose[1, 1] = bad
    elif part == "velocity":
        sample.velocity[4] = bad
    else:
        late = bad * 1e9
        sample = sample._replace(arrival=late) if part == "arrival" else sample._replace(device_time=late)
    np.testing.assert_allclose(bench.tick(sample), before, atol=1e-12)
    assert (bench.mode(), bench.mapping.cause) == (Mode.NO_SAMPLE, Cause.UNREADABLE)
    assert np.isfinite(bench.mapping.own_wrench).all()
    assert not bench.mapping.hand_wrench(np.ones(6)).any()
    bench.press(0)
    np.testing.assert_allclose(bench.press(DEAD_MAN), bench.robot, atol=1e-12)


def test_a_mirror_is_no_rotation() -> None:
    bench = Bench()
    bench.engage()
    bench.hand[0, 0] = -1.0
    bench.tick()
    assert bench.mapping.cause is Cause.UNREADABLE


def test_a_spike_is_refused_and_nothing_is_lost_by_it() -> None:
    bench = Bench()
    bench.engage()
    before = bench.go((0.02, 0.0, 0.0))
    sample = bench.sample()
    sample.pose[0, 3] += 0.05
    np.testing.assert_allclose(bench.tick(sample), before, atol=1e-12)
    assert (bench.mode(), bench.mapping.refused) == (Mode.ENGAGED, 1)
    after = bench.go((0.021, 0.0, 0.0), ticks=1)
    np.testing.assert_allclose(after[:3, 3] - before[:3, 3], [0.001, 0.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("slip", [pose_of((0.008, 0.0, 0.0)), pose_of(turn=(0.0, 0.05, 0.0))])
def test_an_encoder_that_slips_for_good_disengages_and_never_becomes_a_jump(slip: Array) -> None:
    bench = Bench(MappingSettings(engagement=BUTTONS, motion=POINTING))
    before = bench.engage()
    bench.hand = slip  # little enough for a fast hand within three samples, were the allowance to grow
    for number in range(1, 6):
        np.testing.assert_allclose(bench.tick(), before, atol=1e-12)
        assert bench.mapping.refused == number
    assert (bench.mode(), bench.mapping.cause) == (Mode.NO_SAMPLE, Cause.GLITCH)
    np.testing.assert_allclose(bench.engage(), before, atol=1e-12)


def test_a_key_that_is_pressed_is_no_glitch() -> None:
    bench = Bench(MappingSettings(engagement=BUTTONS, motion=TWISTING))
    start = bench.engage()
    bench.hand = pose_of((0.1, 0.0, 0.0), (0.0, 0.26, 0.0))  # full deflection within one sample
    bench.tick()
    assert (bench.mode(), bench.mapping.refused) == (Mode.ENGAGED, 0)
    bench.mapping.change(replace(bench.mapping.settings, motion=POINTING))  # what it was is no motion to catch up with
    after = bench.tick()
    np.testing.assert_allclose(bench.tick(), after, atol=1e-12)
    np.testing.assert_allclose(after[:3, 3] - start[:3, 3], [0.2 * TICK, 0.0, 0.0], atol=1e-12)


def test_a_sample_from_the_future_is_not_fresh_for_ever() -> None:
    bench = Bench()
    bench.engage()
    early = bench.sample()
    bench.tick(early._replace(arrival=bench.now + 1000.0))
    assert (bench.mode(), bench.mapping.cause) == (Mode.NO_SAMPLE, Cause.LOST)


def test_samples_in_the_wrong_order_are_refused() -> None:
    bench = Bench()
    bench.engage()
    old = bench.sample()
    before = bench.go((0.002, 0.0, 0.0), ticks=2)
    np.testing.assert_allclose(bench.tick(old), before, atol=1e-12)
    assert bench.mapping.refused == 1


def test_a_dead_man_released_in_a_refused_sample_counts() -> None:
    bench = Bench()
    bench.engage()
    bench.buttons = 0
    bench.hand = pose_of((0.1, 0.0, 0.0))
    bench.tick()
    assert (bench.mode(), bench.mapping.refused) == (Mode.WAITING, 1)


def test_bunched_stamps_of_arrival_are_no_glitch() -> None:
    bench = Bench()
    bench.engage()
    bench.hand = pose_of((0.002, 0.0, 0.0))  # 2 m/s in a period, 20 m/s by the stamps
    bench.tick(dt=1e-4)
    assert bench.mapping.refused == 0


def test_what_a_late_sample_brings_is_caught_up_with_at_the_speed_of_a_hand() -> None:
    bench = Bench()
    start = bench.engage()
    for _ in range(14):
        bench.tick(None)
    bench.hand = pose_of((0.03, 0.0, 0.0))
    ways = []
    for _ in range(20):
        before = bench.mapping.target[0, 3]
        bench.tick()
        ways.append(bench.mapping.target[0, 3] - before)
    assert max(ways) <= 3.0 * TICK * (1 + 1e-9)
    assert bench.mapping.target[0, 3] - start[0, 3] == pytest.approx(0.03, abs=1e-12)
