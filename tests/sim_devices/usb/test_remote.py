"""A bus served over a socket: real drivers through the real pyusb, on wall time. Only what must come is waited for."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import usb.core  # type: ignore[import-untyped]
import usb.util  # type: ignore[import-untyped]

from firmware_bridge.falcon import open_falcon
from firmware_bridge.usb_bus import RemoteBackend
from firmware_bridge.usb_devices import SCHEME
from sim_devices.falcon import Body, FalconEmulator
from sim_devices.spacemouse import ScriptedHand, SpaceMouseEmulator
from sim_devices.usb import Bus
from sim_devices.usb.remote import BusServer, ServerError
from station.clock import WALL
from station.devices.address import parse_address
from station.devices.device import Device, DeviceStatus
from station.devices.errors import DeviceBusyError, DeviceNotFoundError
from tests.firmware_bridge.falcon.bench import NOTHING, image_file

pytestmark = pytest.mark.wall_clock

PATIENCE = 60.0  # a machine that is busy with other things gets there, too [s]
PUSH = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
FLOATING = Body(weight=0.0)
CHILD = """
import sys, threading
from sim_devices.falcon import FalconEmulator
from sim_devices.usb.remote import BusServer
emulator = FalconEmulator(homed=True, firmware_loaded=True)
emulator.place([0.0, 0.01, 0.0])
with BusServer(emulator.bus, sys.argv[1]):
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def socket_path(tmp_path: Path) -> Path:
    return tmp_path / "usb.sock"


@pytest.fixture
def falcon(socket_path: Path) -> Iterator[FalconEmulator]:
    emulator = FalconEmulator(WALL, homed=True, firmware_loaded=True, body=FLOATING)
    with BusServer(emulator.bus, socket_path):
        yield emulator
    emulator.close()


def opened(path: Path) -> Device:
    return SCHEME.open(parse_address(f"usb:falcon?bus={path}"), WALL)


def until(device: Device, done: Callable[[], bool], wrench: np.ndarray = NOTHING) -> None:
    """Tick until it is so."""
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, f"in vain: {device.status} {device.reason}"
        device.newest()
        device.command(wrench)
        time.sleep(0.001)


def is_(device: Device, status: DeviceStatus) -> Callable[[], bool]:
    return lambda: device.status is status


def test_samples_come_and_forces_go_over_the_socket(falcon: FalconEmulator, socket_path: Path) -> None:
    falcon.place([0.01, 0.02, 0.0])
    with opened(socket_path) as device:
        assert device.capabilities.serial_number == falcon.serial_number
        while (sample := device.newest()) is None:
            pass
        np.testing.assert_allclose(sample.pose[:3, 3], [0.01, 0.02, 0.0], atol=1e-4)
        until(device, lambda: device.enable_force() and falcon.words != (0, 0, 0), PUSH)
    falcon.step_to(WALL.now() + 0.01)
    assert falcon.words == (0, 0, 0)


def test_it_is_booted_and_homed_over_the_socket(tmp_path: Path, socket_path: Path) -> None:
    path, image = image_file(tmp_path, 1500)
    emulator = FalconEmulator(WALL, image=image, reluctance=1, body=FLOATING)
    told: list[str] = []
    with BusServer(emulator.bus, socket_path):
        backend = RemoteBackend(str(socket_path))
        address = parse_address(f"usb:falcon?firmware={path}")
        with open_falcon(address, WALL, backend, told.append) as device:
            assert device.status is DeviceStatus.HOMING
            emulator.place([0.055, 0.0, 0.0])
            until(device, lambda: all(emulator.encoders._been_out))
            emulator.place([-0.055, 0.0, 0.0])
            until(device, is_(device, DeviceStatus.READY))
    assert told[-1].endswith("100 %")
    emulator.close()


def test_unplugged_it_is_lost_and_comes_back_without_force(falcon: FalconEmulator, socket_path: Path) -> None:
    with opened(socket_path) as device:
        until(device, device.enable_force)
        falcon.unplug()
        until(device, is_(device, DeviceStatus.LOST), PUSH)
        falcon.plug()
        until(device, is_(device, DeviceStatus.READY), PUSH)
        assert not device.force_enabled


