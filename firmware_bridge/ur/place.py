"""Where a robot is, and what it is called: what both sides of the line understand."""

from __future__ import annotations

from firmware_bridge.ur import rtde
from station.controllers.errors import ControllerAddressError
from station.devices.address import Address

NAMES = ("base", "shoulder", "elbow", "wrist 1", "wrist 2", "wrist 3")  # of the joints, if an address tells no others
EMULATED = "0000"  # how the serial number of what is emulated begins; libraries want a number


def endpoint_of(address: Address) -> tuple[str, int]:
    """Host and port of RTDE."""
    place = address.place.removeprefix("//").rstrip("/")
    host, colon, port = place.partition(":")
    port = port if colon else str(rtde.PORT)
    if not address.place.startswith("//") or not host or not port.isdecimal() or not 1024 <= int(port) <= 65535:
        raise ControllerAddressError(f"{address.url}: write ur://host, for example ur://192.168.0.10")
    return host, int(port)
