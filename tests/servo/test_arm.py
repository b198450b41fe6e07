"""An arm at the other end: emulated with physics, over real bytes, on one virtual clock with device and hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import station
from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.serial_link import SerialLink
from sim_devices.arm import emulated_arm
from sim_devices.arm_links.serving import far_side
from sim_devices.ends import SocketEnd
from station.clock import VirtualClock
from station.controllers import LOST_AFTER
from station.devices import open_device
from station.run.places import DEFAULT_BENCH
from station.servo.part import supervision
from station.servo.rig import Wanted, put_together
from station.servo.shared import ControllerCode, EmergencyStop, Event, Reset, ServoState
from tests.servo.arm_benches import arm_bench


def test_the_arm_follows_the_hand_and_holds_when_it_lets_go(tmp_path: Path) -> None:
    with arm_bench(tmp_path) as bench:
        bench.until(0.5)
        assert bench.state() is ServoState.READY
        bench.until(1.9)
        assert bench.state() is ServoState.ENGAGED
        assert bench.shared.controller_status == ControllerCode.ACTIVE
        moved = np.linalg.norm(bench.shared.measured_pose[:3, 3] - bench.shared.predicted_pose[:3, 3])
        assert moved < 0.003  # at rest the arm is where the predicted robot is
        bench.until(2.3)
        held = bench.shared.measured_q.copy()
        assert bench.state() is ServoState.HOLD
        bench.until(2.4)
        assert np.abs(bench.shared.measured_q - held).max() < 1e-3


def test_engaging_again_begins_at_the_measured_pose(tmp_path: Path) -> None:
    with arm_bench(tmp_path) as bench:
        bench.until(2.3)
        before = bench.shared.predicted_pose[:3, 3].copy()
        largest = 0.0
        while bench.servo.clock.now() < 4.0:
            bench.ticks()
            place = bench.shared.predicted_pose[:3, 3].copy()
            largest = max(largest, float(np.linalg.norm(place - before)))
            before = place
        assert bench.state() is ServoState.ENGAGED
        assert largest < 0.003  # the arm sags by less than that, and nothing else jumps


def test_a_frozen_arm_is_lost_and_comes_back_by_a_press(tmp_path: Path) -> None:
    with arm_bench(tmp_path, arm_faults="freeze at 1.6 for 0.5") as bench:
        bench.until(1.55)
        assert bench.state() is ServoState.ENGAGED
        bench.until(1.75)
        assert bench.state() is ServoState.HOLD
        assert bench.shared.cause in (Event.ARM_LOST, Event.ARM_LEFT)
        bench.until(2.2)
        bench.until(4.0)
        assert bench.state() is ServoState.ENGAGED
        assert bench.behind < 0.05


def test_an_arm_that_stops_by_itself_is_a_fault(tmp_path: Path) -> None:
    with arm_bench(tmp_path, arm_faults="reflex at 1.6 for 0.1") as bench:
        bench.until(1.8)
        assert bench.state() is ServoState.FAULT
        assert bench.shared.fault is Event.ARM_STOPPED
        bench.servo.part.orders.decide(Reset())
        bench.until(2.2)
        assert bench.state() is ServoState.READY


def test_an_emergency_stop_reaches_the_arm(tmp_path: Path) -> None:
    with arm_bench(tmp_path) as bench:
        bench.until(1.5)
        bench.servo.part.orders.decide(EmergencyStop())
        bench.until(1.6)
        assert bench.state() is ServoState.FAULT
        assert bench.shared.controller_status == ControllerCode.STOPPED
        assert np.linalg.norm(bench.shared.wrench) == 0.0
        bench.until(1.9)
        bench.servo.part.orders.decide(Reset())
        bench.until(2.2)
        assert bench.state() is ServoState.READY


def test_a_lost_device_leaves_the_arm_where_it_is(tmp_path: Path) -> None:
    with arm_bench(tmp_path, device_faults="unplug at 1.3 for 0.4") as bench:
        bench.until(1.6)
        assert bench.state() is ServoState.HOLD
        held = bench.shared.measured_q.copy()
        bench.until(2.2)
        assert np.abs(bench.shared.measured_q - held).max() < 2e-3


def test_a_slow_arm_is_missed_by_the_supervisor_when_its_driver_misses_it(tmp_path: Path) -> None:
    with arm_bench(tmp_path) as bench:
        rig = bench.servo.part.rig
        assert rig.controller is not None
        assert bench.servo.part.supervisor.settings.measured_limit == rig.controller.lost_after == LOST_AFTER
        rig.controller.lost_after = 0.18
        assert supervision(rig).measured_limit == 0.18


def test_joints_of_another_robot_are_refused(tmp_path: Path) -> None:
    clock, scene = VirtualClock(), station.load("robots/scara.mad")
    end = SocketEnd("emulated arm")
    server = far_side("serial:", emulated_arm(scene), clock, end=end)
    controller = ArmController("serial:emulated", clock, SerialLink(end.connect))
    try:
        controller.wait_until_ready()
        with (
            open_device("sim:syntaxer?hand=none", clock) as device,
            pytest.raises(station.StationError, match="joints are not those of the scene"),
        ):
            put_together(station.load(DEFAULT_BENCH), device, Wanted(), controller)
    finally:
        controller.close()
        server.close()


def test_the_files_limits_bind_setpoints_where_the_arm_could_do_more(tmp_path: Path) -> None:
    """A tenth of the arm's speed and acceleration in the file, as for a first motion."""
    slow = tmp_path / "slow.mad"
    text = DEFAULT_BENCH.read_text(encoding="utf8")
    slow.write_text(text.replace("speed 180", "speed 4").replace("acceleration 500", "acceleration 50"))
    with arm_bench(tmp_path, scene_file=slow) as bench:
        assert bench.arm.capabilities.joints[0].speed == pytest.approx(np.pi)
        bench.until(1.9)
        assert bench.state() is ServoState.ENGAGED
        told = bench.arm.log.setpoints
    speeds = np.diff(told["q"], axis=0) / np.diff(told["stamp"])[:, None]
    assert np.rad2deg(np.abs(speeds).max()) == pytest.approx(4.0, rel=0.01)  # the hand asks for more
    assert np.rad2deg(np.abs(speeds).max()) <= 4.0 * (1.0 + 1e-9)
    accelerations = np.diff(speeds[:, :3], axis=0) / np.diff(told["stamp"])[1:, None]
    assert np.rad2deg(np.abs(accelerations).max()) <= 50.0 * (1.0 + 1e-6)


def test_a_target_is_as_old_as_the_sample_behind_it(tmp_path: Path) -> None:
    with arm_bench(tmp_path, device_faults="silence at 1.2 for 0.5") as bench:
        arm = bench.servo.part.arm
        assert arm is not None
        shaping = arm.shaper
        assert shaping.settings.target_limit > 1.5 * bench.servo.part.supervisor.settings.sample_limit
        shaping.numbers.target_limit = 0.008  # sooner than the device is found lost
        bench.until(1.195)
        assert bench.state() is ServoState.ENGAGED
        assert 0.0 <= bench.servo.clock.now() - arm.inputs.target_time < 0.005
        while bench.state() is ServoState.ENGAGED:
            bench.ticks()
        assert bench.shared.cause is Event.STALE_TARGET
        assert bench.servo.clock.now() < 1.215
