"""The contract of devices, on all that are emulated and, with `--device URL`, on hardware."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sim_devices.contract import DeviceContract
from station.clock import WALL, VirtualClock
from station.devices import Device, open_device

EMULATED = [
    "sim:syntaxer?hand=none",
    "sim:syntaxer?rate=4000",
    "sim:syntaxer?faults=drop p=0.1;jitter ms=2;corrupt p=0.05",
    "sim:magellan",
    "sim:spaceball",
    "sim:falcon",
    "sim:spacemouse",
    "panel:contract",
    "keyboard:contract",
]


@pytest.mark.parametrize("url", EMULATED)
class TestEmulated(DeviceContract):
    """On a virtual clock."""

    @pytest.fixture
    def device(self, url: str) -> Iterator[Device]:  # type: ignore[override]
        self.clock = VirtualClock()
        device = open_device(url, self.clock)
        yield device
        device.close()


class TestProcess(DeviceContract):
    """The emulator as a process of its own behind a pseudo-terminal, on wall time."""

    url = "sim:syntaxer"


class TestHardware(DeviceContract):
    """Whatever `--device` names."""

    @pytest.fixture
    def device(self, request: pytest.FixtureRequest) -> Iterator[Device]:
        url = request.config.getoption("--device")
        if not url:
            pytest.skip("no --device URL given")
        device = open_device(url, WALL)
        yield device
        device.close()
