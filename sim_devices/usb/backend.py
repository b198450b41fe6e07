"""The pyusb backend of an emulated bus: what libusb is for real devices.

It has the methods of `usb.backend.IBackend` that a program can reach through `usb.core` and `usb.util`. Times come in
milliseconds, as pyusb has them, and are handed to devices in seconds; 0 means for ever, as in libusb.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING

from sim_devices.usb.descriptors import STRING
from sim_devices.usb.errors import access_denied, busy, stalled

if TYPE_CHECKING:
    from sim_devices.usb.bus import Attachment, Bus
    from sim_devices.usb.device import UsbDevice

IN = 0x80  # direction bit of requests and endpoints
STANDARD_IN, STANDARD_OUT = 0x80, 0x00
GET_STATUS, GET_DESCRIPTOR, GET_CONFIGURATION, SET_CONFIGURATION = 0, 6, 8, 9


class Handle:
    """An attachment that a program has open."""

    def __init__(self, attachment: Attachment) -> None:
        self.attachment = attachment
        self.configuration = 1

    @property
    def device(self) -> UsbDevice:
        """The device, if it is still there."""
        self.attachment.check()
        return self.attachment.device


class Backend:
    """Enumerates and opens the devices of a bus, and passes transfers to them."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    # Who is there ----------------------------------------------------------------------------------------

    def enumerate_devices(self) -> Iterator[Attachment]:
        """All devices that are plugged in."""
        return iter(self._bus.attachments)

    def get_parent(self, dev: Attachment) -> None:
        """Hubs are not emulated."""

    def get_device_descriptor(self, dev: Attachment) -> SimpleNamespace:
        """The device as a whole."""
        return dev.device.identity.device_descriptor(self._bus.number, dev.address, dev.ports)

    def get_configuration_descriptor(self, dev: Attachment, config: int) -> SimpleNamespace:
        """The only configuration."""
        if config != 0:
            raise IndexError("Invalid configuration index " + str(config))
        return dev.device.identity.configuration_descriptor()

    def get_interface_descriptor(self, dev: Attachment, intf: int, alt: int, config: int) -> SimpleNamespace:
        """An interface; each has one setting."""
        del config
        if intf >= len(dev.device.identity.interfaces) or alt != 0:
            raise IndexError("Invalid interface index " + str(intf))
        return dev.device.identity.interface_descriptor(intf)

    def get_endpoint_descriptor(self, dev: Attachment, ep: int, intf: int, alt: int, config: int) -> SimpleNamespace:
        """An endpoint of an interface."""
        del alt, config
        if ep >= len(dev.device.identity.interfaces[intf].endpoints):
            raise IndexError("Invalid endpoint index " + str(ep))
        return dev.device.identity.endpoint_descriptor(intf, ep)

    # Having it -------------------------------------------------------------------------------------------

    def open_device(self, dev: Attachment) -> Handle:
        """Open it, if this user may."""
        dev.check()
        if not dev.device.readable:
            raise access_denied()
        return Handle(dev)

    def close_device(self, dev_handle: Handle) -> None:
        """Let it go, with all that was claimed."""
        for number, owner in tuple(dev_handle.attachment.owners.items()):
            if owner is dev_handle:
                self.release_interface(dev_handle, number)

    def set_configuration(self, dev_handle: Handle, config_value: int) -> None:
        """Choose the configuration; refused while another program has an interface."""
        dev_handle.attachment.check()
        if any(owner is not dev_handle for owner in dev_handle.attachment.owners.values()):
            raise busy()
        dev_handle.configuration = config_value

    def get_configuration(self, dev_handle: Handle) -> int:
        """The configuration in use."""
        dev_handle.attachment.check()
        return dev_handle.configuration

    def set_interface_altsetting(self, dev_handle: Handle, intf: int, altsetting: int) -> None:
        """There is only setting 0."""
        dev_handle.attachment.check()
        if intf >= len(dev_handle.device.identity.interfaces) or altsetting != 0:
            raise stalled()

    def claim_interface(self, dev_handle: Handle, intf: int) -> None:
        """Take an interface for this program alone."""
        device = dev_handle.device
        if device.kernel_driver and intf == 0:
            raise busy()
        if dev_handle.attachment.owners.setdefault(intf, dev_handle) is not dev_handle:
            raise busy()
        device.opened()

    def release_interface(self, dev_handle: Handle, intf: int) -> None:
        """Give an interface back."""
        if dev_handle.attachment.owners.get(intf) is dev_handle:
            del dev_handle.attachment.owners[intf]
            if dev_handle.attachment.present:
                dev_handle.device.closed()

    def is_kernel_driver_active(self, dev_handle: Handle, intf: int) -> bool:
        """Whether the operating system has the interface."""
        return dev_handle.device.kernel_driver and intf == 0

    def detach_kernel_driver(self, dev_handle: Handle, intf: int) -> None:
        """Make the operating system let go."""
        del intf
        dev_handle.device.kernel_driver = False

    def attach_kernel_driver(self, dev_handle: Handle, intf: int) -> None:
        """Give it back to the operating system."""
        del intf
        dev_handle.device.kernel_driver = True

    def reset_device(self, dev_handle: Handle) -> None:
        """Power stays; nothing is lost."""
        dev_handle.attachment.check()

    def clear_halt(self, dev_handle: Handle, ep: int) -> None:
        """Endpoints do not stay halted here."""
        del ep
        dev_handle.attachment.check()

    # Transfers -------------------------------------------------------------------------------------------

    def ctrl_transfer(
        self,
        dev_handle: Handle,
        bmRequestType: int,  # noqa: N803 names of pyusb
        bRequest: int,  # noqa: N803
        wValue: int,  # noqa: N803
        wIndex: int,  # noqa: N803
        data: array[int],
        timeout: int,
    ) -> int:
        """A request over endpoint 0; returns how many bytes went."""
        del timeout
        device = dev_handle.device
        if not bmRequestType & IN:
            if (bmRequestType, bRequest) == (STANDARD_OUT, SET_CONFIGURATION):
                self.set_configuration(dev_handle, wValue)
            else:
                device.control_out(bmRequestType, bRequest, wValue, wIndex, data.tobytes())
            return len(data)
        answer: bytes | None
        if bmRequestType == STANDARD_IN and bRequest == GET_STATUS:
            answer = bytes(2)
        elif bmRequestType == STANDARD_IN and bRequest == GET_CONFIGURATION:
            answer = bytes([dev_handle.configuration])
        elif bmRequestType == STANDARD_IN and bRequest == GET_DESCRIPTOR and wValue >> 8 == STRING:
            answer = device.identity.string_descriptor(wValue & 0xFF)
            if answer is None:
                raise stalled()
        else:
            answer = device.control_in(bmRequestType, bRequest, wValue, wIndex, len(data))
        return _fill(data, answer)

    def bulk_write(self, dev_handle: Handle, ep: int, intf: int, data: array[int], timeout: int) -> int:
        """Send; returns how many bytes the device took."""
        self._check_claimed(dev_handle, intf)
        return dev_handle.device.bulk_write(ep, data.tobytes(), _seconds(timeout))

    def bulk_read(self, dev_handle: Handle, ep: int, intf: int, buff: array[int], timeout: int) -> int:
        """Receive into `buff`; returns how many bytes came."""
        self._check_claimed(dev_handle, intf)
        answer = dev_handle.device.bulk_read(ep, len(buff), _seconds(timeout))
        dev_handle.attachment.check()  # it may have been unplugged while we waited
        return _fill(buff, answer)

    def intr_write(self, dev_handle: Handle, ep: int, intf: int, data: array[int], timeout: int) -> int:
        """Send a report."""
        self._check_claimed(dev_handle, intf)
        return dev_handle.device.intr_write(ep, data.tobytes(), _seconds(timeout))

    def intr_read(self, dev_handle: Handle, ep: int, intf: int, size: array[int], timeout: int) -> int:
        """Receive a report into `size`, which is a buffer in spite of its name in pyusb."""
        self._check_claimed(dev_handle, intf)
        answer = dev_handle.device.intr_read(ep, len(size), _seconds(timeout))
        dev_handle.attachment.check()
        return _fill(size, answer)

    def iso_write(self, *_: object) -> int:
        """No emulated device has isochronous endpoints; pyusb asks for the method all the same."""
        raise stalled()

    def iso_read(self, *_: object) -> int:
        """See `iso_write`."""
        raise stalled()

    @staticmethod
    def _check_claimed(handle: Handle, interface: int) -> None:
        handle.attachment.check()
        if handle.attachment.owners.get(interface) is not handle:
            raise busy()


def _seconds(timeout: int) -> float:
    return timeout / 1000.0 if timeout > 0 else math.inf


def _fill(buffer: array[int], data: bytes) -> int:
    """Copy into the host's buffer; what does not fit is lost, as with libusb's overflow."""
    length = min(len(buffer), len(data))
    buffer[:length] = array("B", data[:length])
    return length
