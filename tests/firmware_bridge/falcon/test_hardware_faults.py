"""Every fault of encoders, power, cable and firmware, injected while force is on, and what must come of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim_devices.falcon.board import Mode
from station.devices.device import DeviceStatus
from tests.firmware_bridge.falcon.bench import TICK, Bench, force_on, image_file
from tests.firmware_bridge.falcon.in_use import (
    HONEST,
    IN_TIME,
    PUSH,
    assert_no_force,
    assert_recovers,
    with_force,
)

# Encoders ------------------------------------------------------------------------------------------------


def test_a_stuck_encoder_is_found_and_ends_the_force() -> None:
    bench = with_force()
    bench.fault("stuck-encoder axis=1 for 1")
    bench.run(0.99, PUSH)
    assert bench.is_(DeviceStatus.FAULT)
    assert "leg 2 stands still" in bench.device.reason
    assert_no_force(bench)
    assert_recovers(bench)


def test_a_grip_at_rest_has_no_stuck_encoder() -> None:
    bench = Bench(moving=False)
    bench.open()
    force_on(bench, 0.0 * PUSH)
    bench.run(1.0)
    assert bench.is_(DeviceStatus.READY)
    assert bench.device.force_enabled


@pytest.mark.parametrize("counts", [5000, -300, 100])
def test_a_glitch_of_an_encoder_does_not_reach_the_hand(counts: int) -> None:
    bench = with_force()
    bench.fault(f"encoder-glitch axis=2 counts={counts}")
    samples = bench.run(1.0, PUSH)
    assert len(samples) > 950
    assert bench.dishonesty(samples) < HONEST
    assert bench.device.force_enabled
    assert max(float(np.abs(sample.velocity).max()) for sample in samples) < 1.0


def test_an_encoder_that_has_lost_counts_ends_the_force() -> None:
    bench = with_force()
    begin = bench.clock.now()
    bench.fault("encoder-offset axis=0 counts=300")
    bench.run(0.1, PUSH)
    assert bench.lost_after(begin) < 0.005
    assert DeviceStatus.FAULT in [status for _, status in bench.states]
    assert_no_force(bench)


def test_an_encoder_beyond_reach_is_a_fault_for_as_long_as_it_lasts() -> None:
    bench = with_force()
    bench.fault("encoder-offset axis=0 counts=5000 for 0.2")
    assert bench.run(0.19, PUSH)[5:] == []
    assert bench.is_(DeviceStatus.FAULT)
    assert "outside of its reach" in bench.device.reason
    assert_recovers(bench)


def test_counters_that_run_over_when_homed_are_a_fault() -> None:
    bench = with_force()
    bench.fault("counter-wrap for 0.2")
    bench.run(0.19, PUSH)
    assert bench.is_(DeviceStatus.FAULT)
    assert_no_force(bench)
    assert_recovers(bench)


# Power and cable -----------------------------------------------------------------------------------------


def test_unplugged_it_is_lost_at_once_and_comes_back_without_force() -> None:
    bench = with_force()
    begin = bench.clock.now()
    bench.fault("unplug for 1")
    bench.run(0.9, PUSH)
    assert bench.lost_after(begin) <= 2 * TICK
    assert bench.is_(DeviceStatus.LOST)
    assert "no Falcon is plugged in" in bench.device.reason
    connections = bench.device.connections
    assert_recovers(bench)
    assert bench.device.connections == connections + 1


def test_another_falcon_does_not_take_its_place() -> None:
    bench = with_force()
    bench.emulator.unplug()
    other = type(bench.emulator)(
        bench.clock, bus=bench.emulator.bus, serial_number="OTHER", homed=True, firmware_loaded=True
    )
    bench.run(1.0, PUSH)
    assert bench.is_(DeviceStatus.LOST)
    assert "OTHER" in bench.device.reason
    assert other.requests == 0
    bench.emulator.plug()
    assert_recovers(bench)


@pytest.mark.parametrize("fault", ["brown-out for 0.3", "restart for 0.1", "unplug for 0.3"])
def test_firmware_that_is_gone_is_sent_again_and_homing_asked_for(fault: str, tmp_path: Path) -> None:
    path, image = image_file(tmp_path)
    bench = Bench(image=image, loses_firmware_unplugged=True)
    bench.open(f"usb:falcon?firmware={path}")
    force_on(bench, PUSH)
    begin = bench.clock.now()
    bench.fault(fault)
    bench.run(3.0, PUSH)
    assert bench.lost_after(begin) <= IN_TIME
    assert bench.emulator.board.mode is Mode.RUNNING
    assert bench.is_(DeviceStatus.HOMING)
    assert_no_force(bench)
    assert any("sending the firmware" in text for text in bench.reports)


def test_firmware_that_is_gone_without_a_file_says_what_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    bench = with_force()
    bench.fault("brown-out for 0.3")
    bench.run(3.0, PUSH)
    assert bench.is_(DeviceStatus.LOST)
    assert "?firmware=FILE" in bench.device.reason


@pytest.mark.parametrize("fault", ["watchdog-trip", "overheat"])
def test_motors_that_have_let_go_cannot_be_seen_in_the_frames_but_samples_stay_honest(fault: str) -> None:
    bench = with_force()
    bench.fault(fault)
    samples = bench.run(0.2, PUSH)
    np.testing.assert_array_equal(bench.emulator.motor_force, 0.0)
    assert bench.is_(DeviceStatus.READY)
    assert bench.dishonesty(samples) < HONEST


def test_something_else_in_its_place_is_lost() -> None:
    bench = with_force()
    begin = bench.clock.now()
    bench.fault("other-device for 0.5")
    assert bench.run(0.5, PUSH)[2:] == []
    assert bench.lost_after(begin) <= IN_TIME
    assert_recovers(bench)
