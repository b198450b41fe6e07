"""The contract of devices, on all that are emulated and, with `--station-device URL`, on hardware."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sim_devices.contract import DeviceContract
from station.clock import WALL, VirtualClock
from station.devices import Device, open_device
from station.devices.address import parse_address
from station.devices.software.panel import panels

EMULATED = [
    "sim:syntaxer?hand=none",
    "sim:syntaxer?rate=4000",
    "sim:syntaxer?faults=drop p=0.1;jitter ms=2;corrupt p=0.05",
    "sim:magellan",
    "sim:spaceball",
    "sim:mouse3d",
    "sim:mouse3d?hand=none",
    "sim:falcon",
    "sim:spacemouse",
]


@pytest.mark.parametrize("url", EMULATED)
class TestEmulated(DeviceContract):
    """On a virtual clock."""

    @pytest.fixture
    def device(self, url: str) -> Iterator[Device]:
        self.clock = VirtualClock()
        device = open_device(url, self.clock)
        yield device
        device.close()


class TestPanel(DeviceContract):
    """With a window that refreshes it."""

    @pytest.fixture
    def device(self) -> Iterator[Device]:
        self.clock = VirtualClock()
        with panels.open(parse_address("panel:contract"), self.clock) as device:
            self.clock.attach(lambda _: device.refresh())
            device.refresh()
            device.newest()
            yield device


class TestProcess(DeviceContract):
    """The emulator as a process of its own behind a pseudo-terminal, on wall time."""

    url = "sim:syntaxer"


class TestHardware(DeviceContract):
    """Whatever `--station-device` names."""

    @pytest.fixture
    def device(self, request: pytest.FixtureRequest) -> Iterator[Device]:
        url = request.config.getoption("--station-device")
        if not url:
            pytest.skip("no --station-device URL given")
        device = open_device(url, WALL)
        yield device
        device.close()
