"""What an arm says that cannot be: told, and beyond a bound the arm is stopped; what can be is not doubted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import station
from station.controllers.controller import Floats, Measurement
from station.controllers.plausibility import Plausibility, PlausibilitySettings
from station.controllers.shaping import Shaper, ShapingInputs, joint_limits
from station.controllers.supervisor import Shape
from station.devices.parameter import SettingsError
from station.run.places import DEFAULT_BENCH
from station.servo.shared import Event, Reset, ServoState
from tests.servo.arm_benches import arm_bench

TICK = 0.001  # [s]
BEGIN = 1.2  # of a fault [s]: the hand moves the robot
NO_FORCE = np.zeros(6)


class Told:
    """An arm of six joints that is led, and says what a test wants it to say."""

    def __init__(self) -> None:
        self.robot = station.load(DEFAULT_BENCH)["ur5e"]
        self.start = self.robot.q
        limits = joint_limits(self.robot, None)
        self.shaper = Shaper(limits)
        self.inputs: ShapingInputs = self.shaper.inputs()
        arm = [joint for joint in self.robot.joints if joint.active]
        self.check = Plausibility(self.robot, arm, limits)  # type: ignore[arg-type] # of a joint only its effort counts
        self.now, self.stopped = 0.0, False
        self.check.begin(self.start)
        self.inputs.measured[:] = self.start
        self.inputs.start()

    def say(self, q: Floats, effort: Floats | None = None, force: Floats | None = NO_FORCE) -> bool:
        """One reading; whether it is taken."""
        said = Measurement(q, np.zeros(6), effort, None, 0, self.now, self.now, 0)
        return self.check.take(said, self.robot.frame_number(7), force, np.eye(4))

    def lead(self, way: Floats, seconds: float, answers: Callable[[list[Floats]], Floats]) -> None:
        """Lead by a way [rad] evenly in so long [s]; `answers` says where the arm is, of what it was told so far."""
        sent: list[Floats] = []
        for nth in range(round(seconds / TICK)):
            self.now += TICK
            self.inputs.target[:] = self.start + way * min(1.0, nth * TICK / seconds)
            self.inputs.target_v[:] = way / seconds
            self.inputs.at(self.now, Shape.FOLLOW)
            self.inputs.link(0.0)
            shaped = self.shaper.tick(self.inputs)
            sent.append(shaped.q.copy())
            q = answers(sent)
            self.inputs.measured[:] = q
            self.say(q)
            self.check.compare(self.shaper, self.inputs, NO_FORCE)
            self.stopped = self.stopped or self.check.stops()


WAY = np.array([0.0, 0.06, 0.0, 0.0, 0.0, 0.0])


def swapped(sent: list[Floats]) -> Floats:
    """Shoulder and elbow are swapped on the way to the arm: each moves as the other was told."""
    said = sent[-1].copy()
    moved = said - sent[0]
    said[1], said[2] = sent[0][1] + moved[2], sent[0][2] + moved[1]
    return said


def test_a_joint_that_moves_as_another_was_told_stops_the_arm() -> None:
    arm = Told()
    arm.lead(WAY, 0.6, swapped)
    assert arm.stopped
    assert arm.check.reason == "joint 'shoulder' was told to move and joint 'elbow' did: check the order of the joints"


def test_a_joint_that_goes_the_other_way_stops_the_arm() -> None:
    arm = Told()
    arm.lead(WAY, 0.6, lambda sent: 2.0 * sent[0] - sent[-1])
    assert arm.stopped
    assert "went the other way" in arm.check.reason
    assert "'shoulder'" in arm.check.reason


@pytest.mark.parametrize("late", [0, 50, 95])  # [ms]
def test_an_arm_that_lags_is_not_doubted(late: int) -> None:
    arm = Told()
    arm.lead(WAY, 0.6, lambda sent: sent[max(0, len(sent) - 1 - late)])
    assert not arm.stopped
    assert arm.check.reason == ""


def test_an_arm_that_is_slow_but_follows_is_not_doubted() -> None:
    arm = Told()
    arm.lead(WAY, 0.6, lambda sent: sent[0] + 0.6 * (sent[-1] - sent[0]))
    assert not arm.stopped


def test_one_reading_that_cannot_be_is_put_aside() -> None:
    arm = Told()
    for nth in range(20):
        arm.now += TICK
        step = 0.5 if nth == 10 else 0.0
        assert arm.say(arm.start + step) is (nth != 10)
    assert arm.check.glitches == 1
    assert not arm.check.stops()
    assert arm.check.reason == ""


def test_a_blow_is_no_step() -> None:
    """Something hits the arm, which then goes at five times its own acceleration for a moment."""
    arm = Told()
    acceleration = 5.0 * arm.shaper.limits[1].acceleration
    q, v = arm.start.copy(), 0.0
    for _ in range(30):
        arm.now += TICK
        v += acceleration * TICK
        q[1] += v * TICK
        assert arm.check.take(
            Measurement(q.copy(), np.array([0, v, 0, 0, 0, 0]), None, None, 0, arm.now, arm.now, 0),
            arm.robot.frame_number(7),
            NO_FORCE,
            np.eye(4),
        )
    assert not arm.check.stops()


def test_bounds_that_are_the_wrong_way_round_are_refused() -> None:
    with pytest.raises(SettingsError, match="no less than"):
        PlausibilitySettings(step_warn=0.5)


@pytest.mark.parametrize(
    ("by", "state"), [(0.008, ServoState.ENGAGED), (0.04, ServoState.FAULT), (-0.04, ServoState.FAULT)]
)
def test_an_encoder_that_steps_is_told_of_and_stopped(tmp_path: Path, by: float, state: ServoState) -> None:
    with arm_bench(tmp_path, arm_faults=f"encoder-offset joint=1 by={by} at {BEGIN}") as bench:
        bench.until(BEGIN)
        assert bench.state() is ServoState.ENGAGED
        assert bench.servo.part.arm is not None
        assert bench.servo.part.arm.reason == ""
        bench.until(BEGIN + 0.02)
        assert bench.state() is state
        assert "joint 'shoulder' was measured" in bench.servo.part.arm.reason
        if state is ServoState.FAULT:
            assert bench.shared.cause is Event.FOLLOWING_ERROR


def test_a_stuck_encoder_is_found_before_the_joint_has_run_away(tmp_path: Path) -> None:
    with arm_bench(tmp_path, arm_faults=f"stuck-encoder joint=2 at {BEGIN}") as bench:
        bench.until(BEGIN + 0.03)
        assert bench.state() is ServoState.FAULT
        assert bench.shared.cause is Event.FOLLOWING_ERROR
        bench.until(BEGIN + 0.6)
        assert bench.servo.part.arm is not None
        assert "joint 'elbow' stands" in bench.servo.part.arm.reason
        assert abs(bench.arm.body.q[2] - bench.shared.measured_q[2]) < 0.15


def test_an_arm_whose_joints_are_swapped_is_not_led(tmp_path: Path) -> None:
    """Setpoints and readings are swapped alike, so joints agree; what they weigh does not."""
    with arm_bench(tmp_path, arm_faults="wrong-order") as bench:
        began = bench.arm.body.q.copy()
        while bench.servo.clock.now() < 3.0:
            bench.ticks()
            if bench.servo.clock.now() < 0.1:
                began = bench.arm.body.q.copy()
            if abs(bench.servo.clock.now() - 2.2) < 1e-6:  # a person who resets it and presses again gets no further
                assert bench.state() is ServoState.FAULT
                bench.servo.part.orders.decide(Reset())
        assert bench.state() is ServoState.FAULT
        assert bench.servo.part.arm is not None
        assert "check the order" in bench.servo.part.arm.reason
        assert np.abs(bench.arm.body.q - began).max() < 0.005


@pytest.mark.parametrize(("period", "least", "most"), [(0.001, 10, 13), (0.01, 3, 4)])
def test_a_joint_that_strains_is_found_in_three_readings_at_least(period: float, least: int, most: int) -> None:
    """An arm that measures seldom is not stopped for one that it made in the moment of a jolt."""
    arm, effort, readings = Told(), np.zeros(6), 0
    effort[0] = 120.0
    while not arm.stopped and readings < 100:
        arm.now += period
        readings += 1
        arm.say(arm.start, effort)
        arm.stopped = arm.check.stops()
    assert least <= readings <= most
