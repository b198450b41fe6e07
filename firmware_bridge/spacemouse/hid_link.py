"""The USB side of a SpaceMouse: finding and claiming it, and reading reports without anybody waiting.

A read of libusb waits. On wall time a thread does the waiting; on a virtual clock, where nothing waits, reports are
read at once whenever somebody looks.
"""

from __future__ import annotations

import contextlib
import errno
import threading
from collections import deque
from typing import Any, NamedTuple

import usb.core  # type: ignore[import-untyped]
import usb.util  # type: ignore[import-untyped]

from firmware_bridge.spacemouse.hid_models import CONNEXION, LOGITECH, MODELS, NO_CAP, Model
from firmware_bridge.spacemouse.hid_reports import LED, LONGEST
from station.clock import Clock, VirtualClock
from station.devices.errors import (
    DeviceBusyError,
    DeviceDeniedError,
    DeviceError,
    DeviceLostError,
    DeviceMismatchError,
    DeviceNotFoundError,
)

HID = 3  # interface class
SET_REPORT, OUTPUT = 0x09, 0x0200
LOOK = 100  # how long the thread waits for one report [ms]
AT_ONCE = 1  # the shortest wait of libusb, where 0 would be for ever [ms]
MOST_AT_ONCE = 64  # reports per look on a virtual clock


class Plugged(NamedTuple):
    """A cap that is plugged in."""

    device: Any  # usb.core.Device
    model: Model
    serial_number: str
    port: str  # where on the bus, for example 1-2.3


def plugged_in(backend: object = None) -> list[Plugged]:
    """All caps on the bus; empty without libusb."""
    try:
        devices = list(usb.core.find(find_all=True, backend=backend) or ())
    except (usb.core.USBError, ValueError):  # ValueError: no libusb on this machine
        return []
    known = ((device, MODELS.get((device.idVendor, device.idProduct))) for device in devices)
    return [Plugged(device, model, serial_of(device), port_of(device)) for device, model in known if model]


def refused(backend: object = None) -> list[str]:
    """Devices of the maker that are no caps, and why."""
    try:
        devices = list(usb.core.find(find_all=True, backend=backend) or ())
    except (usb.core.USBError, ValueError):
        return ["pyusb finds no libusb (install: apt-get install libusb-1.0-0)"]
    words = []
    for device in devices:
        name = (device.idVendor, device.idProduct)
        if name in NO_CAP:
            words.append(f"{name[0]:04x}:{name[1]:04x} is {NO_CAP[name]}")
        elif name not in MODELS and name[0] == CONNEXION:
            words.append(f"{name[0]:04x}:{name[1]:04x} is not known")
    return words


def serial_of(device: Any) -> str:
    """Serial number; many have none, and without permission it cannot be read."""
    try:
        return str(device.serial_number or "").strip("\0 ")
    except (usb.core.USBError, ValueError, NotImplementedError):
        return ""


def port_of(device: Any) -> str:
    """Where it is plugged in; stays the same when it is plugged in again."""
    numbers = ".".join(str(number) for number in (device.port_numbers or (device.address,)))
    return f"{device.bus}-{numbers}"


