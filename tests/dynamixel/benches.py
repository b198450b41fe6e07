"""Servos on an emulated bus, in one process on a virtual clock."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from firmware_bridge.dynamixel.bus import Bus
from firmware_bridge.dynamixel.driver import DynamixelController
from firmware_bridge.dynamixel.servos import Seat
from sim_devices.arm_links.contract import ControllerContract
from sim_devices.dynamixel.bus import DynamixelArm
from sim_devices.ends import SocketEnd
from station.clock import VirtualClock
from station.controllers import ControlledJoint
from tests.controllers.double import DoubleArm

JOINTS = (
    ControlledJoint(name="base", low=-3.0, high=3.0, speed=2.0, acceleration=10.0, effort=4.0),
    ControlledJoint(name="shoulder", low=-2.0, high=2.0, speed=2.0, acceleration=10.0, effort=4.0),
    ControlledJoint(name="elbow", low=-1.5, high=1.5, speed=2.0, acceleration=10.0),
    ControlledJoint(name="wrist"),
)
NAMES = tuple(joint.name for joint in JOINTS)


class ServoDouble(DoubleArm):
    """The double with joints that turn, all of them at 0.1."""

    def __init__(self, **changes: object) -> None:
        super().__init__(**{"joints": JOINTS, **changes})  # type: ignore[arg-type]
        self.q[:] = 0.1


class ServoBench(NamedTuple):
    clock: VirtualClock
    arm: DoubleArm
    server: DynamixelArm
    connect: Callable[..., DynamixelController]


def seats(idents: Sequence[int] = (1, 2, 3, 4), **changes: object) -> list[Seat]:
    return [
        Seat(ident=ident, name=name, **changes)  # type: ignore[arg-type]
        for ident, name in zip(idents, NAMES, strict=False)
    ]


def servo_bench(fast_reads: bool = True, **changes: object) -> ServoBench:
    clock, arm = VirtualClock(), ServoDouble(**changes)
    end = SocketEnd("emulated servos")
    server = DynamixelArm(arm, end, clock, fast_reads=fast_reads)

    def connect(places: Sequence[Seat] | None = None, watchdog: int = 3) -> DynamixelController:
        bus = Bus(end.connect, 4_000_000)
        controller = DynamixelController("dynamixel:test", clock, bus, places or seats(), watchdog)
        controller.wait_until_ready()
        return controller

    return ServoBench(clock, arm, server, connect)


@contextlib.contextmanager
def running(**changes: object) -> Iterator[ServoBench]:
    bench = servo_bench(**changes)  # type: ignore[arg-type]
    with contextlib.closing(bench.server):
        yield bench


class Ticking(ControllerContract):
    """The helpers of the contract, without its tests."""


def ticks(bench: ServoBench) -> Ticking:
    helper = Ticking()
    helper.clock = bench.clock
    return helper