def test_a_falcon_in_use_is_refused_and_free_once_its_program_has_hung_up(
    falcon: FalconEmulator, socket_path: Path
) -> None:
    with opened(socket_path), pytest.raises(DeviceBusyError):
        opened(socket_path)
    backend = RemoteBackend(str(socket_path))
    held = usb.core.find(backend=backend)
    usb.util.claim_interface(held, 0)
    backend.session.close()  # as if that program had been killed
    end = time.monotonic() + PATIENCE
    while any(attachment.owners for attachment in falcon.bus.attachments):
        assert time.monotonic() < end
        time.sleep(0.001)
    opened(socket_path).close()


def test_a_killed_emulator_is_a_lost_device_and_another_at_its_place_is_found(socket_path: Path) -> None:
    def start() -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(socket_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        return child

    def end(child: subprocess.Popen[str]) -> None:
        child.send_signal(signal.SIGKILL)
        child.communicate()
        socket_path.unlink()

    child = start()
    try:
        with opened(socket_path) as device:
            until(device, device.enable_force, PUSH)
            end(child)
            until(device, lambda: device.status is DeviceStatus.LOST and str(socket_path) in device.reason, PUSH)
            assert not device.force_enabled
            child = start()
            until(device, is_(device, DeviceStatus.READY))
    finally:
        end(child)
    with pytest.raises(DeviceNotFoundError, match="nobody serves a USB bus"):
        opened(socket_path)


def test_a_spacemouse_over_the_socket_and_its_light(socket_path: Path) -> None:
    emulator = SpaceMouseEmulator(Bus(), "wireless", motion=ScriptedHand(lambda _: (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)))
    with BusServer(emulator.bus, socket_path):
        with SCHEME.open(parse_address(f"usb:spacemouse?bus={socket_path}"), WALL) as device:
            assert (emulator.usb.light, emulator.usb.kernel_driver) == (True, False)
            sample = None
            end = time.monotonic() + PATIENCE
            while sample is None or not sample.pose[0, 3]:
                assert time.monotonic() < end, device.reason
                emulator.step_to(WALL.now())
                sample = device.newest() or sample
            np.testing.assert_allclose(sample.pose[:3, 3], (0.0015, 0.0, 0.0))
        assert (emulator.usb.light, emulator.usb.kernel_driver) == (False, True)
    emulator.close()


def test_errors_and_strings_come_through_as_libusb_would_have_them(falcon: FalconEmulator, socket_path: Path) -> None:
    device = usb.core.find(backend=RemoteBackend(str(socket_path)))
    assert (device.manufacturer, device.product) == ("FTDI", "FALCON HAPTIC")
    assert [endpoint.bEndpointAddress for endpoint in device[0][0, 0]] == [0x81, 0x02]
    with pytest.raises(usb.core.USBError) as refusal:
        device.ctrl_transfer(0xC0, 0x77, 0, 0, 8)
    assert refusal.value.errno == errno.EPIPE
    falcon.unplug()
    with pytest.raises(usb.core.USBError) as gone:
        device.read(0x81, 64, 10)
    assert gone.value.errno == errno.ENODEV
    usb.util.dispose_resources(device)


def test_a_read_without_end_is_many_short_ones(socket_path: Path) -> None:
    emulator = SpaceMouseEmulator(Bus(), "navigator")
    emulator.usb.kernel_driver = False
    with BusServer(emulator.bus, socket_path):
        device = usb.core.find(backend=RemoteBackend(str(socket_path)))
        usb.util.claim_interface(device, 0)
        with pytest.raises(usb.core.USBTimeoutError):
            device.read(0x81, 16, 1100)
        emulator.usb.put(b"\x03\x01\x00")
        assert bytes(device.read(0x81, 16, 0)) == b"\x03\x01\x00"
        usb.util.dispose_resources(device)
    emulator.close()


def test_a_socket_that_cannot_be_made_says_so(tmp_path: Path, falcon: FalconEmulator, socket_path: Path) -> None:
    for path in (socket_path, tmp_path / "no" / "folder", tmp_path / ("x" * 200)):
        with pytest.raises(ServerError) as caught:
            BusServer(Bus(), path)
        assert "\n" not in str(caught.value)
