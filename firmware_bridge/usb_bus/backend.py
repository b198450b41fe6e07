"""`RemoteBackend`: what pyusb takes for libusb when a bus is served by another process."""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Iterator
from types import SimpleNamespace
from typing import NamedTuple

from usb.backend import IBackend  # type: ignore[import-untyped]
from usb.core import USBError  # type: ignore[import-untyped]

from firmware_bridge.usb_bus.messages import LARGEST_TRANSFER
from firmware_bridge.usb_bus.session import Session

IN = 0x80  # direction bit of requests and endpoints


class RemoteDevice(NamedTuple):
    """A device on the bus with all that it says of itself."""

    number: int
    device: SimpleNamespace
    configuration: SimpleNamespace
    interfaces: list[SimpleNamespace]
    endpoints: list[list[SimpleNamespace]]  # by interface


class RemoteBackend(IBackend):  # type: ignore[misc] # pyusb has no types
    """Any number of threads may use it. Handles are numbers that the other side gave.

    It is connected as long as something is open: with no more to close than its devices, nobody has to close it.
    """

    def __init__(self, path: str) -> None:
        self.session = Session(path)
        self._open: set[int] = set()  # handles

    def _hang_up_if_idle(self) -> None:
        if not self._open:
            self.session.close()

    # Who is there ----------------------------------------------------------------------------------------

    def enumerate_devices(self) -> Iterator[RemoteDevice]:
        """All devices that are plugged in there."""
        answer = self.session.ask("devices")
        self._hang_up_if_idle()
        try:
            return iter([_device(told) for told in answer.value])
        except (KeyError, TypeError, ValueError):  # something else listens at this socket
            raise self.session.gone() from None

    def get_parent(self, dev: RemoteDevice) -> None:
        """Hubs are not served."""

    def get_device_descriptor(self, dev: RemoteDevice) -> SimpleNamespace:
        """The device as a whole."""
        return dev.device

    def get_configuration_descriptor(self, dev: RemoteDevice, config: int) -> SimpleNamespace:
        """The only configuration; pyusb counts until an IndexError, also below."""
        return [dev.configuration][config]

    def get_interface_descriptor(self, dev: RemoteDevice, intf: int, alt: int, config: int) -> SimpleNamespace:
        """An interface; each has one setting."""
        del config
        return [dev.interfaces[intf]][alt]

    def get_endpoint_descriptor(self, dev: RemoteDevice, ep: int, intf: int, alt: int, config: int) -> SimpleNamespace:
        """An endpoint of an interface."""
        del alt, config
        return dev.endpoints[intf][ep]

    # Having it -------------------------------------------------------------------------------------------

    def open_device(self, dev: RemoteDevice) -> int:
        """Open it, if the other side lets us."""
        handle = self._number("open", 0, dev.number)
        self._open.add(handle)
        return handle

    def close_device(self, dev_handle: int) -> None:
        """Let it go; if the other side is gone, so is the handle."""
        with contextlib.suppress(USBError):
            self.session.ask("close", dev_handle)
        self._open.discard(dev_handle)
        self._hang_up_if_idle()

    def set_configuration(self, dev_handle: int, config_value: int) -> None:
        """Choose the configuration."""
        self.session.ask("set_configuration", dev_handle, [config_value])

    def get_configuration(self, dev_handle: int) -> int:
        """The configuration in use."""
        return self._number("get_configuration", dev_handle)

    def set_interface_altsetting(self, dev_handle: int, intf: int, altsetting: int) -> None:
        """Choose the setting of an interface."""
        self.session.ask("set_interface_altsetting", dev_handle, [intf, altsetting])

    def claim_interface(self, dev_handle: int, intf: int) -> None:
        """Take an interface for this program alone."""
        self.session.ask("claim_interface", dev_handle, [intf])

    def release_interface(self, dev_handle: int, intf: int) -> None:
        """Give an interface back."""
        self.session.ask("release_interface", dev_handle, [intf])

    def is_kernel_driver_active(self, dev_handle: int, intf: int) -> bool:
        """Whether the operating system has the interface."""
        return bool(self.session.ask("is_kernel_driver_active", dev_handle, [intf]).value)

    def detach_kernel_driver(self, dev_handle: int, intf: int) -> None:
        """Make the operating system let go."""
        self.session.ask("detach_kernel_driver", dev_handle, [intf])

    def attach_kernel_driver(self, dev_handle: int, intf: int) -> None:
        """Give it back to the operating system."""
        self.session.ask("attach_kernel_driver", dev_handle, [intf])

    def reset_device(self, dev_handle: int) -> None:
        """Reset it as a hub does."""
        self.session.ask("reset_device", dev_handle)

    def clear_halt(self, dev_handle: int, ep: int) -> None:
        """Let an endpoint go on."""
        self.session.ask("clear_halt", dev_handle, [ep])

    # Transfers, with times in milliseconds ---------------------------------------------------------------

    def ctrl_transfer(
        self,
        dev_handle: int,
        bmRequestType: int,  # noqa: N803 names of pyusb
        bRequest: int,  # noqa: N803
        wValue: int,  # noqa: N803
        wIndex: int,  # noqa: N803
        data: array[int],
        timeout: int,
    ) -> int:
        """A request over endpoint 0; returns how many bytes went."""
        numbers = (bmRequestType, bRequest, wValue, wIndex)
        if bmRequestType & IN:
            return self._read("ctrl_transfer", dev_handle, numbers, data, timeout)
        return self._write("ctrl_transfer", dev_handle, numbers, data, timeout)

    def bulk_write(self, dev_handle: int, ep: int, intf: int, data: array[int], timeout: int) -> int:
        """Send; returns how many bytes the device took."""
        return self._write("bulk_write", dev_handle, (ep, intf), data, timeout)

    def bulk_read(self, dev_handle: int, ep: int, intf: int, buff: array[int], timeout: int) -> int:
        """Receive into `buff`; returns how many bytes came."""
        return self._read("bulk_read", dev_handle, (ep, intf), buff, timeout)

    def intr_write(self, dev_handle: int, ep: int, intf: int, data: array[int], timeout: int) -> int:
        """Send a report."""
        return self._write("intr_write", dev_handle, (ep, intf), data, timeout)

    def intr_read(self, dev_handle: int, ep: int, intf: int, size: array[int], timeout: int) -> int:
        """Receive a report into `size`, which is a buffer in spite of its name in pyusb."""
        return self._read("intr_read", dev_handle, (ep, intf), size, timeout)

    def _write(self, verb: str, handle: int, numbers: tuple[int, ...], data: array[int], timeout: int) -> int:
        sent = data.tobytes()[:LARGEST_TRANSFER]  # the caller sees how much went
        value = self.session.transfer(verb, handle, (*numbers, len(sent)), timeout, sent).value
        if not isinstance(value, int):
            raise self.session.gone()
        return value

    def _read(self, verb: str, handle: int, numbers: tuple[int, ...], buffer: array[int], timeout: int) -> int:
        size = min(len(buffer), LARGEST_TRANSFER)
        data = self.session.transfer(verb, handle, (*numbers, size), timeout).data[:size]
        buffer[: len(data)] = array("B", data)
        return len(data)

    def _number(self, verb: str, handle: int, *numbers: int) -> int:
        value = self.session.ask(verb, handle, numbers).value
        if not isinstance(value, int):
            raise self.session.gone()
        return value


def _device(told: dict[str, object]) -> RemoteDevice:
    """A device from its JSON; raises KeyError, TypeError or ValueError for what is none."""
    number, interfaces, endpoints = told["number"], told["interfaces"], told["endpoints"]
    if not (isinstance(number, int) and isinstance(interfaces, list) and isinstance(endpoints, list)):
        raise TypeError("not a device")
    groups = [[_names(each) for each in group] for group in endpoints]
    return RemoteDevice(
        number, _names(told["device"]), _names(told["configuration"]), [_names(each) for each in interfaces], groups
    )


def _names(told: object) -> SimpleNamespace:
    if not isinstance(told, dict):
        raise TypeError("not a descriptor")
    return SimpleNamespace(**told)
