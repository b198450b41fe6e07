"""`UsbDevice`: what an emulated device does with the transfers of a host."""

from __future__ import annotations

from collections.abc import Callable

from sim_devices.usb.descriptors import Identity
from sim_devices.usb.errors import stalled, timed_out
from station.clock import Clock, VirtualClock

PAUSE = 0.0002  # time between two looks while a host waits on wall time [s]


class UsbDevice:
    """A device without its cable: the bus adds that.

    A kind of device overrides the transfers it knows; all others stall, as in hardware. Strings and standard requests
    are answered by the backend from `identity`. Transfers raise what `sim_devices.usb.errors` makes. They are called
    in the thread of whoever uses pyusb: a device that lives in another thread brings its own lock.
    """

    identity: Identity
    readable = True  # whether this user may open it
    kernel_driver = False  # whether the operating system has taken interface 0 for itself

    def plugged(self) -> None:
        """The cable is in: power comes up."""

    def unplugged(self) -> None:
        """The cable is out: power is gone."""

    def opened(self) -> None:
        """A host has claimed an interface."""

    def closed(self) -> None:
        """The host has let it go."""

    def control_in(self, request_type: int, request: int, value: int, index: int, length: int) -> bytes:
        """Answer a request that is not a standard one of the device, with at most `length` bytes."""
        del request_type, request, value, index, length
        raise stalled()

    def control_out(self, request_type: int, request: int, value: int, index: int, data: bytes) -> None:
        """Take a request that is not a standard one of the device."""
        del request_type, request, value, index, data
        raise stalled()

    def bulk_read(self, endpoint: int, size: int, timeout: float) -> bytes:
        """At most `size` bytes for the host, within `timeout` [s]."""
        del endpoint, size, timeout
        raise stalled()

    def bulk_write(self, endpoint: int, data: bytes, timeout: float) -> int:
        """Take bytes of the host within `timeout` [s]; returns how many."""
        del endpoint, data, timeout
        raise stalled()

    def intr_read(self, endpoint: int, size: int, timeout: float) -> bytes:
        """The next report, at most `size` bytes, within `timeout` [s]."""
        del endpoint, size, timeout
        raise stalled()

    def intr_write(self, endpoint: int, data: bytes, timeout: float) -> int:
        """Take a report of the host; returns how many bytes."""
        del endpoint, data, timeout
        raise stalled()


def wait_for(clock: Clock, look: Callable[[], bytes | None], timeout: float, pause: float = PAUSE) -> bytes:
    """What `look` finds, as soon as it finds something, within `timeout` [s]; then a time-out as libusb raises it.

    On a virtual clock it looks once: time passes only when somebody moves it on, and never within a transfer.
    """
    end = clock.now() + timeout
    while (found := look()) is None:
        now = clock.now()
        if isinstance(clock, VirtualClock) or now >= end:
            raise timed_out()
        clock.sleep_until(min(now + pause, end))
    return found
