"""Hand, device, station and arm together, with something wrong somewhere: each case ends in the state that it should.

The arm's own log says whether anything it was told was beyond its limits.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim_devices.arm.machine import ArmState
from station.haptics import Cause
from station.run.options import BENCH_ARM
from station.run.places import BENCH_HAND, BENCH_WORLD
from station.servo.shared import Event, Reset, ServoState
from tests.servo.arm_benches import ArmBench, arm_bench

BEGIN, FOR = 1.2, 0.5  # of what is wrong [s]: the hand moves the robot at about 0.1 m/s
TOLD = (Cause.CUES, Cause.PASSIVITY)  # a loss is told to the hand by a cue, and that is kept passive
ZERO_WITHIN = 0.020  # [s]
HOLD, FAULT, ENGAGED, READY = ServoState.HOLD, ServoState.FAULT, ServoState.ENGAGED, ServoState.READY


def assert_the_arm_was_told_nothing_beyond_its_limits(bench: ArmBench) -> None:
    log, joints = bench.arm.log.ticks, bench.arm.capabilities.joints
    active = log["state"] == list(ArmState).index(ArmState.ACTIVE)
    follows = active[1:] & active[:-1]  # when it begins to follow, its reference begins where it is
    assert follows.sum() > 500
    speed = np.abs(np.diff(log["reference"], axis=0))[follows] / np.diff(log["time"])[follows, None]
    assert (speed <= 1.25 * np.array([joint.speed for joint in joints])).all()
    low, high = np.array([(joint.low, joint.high) for joint in joints]).T
    assert (log["reference"] >= low - 1e-9).all()
    assert (log["reference"] <= high + 1e-9).all()


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
    bench.servo.orders.decide(Reset())
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
        ("following-error joint=1", FAULT, Event.ARM_STOPPED),
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
        assert Event(int(bench.shared.cause[0])) is cause
        assert_a_press_leads_on(bench)
        assert_the_arm_was_told_nothing_beyond_its_limits(bench)


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
        assert_the_arm_was_told_nothing_beyond_its_limits(bench)


def test_a_cable_to_the_arm_that_is_pulled_and_put_in_again(tmp_path: Path) -> None:
    with arm_bench(tmp_path) as bench:
        bench.until(BEGIN)
        bench.cable.unplug()
        assert left_engaged(bench, BEGIN + FOR) is HOLD
        bench.cable.plug()
        assert_a_press_leads_on(bench)
        assert_the_arm_was_told_nothing_beyond_its_limits(bench)


def test_something_that_only_the_arm_meets_is_felt_by_the_hand(tmp_path: Path) -> None:
    """The session of the default bench: a stand that the station does not know, then a wall that it does."""
    settings = BENCH_ARM.partition("settings=")[2]
    with arm_bench(
        tmp_path, hand=BENCH_HAND.read_text(encoding="utf8"), world=str(BENCH_WORLD), settings=settings
    ) as bench:
        behind, touch, wall, lowest = [], [], [], 1.0
        while bench.servo.clock.now() < 10.5:
            bench.ticks()
            shared, parts = bench.shared, bench.shared.wrench_parts
            touching = float(np.linalg.norm(shared.measured_wrench[:3])) > 10.0
            lowest = min(lowest, float(shared.measured_pose[2, 3]))
            if bench.state() is ENGAGED and not touching:
                behind.append(float(np.linalg.norm(shared.measured_pose[:3, 3] - shared.predicted_pose[:3, 3])))
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
        assert float(bench.shared.energy_lowest[0]) > -0.005  # [J]
        assert_the_arm_was_told_nothing_beyond_its_limits(bench)
