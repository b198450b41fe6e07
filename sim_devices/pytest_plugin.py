"""Fixtures for tests with emulated devices and arms, in this project and in others; loaded by pytest by itself.

def test_my_program(emulated):
    device = emulated("syntaxer", hand="none", faults="silence at 1")   # on a virtual clock
    emulated.clock.advance(0.5)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sim_devices.falcon import FalconEmulator
    from sim_devices.fixtures import ArmBench, Emulated, GripperBench, RawPort
    from sim_devices.spacemouse import SpaceMouseEmulator
    from station.clock import VirtualClock

FORMERLY = {"--device": "--station-device", "--controller": "--station-controller"}  # words that other suites use, too


def __getattr__(name: str) -> Any:
    """`Emulated`, where tests of others look for it; it is loaded only then, as this module is with every pytest."""
    if name == "Emulated":
        from sim_devices.fixtures import Emulated

        return Emulated
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--station-device URL`, `--station-controller URL`: hardware to run the contracts on."""
    group = parser.getgroup("haptic station")
    group.addoption(
        "--station-device",
        metavar="URL",
        help="run the contract of devices on this one, for example serial:/dev/ttyACM0",
    )
    group.addoption(
        "--station-controller",
        metavar="URL",
        help="run the contract of controllers on this one, for example tcp://10.0.0.7:5555",
    )


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser, args: list[str]) -> Iterator[None]:
    """Take the words of former versions for ours where nobody else has such an option: all others are known by now."""
    yield
    _, unknown = parser.parse_known_and_unknown_args(list(args))
    for place, word in enumerate(args):
        name, equals, value = word.partition("=")
        if word in unknown and name in FORMERLY:
            args[place] = f"{FORMERLY[name]}{equals}{value}"
            warnings.warn(f"{name} is called {FORMERLY[name]} now", pytest.PytestConfigWarning, stacklevel=1)


@pytest.fixture
def emulated() -> Iterator[Emulated]:
    """Emulated devices on a virtual clock: deterministic, and as fast as they compute."""
    from sim_devices.fixtures import Emulated

    bench = Emulated()
    with bench.open:
        yield bench


@pytest.fixture
def virtual_clock(emulated: Emulated) -> VirtualClock:
    """The clock of `emulated` and of all other emulators of a test."""
    return emulated.clock


@pytest.fixture
def emulated_port(emulated: Emulated) -> Callable[..., RawPort]:
    """Bytes without a driver: `emulated_port("magellan", hand="none")`, on the same clock."""
    return emulated.port


@pytest.fixture
def emulated_usb(emulated: Emulated) -> Callable[..., FalconEmulator | SpaceMouseEmulator]:
    """A USB bus without a driver: `usb.core.find(backend=emulated_usb("falcon").bus.backend)`."""
    return emulated.usb


@pytest.fixture
def emulated_arm(emulated: Emulated) -> Callable[..., ArmBench]:
    """An arm with its driver: `emulated_arm("ur")`, or native (our own messages), modbus, modbus+serial, dynamixel."""
    return emulated.arm


@pytest.fixture
def emulated_gripper(emulated: Emulated) -> Callable[..., GripperBench]:
    """A gripper with its driver: `emulated_gripper(faults="silence at 1")`."""
    return emulated.gripper