class HidLink:
    """A claimed device: `take` gives the reports that have come, `light` switches its light."""

    def __init__(self, plugged: Plugged, url: str, clock: Clock) -> None:
        self.url = url
        self.plugged = plugged
        self._clock = clock
        self._device = plugged.device
        self._reports: deque[tuple[float, bytes]] = deque(maxlen=1024)
        self._error: DeviceError | None = None
        self._stop = threading.Event()
        try:
            self._interface, self._endpoint = self._find_endpoint()
            self._detached = self._detach()
            usb.util.claim_interface(self._device, self._interface)
        except (usb.core.USBError, NotImplementedError, DeviceMismatchError) as error:
            usb.util.dispose_resources(self._device)
            raise error if isinstance(error, DeviceMismatchError) else usb_error(url, error) from None
        self._thread: threading.Thread | None = None
        if not isinstance(clock, VirtualClock):
            self._thread = threading.Thread(target=self._read_for_ever, name="spacemouse", daemon=True)
            self._thread.start()

    def _find_endpoint(self) -> tuple[int, int]:
        for interface in self._device.get_active_configuration():
            for endpoint in interface:
                incoming = usb.util.endpoint_direction(endpoint.bEndpointAddress) == usb.util.ENDPOINT_IN
                reports = usb.util.endpoint_type(endpoint.bmAttributes) == usb.util.ENDPOINT_TYPE_INTR
                if interface.bInterfaceClass == HID and incoming and reports:
                    return int(interface.bInterfaceNumber), int(endpoint.bEndpointAddress)
        raise DeviceMismatchError(f"{self.url}: it has no interface with reports, as a SpaceMouse would have")

    def _detach(self) -> bool:
        with contextlib.suppress(NotImplementedError):  # only Linux has this
            if self._device.is_kernel_driver_active(self._interface):
                self._device.detach_kernel_driver(self._interface)
                return True
        return False

    def take(self) -> list[tuple[float, bytes]]:
        """Reports with their arrival [s], oldest first; raises a DeviceError once there will be no more."""
        if self._thread is None:
            for _ in range(MOST_AT_ONCE):
                if not self._read(AT_ONCE):
                    break
        taken = []
        while self._reports:
            taken.append(self._reports.popleft())
        if self._error is not None and not taken:
            raise self._error
        return taken

    def light(self, on: bool) -> None:
        """Switch the light on or off; some have none."""
        with contextlib.suppress(usb.core.USBError):
            self._device.ctrl_transfer(0x21, SET_REPORT, OUTPUT | LED, self._interface, bytes((LED, on)), 100)

    def _read_for_ever(self) -> None:
        while not self._stop.is_set() and self._error is None:
            self._read(LOOK)

    def _read(self, timeout: int) -> bool:
        try:
            report = self._device.read(self._endpoint, LONGEST, timeout)
        except usb.core.USBTimeoutError:
            return False
        except usb.core.USBError as error:
            if error.errno == errno.EPIPE:  # the endpoint has halted: let it go on
                with contextlib.suppress(usb.core.USBError):
                    self._device.clear_halt(self._endpoint)
            elif error.errno not in (errno.EINTR, errno.EOVERFLOW):
                self._error = DeviceLostError(str(usb_error(self.url, error)))
            return False
        self._reports.append((self._clock.now(), bytes(report)))
        return True

    def close(self) -> None:
        """Give it back, to the operating system too; waits for a read that is under way, at most 0.1 s."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(2.0 * LOOK / 1000.0)
        with contextlib.suppress(usb.core.USBError, NotImplementedError):
            usb.util.release_interface(self._device, self._interface)
            if self._detached:
                self._device.attach_kernel_driver(self._interface)
        with contextlib.suppress(usb.core.USBError):
            usb.util.dispose_resources(self._device)


def usb_error(url: str, error: BaseException) -> DeviceError:
    """The same in words that help."""
    number = getattr(error, "errno", None)
    if number in (errno.EACCES, errno.EPERM):
        rule = f'SUBSYSTEM=="usb", ATTRS{{idVendor}}=="{LOGITECH:04x}|{CONNEXION:04x}", MODE="0666"'
        return DeviceDeniedError(f"{url}: no permission; write into /etc/udev/rules.d/70-spacemouse.rules: {rule}")
    if number == errno.EBUSY:
        return DeviceBusyError(f"{url}: another program has it (spacenavd?); stop that, or open spacenav: instead")
    if number in (errno.ENODEV, errno.ENOENT, errno.EIO, errno.ESHUTDOWN, errno.EPROTO):
        return DeviceLostError(f"{url}: the SpaceMouse was unplugged")
    return DeviceNotFoundError(f"{url}: it cannot be opened ({error}); unplug it and plug it in again")
