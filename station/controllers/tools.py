"""Opening a tool by its address. Schemes are entry points, so a third party adds one by installing a package."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Protocol

from station.clock import WALL, Clock
from station.controllers.registry import parse_controller_address, scheme_of
from station.controllers.tool import GrippingTool
from station.devices.address import Address
from station.devices.registry import entries_of

GROUP = "station.tools"


class ToolScheme(Protocol):
    """What an entry point of the group `station.tools` names: an object with this function."""

    def open(self, address: Address, clock: Clock) -> GrippingTool:
        """Open the tool at an address, or raise a ControllerError. Nothing moves."""


def tool_schemes() -> dict[str, EntryPoint]:
    """All known schemes by name."""
    return entries_of(GROUP)


def open_tool(url: str, clock: Clock = WALL) -> GrippingTool:
    """Open a tool that grips, for example `robotiq:/dev/ttyUSB0?model=2f85`; nothing moves because of it."""
    address = parse_controller_address(url)
    scheme: ToolScheme = scheme_of(address, tool_schemes(), "tool")
    return scheme.open(address, clock)
