"""`serial:` addresses: devices at a serial port, as `serial:/dev/ttyACM0` or `serial:/dev/ttyS0?device=magellan`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from serial.tools import list_ports

from firmware_bridge.port import Port, open_serial
from firmware_bridge.syntaxer.driver import OPEN_TIMEOUT, SyntaxerDevice
from firmware_bridge.syntaxer.protocol import RATES
from station.clock import Clock
from station.devices.address import Address
from station.devices.device import Device
from station.devices.errors import AddressError
from station.devices.registry import Found

KINDS = ("syntaxer", "magellan", "spaceball", "mouse3d")
BAUD = 3_000_000  # of a USB-serial bridge that has one; USB itself and pseudo-terminals have none


class Opener(Protocol):
    """Opens a device at a serial port, or one to which `connect` leads."""

    def __call__(self, address: Address, clock: Clock, connect: Callable[[], Port] | None = None) -> Device:
        """The device, or a DeviceError."""


class SerialDevices:
    """The scheme `serial:`."""

    def open(self, address: Address, clock: Clock) -> Device:
        """Open the device at a port: a syntaxer, unless `?device=` says otherwise."""
        if not address.place:
            raise AddressError(f"{address.url}: name the port, for example serial:/dev/ttyACM0")
        return opener_of(address.choice("device", "syntaxer", KINDS))(address, clock)

    def find(self) -> Iterator[Found]:
        """Ports with hardware behind them; what is plugged in there shows only when it is opened."""
        for port in list_ports.comports():
            if port.vid is not None:
                yield Found(f"serial:{port.device}", port.description, port.serial_number or "", False)


def opener_of(kind: str) -> Opener:
    """What opens a kind of device at a serial port."""
    if kind == "magellan":
        from firmware_bridge.spacemouse.magellan import open_magellan  # loads what a syntaxer does not need

        return open_magellan
    if kind == "spaceball":
        from firmware_bridge.spacemouse.spaceball import open_spaceball

        return open_spaceball
    if kind == "mouse3d":
        from firmware_bridge.mouse3d import open_mouse3d

        return open_mouse3d
    return open_syntaxer


def open_syntaxer(address: Address, clock: Clock, connect: Callable[[], Port] | None = None) -> SyntaxerDevice:
    """Open a syntaxer; options: `rate` [Hz], `calibration` (a result file). `connect` opens its port by other means."""
    address.allow({"device", "rate", "calibration"})
    rate = round(address.number("rate", 1000, *RATES))
    calibration = address.options.get("calibration", "")
    connect = connect or (lambda: open_serial(address.place, BAUD))
    device = SyntaxerDevice(address.url, clock, connect, rate, calibration)
    device.wait_until_ready(OPEN_TIMEOUT)
    return device


SCHEME = SerialDevices()
