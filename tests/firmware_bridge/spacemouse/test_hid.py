"""SpaceMice on an emulated USB: choosing, permissions, the light, the operating system's driver, the thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest

from firmware_bridge.spacemouse.hid import find_spacemice, open_spacemouse
from firmware_bridge.spacemouse.hid_models import CONNEXION
from sim_devices.spacemouse import ScriptedHand, SpaceMouseEmulator
from sim_devices.usb import Bus
from station.clock import WALL, VirtualClock
from station.devices.address import parse_address
from station.devices.device import DeviceStatus
from station.devices.errors import (
    AddressError,
    DeviceBusyError,
    DeviceDeniedError,
    DeviceError,
    DeviceNotFoundError,
)
from tests.firmware_bridge.spacemouse.benches import AWAY, usb


@pytest.fixture
def bus() -> Bus:
    return Bus()


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


def refusal(url: str, clock: VirtualClock, bus: Bus) -> DeviceError:
    with pytest.raises(DeviceError) as caught:
        open_spacemouse(parse_address(url), clock, bus.backend)
    assert "\n" not in str(caught.value)
    return caught.value


def test_an_empty_bus(bus: Bus, clock: VirtualClock) -> None:
    assert find_spacemice(bus.backend) == []
    error = refusal("usb:spacemouse", clock, bus)
    assert isinstance(error, DeviceNotFoundError)
    assert "is it plugged in?" in str(error)


def test_a_mouse_of_the_same_maker_is_refused_with_the_reason(bus: Bus, clock: VirtualClock) -> None:
    SpaceMouseEmulator(bus, (CONNEXION, 0xC650), clock=clock)
    assert find_spacemice(bus.backend) == []
    assert "256f:c650 is a mouse" in str(refusal("usb:spacemouse", clock, bus))


def test_two_of_them_must_be_told_apart_and_the_error_lists_them(bus: Bus, clock: VirtualClock) -> None:
    SpaceMouseEmulator(bus, "navigator", clock=clock)
    SpaceMouseEmulator(bus, "pro", clock=clock, serial="AB12")
    error = refusal("usb:spacemouse", clock, bus)
    assert isinstance(error, AddressError)
    assert "usb:spacemouse?serial=AB12 (SpaceMouse Pro)" in str(error)
    assert "usb:spacemouse?port=1-2 (SpaceNavigator)" in str(error)
    for found in find_spacemice(bus.backend):
        device = open_spacemouse(parse_address(found.url), clock, bus.backend)
        assert device.capabilities.model == found.model
        device.close()


def test_a_serial_number_that_is_not_there(bus: Bus, clock: VirtualClock) -> None:
    SpaceMouseEmulator(bus, "pro", clock=clock, serial="AB12")
    error = refusal("usb:spacemouse?serial=XY", clock, bus)
    assert isinstance(error, DeviceNotFoundError)
    assert "there are: usb:spacemouse?serial=AB12" in str(error)


def test_no_permission_says_which_rule_to_write(bus: Bus, clock: VirtualClock) -> None:
    SpaceMouseEmulator(bus, clock=clock).usb.readable = False
    error = refusal("usb:spacemouse", clock, bus)
    assert isinstance(error, DeviceDeniedError)
    assert "/etc/udev/rules.d" in str(error)


def test_one_that_another_program_has(bus: Bus, clock: VirtualClock) -> None:
    emulator = SpaceMouseEmulator(bus, clock=clock)
    first = open_spacemouse(parse_address(emulator.address), clock, bus.backend)
    assert isinstance(refusal("usb:spacemouse", clock, bus), DeviceBusyError)
    first.close()
    open_spacemouse(parse_address(emulator.address), clock, bus.backend).close()


def test_the_light_is_on_while_it_is_open_and_the_system_gets_it_back(bus: Bus, clock: VirtualClock) -> None:
    emulator = SpaceMouseEmulator(bus, clock=clock)
    device = open_spacemouse(parse_address("usb:spacemouse"), clock, bus.backend)
    assert (emulator.usb.light, emulator.usb.kernel_driver) == (True, False)
    device.close()
    assert (emulator.usb.light, emulator.usb.kernel_driver) == (False, True)


def test_the_light_can_be_left_off(bus: Bus, clock: VirtualClock) -> None:
    emulator = SpaceMouseEmulator(bus, clock=clock)
    device = open_spacemouse(parse_address("usb:spacemouse?led=off"), clock, bus.backend)
    assert not emulator.usb.light
    device.close()


def test_a_broken_report_is_counted_and_passed_over() -> None:
    bench = usb("wireless")
    bench.hand.move(lambda _: AWAY)
    bench.emulator.faults.add("torn p=0.5")
    bench.run(0.5)
    assert bench.device.refused > 5  # type: ignore[attr-defined]
    assert set(bench.seen) == {DeviceStatus.READY}
    bench.close()


def test_rotation_that_stops_alone_is_let_go_though_translation_goes_on() -> None:
    """A navigator tells them in two reports; the second may fail alone."""
    bench = usb("navigator")
    bench.hand.move(lambda _: (1.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    bench.run(0.1)
    hid = bench.emulator.usb  # type: ignore[attr-defined]
    put = hid.put
    hid.put = lambda report: put(report) if report[0] != 2 else None
    bench.time_until(DeviceStatus.LOST, 0.2)
    bench.close()


@pytest.fixture
def running() -> Iterator[tuple[Bus, SpaceMouseEmulator]]:
    bus = Bus()
    emulator = SpaceMouseEmulator(bus, "wireless", motion=ScriptedHand(lambda _: AWAY))
    stop = threading.Event()

    def live() -> None:
        while not stop.is_set():
            emulator.run(0.01)

    thread = threading.Thread(target=live)
    thread.start()
    yield bus, emulator
    stop.set()
    thread.join()
    emulator.close()


def test_on_wall_time_a_thread_reads_and_a_pulled_cable_is_found_again(
    running: tuple[Bus, SpaceMouseEmulator],
) -> None:
    bus, emulator = running
    device = open_spacemouse(parse_address("usb:spacemouse"), WALL, bus.backend)

    def wait_for(status: DeviceStatus) -> None:
        end = WALL.now() + 20.0
        while device.status is not status:
            assert WALL.now() < end, device.reason
            device.newest()
            WALL.sleep_until(WALL.now() + 0.001)

    wait_for(DeviceStatus.READY)
    emulator.faults.add("unplug")
    wait_for(DeviceStatus.LOST)
    emulator.faults.clear()
    wait_for(DeviceStatus.READY)
    end = WALL.now() + 20.0
    while (sample := device.newest()) is None or not sample.pose[0, 3]:
        assert WALL.now() < end
        WALL.sleep_until(WALL.now() + 0.001)
    np.testing.assert_allclose(sample.pose[:3, 3], (-0.0015, 0.0, 0.0))
    device.close()
    assert not any(thread.name == "spacemouse" for thread in threading.enumerate())
