"""The driver of Force Dimension devices on a fake of the SDK: set-up, samples, forces, and what takes them away."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest

from firmware_bridge.force_dimension.device import ForceDimensionScheme
from firmware_bridge.force_dimension.library import CONNECTED, ERROR, FORCE_OFF_CAUSE, POWER, RESET
from station.clock import WALL
from station.devices.address import parse_address
from station.devices.device import DeviceStatus
from tests.firmware_bridge.force_dimension.bench import OMEGA3, OMEGA7, SIGMA7, Bench
from tests.firmware_bridge.force_dimension.fake import FakeDhd


def test_it_is_set_up_for_safety_before_anything_else() -> None:
    bench = Bench(FakeDhd([SIGMA7]))
    assert ("enableForce", False) in bench.dhd.calls
    assert ("gravity", True) in bench.dhd.calls
    assert ("window", 10) in bench.dhd.calls
    assert ("angular window", 10) in bench.dhd.calls
    assert ("watchdog", 160) in bench.dhd.calls, "20 ms in units of 125 µs"
    assert ("time guard", 0) in bench.dhd.calls
    assert bench.dhd.calls.index(("expert", True)) < bench.dhd.calls.index(("expert", False))
    assert bench.device.has_watchdog


def test_an_old_controller_without_a_watchdog_still_works_and_says_so() -> None:
    dhd = FakeDhd()
    dhd.has_watchdog = False
    assert not Bench(dhd).device.has_watchdog


def test_samples_tell_place_speed_buttons_and_grip() -> None:
    dhd = FakeDhd([OMEGA7])
    dhd.buttons, dhd.grip = 0b11, math.radians(7.5)
    bench = Bench(dhd)
    sample = bench.tick()
    assert sample is not None
    np.testing.assert_allclose(sample.pose[:3, 3], dhd.place)
    np.testing.assert_allclose(sample.pose[:3, :3], dhd.matrix)
    np.testing.assert_allclose(sample.velocity, [*dhd.speed, *dhd.turn_speed])
    assert sample.buttons == 1, "an omega has one button"
    assert sample.grip == pytest.approx(0.75)


def test_without_a_wrist_nothing_turns() -> None:
    sample = Bench(FakeDhd([OMEGA3])).tick()
    assert sample is not None
    np.testing.assert_array_equal(sample.pose[:3, :3], np.eye(3))
    np.testing.assert_array_equal(sample.velocity[3:], 0.0)


def test_force_flows_only_once_it_was_enabled_in_software() -> None:
    bench = Bench(FakeDhd([SIGMA7]))
    push = (1.0, 2.0, 3.0, 0.01, 0.02, 0.03)
    bench.tick(push, 3)
    assert not bench.force_on()
    assert bench.dhd.wrench == ((0.0,) * 3, (0.0,) * 3)
    assert bench.device.enable_force()
    bench.tick(push, 3)
    assert bench.force_on()
    assert bench.dhd.wrench == (push[:3], push[3:])
    bench.device.disable_force()
    bench.tick(push, 2)
    assert not bench.force_on()
    assert bench.dhd.wrench == ((0.0,) * 3, (0.0,) * 3)


def test_no_torque_is_asked_of_a_wrist_without_motors() -> None:
    bench = Bench(FakeDhd([OMEGA7]))
    bench.device.enable_force()
    bench.tick((1.0, 0.0, 0.0, 9.0, 9.0, 9.0), 3)
    assert bench.dhd.wrench == ((1.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def test_a_wrench_of_20_ms_ago_is_not_sent_any_more() -> None:
    bench = Bench(FakeDhd())
    bench.device.enable_force()
    bench.tick((5.0, 0.0, 0.0, 0.0, 0.0, 0.0), 3)
    for _ in range(25):
        bench.clock.advance(0.001)
        bench.device.newest()
    assert bench.dhd.wrench == ((0.0,) * 3, (0.0,) * 3)


def test_a_wrench_that_is_no_number_becomes_zero() -> None:
    bench = Bench(FakeDhd())
    bench.device.enable_force()
    bench.tick((float("nan"),) * 6, 3)
    assert bench.dhd.wrench == ((0.0,) * 3, (0.0,) * 3)


def test_motors_that_cannot_give_it_are_counted_and_nothing_is_lost() -> None:
    bench = Bench(FakeDhd())
    bench.dhd.force_code = 2
    assert bench.tick(times=5) is not None
    assert bench.device.saturated == 5


def test_the_time_guard_means_no_news_and_too_much_of_it_is_loss() -> None:
    bench = Bench(FakeDhd())
    bench.dhd.read_code = 1
    assert bench.tick(times=5) is None
    assert bench.has(DeviceStatus.READY)
    bench.tick(times=20)
    assert bench.has(DeviceStatus.LOST)


def test_a_failed_call_is_loss_and_the_device_is_opened_again() -> None:
    bench = Bench(FakeDhd())
    bench.device.enable_force()
    bench.dhd.read_code = -1
    bench.tick()
    assert bench.has(DeviceStatus.LOST)
    assert not bench.device.force_enabled
    bench.dhd.read_code = 0
    bench.tick(times=300)
    assert bench.has(DeviceStatus.READY)
    assert not bench.device.force_enabled
    assert bench.device.connections == 2


@pytest.mark.parametrize(
    ("cause", "words"), [(1, "force button"), (2, "too fast"), (3, "watchdog"), (6, "nobody held")]
)
def test_force_that_the_device_takes_away_ends_ours_and_says_why(cause: int, words: str) -> None:
    bench = Bench(FakeDhd())
    bench.device.enable_force()
    bench.tick(times=3)
    bench.dhd.force_refused = True
    bench.dhd.status[FORCE_OFF_CAUSE] = cause
    reasons = set()
    for _ in range(150):
        bench.tick()
        reasons.add((bench.device.status, bench.device.reason))
    assert not bench.device.force_enabled
    assert any(status is DeviceStatus.FAULT and words in reason for status, reason in reasons)
    assert bench.has(DeviceStatus.READY), "its place is still good"


def test_a_device_that_does_not_know_where_it_is_asks_for_homing() -> None:
    dhd = FakeDhd()
    dhd.status[RESET] = 0
    bench = Bench(dhd)
    assert bench.has(DeviceStatus.HOMING)
    assert "three ends" in bench.device.reason
    assert not bench.device.enable_force()
    dhd.status[RESET] = 1
    bench.tick(times=150)
    assert bench.has(DeviceStatus.READY)


@pytest.mark.parametrize(
    ("place", "value", "words"), [(POWER, 0, "supply"), (CONNECTED, 0, "cable"), (ERROR, 1, "error")]
)
def test_what_the_status_says_is_passed_on(place: int, value: int, words: str) -> None:
    bench = Bench(FakeDhd())
    bench.dhd.status[place] = value
    bench.tick(times=150)
    assert bench.has(DeviceStatus.LOST)
    assert words in bench.device.reason


def test_closing_takes_the_force_away() -> None:
    bench = Bench(FakeDhd())
    bench.device.enable_force()
    bench.tick((1.0, 0.0, 0.0, 0.0, 0.0, 0.0), 3)
    bench.device.close()
    assert not bench.force_on()
    assert bench.dhd.calls[-1] == ("close", 0)


def test_on_wall_time_a_thread_makes_the_calls_and_ends_with_the_device() -> None:
    dhd = FakeDhd()
    device = ForceDimensionScheme(dhd.library).open(parse_address("forcedimension:"), WALL)
    end = WALL.now() + 20.0
    while not (device.enable_force() and dhd.force_on):
        assert WALL.now() < end, device.reason
        device.newest()
        device.command(np.array((1.0, 0.0, 0.0, 0.0, 0.0, 0.0)))
        WALL.sleep_until(WALL.now() + 0.001)
    device.close()
    assert dhd.calls[-2:] == [("enableForce", False), ("close", 0)]
    assert not any(thread.name == "force dimension" for thread in threading.enumerate())
