"""Every fault, injected by script: what the arm does, and what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim_devices.arm import ARM_KINDS, ArmFault, ArmFaultScript, ArmSettings, ArmState, Power, parse_arm_faults
from sim_devices.faults import FaultError
from tests.sim_devices.arm.benches import Live, lever, rise


def moving(bench: Live, seconds: float) -> None:
    """Lead both joints up and down."""
    q = bench.arm.reading().q
    bench.follow(lambda time: np.asarray(q + 0.2 * np.array([1.0, -1.0]) * (1 - np.cos(3.0 * time))), seconds)


def reachable(bench: Live) -> bool:
    return bench.arm.alive


def test_every_kind_is_tested_here_or_on_the_network() -> None:
    here = Path(__file__).read_text() + Path(__file__).with_name("test_network.py").read_text()
    assert [kind for kind in ARM_KINDS if f'"{kind}' not in here] == []


def test_freeze_says_the_same_again_and_again_and_the_arm_stands() -> None:
    bench = Live(lever(), faults="freeze at 0.3 for 0.5").active()
    moving(bench, 0.35)
    said = bench.arm.reading()
    assert bench.arm.setpoint(bench.arm.body.q, None, None, 9)  # swallowed
    bench.wait(0.3)
    again = bench.arm.reading()
    assert again.state is ArmState.ACTIVE
    assert (again.q == said.q).all()
    assert again.time == said.time
    assert np.abs(bench.arm.body.v).max() < 1e-2
    bench.wait(0.3)
    assert bench.arm.reading().state is ArmState.READY
    assert "was frozen" in bench.arm.reading().reason


def test_deaf_to_setpoints_the_arm_stops_by_its_watchdog() -> None:
    bench = Live(lever(), faults="deaf at 0.3 for 0.5").active()
    moving(bench, 0.5)
    assert bench.arm.reading().state is ArmState.READY
    assert "no fresh setpoint" in bench.arm.reading().reason
    assert bench.arm.activate()


def test_following_error_of_a_weak_drive_is_a_reflex_stop() -> None:
    bench = Live(lever(), faults="following-error joint=0 share=0.02 at 0.3").active()
    moving(bench, 0.6)
    assert "following error" in bench.arm.reading().reason
    assert bench.arm.body.q[0] < 0.0  # it sank


def test_stuck_joint_does_not_move_and_is_noticed() -> None:
    bench = Live(lever(), faults="stuck-joint joint=1 at 0.2").active()
    moving(bench, 0.18)
    before = bench.arm.body.q[1]
    moving(bench, 1.0)
    assert bench.arm.body.q[1] == pytest.approx(before, abs=0.02)
    assert bench.arm.reading().state is ArmState.STOPPED
    assert "following error" in bench.arm.reading().reason
    assert "elbow" in bench.arm.reading().reason


def test_stuck_encoder_says_the_same_while_the_joint_moves() -> None:
    bench = Live(lever(), ArmSettings(following_turn=0.05), faults="stuck-encoder joint=1 at 0.2").active()
    moving(bench, 1.0)
    assert bench.arm.reading().state is ArmState.STOPPED
    assert "following error" in bench.arm.reading().reason
    assert bench.arm.body.q[1] != pytest.approx(bench.arm.reading().q[1], abs=1e-3)


def test_encoder_offset_lets_the_arm_stand_elsewhere_than_it_says() -> None:
    bench = Live(lever(), ArmSettings(following_turn=0.2), faults="encoder-offset joint=1 by=0.05 at 0.3").active()
    bench.hold(1.5)
    assert bench.arm.reading().state is ArmState.ACTIVE, bench.arm.reason
    assert bench.arm.reading().q[1] == pytest.approx(0.0, abs=2e-3)
    assert bench.arm.body.q[1] == pytest.approx(-0.05, abs=2e-3)


def test_encoder_offset_beyond_the_following_error_is_a_reflex_stop() -> None:
    bench = Live(lever(), faults="encoder-offset joint=1 by=0.3 at 0.1").active()
    bench.hold(0.3)
    assert "following error" in bench.arm.reading().reason


def test_reflex_stops_once_and_can_be_reset_when_it_is_over() -> None:
    bench = Live(lever(), faults="reflex at 0.2 for 0.3").active()
    moving(bench, 0.3)
    assert bench.arm.reading().state is ArmState.STOPPED
    assert not bench.arm.reset()
    bench.wait(0.5)
    assert bench.arm.reset()
    assert bench.arm.activate()


def test_brown_out_switches_the_drives_off_and_the_brakes_hold() -> None:
    bench = Live(lever(), faults="brown-out volts=24 at 0.3 for 0.5").active()
    moving(bench, 0.35)
    assert bench.arm.reading().state is ArmState.FAULT
    assert "supply below 36 V" in bench.arm.reading().reason
    assert bench.arm.power is Power.BRAKES
    assert not bench.arm.reset()
    bench.wait(0.6)
    assert np.abs(bench.arm.body.v).max() < 1e-4
    assert bench.arm.reset()
    assert bench.arm.reading().state is ArmState.READY


def test_brown_out_above_the_least_supply_is_lived_through() -> None:
    bench = Live(lever(), faults="brown-out volts=40").active()
    bench.hold(0.1)
    assert bench.arm.reading().state is ArmState.ACTIVE


def test_wrong_order_swaps_what_is_said_and_what_is_heard() -> None:
    q = np.array([0.2, -0.4])
    bench = Live(lever(), faults="wrong-order joint=0 other=1", start=q)
    bench.wait(0.02)
    assert bench.arm.reading().q == pytest.approx(q[::-1], abs=1e-3)
    assert [joint.name for joint in bench.arm.capabilities.joints] == ["shoulder", "elbow"]
    assert bench.arm.activate()
    said = bench.arm.reading().q
    bench.follow(rise(said, np.array([0.1, 0.0]), 0.3), 0.5)
    assert bench.arm.body.q == pytest.approx([0.2, -0.3], abs=2e-3)  # the elbow moved


def test_wrong_order_that_is_told_can_be_seen_at_connect() -> None:
    bench = Live(lever(), faults="wrong-order names=1")
    assert [joint.name for joint in bench.arm.capabilities.joints] == ["elbow", "shoulder"]


def test_restart_in_mid_motion_drops_the_brakes_and_comes_back_ready_with_a_new_clock() -> None:
    bench = Live(lever(), faults="restart ms=200 at 0.3").active()
    moving(bench, 0.32)
    assert not reachable(bench)
    assert bench.arm.reading().state is ArmState.FAULT
    assert bench.arm.power is Power.BRAKES
    stood = bench.arm.body.q
    bench.wait(0.25)
    said = bench.arm.reading()
    assert reachable(bench)
    assert said.state is ArmState.READY
    assert "started anew" in said.reason
    assert said.time < 0.1
    assert said.echo == -1
    assert np.abs(bench.arm.body.q - stood).max() < 0.05
    assert bench.arm.activate()


def test_clock_drift_makes_the_arms_clock_run_ahead() -> None:
    bench = Live(lever(), faults="clock-drift ppm=10000")
    bench.wait(1.0)
    assert bench.arm.reading().time == pytest.approx(1.01, abs=1e-6)


def test_wrench_offset_shifts_the_tool_sensor_and_no_reflex() -> None:
    bench = Live(lever(), faults="wrench-offset newton=30 at 0.1")
    bench.wait(0.05)
    before = bench.arm.reading().wrench
    bench.wait(0.1)
    assert bench.arm.reading().wrench[0] - before[0] == pytest.approx(30.0, abs=1.0)
    assert bench.arm.reading().state is ArmState.READY


def test_no_wrench_silences_the_tool_sensor_and_nothing_else() -> None:
    bench = Live(lever(), faults="no-wrench at 0.1 for 0.1")
    bench.wait(0.15)
    said = bench.arm.reading()
    assert not said.has_wrench
    assert np.isfinite(said.q).all()
    assert said.state is ArmState.READY
    bench.wait(0.1)
    assert bench.arm.reading().has_wrench


def test_a_fault_can_wait_for_a_condition() -> None:
    bench = Live(lever(), faults="reflex when q1 < -0.1 once").active()
    q = bench.arm.reading().q
    bench.follow(rise(q, np.array([0.0, -0.3]), 0.5), 0.6)
    assert bench.arm.reading().state is ArmState.STOPPED
    assert bench.arm.body.q[1] < -0.1


def test_faults_can_be_added_and_taken_away_while_it_lives() -> None:
    bench = Live(lever()).active()
    bench.hold(0.1)
    bench.arm.faults.add("reflex at 0.1 for 0.05")
    bench.hold(0.05)
    assert bench.arm.reading().state is ArmState.ACTIVE
    bench.hold(0.1)
    assert bench.arm.reading().state is ArmState.STOPPED
    bench.arm.faults.clear()
    bench.wait(0.2)
    assert bench.arm.reset()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("melt", "line 1: unknown fault 'melt'; there are: delay"),
        ("\nstuck-joint axis=1", "line 2: fault stuck-joint has no number 'axis'; there are: joint"),
        ("delay ms=many", "line 1: 'many' is not a number"),
        ("delay ms=nan", "line 1: fault delay: ms is not a finite number"),
        ("reflex at -1", "line 1: fault reflex: it begins"),
        ("reflex sometimes", "line 1: cannot read 'sometimes'"),
    ],
)
def test_a_script_that_cannot_be_read_is_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(FaultError) as refused:
        parse_arm_faults(text)
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith(says)


def test_a_script_reads_as_for_devices() -> None:
    (fault,) = parse_arm_faults("stuck-joint joint=2 at 1 for 0.5 when speed > 0.3 once  # jammed")
    assert fault == ArmFault(
        kind="stuck-joint",
        values={"joint": 2.0},
        start=1.0,
        duration=0.5,
        signal="speed",
        compare=">",
        threshold=0.3,
        once=True,
    )
    assert ArmFaultScript("drop p=0.1; delay").faults[1]["ms"] == 50.0


def test_a_signal_that_is_not_there_is_refused_when_the_arm_is_made() -> None:
    with pytest.raises(FaultError, match="unknown signal 'smell'; there are: t, speed"):
        Live(lever(), faults="reflex when smell > 1")
