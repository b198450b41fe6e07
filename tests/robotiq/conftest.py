"""A bench for every test that asks for one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from sim_devices.ends import SocketEnd
from sim_devices.robotiq.emulator import RobotiqEmulator
from station.clock import VirtualClock
from tests.robotiq.benches import Bench, driver


@pytest.fixture
def bench() -> Iterator[Bench]:
    clock, end = VirtualClock(), SocketEnd("gripper")
    with contextlib.closing(RobotiqEmulator(end, clock)) as emulator, driver(end, clock) as gripper:
        yield Bench(clock, emulator, gripper)
