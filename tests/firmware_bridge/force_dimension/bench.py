"""A device on the fake of the SDK."""

from __future__ import annotations

import numpy as np

from firmware_bridge.force_dimension.device import ForceDimension, ForceDimensionScheme
from station.clock import VirtualClock
from station.devices.address import parse_address
from station.devices.device import DeviceStatus, Sample
from tests.firmware_bridge.force_dimension.fake import FakeDhd

OMEGA3, OMEGA7, SIGMA7 = 33, 35, 104


class Bench:
    """A device on the fake, ticked at 1 kHz on a virtual clock."""

    def __init__(self, dhd: FakeDhd, url: str = "forcedimension:") -> None:
        self.dhd = dhd
        self.clock = VirtualClock()
        device = ForceDimensionScheme(dhd.library).open(parse_address(url), self.clock)
        assert isinstance(device, ForceDimension)
        self.device = device

    def has(self, status: DeviceStatus) -> bool:
        return self.device.status is status

    def force_on(self) -> bool:
        return self.dhd.force_on

    def tick(self, wrench: tuple[float, ...] = (0.0,) * 6, times: int = 1) -> Sample | None:
        sample = None
        for _ in range(times):
            self.clock.advance(0.001)
            sample = self.device.newest()
            self.device.command(np.array(wrench))
        return sample
