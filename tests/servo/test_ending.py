"""The end of a run: whatever moves brakes, the arm then holds by itself, and the force on the hand ramps away."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim_devices.arm.machine import ArmState
from station.controllers.controller import Floats
from station.haptics import Cause
from station.servo.shared import Event, Reason, Reset, ServoState, StateReader
from station.servo.shared.commands import EmergencyStop
from tests.servo.arm_benches import ArmBench, arm_bench
from tests.servo.rigs import GANTRY, ideal
from tests.servo.test_full_bench import assert_the_arm_was_told_nothing_beyond_its_limits

MOVING = 1.2  # the hand moves the robot at about 0.1 m/s [s]
ENGAGED, HOLD, FAULT, READY, OFF = (ServoState[name] for name in ("ENGAGED", "HOLD", "FAULT", "READY", "OFF"))


def speeds(bench: ArmBench) -> Floats:
    """Of the arm's last setpoint and of those before, by the times that they carry [rad/s]."""
    told = bench.arm.log.setpoints
    speed = np.diff(told["q"], axis=0) / np.diff(told["stamp"])[:, None]
    return np.asarray(np.abs(speed).max(axis=1))


def test_a_run_that_ends_in_motion_brakes_and_leaves_the_arm_holding(tmp_path: Path) -> None:
    with arm_bench(tmp_path) as bench:
        bench.until(MOVING)
        assert bench.state() is ENGAGED
        assert speeds(bench)[-1] > 0.05
        began = bench.servo.clock.now()
        assert bench.servo.wind_down()
        assert bench.servo.clock.now() - began < 2.0
        assert bench.state() is OFF
        assert bench.shared.cause is Event.SHUTDOWN
        assert speeds(bench)[-1] < 1e-3
        assert bench.arm.state is ArmState.READY  # holds, as it was asked to: its watchdog has not spoken
        assert "watchdog" not in " ".join(event.cause for event in bench.arm.log.events)
        assert_the_arm_was_told_nothing_beyond_its_limits(bench, leaves=True)


def test_at_the_end_of_a_run_the_force_ramps_away(tmp_path: Path) -> None:
    forces: list[float] = []
    with ideal(GANTRY, tmp_path) as bench:
        bench.engage()
        bench.lead([0.03, 0.0, 0.0], 0.1)  # 10 mm beyond a stop
        bench.ticks(300)
        before = float(np.linalg.norm(bench.force))
        assert before > 1.0

        def felt() -> bool:
            forces.append(float(np.linalg.norm(bench.force)))
            return False

        assert bench.servo.wind_down(felt)
        assert np.linalg.norm(bench.force) == 0.0
    assert forces[0] == pytest.approx(before)
    assert min(forces[:12]) > 0.0  # not cut: the coupling goes along its ramp
    assert max(np.diff(forces)) <= 0.0
    assert max(forces[22:]) == 0.0  # gone within 20 ms of leaving ENGAGED


def test_asked_twice_a_run_ends_at_once(tmp_path: Path) -> None:
    with arm_bench(tmp_path) as bench:
        bench.until(MOVING)
        before = bench.servo.pace.tick
        assert not bench.servo.wind_down(lambda: True)
        assert bench.servo.pace.tick == before


def test_a_run_whose_arm_is_silent_ends_all_the_same(tmp_path: Path) -> None:
    with arm_bench(tmp_path, arm_faults=f"freeze at {MOVING} for 10") as bench:
        bench.until(MOVING + 0.01)
        began = bench.servo.clock.now()
        bench.servo.wind_down()
        assert bench.servo.clock.now() - began <= 2.01
        assert not bench.servo.part.memory.wrench.any()


def test_nothing_engages_while_a_run_ends(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path) as bench:
        bench.engage()
        pressed, states = iter(range(1000)), list[ServoState]()

        def press() -> bool:
            bench.device.buttons = next(pressed) // 5 % 2
            states.append(bench.servo.part.state)
            return False

        bench.servo.wind_down(press)
        assert states[0] is ENGAGED
        assert set(states[1:]) == {OFF}


def test_a_reset_given_while_the_arm_still_slows_down_is_kept_until_it_stands(tmp_path: Path) -> None:
    with arm_bench(tmp_path) as bench:
        bench.until(MOVING)
        bench.servo.part.orders.decide(EmergencyStop())
        bench.ticks(3)
        assert bench.state() is FAULT
        assert not bench.arm.stands
        assert bench.servo.part.orders.decide(Reset()) is Reason.ACCEPTED
        bench.until(MOVING + 1.0)
        assert bench.arm.state is ArmState.READY
        assert bench.state() is READY


def test_a_reset_whose_cause_does_not_go_is_given_up_in_words(tmp_path: Path) -> None:
    with arm_bench(tmp_path, arm_faults=f"brown-out at {MOVING} for 10") as bench:
        bench.until(MOVING + 0.2)
        assert bench.state() is FAULT
        assert bench.servo.part.orders.decide(Reset()) is Reason.ACCEPTED
        bench.until(MOVING + 3.0)
        assert "given up" not in told(bench)
        bench.until(MOVING + 3.5)
        assert bench.state() is FAULT
        assert "the reset was given up" in told(bench)


def told(bench: ArmBench) -> str:
    """Why the station is in its state, as people read it."""
    with StateReader(bench.servo.part.writer.path) as state:
        shown = state.read()
        assert shown is not None
        return shown.reason_text


@pytest.mark.parametrize("fault", ["silence", "freeze"])
def test_after_the_arm_is_lost_a_cue_alone_is_felt_for_150_ms(tmp_path: Path, fault: str) -> None:
    """All that belongs to leading the robot is gone within 20 ms; the flutter that tells of the loss is 150 ms long."""
    with arm_bench(tmp_path, arm_faults=f"{fault} at {MOVING} for 1") as bench:
        bench.until(MOVING)
        while bench.state() is ENGAGED:
            bench.ticks()
        left = bench.servo.clock.now()
        largest = float(bench.servo.part.rig.renderer.settings.cues.force)
        while bench.servo.clock.now() < left + 0.3:
            bench.ticks()
            parts, since = np.asarray(bench.shared.wrench_parts)[:, :3], bench.servo.clock.now() - left
            leading = np.delete(parts, [int(Cause.CUES), int(Cause.PASSIVITY), int(Cause.LIMITS)], axis=0)
            if since > 0.020:
                assert not leading.any()
                assert np.linalg.norm(bench.servo.part.memory.wrench[:3]) <= largest
            if since > 0.152:
                assert not bench.servo.part.memory.wrench.any()


def test_the_servo_holds_when_its_starter_gives_no_sign_of_life(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path) as bench:
        bench.engage()
        bench.ticks(2000)
        assert bench.servo.part.state is ENGAGED  # nobody has promised signs
        header = bench.servo.part.intake.header

        def alive(seconds: float) -> None:
            for _ in range(round(seconds / 0.1)):
                header.starter = round(1e9 * bench.servo.clock.now())
                bench.ticks(100)

        alive(2.0)
        assert bench.servo.part.state is ENGAGED
        bench.ticks(299)
        assert bench.servo.part.state is ENGAGED
        bench.ticks(110)
        assert bench.servo.part.state is HOLD
        assert bench.shared.cause is Event.STARTER_LOST
        bench.engage()
        assert bench.servo.part.state is HOLD  # nobody could stop it
        alive(0.2)
        assert bench.servo.part.state is HOLD
        bench.engage()
        assert bench.servo.part.state is ENGAGED
