"""An emulated robot in one process on a virtual clock, at a loopback address of its own: its ports are fixed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from firmware_bridge.arm.curve import Endpoint
from firmware_bridge.ur.driver import URController
from firmware_bridge.ur.place import NAMES
from firmware_bridge.ur.scheme import SCHEME
from sim_devices.arm_links.contract import ControllerContract
from sim_devices.fixtures import own_host
from sim_devices.ur.arm import URArm
from station.clock import VirtualClock
from station.controllers import ControlledJoint
from station.controllers.registry import parse_controller_address
from tests.controllers.double import DoubleArm

JOINTS = tuple(ControlledJoint(name=name, low=-6.0, high=6.0, speed=3.0, acceleration=10.0) for name in NAMES)


class RobotDouble(DoubleArm):
    """The double with six joints that turn."""

    def __init__(self, **changes: object) -> None:
        super().__init__(**{"joints": JOINTS, "rate": 500.0, **changes})  # type: ignore[arg-type]
        self.q[:] = np.array([0.1, -1.5, 1.2, 0.3, 0.2, 0.0])


class RobotBench(NamedTuple):
    clock: VirtualClock
    arm: DoubleArm
    server: URArm
    connect: Callable[..., URController]


@contextlib.contextmanager
def running(**options: object) -> Iterator[RobotBench]:
    clock, arm = VirtualClock(), RobotDouble()
    server = URArm(arm, Endpoint(own_host(), 30004), clock, **options)  # type: ignore[arg-type]

    def connect(more: str = "") -> URController:
        return SCHEME.open(parse_controller_address(server.address + more), clock)

    with contextlib.closing(server):
        yield RobotBench(clock, arm, server, connect)


class Ticking(ControllerContract):
    """The helpers of the contract, without its tests."""


def ticks(bench: RobotBench) -> Ticking:
    helper = Ticking()
    helper.clock = bench.clock
    return helper
