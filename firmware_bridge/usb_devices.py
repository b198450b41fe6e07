"""`usb:` addresses: `usb:falcon` and `usb:spacemouse`, on this machine's USB or (`bus=SOCKET`) on a served one.

usb:falcon?serial=…&firmware=FILE&scale=…    one of several; its firmware; motor words per N·m from a calibration
usb:spacemouse?serial=…&port=…&led=off       one of several; its light
usb:falcon?bus=/tmp/…/usb.sock               one that an emulator in another process has plugged in
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from usb.core import NoBackendError, USBError, find  # type: ignore[import-untyped]

from firmware_bridge.falcon.finding import find_falcons
from firmware_bridge.falcon.opening import open_falcon
from firmware_bridge.spacemouse.hid import find_spacemice, open_spacemouse
from firmware_bridge.usb_bus import RemoteBackend
from station.clock import Clock, VirtualClock
from station.devices.address import Address
from station.devices.device import Device
from station.devices.errors import AddressError, DeviceNotFoundError
from station.devices.registry import Found

Opener = Callable[[Address, Clock, Any], Device]  # the last is a pyusb backend, None for the machine's own
OPENERS: dict[str, Opener] = {"falcon": open_falcon, "spacemouse": open_spacemouse}
FINDERS: tuple[Callable[[], list[Found]], ...] = (find_falcons, find_spacemice)


class UsbDevices:
    """The scheme `usb:`."""

    def open(self, address: Address, clock: Clock) -> Device:
        """Open the device of this name, or raise the DeviceError that says what to do."""
        if address.place not in OPENERS:
            raise AddressError(f"{address.url}: there is no USB device {address.place!r}; there are: {_names()}")
        options = dict(address.options)
        socket = options.pop("bus", None)
        if socket is None:
            _check_for_libusb(address)
            return OPENERS[address.place](address, clock, None)
        backend = _served_bus(address, socket, clock)
        return OPENERS[address.place](address._replace(options=options), clock, backend)

    def find(self) -> Iterator[Found]:
        """What is plugged into this machine; nothing if its USB cannot be used. Nobody's claim is touched."""
        for finder in FINDERS:
            try:
                found = finder()
            except (OSError, ValueError, NotImplementedError):  # pyusb's; a list for people must not end in an error
                continue
            yield from found


def _names() -> str:
    return ", ".join(f"usb:{name}" for name in OPENERS)


def _check_for_libusb(address: Address) -> None:
    """Pyusb is Python alone; what talks to the hardware is a library of the system."""
    try:
        find(idVendor=0)  # nobody has this number: only the library is looked for
    except NoBackendError:
        raise DeviceNotFoundError(
            f"{address.url}: libusb is not installed; run: sudo apt install libusb-1.0-0"
        ) from None
    except USBError as error:
        raise DeviceNotFoundError(f"{address.url}: USB cannot be used here ({error.strerror})") from None


def _served_bus(address: Address, socket: str, clock: Clock) -> RemoteBackend:
    if not socket:
        raise AddressError(f"{address.url}: bus is the socket of a served USB bus, for example bus=/tmp/usb.sock")
    if isinstance(clock, VirtualClock):
        raise AddressError(f"{address.url}: a bus in another process lives on wall time, not on a virtual clock")
    backend = RemoteBackend(socket)
    try:
        backend.session.check()
    except OSError as error:  # no such file, nobody listens, not a socket, too long a name
        reason = error.strerror or str(error)
        raise DeviceNotFoundError(
            f"{address.url}: nobody serves a USB bus at {socket} ({reason}); is its emulator running?"
        ) from None
    return backend


SCHEME = UsbDevices()
