"""The same on wall time, where a thread does the waiting. Nothing here is timed: only what must come is waited for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from firmware_bridge.falcon import Falcon, open_falcon
from sim_devices.falcon import Body, FalconEmulator
from station.clock import WALL, VirtualClock
from station.devices.address import parse_address
from station.devices.device import DeviceStatus
from station.devices.errors import DeviceBusyError, DeviceSilentError
from tests.firmware_bridge.falcon.bench import NOTHING, image_file

pytestmark = pytest.mark.wall_clock

PATIENCE = 30.0  # a machine that is busy with other things gets there, too [s]
PUSH = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])


@pytest.fixture
def emulator() -> Iterator[FalconEmulator]:
    emulator = FalconEmulator(WALL, homed=True, firmware_loaded=True, body=Body(weight=0.0))
    yield emulator
    emulator.close()


def opened(emulator: FalconEmulator, options: str = "") -> Falcon:
    return open_falcon(parse_address(f"usb:falcon{options}"), WALL, emulator.backend)


def until(device: Falcon, done: Callable[[], bool], wrench: np.ndarray = NOTHING) -> None:
    """Tick until it is so."""
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, f"in vain: {device.status} {device.reason}"
        device.newest()
        device.command(wrench)
        time.sleep(0.001)


def test_samples_come_and_forces_go(emulator: FalconEmulator) -> None:
    emulator.place([0.01, 0.02, 0.0])
    with opened(emulator) as device:
        until(device, lambda: device.status is DeviceStatus.READY)
        sample = device.newest()
        while sample is None:
            sample = device.newest()
        np.testing.assert_allclose(sample.pose[:3, 3], [0.01, 0.02, 0.0], atol=1e-4)
        until(device, lambda: device.enable_force() and emulator.words != (0, 0, 0), PUSH)
    emulator.step_to(WALL.now() + 0.01)
    assert emulator.words == (0, 0, 0)


def test_a_servo_that_has_stopped_leaves_no_force(emulator: FalconEmulator) -> None:
    with opened(emulator) as device:
        until(device, lambda: device.status is DeviceStatus.READY)
        until(device, lambda: device.enable_force() and emulator.words != (0, 0, 0), PUSH)
        end = time.monotonic() + PATIENCE
        while emulator.words != (0, 0, 0):  # nobody calls the device any more
            assert time.monotonic() < end
            time.sleep(0.001)


def test_unplugged_and_plugged_in_again_it_comes_back_without_force(emulator: FalconEmulator) -> None:
    with opened(emulator) as device:
        until(device, lambda: device.status is DeviceStatus.READY)
        until(device, device.enable_force)
        emulator.unplug()
        until(device, lambda: device.status is DeviceStatus.LOST, PUSH)
        assert not device.force_enabled
        emulator.plug()
        until(device, lambda: device.status is DeviceStatus.READY, PUSH)
        assert not device.force_enabled
        assert device.connections >= 2


def test_it_boots_in_a_thread_and_tells_how_far_it_is(tmp_path: Path) -> None:
    path, image = image_file(tmp_path, 2000)
    emulator = FalconEmulator(WALL, image=image, reluctance=2)
    told: list[str] = []
    address = parse_address(f"usb:falcon?firmware={path}")
    with open_falcon(address, WALL, emulator.backend, told.append) as device:
        assert device.status is DeviceStatus.HOMING
    assert told[-1].endswith("100 %")
    emulator.close()


def test_a_busy_falcon_is_refused_and_the_thread_ends(emulator: FalconEmulator) -> None:
    with opened(emulator):
        before = threading.active_count()
        with pytest.raises(DeviceBusyError):
            opened(emulator)
        assert threading.active_count() == before


def test_a_silent_falcon_is_refused_and_let_go(emulator: FalconEmulator, tmp_path: Path) -> None:
    path, _ = image_file(tmp_path)
    emulator.faults.add("silence")
    with pytest.raises(DeviceSilentError):
        opened(emulator, f"?firmware={path}")
    emulator.faults.clear()
    assert all(thread.name != "falcon" for thread in threading.enumerate())


def test_giving_up_while_it_boots_lets_it_go(tmp_path: Path) -> None:
    path, _ = image_file(tmp_path)

    def give_up(_: str) -> None:
        raise KeyboardInterrupt

    clock = VirtualClock()
    emulator = FalconEmulator(clock, reluctance=100)
    with pytest.raises(KeyboardInterrupt):
        open_falcon(parse_address(f"usb:falcon?firmware={path}"), clock, emulator.backend, give_up)
    assert all(not attachment.owners for attachment in emulator.bus.attachments)
