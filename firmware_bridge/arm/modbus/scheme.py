"""Opening an arm by a Modbus address."""

from __future__ import annotations

import socket

from firmware_bridge.arm.modbus.driver import ModbusController
from firmware_bridge.arm.modbus.framing import RtuFraming, TcpFraming
from firmware_bridge.arm.modbus.lines import Line, TcpPort
from firmware_bridge.arm.protocol import Role
from firmware_bridge.port import open_serial
from station.clock import Clock
from station.controllers.errors import ControllerAddressError, ControllerNotFoundError
from station.devices.address import Address

TCP_PORT = 502
BAUD = 115_200
UNITS = (0, 247)
TCP_TIMEOUT, SERIAL_TIMEOUT = 0.1, 0.2  # until a request is given up [s]
SERIAL_LOST = 0.25  # a serial line needs 30 ms for one exchange at 115,200 baud [s]


class ModbusControllers:
    """The schemes `modbus:` and `modbus+serial:`."""

    def listens_at(self, address: Address) -> tuple[str, int] | None:
        """Host and port of an arm on TCP."""
        return _endpoint(address) if address.scheme == "modbus" else None

    def open(self, address: Address, clock: Clock) -> ModbusController:
        """Open the arm; options: role, unit, and baud on a serial line."""
        serial = address.scheme == "modbus+serial"
        address.allow({"role", "unit", "baud"} if serial else {"role", "unit"})
        unit = round(address.number("unit", 1, *UNITS))
        role = Role[address.choice("role", "command", ("command", "observe")).upper()]
        controller = self._serial(address, clock, unit, role) if serial else self._tcp(address, clock, unit, role)
        controller.wait_until_ready()
        return controller

    def _tcp(self, address: Address, clock: Clock, unit: int, role: Role) -> ModbusController:
        host, port = _endpoint(address)
        try:
            place = str(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][4][0])  # once: it may take time
        except OSError:
            raise ControllerNotFoundError(f"{address.url}: there is no machine {host!r}") from None
        lines = [Line(lambda: TcpPort(place, port), TcpFraming(), unit, TCP_TIMEOUT) for _ in range(2)]
        return ModbusController(address.url, clock, lines[0], lines[1], role)

    def _serial(self, address: Address, clock: Clock, unit: int, role: Role) -> ModbusController:
        if not address.place:
            raise ControllerAddressError(f"{address.url}: name the port, for example modbus+serial:/dev/ttyUSB0")
        baud = round(address.number("baud", BAUD, 1200, 12_000_000))
        line = Line(lambda: open_serial(address.place, baud), RtuFraming(unit), unit, SERIAL_TIMEOUT)
        controller = ModbusController(address.url, clock, line, None, role)
        controller.lost_after = SERIAL_LOST
        return controller


def _endpoint(address: Address) -> tuple[str, int]:
    place = address.place.removeprefix("//").rstrip("/")
    host, colon, port = place.rpartition(":") if not place.endswith("]") else (place, "", "")
    if not colon:
        host, port = place, str(TCP_PORT)
    if not address.place.startswith("//") or not host or not port.isdecimal() or not 1 <= int(port) <= 65535:
        raise ControllerAddressError(f"{address.url}: write modbus://host:port, for example modbus://127.0.0.1:502")
    return host.strip("[]"), int(port)


SCHEME = ModbusControllers()
