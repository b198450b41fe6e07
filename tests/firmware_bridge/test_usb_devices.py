"""The scheme `usb:`: names, options, a machine without libusb, buses that nobody serves."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import usb.backend.libusb0  # type: ignore[import-untyped]
import usb.backend.libusb1  # type: ignore[import-untyped]
import usb.backend.openusb  # type: ignore[import-untyped]
import usb.core  # type: ignore[import-untyped]

from firmware_bridge import usb_devices
from firmware_bridge.usb_devices import OPENERS, SCHEME
from sim_devices.falcon import FalconEmulator
from sim_devices.usb.remote import BusServer
from station.clock import WALL, Clock, VirtualClock
from station.devices.address import parse_address
from station.devices.device import DeviceStatus
from station.devices.errors import AddressError, DeviceError, DeviceNotFoundError
from station.devices.registry import Found, Scheme


def refusal(url: str, kind: type[DeviceError], clock: Clock = WALL) -> str:
    """Open it in vain; the text of the error, which is one line."""
    with pytest.raises(kind) as caught:
        SCHEME.open(parse_address(url), clock)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def no_libusb(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (usb.backend.libusb0, usb.backend.libusb1, usb.backend.openusb):
        monkeypatch.setattr(module, "get_backend", lambda: None)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    emulator = FalconEmulator(WALL, homed=True, firmware_loaded=True, serial_number="A1")
    with BusServer(emulator.bus, tmp_path / "usb.sock"):
        yield str(tmp_path / "usb.sock")
    emulator.close()


def test_it_is_a_scheme() -> None:
    scheme: Scheme = SCHEME
    assert all(found.url.startswith("usb:") and not found.emulated for found in scheme.find())


@pytest.mark.parametrize("name", ["", "falcom", "FALCON", "/dev/bus/usb"])
def test_an_unknown_name_is_refused_with_the_names_that_there_are(name: str) -> None:
    assert "there are: usb:falcon, usb:spacemouse" in refusal(f"usb:{name}", AddressError)


@pytest.mark.usefixtures("no_libusb")
@pytest.mark.parametrize("name", OPENERS)
def test_without_libusb_it_says_what_to_install(name: str) -> None:
    assert "sudo apt install libusb-1.0-0" in refusal(f"usb:{name}", DeviceNotFoundError)


@pytest.mark.usefixtures("no_libusb")
def test_without_libusb_nothing_is_found() -> None:
    assert list(SCHEME.find()) == []


def test_a_usb_that_cannot_be_used_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise usb.core.USBError("Input/Output Error", -1, 5)

    monkeypatch.setattr(usb_devices, "find", fail)
    assert "USB cannot be used here" in refusal("usb:falcon", DeviceNotFoundError)


def test_finding_goes_on_after_a_finder_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> list[Found]:
        raise usb.core.USBError("Pipe error", -9, 32)

    one = Found("usb:falcon", "Novint Falcon", "", False)
    monkeypatch.setattr(usb_devices, "FINDERS", (fail, lambda: [one]))
    assert list(SCHEME.find()) == [one]


def test_a_device_on_a_served_bus_keeps_its_whole_address_and_its_options(served: str) -> None:
    url = f"usb:falcon?serial=A1&bus={served}"
    with SCHEME.open(parse_address(url), WALL) as device:
        assert device.url == url
        assert device.status is DeviceStatus.READY
        assert device.capabilities.serial_number == "A1"
    assert "there are: A1" in refusal(f"usb:falcon?serial=B2&bus={served}", DeviceNotFoundError)
    assert "no SpaceMouse on USB" in refusal(f"usb:spacemouse?bus={served}", DeviceNotFoundError)


@pytest.mark.usefixtures("no_libusb")
def test_a_served_bus_needs_no_libusb(served: str) -> None:
    SCHEME.open(parse_address(f"usb:falcon?bus={served}"), WALL).close()


@pytest.mark.parametrize("name", OPENERS)
def test_a_misspelt_option_is_refused(name: str, served: str) -> None:
    assert "unknown option 'colour'" in refusal(f"usb:{name}?colour=red&bus={served}", AddressError)


def test_a_bus_that_nobody_serves(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with socket.socket(socket.AF_UNIX) as abandoned:
        abandoned.bind(str(tmp_path / "abandoned"))
        for place in ("nothing", "file", "abandoned", "x" * 300):
            text = refusal(f"usb:falcon?bus={tmp_path / place}", DeviceNotFoundError)
            assert "nobody serves a USB bus" in text
    assert "bus is the socket" in refusal("usb:falcon?bus=", AddressError)


def test_a_served_bus_has_no_virtual_time(served: str) -> None:
    assert "virtual clock" in refusal(f"usb:falcon?bus={served}", AddressError, VirtualClock())
