"""`Bus`: which devices are plugged in, where, and who has them open."""

from __future__ import annotations

import itertools
import threading

from sim_devices.usb.backend import Backend
from sim_devices.usb.device import UsbDevice
from sim_devices.usb.errors import no_device


class Attachment:
    """A device for as long as its cable is in; plugged in again, it is another attachment with another address."""

    def __init__(self, device: UsbDevice, address: int, ports: tuple[int, ...]) -> None:
        self.device = device
        self.address = address
        self.ports = ports  # from the root: more than one means behind a hub
        self.present = True
        self.owners: dict[int, object] = {}  # interface → handle that has claimed it

    def check(self) -> None:
        """Raise what libusb raises when the device is gone."""
        if not self.present:
            raise no_device()


class Bus:
    """An emulated USB bus; `backend` is what pyusb takes."""

    number = 1

    def __init__(self) -> None:
        self._attachments: list[Attachment] = []
        self._addresses = itertools.count(2)
        self._lock = threading.Lock()
        self.backend = Backend(self)

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """What is plugged in, in order."""
        with self._lock:
            return tuple(self._attachments)

    def is_plugged(self, device: UsbDevice) -> bool:
        """Whether its cable is in."""
        return any(attachment.device is device for attachment in self.attachments)

    def plug(self, device: UsbDevice, ports: tuple[int, ...] | None = None) -> None:
        """Put the cable in, at these ports from the root; nothing happens if it is in."""
        with self._lock:
            if any(attachment.device is device for attachment in self._attachments):
                return
            address = next(self._addresses)
            self._attachments.append(Attachment(device, address, ports or (address,)))
        device.plugged()

    def unplug(self, device: UsbDevice) -> None:
        """Pull the cable out: open handles fail from now on; nothing happens if it is out."""
        with self._lock:
            gone = [attachment for attachment in self._attachments if attachment.device is device]
            for attachment in gone:
                attachment.present = False
                self._attachments.remove(attachment)
        if gone:
            device.unplugged()
