"""Every scheme of these devices is what the registry asks for."""

from __future__ import annotations

import pytest

from firmware_bridge.force_dimension.device import SCHEME as FORCE_DIMENSION
from firmware_bridge.spacemouse.spacenavd import SCHEME as SPACENAV
from station.clock import VirtualClock
from station.devices.address import parse_address
from station.devices.errors import AddressError
from station.devices.registry import Scheme
from station.devices.software.keyboard import SCHEME as KEYBOARD
from station.devices.software.panel import SCHEME as PANEL

SCHEMES: dict[str, Scheme] = {
    "forcedimension": FORCE_DIMENSION,
    "keyboard": KEYBOARD,
    "panel": PANEL,
    "spacenav": SPACENAV,
}


@pytest.mark.parametrize("name", SCHEMES)
def test_a_misspelt_option_is_refused_with_the_options_that_there_are(name: str) -> None:
    with pytest.raises(AddressError, match="unknown option 'colour'"):
        SCHEMES[name].open(parse_address(f"{name}:?colour=red"), VirtualClock())


@pytest.mark.parametrize("name", SCHEMES)
def test_finding_gives_addresses_of_the_scheme(name: str) -> None:
    assert all(found.url.startswith(f"{name}:") and not found.emulated for found in SCHEMES[name].find())
