"""Opening: which Falcon, and one line with the cause and the next step when it cannot be."""

from __future__ import annotations

import pytest
import usb.core  # type: ignore[import-untyped]

from firmware_bridge.falcon import find_falcons, open_falcon
from sim_devices.falcon import FalconEmulator
from sim_devices.usb import Bus
from station.clock import VirtualClock
from station.devices.address import parse_address
from station.devices.device import DeviceStatus
from station.devices.errors import (
    AddressError,
    DeviceBusyError,
    DeviceDeniedError,
    DeviceMismatchError,
    DeviceNotFoundError,
)
from tests.firmware_bridge.falcon.bench import Bench
from tests.firmware_bridge.falcon.in_vain import refusal


def two_falcons() -> Bench:
    bench = Bench()
    second = FalconEmulator(
        bench.clock, serial_number="FALCON-02", bus=bench.emulator.bus, homed=True, firmware_loaded=True
    )
    second.place([0.01, 0.0, 0.0])
    return bench


def test_the_only_falcon_needs_no_serial_number() -> None:
    bench = Bench()
    device = bench.open()
    assert device.status is DeviceStatus.READY
    assert device.capabilities.serial_number == "FALCON-01"
    assert device.reason == ""


def test_of_several_one_is_chosen_by_its_serial_number() -> None:
    bench = two_falcons()
    assert bench.open("usb:falcon?serial=FALCON-02").capabilities.serial_number == "FALCON-02"


def test_of_several_none_is_chosen_by_chance() -> None:
    text = refusal(two_falcons(), DeviceMismatchError)
    assert "FALCON-01" in text
    assert "FALCON-02" in text
    assert "?serial=" in text


def test_several_without_serial_numbers_cannot_be_told_apart() -> None:
    bench = Bench(serial_number="")
    FalconEmulator(bench.clock, serial_number="", bus=bench.emulator.bus)
    assert "unplug the others" in refusal(bench, DeviceMismatchError)


def test_a_wrong_serial_number_lists_those_there_are() -> None:
    assert "FALCON-01" in refusal(Bench(), DeviceNotFoundError, "usb:falcon?serial=X")


def test_no_falcon_says_so() -> None:
    bench = Bench()
    bench.emulator.unplug()
    assert "no Falcon is plugged in" in refusal(bench, DeviceNotFoundError)


def test_no_permission_says_which_rule_to_write() -> None:
    bench = Bench()
    bench.emulator.plug_device.readable = False
    assert "udev" in refusal(bench, DeviceDeniedError)
    assert "udev" in refusal(bench, DeviceDeniedError, "usb:falcon?serial=FALCON-01")


def test_a_falcon_in_use_says_so() -> None:
    bench = Bench()
    bench.open()
    assert "another program" in refusal(bench, DeviceBusyError)


def test_a_closed_falcon_can_be_opened_again() -> None:
    bench = Bench()
    bench.open().close()
    assert bench.open().status is DeviceStatus.READY


def test_the_kernels_driver_is_asked_to_let_go() -> None:
    bench = Bench()
    bench.emulator.plug_device.kernel_driver = True
    assert bench.open().status is DeviceStatus.READY


def test_without_libusb_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_backend(**_: object) -> None:
        raise usb.core.NoBackendError("No backend available")

    monkeypatch.setattr("firmware_bridge.falcon.finding.find", no_backend)
    assert "libusb" in refusal(Bench(), DeviceNotFoundError)
    assert find_falcons() == []


@pytest.mark.parametrize("url", ["usb:falcon?serail=X", "usb:falcon?scale=much", "usb:falcon?scale=1e9"])
def test_options_are_checked(url: str) -> None:
    refusal(Bench(), AddressError, url)


def test_what_is_plugged_in_is_listed_by_address() -> None:
    bench = two_falcons()
    found = find_falcons(bench.emulator.backend)
    assert [each.url for each in found] == ["usb:falcon?serial=FALCON-01", "usb:falcon?serial=FALCON-02"]
    for each in found:
        open_falcon(parse_address(each.url), bench.clock, bench.emulator.backend)


def test_listing_does_not_disturb_a_falcon_in_use() -> None:
    bench = Bench()
    bench.open()
    find_falcons(bench.emulator.backend)
    assert len(bench.run(0.05)) >= 49
    bench.emulator.plug_device.readable = False
    assert "permission" in find_falcons(bench.emulator.backend)[0].detail
    assert find_falcons(Bus().backend) == []


def test_two_clocks_do_not_matter() -> None:
    """A virtual clock that starts late opens all the same."""
    clock = VirtualClock(1e6)
    emulator = FalconEmulator(clock, homed=True, firmware_loaded=True)
    device = open_falcon(parse_address("usb:falcon"), clock, emulator.backend)
    assert device.status is DeviceStatus.READY
