"""A USB device that answers the Falcon's driver with whatever bytes a test says."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from firmware_bridge.falcon import wire
from firmware_bridge.falcon.frames import Reply, encode_reply
from sim_devices.usb import Bus, Endpoint, Identity, Interface, UsbDevice, timed_out
from station.devices.falcon import FalconModel

Say = Callable[[bytes], Iterable[bytes]]  # what was written → payloads of the packets that follow


class Scripted(UsbDevice):
    """Packets wait in a queue; reading takes one, with its two status bytes."""

    def __init__(self, say: Say) -> None:
        endpoints = (Endpoint(address=wire.IN), Endpoint(address=wire.OUT))
        self.identity = Identity(
            vendor=wire.VENDOR, product=wire.PRODUCT, serial_number="S", interfaces=(Interface(endpoints=endpoints),)
        )
        self.say = say
        self.packets: list[bytes] = []
        self.bus = Bus()
        self.bus.plug(self)

    def control_out(self, request_type: int, request: int, value: int, index: int, data: bytes) -> None:
        if (request, value) == (wire.RESET, wire.PURGE_RECEIVED):
            self.packets.clear()

    def bulk_write(self, endpoint: int, data: bytes, timeout: float) -> int:
        self.packets += [b"\x01\x60" + payload for payload in self.say(data)]
        return len(data)

    def bulk_read(self, endpoint: int, size: int, timeout: float) -> bytes:
        if not self.packets:
            raise timed_out()
        return self.packets.pop(0)


def reply_at(position: Iterable[float], buttons: int = 0, homed: int = 0b111) -> bytes:
    """The frame of a device whose grip is there [m]."""
    counts = FalconModel().counts(np.array(list(position)))
    assert counts is not None
    first, second, third = (round(float(count)) for count in counts)
    return encode_reply(Reply((first, second, third), buttons, homed))
