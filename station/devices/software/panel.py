"""The panel on the screen: six sliders that spring back, and buttons. `panel:` or `panel:name`."""

from __future__ import annotations

import math

from station.clock import Clock
from station.devices.address import Address
from station.devices.errors import AddressError
from station.devices.software.deflection import AXES
from station.devices.software.held import DEAD_MAN, HeldDevice, HeldScheme

BUTTONS = (DEAD_MAN, "clutch", "grip")


class PanelDevice(HeldDevice):
    """What the sliders and buttons of a panel say."""

    def __init__(self, url: str, clock: Clock) -> None:
        super().__init__(url, clock, "panel", BUTTONS)

    def set_axis(self, axis: str, share: float) -> None:
        """Deflect an axis of AXES by `share`, from -1 to 1 of its travel; it holds as long as it is refreshed."""
        if axis not in AXES:
            raise AddressError(f"{self.url}: no axis {axis!r}; there are: {', '.join(AXES)}")
        with self._lock:
            self.refresh()
            self._values[AXES.index(axis)] = share if math.isfinite(share) else 0.0


def _make(address: Address, clock: Clock) -> PanelDevice:
    address.allow(())
    return PanelDevice(address.url, clock)


panels: HeldScheme[PanelDevice] = HeldScheme("panel", "on-screen panel", _make)
SCHEME = panels
