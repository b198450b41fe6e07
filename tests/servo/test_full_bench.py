"""Hand, device, station and arm together, with something wrong somewhere: each case ends in the state that it should.

The arm's own log says whether anything it was told was beyond its limits.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from firmware_bridge.arm.driver import ArmController
from station.controllers.controller import Floats
from station.haptics import Cause
from station.run.options import BENCH_ARM
from station.run.places import BENCH_HAND, BENCH_WORLD
from station.servo.shared import Event, Reset, ServoState
from tests.servo.arm_benches import ArmBench, arm_bench

BEGIN, FOR = 1.2, 0.5  # of what is wrong [s]: the hand moves the robot at about 0.1 m/s
TOLD = (Cause.CUES, Cause.PASSIVITY)  # a loss is told to the hand by a cue, and that is kept passive
ZERO_WITHIN = 0.020  # [s]
HOLD, FAULT, ENGAGED, READY = ServoState.HOLD, ServoState.FAULT, ServoState.ENGAGED, ServoState.READY


def assert_the_arm_was_told_nothing_beyond_its_limits(bench: ArmBench, leaves: bool = False) -> None:
    """Setpoints as they came, by the times that they carry; `leaves`: the arm has ceased to follow meanwhile."""
    log, joints = bench.arm.log, bench.arm.capabilities.joints
    told = log.setpoints
    assert len(told) > 500
    assert set(bench.arm.refused) <= ({"not active"} if leaves else set())
    low, high, speed, acceleration = (
        np.array([getattr(joint, name) for joint in joints]) for name in ("low", "high", "speed", "acceleration")
    )
    assert (told["q"] >= low).all()
    assert (told["q"] <= high).all()
    for activation in np.unique(told["activation"]):
        run = told[told["activation"] == activation]
        began = log.ticks["reference"][np.searchsorted(log.ticks["time"], run["time"][0]) - 1]
        assert np.abs(run["q"][0] - began).max() < 0.002  # where it was when it began to follow [rad]
        steps = np.diff(run["stamp"])[:, None]
        assert (steps > 0.0).all()
        speeds = np.diff(run["q"], axis=0) / steps
        assert (np.abs(speeds) <= speed).all()
        assert (np.abs(np.diff(speeds, axis=0)) <= acceleration * 0.5 * (steps[1:] + steps[:-1])).all()


@pytest.mark.parametrize(("step", "every"), [(0.005, 10), (0.0005, 10), (0.00005, 1)])
def test_the_check_sees_steps_that_the_arm_bears(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: float, every: int
) -> None:
    """Of what is sent, every now and then something is off by a step; that must not pass for within the limits."""
    real, count = ArmController._send_setpoint, itertools.count()

    def spoilt(self: ArmController, q: Floats, v: Floats | None, effort: Floats | None, sequence: int) -> bool:
        off = q.copy()
        off[0] += step * (next(count) // every % 2)
        return real(self, off, v, effort, sequence)

    monkeypatch.setattr(ArmController, "_send_setpoint", spoilt)
    with arm_bench(tmp_path) as bench:
        bench.until(1.9)
        with pytest.raises(AssertionError):
            assert_the_arm_was_told_nothing_beyond_its_limits(bench)


def force(bench: ArmBench) -> float:
    """Of all causes but cues [N]."""
    parts = np.delete(np.asarray(bench.shared.wrench_parts), [int(cause) for cause in TOLD], axis=0)
    return float(np.abs(parts[:, :3]).max())


def left_engaged(bench: ArmBench, until: float) -> ServoState:
    """Run on until some time [s]; where it went from ENGAGED. Forces have to be zero 20 ms later."""
    left = None
    while bench.servo.clock.now() < until - 1e-9:
        bench.ticks()
        if bench.state() is ENGAGED:
            assert left is None, "engaged again by itself"
        elif left is None:
            left = bench.servo.clock.now()
        elif bench.servo.clock.now() > left + ZERO_WITHIN:
            assert force(bench) == 0.0
    return bench.state()


def assert_a_press_leads_on(bench: ArmBench) -> None:
    """The hand presses anew at 2.4 s; the predicted robot begins where the arm is."""
    bench.until(2.35)
    bench.servo.part.orders.decide(Reset())
    before, largest = bench.shared.predicted_pose[:3, 3].copy(), 0.0
    while bench.servo.clock.now() < 4.0:
        bench.ticks()
        place = bench.shared.predicted_pose[:3, 3].copy()
        if bench.state() is ENGAGED:
            largest = max(largest, float(np.linalg.norm(place - before)))
        before = place
    assert bench.state() is ENGAGED
    assert largest < 0.001  # per tick [m]
    assert bench.behind < 0.02


@pytest.mark.parametrize(
    ("fault", "state", "cause"),
    [
        ("silence", HOLD, Event.ARM_LOST),
        ("drop p=1", HOLD, Event.ARM_LOST),
        ("delay ms=200", HOLD, Event.ARM_LOST),
        ("freeze", HOLD, Event.ARM_LOST),
        ("deaf", HOLD, Event.ARM_LEFT),
        ("following-error joint=1", FAULT, Event.FOLLOWING_ERROR),
        ("reflex", FAULT, Event.ARM_STOPPED),
        ("brown-out", FAULT, Event.ARM_FAULT),
        ("restart", FAULT, Event.ARM_FAULT),
    ],
)
def test_an_arm_or_a_network_that_fails(tmp_path: Path, fault: str, state: ServoState, cause: Event) -> None:
    with arm_bench(tmp_path, arm_faults=f"{fault} at {BEGIN} for {FOR}") as bench:
        bench.until(BEGIN - 0.01)
        assert bench.state() is ENGAGED
        assert left_engaged(bench, BEGIN + FOR) is state
        assert bench.shared.cause is cause
        assert_a_press_leads_on(bench)
        assert_the_arm_was_told_nothing_beyond_its_limits(bench, leaves=True)


@pytest.mark.parametrize(
    "fault",
    [
        "delay ms=20",
        "jitter ms=3",
        "burst ms=30 every=200",
        "drop p=0.05",
        "duplicate p=0.3",
        "reorder p=0.2",
        "corrupt p=0.05",
        "clock-drift",
    ],
)
def test_a_poor_network_is_borne(tmp_path: Path, fault: str) -> None:
    with arm_bench(tmp_path, arm_faults=f"{fault} at {BEGIN} for {FOR}") as bench:
        bench.until(BEGIN + FOR + 0.2)
        assert bench.state() is ENGAGED
        assert bench.behind < 0.02
        assert_the_arm_was_told_nothing_beyond_its_limits(bench)


@pytest.mark.parametrize("fault", ["unplug", "silence", "restart"])
def test_a_device_that_fails(tmp_path: Path, fault: str) -> None:
    with arm_bench(tmp_path, device_faults=f"{fault} at {BEGIN} for {FOR}") as bench:
        bench.until(BEGIN - 0.01)
        assert bench.state() is ENGAGED
        assert left_engaged(bench, BEGIN + FOR) is HOLD
        assert_a_press_leads_on(bench)
        assert_the_arm_was_told_nothing_beyond_its_limits(bench, leaves=True)


def test_a_cable_to_the_arm_that_is_pulled_and_put_in_again(tmp_path: Path) -> None:
    with arm_bench(tmp_path) as bench:
        bench.until(BEGIN)
        bench.cable.unplug()
        assert left_engaged(bench, BEGIN + FOR) is HOLD
        bench.cable.plug()
        assert_a_press_leads_on(bench)
        assert_the_arm_was_told_nothing_beyond_its_limits(bench, leaves=True)


def test_something_that_only_the_arm_meets_is_felt_by_the_hand(tmp_path: Path) -> None:
    """The session of the default bench: a stand that the station does not know, then a wall that it does."""
    settings = BENCH_ARM.partition("settings=")[2]
    with arm_bench(
        tmp_path, hand=BENCH_HAND.read_text(encoding="utf8"), world=str(BENCH_WORLD), settings=settings
    ) as bench:
        behind, apart, touch, wall, lowest = [], [], [], [], 1.0
        while bench.servo.clock.now() < 12.0:
            bench.ticks()
            shared, parts = bench.shared, bench.shared.wrench_parts
            touching = float(np.linalg.norm(shared.measured_wrench[:3])) > 10.0
            lowest = min(lowest, float(shared.measured_pose[2, 3]))
            if bench.state() is ENGAGED and not touching:
                behind.append(float(np.linalg.norm(shared.measured_pose[:3, 3] - shared.predicted_pose[:3, 3])))
                apart.append(float(np.abs(shared.commanded_q - shared.measured_q).max()))
            if touching:
                touch.append(parts[Cause.CONTACT, :3].copy())
            elif bench.state() is ENGAGED:
                wall.append(float(np.abs(parts[[Cause.COUPLING, Cause.OBSTACLES], 0]).max()))
        felt = np.array(touch)
        assert len(felt) > 1000  # pushed against it for more than a second
        assert felt[:, 2].max() > 1.0  # [N], upwards: the hand came from above
        assert np.median(felt[:, 2]) > 0.5
        assert lowest > 0.32  # the top of the stand is at 0.328
        assert max(wall) > 0.5  # and the wall by the local model
        assert np.median(behind) < 0.002  # tracking [m]
        assert np.percentile(apart, 99.0) < 0.006  # every joint, the light wrist too [rad]
        assert bench.shared.energy_lowest > -0.005  # [J]
        assert_the_arm_was_told_nothing_beyond_its_limits(bench)
