"""Fixtures for tests with emulated devices, in this project and in others; loaded by pytest by itself.

def test_my_program(emulated):
    device = emulated("syntaxer", hand="none", faults="silence at 1")   # on a virtual clock
    emulated.clock.advance(0.5)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

if TYPE_CHECKING:
    from sim_devices.scheme import EmulatedDevice
    from station.clock import VirtualClock


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--device URL`, `--controller URL`: hardware to run the contracts on."""
    group = parser.getgroup("haptic station")
    group.addoption(
        "--device", metavar="URL", help="run the contract of devices on this one, for example serial:/dev/ttyACM0"
    )
    group.addoption(
        "--controller",
        metavar="URL",
        help="run the contract of controllers on this one, for example tcp://10.0.0.7:5555",
    )


class Emulated:
    """Opens emulated devices on one virtual clock and closes them at the end of the test."""

    def __init__(self) -> None:
        from station.clock import VirtualClock

        self.clock: VirtualClock = VirtualClock()
        self.open = ExitStack()

    def __call__(self, kind: str = "syntaxer", **options: Any) -> EmulatedDevice:
        """Open `sim:kind` with options such as hand, faults, seed, rate."""
        from sim_devices.scheme import SCHEME
        from station.devices.address import parse_address

        query = f"?{urlencode(options)}" if options else ""
        device = SCHEME.open(parse_address(f"sim:{kind}{query}"), self.clock)
        self.open.callback(device.close)
        return device


@pytest.fixture
def emulated() -> Iterator[Emulated]:
    """Emulated devices on a virtual clock: deterministic, and as fast as they compute."""
    bench = Emulated()
    with bench.open:
        yield bench


@pytest.fixture
def virtual_clock(emulated: Emulated) -> VirtualClock:
    """The clock of `emulated`."""
    return emulated.clock
