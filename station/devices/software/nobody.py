"""`Nobody`: the null device of MAD, a hand that is not there; commands lead, and who sends them is the dead-man.

The servo knows it and asks it nothing: what is here is for those who look.
"""

from __future__ import annotations

from station.clock import WALL, Clock
from station.devices.device import Axis, Capabilities, DeviceStatus, PassiveDevice, Sample

URL = "none:"


class Nobody(PassiveDevice):
    """No axis, no button, always ready."""

    url = URL

    def __init__(self, clock: Clock = WALL) -> None:
        self.clock = clock
        self.capabilities = Capabilities(model="nobody", axes=(Axis(),) * 6, buttons=(), rate=1000.0)
        self._status = DeviceStatus.READY

    def newest(self) -> Sample | None:
        """It has none of its own."""
        return None

    def close(self) -> None:
        """Nothing to let go of."""
        self._status = DeviceStatus.CLOSED
