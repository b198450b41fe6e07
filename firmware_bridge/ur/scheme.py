"""`ur:` addresses: `ur://192.168.0.10`, or with the port of RTDE, `ur://192.168.0.10:30004`."""

from __future__ import annotations

import socket

from firmware_bridge.arm.modbus.lines import TcpPort
from firmware_bridge.ur import rtde
from firmware_bridge.ur.driver import INPUTS, URController
from firmware_bridge.ur.place import NAMES, endpoint_of
from firmware_bridge.ur.script import ScriptSettings
from firmware_bridge.ur.session import RtdeSession
from firmware_bridge.ur.side_ports import Dashboard, ProgramPort
from firmware_bridge.ur.telling import OUTPUTS
from station.clock import Clock
from station.controllers.errors import ControllerAddressError, ControllerNotFoundError
from station.devices.address import Address

OPTIONS = ("names", "lookahead", "gain", "watchdog")
STEP = 0.002  # of the program [s]


class URControllers:
    """The scheme `ur:`."""

    takes_watchdog = True

    def listens_at(self, address: Address) -> tuple[str, int]:
        """Host and port of RTDE."""
        return endpoint_of(address)

    def open(self, address: Address, clock: Clock) -> URController:
        """Open a robot; options in docs/vendor_buses.md."""
        address.allow(OPTIONS)
        host, port = endpoint_of(address)
        names = [name.strip() for name in address.options.get("names", ",".join(NAMES)).split(",")]
        if len(names) != len(NAMES) or not all(names) or len(set(names)) != len(names):
            raise ControllerAddressError(f"{address.url}: names are six, each once, from the base to the last wrist")
        settings = ScriptSettings(
            nonce=0,
            step=STEP,
            lookahead=address.number("lookahead", 0.05, 0.03, 0.2),
            gain=round(address.number("gain", 500, 100, 2000)),
            silence=round(address.number("watchdog", 0.06, 0.01, 1.0) / STEP),
        )
        try:
            place = str(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][4][0])  # once: it may take time
        except OSError:
            raise ControllerNotFoundError(f"{address.url}: there is no machine {host!r}") from None
        session = RtdeSession(address.url, lambda: TcpPort(place, port), OUTPUTS, INPUTS)
        programs = ProgramPort(lambda: TcpPort(place, port + rtde.SECONDARY))
        dashboard = Dashboard(lambda: TcpPort(place, port + rtde.DASHBOARD))
        controller = URController(address.url, clock, session, (programs, dashboard), names, settings)
        controller.wait_until_ready()
        return controller


SCHEME = URControllers()
