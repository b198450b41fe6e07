"""Which Falcons are plugged in, and opening one of them: by its serial number, never by its place in a list."""

from __future__ import annotations

import errno
from typing import Any, NamedTuple

from usb.core import NoBackendError, USBError, find  # type: ignore[import-untyped]
from usb.util import claim_interface, dispose_resources  # type: ignore[import-untyped]

from firmware_bridge.falcon.ftdi import FtdiLink
from firmware_bridge.falcon.wire import INTERFACE, PRODUCT, VENDOR
from station.devices.errors import (
    DeviceBusyError,
    DeviceDeniedError,
    DeviceError,
    DeviceLostError,
    DeviceMismatchError,
    DeviceNotFoundError,
)
from station.devices.registry import Found

NAME = "usb:falcon"
RULE = 'SUBSYSTEM=="usb", ATTR{idVendor}=="0403", ATTR{idProduct}=="cb48", TAG+="uaccess"'


class Seen(NamedTuple):
    """A Falcon on the bus."""

    device: Any  # usb.core.Device
    serial_number: str  # empty if it has none or it may not be read
    readable: bool


def seen_falcons(backend: Any = None) -> list[Seen]:
    """All Falcons that are plugged in; raises a DeviceError if USB cannot be used at all."""
    try:
        devices = list(find(find_all=True, idVendor=VENDOR, idProduct=PRODUCT, backend=backend))
    except NoBackendError:
        raise DeviceNotFoundError(f"{NAME}: libusb is not installed; run: sudo apt install libusb-1.0-0") from None
    except USBError as error:
        raise DeviceNotFoundError(f"{NAME}: USB cannot be used here ({error.strerror})") from None
    return [_look_at(device) for device in devices]


def _look_at(device: Any) -> Seen:
    """Read the serial number; this neither claims nor disturbs the device."""
    try:
        return Seen(device, str(device.serial_number or ""), True)
    except (USBError, ValueError) as error:  # ValueError is what pyusb makes of a refused string
        return Seen(device, "", getattr(error, "errno", errno.EACCES) != errno.EACCES)
    finally:
        dispose_resources(device)


def find_falcons(backend: Any = None) -> list[Found]:
    """What `station devices` shows; empty if there is none or USB cannot be used."""
    try:
        falcons = seen_falcons(backend)
    except DeviceError:
        return []
    return [
        Found(
            url=f"{NAME}?serial={falcon.serial_number}" if falcon.serial_number else NAME,
            model="Novint Falcon",
            detail=falcon.serial_number or ("no serial number" if falcon.readable else "no permission to open it"),
            emulated=False,
        )
        for falcon in falcons
    ]


def choose(serial_number: str, backend: Any = None) -> Seen:
    """The Falcon with this serial number, or the only one if none is given."""
    falcons = seen_falcons(backend)
    known = ", ".join(falcon.serial_number or "one without" for falcon in falcons)
    if not falcons:
        raise DeviceNotFoundError(f"{NAME}: no Falcon is plugged in; check its USB cable, and its hub if there is one")
    if serial_number:
        chosen = [falcon for falcon in falcons if falcon.serial_number == serial_number]
        if not chosen and not all(falcon.readable for falcon in falcons):
            raise _denied()
        if not chosen:
            raise DeviceNotFoundError(f"{NAME}: no Falcon has the serial number {serial_number}; there are: {known}")
    else:
        chosen = falcons
    if len(chosen) > 1:
        advice = f"choose one by {NAME}?serial=…" if any(each.serial_number for each in chosen) else "unplug the others"
        raise DeviceMismatchError(f"{NAME}: several Falcons are plugged in; {advice}; serial numbers: {known}")
    return chosen[0]


def open_link(falcon: Seen, name: str) -> FtdiLink:
    """Take the device for this program alone."""
    device = falcon.device
    try:
        _free_from_kernel(device)
        _configure(device)
        claim_interface(device, INTERFACE)
    except USBError as error:
        dispose_resources(device)
        if error.errno in (errno.EACCES, errno.EPERM):
            raise _denied() from None
        if error.errno == errno.EBUSY:
            raise DeviceBusyError(f"{name} is in use by another program; close that first") from None
        if error.errno in (errno.ENODEV, errno.ENOENT):
            raise DeviceLostError(f"{name}: unplugged; plug it in again") from None
        raise DeviceNotFoundError(
            f"{name} cannot be opened ({error.strerror}); unplug it and plug it in again"
        ) from None
    return FtdiLink(device, name)


def _free_from_kernel(device: Any) -> None:
    try:
        if device.is_kernel_driver_active(INTERFACE):
            device.detach_kernel_driver(INTERFACE)
    except NotImplementedError:  # there is no such thing on other systems
        return


def _configure(device: Any) -> None:
    try:
        device.get_active_configuration()
    except USBError as error:
        if error.errno is not None:  # it says otherwise that none is set
            raise
        device.set_configuration()


def _denied() -> DeviceDeniedError:
    return DeviceDeniedError(
        f"{NAME}: no permission; write {RULE} to /etc/udev/rules.d/70-falcon.rules, then plug it in again"
    )
