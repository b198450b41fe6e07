"""Force: when it acts, and all the ways in which it must end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from station.devices.device import DeviceStatus
from tests.firmware_bridge.falcon.bench import NOTHING, Bench, force_on

PUSH = np.array([1.0, -0.5, 0.8, 0.0, 0.0, 0.0])


def ready(**options: Any) -> Bench:
    bench = Bench(**{"moving": False, **options})
    bench.open()
    return bench


def test_the_hand_feels_the_force_that_is_commanded() -> None:
    np.testing.assert_allclose(force_on(ready(), PUSH), PUSH[:3], atol=0.05)


def test_no_force_without_enabling() -> None:
    bench = ready()
    bench.run(0.05, PUSH)
    assert bench.emulator.words == (0, 0, 0)


def test_disabling_ends_it_with_the_next_request() -> None:
    bench = ready()
    force_on(bench, PUSH)
    bench.device.disable_force()
    bench.run(0.003, PUSH)
    assert bench.emulator.words == (0, 0, 0)


def test_closing_takes_the_force_away() -> None:
    bench = ready()
    force_on(bench, PUSH)
    bench.device.close()
    bench.clock.advance(0.002)
    assert bench.emulator.words == (0, 0, 0)
    assert bench.emulator.lamps == 0
    bench.device.close()
    assert bench.is_(DeviceStatus.CLOSED)
    assert bench.device.newest() is None


def test_a_caller_that_only_reads_does_not_keep_an_old_force() -> None:
    bench = ready()
    force_on(bench, PUSH)
    bench.run(0.015, commanding=False)
    assert bench.emulator.words != (0, 0, 0)
    bench.run(0.010, commanding=False)
    assert bench.emulator.words == (0, 0, 0)
    assert bench.is_(DeviceStatus.READY)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_wrench_that_is_no_number_is_none(bad: float) -> None:
    bench = ready()
    force_on(bench, PUSH)
    bench.run(0.005, np.array([0.0, bad, 0.0, 0.0, 0.0, 0.0]))
    assert bench.emulator.words == (0, 0, 0)


def test_too_large_a_force_keeps_its_direction() -> None:
    force = force_on(ready(), 1000.0 * PUSH)
    assert 4.0 < np.linalg.norm(force) <= 8.5  # 8 N where it was computed, and the grip has moved since
    np.testing.assert_allclose(force / np.linalg.norm(force), PUSH[:3] / np.linalg.norm(PUSH[:3]), atol=0.01)


def test_torques_go_nowhere_since_the_grip_does_not_turn() -> None:
    bench = ready()
    force_on(bench, np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]))
    assert bench.emulator.words == (0, 0, 0)


def test_losing_the_device_ends_the_force_for_good() -> None:
    bench = ready()
    force_on(bench, PUSH)
    bench.fault("silence for 0.1")
    bench.run(0.1, PUSH)
    assert bench.is_(DeviceStatus.LOST)
    assert not bench.device.force_enabled
    bench.run(1.0, PUSH)
    assert bench.is_(DeviceStatus.READY)
    assert not bench.device.force_enabled
    assert bench.emulator.words == (0, 0, 0)


def test_the_scale_of_a_calibration_reaches_the_motors() -> None:
    bench = Bench(moving=False, scale=5000.0)
    bench.open("usb:falcon?scale=5000")
    np.testing.assert_allclose(force_on(bench, PUSH), PUSH[:3], atol=0.05)


def test_a_host_that_stops_leaves_the_last_force_unless_the_firmware_lets_go() -> None:
    """Unknown of real firmware; both are emulated. Our thread exists because the first may be true."""
    for watchdog, held in ((None, True), (0.02, False)):
        bench = ready(watchdog=watchdog)
        force_on(bench, PUSH)
        bench.clock.advance(0.1)
        assert bool(np.linalg.norm(bench.emulator.motor_force) > 1.0) is held


def test_a_spring_rendered_through_the_driver_holds_the_grip() -> None:
    bench = ready()
    bench.run(0.02)
    assert bench.device.enable_force()
    bench.emulator.apply([0.0, 2.0, 0.0])
    wrench = NOTHING.copy()
    for _ in range(2000):
        for sample in bench.run(0.001, wrench):
            wrench[:3] = -200.0 * sample.pose[:3, 3] - 3.0 * sample.velocity[:3]
    np.testing.assert_allclose(bench.emulator.position, [0.0, 0.010, 0.0], atol=5e-4)
