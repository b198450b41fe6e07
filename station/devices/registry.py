"""Opening a device by its address. Schemes are entry points, so a third party adds one by installing a package."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple, Protocol

from station.clock import WALL, Clock
from station.devices.address import Address, parse_address
from station.devices.device import Device
from station.devices.errors import AddressError

GROUP = "station.devices"


class Found(NamedTuple):
    """A device that could be opened."""

    url: str
    model: str
    detail: str  # serial number, or what to know
    emulated: bool


class Scheme(Protocol):
    """What an entry point of the group `station.devices` names: an object with these two functions."""

    def open(self, address: Address, clock: Clock) -> Device:
        """Open the device at an address, or raise a DeviceError."""

    def find(self) -> Iterable[Found]:
        """What is there to be opened; may be empty. Must neither move nor disturb a device."""


def schemes() -> dict[str, EntryPoint]:
    """All known schemes by name."""
    return entries_of(GROUP)


def entries_of(group: str) -> dict[str, EntryPoint]:
    """All entry points of a group by name."""
    return {entry.name: entry for entry in sorted(_installed().select(group=group), key=lambda entry: entry.name)}


@cache
def _installed() -> Any:
    """Entry points of all packages: to find them, a file of each is read, so they are looked for once."""
    return entry_points()


def open_device(url: str, clock: Clock = WALL) -> Device:
    """Open a device, for example `serial:/dev/ttyACM0`, `usb:falcon`, `sim:syntaxer`, `replay:run.mcap`."""
    address = parse_address(url)
    known = schemes()
    if address.scheme not in known:
        raise AddressError(f"{url}: unknown kind of address {address.scheme!r}; there are: {', '.join(known)}")
    try:
        scheme: Scheme = known[address.scheme].load()
    except (ImportError, AttributeError) as error:  # a third party's package, or half an installation
        package = known[address.scheme].value
        raise AddressError(f"{url}: {package} cannot be loaded ({error}); install it again") from error
    return scheme.open(address, clock)
