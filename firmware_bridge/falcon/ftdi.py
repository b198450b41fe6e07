"""`FtdiLink`: the open USB serial chip of a Falcon."""

from __future__ import annotations

import errno
from typing import Any

from usb.core import USBError, USBTimeoutError  # type: ignore[import-untyped]
from usb.util import dispose_resources  # type: ignore[import-untyped]

from firmware_bridge.falcon.wire import (
    IN,
    INTERFACE,
    OUT,
    PACKET,
    PURGE_RECEIVED,
    PURGE_TO_SEND,
    RESET,
    TO_CHIP,
    payload,
)
from station.devices.errors import DeviceLostError

READ_TIMEOUT = 5  # the chip sends status at least every latency period, so more than this means trouble [ms]
WRITE_TIMEOUT = 10  # [ms]
CONTROL_TIMEOUT = 100  # [ms]


class FtdiLink:
    """An open chip. Every method raises DeviceLostError when the device is gone."""

    def __init__(self, device: Any, name: str) -> None:
        self._device = device  # usb.core.Device
        self.name = name

    @property
    def behind_hub(self) -> bool:
        """Whether there is a hub between computer and device."""
        return len(getattr(self._device, "port_numbers", None) or ()) > 1

    def request(self, number: int, value: int) -> None:
        """A control request without data."""
        try:
            self._device.ctrl_transfer(TO_CHIP, number, value, INTERFACE, None, CONTROL_TIMEOUT)
        except USBError as error:
            raise self._lost(error) from None

    def purge(self) -> None:
        """Drop whatever the chip holds in both directions."""
        self.request(RESET, PURGE_RECEIVED)
        self.request(RESET, PURGE_TO_SEND)

    def write(self, data: bytes) -> bool:
        """Send; False if the chip did not take it all in time."""
        try:
            return bool(self._device.write(OUT, data, WRITE_TIMEOUT) == len(data))
        except USBTimeoutError:
            return False
        except USBError as error:
            raise self._lost(error) from None

    def read(self) -> bytes:
        """What has come in, often nothing; waits for the chip's latency period at most."""
        try:
            # One packet at a time: larger reads trouble some versions of libusb, smaller ones lose bytes on others.
            data = self._device.read(IN, PACKET, READ_TIMEOUT)
        except USBTimeoutError:
            return b""
        except USBError as error:
            if error.errno == errno.ETIMEDOUT:
                return b""
            raise self._lost(error) from None
        return payload(bytes(data))

    def close(self) -> None:
        """Let the device go."""
        dispose_resources(self._device)

    def _lost(self, error: OSError) -> DeviceLostError:
        if error.errno in (errno.ENODEV, errno.ENOENT, errno.ESHUTDOWN):
            return DeviceLostError(f"{self.name}: unplugged; plug it in again")
        return DeviceLostError(
            f"{self.name}: the USB link broke ({error.strerror}); check the cable and its power supply"
        )
