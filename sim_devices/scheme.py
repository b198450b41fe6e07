"""`sim:` addresses: an emulated device with its real driver, for example `sim:syntaxer?hand=none&seed=3`.

On wall time the emulator is a process of its own and the driver talks to it through a port of the system; on a virtual
clock both live in this process, joined by a socket pair, and time passes only when it is moved on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from firmware_bridge.serial_devices import opener_of
from sim_devices.emulator import Emulator
from sim_devices.ends import SocketEnd
from sim_devices.kinds import SERIAL, Wishes
from sim_devices.launch import AT, started, wishes_of
from sim_devices.running import running
from sim_devices.usb_kinds import USB
from station.clock import Clock, Exchange, VirtualClock
from station.devices.address import Address, parse_address
from station.devices.device import Device, DeviceStatus, Floats, Sample
from station.devices.registry import Found
from station.devices.swift import Swift

OURS = (
    "hand",
    "faults",
    "seed",
    "patient",
    "wrong",
    "ideal",
    "serial",
    AT,
)  # options that make the emulator; the others are for the driver


class EmulatedDevice(Device):
    """A device whose other end is an emulator that ends with it. Always named as such by its address."""

    def __init__(self, url: str, device: Device, ending: ExitStack, emulator: Emulator | None = None) -> None:
        self.url = url
        self.device = device  # the real driver
        self.emulator = emulator  # if it lives in this process
        self.capabilities, self.calibrations = device.capabilities, device.calibrations
        self._ending = ending

    @property
    def status(self) -> DeviceStatus:
        """Of the driver."""
        return self.device.status

    @property
    def reason(self) -> str:
        """Of the driver."""
        return self.device.reason

    @property
    def force_off(self) -> str:  # type: ignore[override]  # a plain attribute of drivers
        """Of the driver."""
        return self.device.force_off

    @property
    def force_enabled(self) -> bool:
        """Of the driver."""
        return self.device.force_enabled

    @property
    def frames_lost(self) -> int:
        """Of the driver."""
        return self.device.frames_lost

    @property
    def exchange(self) -> Exchange | None:
        """Of the driver."""
        return self.device.exchange

    @property
    def swift(self) -> Swift | None:
        """Of the driver."""
        return self.device.swift

    def newest(self) -> Sample | None:
        """Of the driver."""
        return self.device.newest()

    def command(self, wrench: Floats | Sequence[float]) -> None:
        """To the driver."""
        self.device.command(wrench)

    def enable_force(self) -> bool:
        """To the driver."""
        return self.device.enable_force()

    def disable_force(self) -> None:
        """To the driver."""
        self.device.disable_force()

    def clear_fault(self) -> None:
        """To the driver."""
        self.device.clear_fault()

    def close(self) -> None:
        """End driver and emulator."""
        self.device.close()
        self._ending.close()


class EmulatedDevices:
    """The scheme `sim:`."""

    def open(self, address: Address, clock: Clock) -> EmulatedDevice:
        """Make an emulator and open it with the driver that hardware gets."""
        kind, wishes, at = address.place, wishes_of(address), address.options.get(AT)
        url = address.url if at is None else _without_at(address.url)
        options = {name: value for name, value in address.options.items() if name not in OURS}
        if kind in USB:
            return _open_usb(kind, Address(url, "usb", kind, options), clock, wishes, at)
        with ExitStack() as stack:
            if isinstance(clock, VirtualClock):
                end = SocketEnd(f"emulated {kind}")
                emulator = SERIAL[kind](end, clock, wishes)
                stack.callback(emulator.close)
                driver = opener_of(kind)(Address(url, "serial", end.name, options), clock, end.connect)
                return EmulatedDevice(url, driver, stack.pop_all(), emulator)
            place = at or parse_address(stack.enter_context(started(kind, wishes))).place
            driver = opener_of(kind)(Address(url, "serial", place, options), clock)
            return EmulatedDevice(url, driver, stack.pop_all())

    def find(self) -> Iterator[Found]:
        """Emulators that run as processes, then those that can be had."""
        for note in running():
            yield Found(note.address, note.kind, f"emulator, process {note.process}", True)
        for kind in (*SERIAL, *USB):
            yield Found(f"sim:{kind}", kind, "emulator, started when opened", True)


def _without_at(url: str) -> str:
    """As it is named to people."""
    place, _, query = url.partition("?")
    kept = [pair for pair in query.split("&") if not pair.startswith(f"{AT}=")]
    return f"{place}?{'&'.join(kept)}" if kept else place


def _open_usb(kind: str, address: Address, clock: Clock, wishes: Wishes, at: str | None) -> EmulatedDevice:
    """Open an emulator on a USB bus: of this process on a virtual clock, of its own process on wall time."""
    from firmware_bridge.usb_devices import OPENERS  # loads drivers that none but these need
    from firmware_bridge.usb_devices import SCHEME as USB_DEVICES

    with ExitStack() as stack:
        if isinstance(clock, VirtualClock):
            emulator = USB[kind](clock, wishes)
            stack.callback(emulator.close)
            driver = OPENERS[kind](address, clock, emulator.bus.backend)
            return EmulatedDevice(address.url, driver, stack.pop_all(), emulator)
        bus = {"bus": at} if at else parse_address(stack.enter_context(started(kind, wishes))).options
        driver = USB_DEVICES.open(address._replace(options=address.options | bus), clock)
        return EmulatedDevice(address.url, driver, stack.pop_all())


SCHEME = EmulatedDevices()
