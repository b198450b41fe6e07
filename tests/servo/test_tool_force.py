"""Forces at the tool in the tick: stale ones, none at all, no numbers, and what counts as the force of nothing."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from station.bilateral import Architecture, BilateralStatus
from station.controllers import ControllerStatus
from station.servo.arm_tick import turn_wrench
from station.servo.shared import Cause, ServoState, Tare
from station.servo.shared.words import Reason
from tests.bilateral.test_in_servo import DOWN, PRESSED, contact_bench, until

# Touches the table lightly, lets go of the dead-man there, presses it again and lifts the tool.
LETS_GO = (
    "tighten 0.6 in 0.1; reach 0.22 0 0 in 0.6; press deadman; hold 0.9; reach 0.22 0 -0.018 in 0.8; hold 0.6; "
    "release deadman; hold 1; press deadman; hold 0.4; reach 0.22 0 0 in 0.6; hold 1"
)
HELD, FREE = 3.9, 5.6  # [s]
SILENT = 3.2  # while it presses [s]
EPOCH = 1.79e9  # an arm whose clock counts from 1970 [s]


@pytest.mark.parametrize("architecture", list(Architecture))
def test_a_sensor_that_falls_silent_takes_its_force_along(tmp_path: Path, architecture: Architecture) -> None:
    with contact_bench(tmp_path, architecture=architecture, faults="no-wrench at 3.2 for 0.4") as bench:
        assert bench.servo.part.arm is not None
        for _ in until(bench, SILENT - 0.05):
            pass
        assert bench.shared.measured_wrench[2] > 3.0
        for _ in until(bench, SILENT + 0.3):
            pass
        assert np.isnan(bench.shared.measured_wrench).all()
        assert not bench.servo.part.memory.measured_wrench.any()
        heard = bench.servo.part.arm.end.state.filtered
        if architecture is Architecture.POSITION_FORCE:
            assert bench.shared.wrench_parts[Cause.CONTACT] == pytest.approx(np.zeros(6), abs=1e-12)
            assert BilateralStatus.STALE in bench.shared.reflection_status
        else:  # the place of the arm is known and goes on to be felt
            assert heard == pytest.approx(np.zeros(6), abs=1e-6)
            assert BilateralStatus.STALE not in bench.shared.reflection_status
        assert bench.servo.part.state is ServoState.ENGAGED
        for _ in until(bench, SILENT + 0.6):
            pass
        assert bench.shared.measured_wrench[2] > 3.0  # it is back
        assert bench.shared.wrench_parts[Cause.CONTACT, 2] > 0.05


def test_an_arm_that_measures_no_force_shows_none(tmp_path: Path) -> None:
    with contact_bench(tmp_path, faults="no-wrench") as bench:
        for _ in until(bench, 0.5):
            pass
        assert np.isnan(bench.shared.measured_wrench).all()
        assert np.isfinite(bench.shared.measured_q).all()


def test_what_is_touched_in_a_hold_is_not_taken_for_nothing(tmp_path: Path) -> None:
    with contact_bench(tmp_path, hand=LETS_GO) as bench:
        for _ in until(bench, DOWN):
            pass
        assert bench.servo.part.arm is not None
        before, bias = bench.shared.measured_wrench[:3].copy(), bench.servo.part.arm.tare.bias.copy()
        assert bias.any()
        assert np.abs(before).max() < 0.5
        for _ in until(bench, HELD):
            pass
        touched, held = float(np.linalg.norm(bench.shared.measured_wrench[:3])), bench.servo.part.state
        assert 1.0 < touched < 4.5  # as much as could be a bias
        for _ in until(bench, FREE):
            pass
        assert (held, bench.servo.part.state) == (ServoState.HOLD, ServoState.ENGAGED)
        assert bench.shared.measured_wrench[:3] == pytest.approx(before, abs=0.5)
        assert (bench.servo.part.arm.tare.bias == bias).all()


@pytest.mark.parametrize("link", ["serial:", "serial:?couples=yes"])
def test_a_sensor_that_has_shifted_is_tared_when_told(tmp_path: Path, link: str) -> None:
    with contact_bench(tmp_path, faults="wrench-offset newton=8 at 0.3", link=link) as bench:
        decide, force = bench.servo.part.orders.decide, bench.shared.measured_wrench[:3]
        for _ in until(bench, 0.4):
            pass
        assert np.linalg.norm(force) == pytest.approx(8.0, abs=0.5)
        assert not bench.shared.reflection_status & BilateralStatus.UNTARED
        assert decide(Tare()) is Reason.ACCEPTED
        for _ in until(bench, 0.6):
            pass
        assert np.abs(force).max() < 0.5
        for _ in until(bench, DOWN):
            pass
        assert bench.servo.part.state is ServoState.ENGAGED
        assert bench.shared.wrench_parts[Cause.CONTACT] == pytest.approx(np.zeros(6), abs=0.05)
        assert decide(Tare()) is Reason.WRONG_STATE


def test_a_force_too_large_for_a_bias_is_shown_as_such(tmp_path: Path) -> None:
    with contact_bench(tmp_path, faults="wrench-offset newton=8") as bench:
        for _ in until(bench, 0.4):
            pass
        assert np.linalg.norm(bench.shared.measured_wrench[:3]) > 7.0
        assert bench.shared.reflection_status & BilateralStatus.UNTARED
        bench.servo.part.orders.decide(Tare())
        for _ in until(bench, 0.6):
            pass
        assert np.abs(bench.shared.measured_wrench[:3]).max() < 0.5
        assert not bench.shared.reflection_status & BilateralStatus.UNTARED


def test_an_end_at_the_arm_keeps_its_tare_until_it_is_told(tmp_path: Path) -> None:
    """What has shifted is felt as a contact, all the while: nothing is learnt by itself once the arm has followed."""
    with contact_bench(tmp_path, faults="wrench-offset newton=8 at 0.3", link="serial:?couples=yes") as bench:
        for _ in until(bench, DOWN):
            pass
        assert bench.servo.part.state is ServoState.ENGAGED
        assert np.linalg.norm(bench.shared.wrench_parts[Cause.CONTACT, :3]) > 0.3


def test_a_tare_does_not_take_the_place_of_another_request(tmp_path: Path) -> None:
    with contact_bench(tmp_path, link="serial:?couples=yes") as bench:
        for _ in until(bench, 0.3):
            pass
        assert bench.servo.part.arm is not None
        bench.servo.part.arm.controller.activate()
        assert bench.servo.part.orders.decide(Tare()) is Reason.WRONG_STATE
        seen = set()
        for _ in range(20):
            bench.ticks()
            seen.add(bench.servo.part.arm.controller.status)
        assert ControllerStatus.ACTIVE in seen  # until the supervisor, whom nobody asked, ends it


def test_an_arm_whose_clock_counts_from_1970_is_felt(tmp_path: Path) -> None:
    with contact_bench(tmp_path, epoch=EPOCH) as bench:
        for _ in until(bench, PRESSED):
            pass
        assert bench.servo.part.arm is not None
        assert bench.servo.part.arm.end.counts.refused == 0
        assert bench.shared.measured_wrench[2] > 3.0
        assert bench.shared.wrench_parts[Cause.CONTACT, 2] > 0.1


@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize("bad", [math.nan, math.inf, -1e12])
def test_what_no_sensor_can_tell_is_neither_felt_nor_shown(place: int, bad: float) -> None:
    felt, shown, bias = np.ones(6), np.ones(6), np.zeros(6)
    wrench = np.array([0.1, 0.2, 0.3, 0.01, 0.02, 0.03])
    assert turn_wrench(wrench, np.eye(4), bias, felt, shown)
    assert felt == pytest.approx(wrench)
    wrench[place] = bad
    assert not turn_wrench(wrench, np.eye(4), bias, felt, shown)
    assert not felt.any()
    assert np.isnan(shown).all()
    assert not bias.any()
