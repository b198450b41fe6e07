"""The emulated bus through the eyes of the real pyusb."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Any

import pytest
import usb.core  # type: ignore[import-untyped]
import usb.util  # type: ignore[import-untyped]

from sim_devices.usb import INTERRUPT, Bus, Endpoint, Identity, Interface, UsbDevice, timed_out, wait_for
from station.clock import WALL, VirtualClock


class Echo(UsbDevice):
    """Says what it is told; its interrupt endpoint counts."""

    def __init__(self, serial_number: str = "E1") -> None:
        endpoints = (
            Endpoint(address=0x81),
            Endpoint(address=0x02),
            Endpoint(address=0x83, kind=INTERRUPT, size=8, interval=1),
        )
        self.identity = Identity(
            vendor=0x1234,
            product=0x5678,
            manufacturer="Nobody",
            name="Echo",
            serial_number=serial_number,
            interfaces=(Interface(endpoints=endpoints, extra=b"\x09\x21\x11\x01"),),
        )
        self.said = b""
        self.requests: list[tuple[int, int]] = []
        self.plugs = 0

    def plugged(self) -> None:
        self.plugs += 1

    def control_out(self, request_type: int, request: int, value: int, index: int, data: bytes) -> None:
        self.requests.append((request, value))

    def control_in(self, request_type: int, request: int, value: int, index: int, length: int) -> bytes:
        return bytes([request])

    def bulk_write(self, endpoint: int, data: bytes, timeout: float) -> int:
        self.said += data
        return len(data)

    def bulk_read(self, endpoint: int, size: int, timeout: float) -> bytes:
        if not self.said:
            raise timed_out()
        said, self.said = self.said[:size], self.said[size:]
        return said

    def intr_read(self, endpoint: int, size: int, timeout: float) -> bytes:
        return bytes(range(size))


def plugged_in(device: UsbDevice) -> tuple[Bus, Any]:
    bus = Bus()
    bus.plug(device)
    return bus, usb.core.find(idVendor=0x1234, backend=bus.backend)


def test_a_device_is_found_by_its_numbers_and_tells_its_names() -> None:
    bus, found = plugged_in(Echo())
    assert (found.manufacturer, found.product, found.serial_number) == ("Nobody", "Echo", "E1")
    assert usb.core.find(idVendor=0x9999, backend=bus.backend) is None


def test_a_device_without_names_has_none() -> None:
    device = Echo()
    device.identity = Identity(vendor=0x1234, product=1)
    _, found = plugged_in(device)
    assert found.serial_number is None


def test_bytes_go_out_and_come_back() -> None:
    _, found = plugged_in(Echo())
    found.set_configuration()
    assert found.write(0x02, b"hello") == 5
    assert bytes(found.read(0x81, 64)) == b"hello"


def test_a_report_comes_over_the_interrupt_endpoint() -> None:
    _, found = plugged_in(Echo())
    assert bytes(found.read(0x83, 8)) == bytes(range(8))


def test_control_requests_reach_the_device() -> None:
    device = Echo()
    _, found = plugged_in(device)
    found.ctrl_transfer(0x40, 3, 0x4138, 0, None)
    assert device.requests == [(3, 0x4138)]
    assert bytes(found.ctrl_transfer(0xC0, 7, 0, 0, 4)) == b"\x07"


def test_class_descriptors_of_an_interface_can_be_read() -> None:
    _, found = plugged_in(Echo())
    interface = found.get_active_configuration()[(0, 0)]
    assert bytes(interface.extra_descriptors) == b"\x09\x21\x11\x01"
    assert [endpoint.bEndpointAddress for endpoint in interface] == [0x81, 0x02, 0x83]


def test_a_read_without_data_times_out_as_in_libusb() -> None:
    _, found = plugged_in(Echo())
    with pytest.raises(usb.core.USBTimeoutError) as caught:
        found.read(0x81, 64, 1)
    assert caught.value.errno == errno.ETIMEDOUT


def test_an_unplugged_device_is_gone_for_every_call() -> None:
    device = Echo()
    bus, found = plugged_in(device)
    found.write(0x02, b"x")
    bus.unplug(device)
    assert usb.core.find(idVendor=0x1234, backend=bus.backend) is None
    calls: list[Callable[[], object]] = [
        lambda: found.read(0x81, 64, 1),
        lambda: found.write(0x02, b"x"),
        lambda: found.ctrl_transfer(0x40, 0, 0, 0, None),
    ]
    for call in calls:
        with pytest.raises(usb.core.USBError) as caught:
            call()
        assert caught.value.errno == errno.ENODEV


def test_plugged_in_again_it_is_another_device_and_old_handles_stay_dead() -> None:
    device = Echo()
    bus, found = plugged_in(device)
    found.write(0x02, b"x")
    bus.unplug(device)
    bus.plug(device)
    with pytest.raises(usb.core.USBError):
        found.write(0x02, b"x")
    again = usb.core.find(idVendor=0x1234, backend=bus.backend)
    assert again.address != found.address
    assert again.write(0x02, b"x") == 1
    assert device.plugs == 2


def test_plugging_twice_changes_nothing() -> None:
    device = Echo()
    bus, _ = plugged_in(device)
    bus.plug(device)
    assert len(list(usb.core.find(find_all=True, backend=bus.backend))) == 1
    bus.unplug(device)
    bus.unplug(device)
    assert not bus.is_plugged(device)


def test_an_interface_belongs_to_one_program() -> None:
    bus, first = plugged_in(Echo())
    first.write(0x02, b"x")
    second = usb.core.find(idVendor=0x1234, backend=bus.backend)
    with pytest.raises(usb.core.USBError) as caught:
        second.write(0x02, b"x")
    assert caught.value.errno == errno.EBUSY
    usb.util.dispose_resources(first)
    assert second.write(0x02, b"x") == 1


def test_a_device_that_may_not_be_opened_is_refused() -> None:
    device = Echo()
    device.readable = False
    _, found = plugged_in(device)
    with pytest.raises(usb.core.USBError) as caught:
        found.write(0x02, b"x")
    assert caught.value.errno == errno.EACCES


def test_the_kernel_has_to_let_go_first() -> None:
    device = Echo()
    device.kernel_driver = True
    _, found = plugged_in(device)
    assert found.is_kernel_driver_active(0)
    with pytest.raises(usb.core.USBError):
        found.write(0x02, b"x")
    found.detach_kernel_driver(0)
    assert found.write(0x02, b"x") == 1


def test_what_a_device_does_not_know_stalls() -> None:
    device = UsbDevice()
    device.identity = Identity(
        vendor=0x1234, product=1, interfaces=(Interface(endpoints=(Endpoint(address=0x81), Endpoint(address=0x02))),)
    )
    _, found = plugged_in(device)
    calls: list[Callable[[], object]] = [
        lambda: found.read(0x81, 64),
        lambda: found.write(0x02, b"x"),
        lambda: found.ctrl_transfer(0x40, 0, 0, 0, None),
        lambda: found.ctrl_transfer(0xC0, 0, 0, 0, 1),
    ]
    for call in calls:
        with pytest.raises(usb.core.USBError) as caught:
            call()
        assert caught.value.errno == errno.EPIPE


def test_ports_tell_a_hub() -> None:
    device, bus = Echo(), Bus()
    bus.plug(device, ports=(1, 4))
    assert usb.core.find(backend=bus.backend).port_numbers == (1, 4)


def test_waiting_takes_time_on_the_wall_and_none_on_a_virtual_clock() -> None:
    answers = iter([None, None, b"x"])
    assert wait_for(WALL, lambda: next(answers), timeout=1.0) == b"x"
    clock = VirtualClock()
    with pytest.raises(usb.core.USBTimeoutError):
        wait_for(clock, lambda: None, timeout=1.0)
    assert clock.now() == 0.0
    with pytest.raises(usb.core.USBTimeoutError):
        wait_for(WALL, lambda: None, timeout=0.001)
