"""`serial:` addresses of controllers: an arm at a serial port, as `serial:/dev/ttyACM0?baud=3000000`.

The same messages as over ZeroMQ, all on one line. Nothing queues in the driver: what the line cannot take is dropped,
and newer follows. An emergency stop throws away what still waits in the system and goes out alone.
"""

from __future__ import annotations

import contextlib
import termios
from collections.abc import Callable

from firmware_bridge.arm.chunks import Unstuffer, stuffed
from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.link import ArmLink
from firmware_bridge.arm.messages import Welcome
from firmware_bridge.arm.protocol import Type
from firmware_bridge.port import Port, open_serial
from station.clock import Clock
from station.controllers.errors import (
    ControllerAddressError,
    ControllerBusyError,
    ControllerDeniedError,
    ControllerError,
    ControllerLostError,
    ControllerMismatchError,
    ControllerNotFoundError,
)
from station.devices.address import Address
from station.devices.errors import (
    DeviceBusyError,
    DeviceDeniedError,
    DeviceError,
    DeviceLostError,
    DeviceMismatchError,
)

BAUD = 3_000_000  # of a USB-serial bridge that has one; USB itself and pseudo-terminals have none
BAUDS = (9600, 12_000_000)
MEASUREMENTS = (int(Type.MEASUREMENT), int(Type.COUPLED_MEASUREMENT))

KINDS: dict[type[DeviceError], type[ControllerError]] = {
    DeviceBusyError: ControllerBusyError,
    DeviceDeniedError: ControllerDeniedError,
    DeviceMismatchError: ControllerMismatchError,
    DeviceLostError: ControllerLostError,
}


class SerialLink(ArmLink):
    """The station's end of a serial line."""

    def __init__(self, connect: Callable[[], Port]) -> None:
        self._open = connect
        self._port: Port | None = None
        self._unstuffer = Unstuffer()
        self._others: list[bytes] = []
        self._torn = True  # whether the line may stand in the middle of a message of ours

    def connect(self) -> None:
        """Open the port."""
        try:
            self._port = self._open()
        except DeviceError as error:
            raise KINDS.get(type(error), ControllerNotFoundError)(str(error)) from None
        self._torn = True
        self._others = []

    def disconnect(self) -> None:
        """Close the port."""
        if self._port is not None:
            self._port.close()
            self._port = None

    def welcomed(self, welcome: Welcome) -> None:
        """All goes over one line."""

    @property
    def refused(self) -> int:
        """Noise on the line."""
        return self._unstuffer.bad

    def send_setpoint(self, data: bytes) -> bool:
        """Write it, or drop it."""
        return self._write(data)

    def send_reliable(self, data: bytes) -> bool:
        """Write it; the driver says it again until it is answered."""
        return self._write(data)

    def send_stop(self, data: bytes) -> bool:
        """Throw away what waits, then write."""
        if self._port is not None:
            with contextlib.suppress(termios.error, OSError):  # not a terminal: nothing waits for long
                termios.tcflush(self._port.descriptor, termios.TCOFLUSH)
            self._torn = True
        return self._write(data)

    def _write(self, data: bytes) -> bool:
        if self._port is None:
            return False
        line = stuffed(data)
        try:
            whole = self._port.write(b"\0" + line if self._torn else line)
        except DeviceLostError as error:
            raise ControllerLostError(str(error)) from None
        self._torn = not whole
        return whole

    def measurements(self) -> list[bytes]:
        """Measurements that came in; what else came is kept for `reliable`."""
        if self._port is None:
            return []
        try:
            data = self._port.read()
        except DeviceLostError as error:
            raise ControllerLostError(str(error)) from None
        if not data:
            return []
        found = []
        for message in self._unstuffer.feed(data):
            if len(message) > 3 and message[3] in MEASUREMENTS:
                found.append(message)
            else:
                self._others.append(message)
        return found

    def reliable(self) -> list[bytes]:
        """What else came in."""
        others, self._others = self._others, []
        return others


class SerialControllers:
    """The scheme `serial:` of controllers."""

    def open(self, address: Address, clock: Clock) -> ArmController:
        """Open the arm at a port; option: `baud`."""
        if not address.place:
            raise ControllerAddressError(f"{address.url}: name the port, for example serial:/dev/ttyACM0")
        address.allow({"baud"})
        baud = round(address.number("baud", BAUD, *BAUDS))
        link = SerialLink(lambda: open_serial(address.place, baud))
        controller = ArmController(address.url, clock, link)
        controller.wait_until_ready()
        return controller


SCHEME = SerialControllers()
