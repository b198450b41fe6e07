"""The double behind every link, in one process on a virtual clock."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import NamedTuple

from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.linked import LinkedController
from firmware_bridge.arm.modbus.driver import ModbusController
from firmware_bridge.arm.modbus.framing import RtuFraming
from firmware_bridge.arm.modbus.lines import Line
from firmware_bridge.arm.modbus.scheme import SCHEME as MODBUS
from firmware_bridge.arm.protocol import Role
from firmware_bridge.arm.serial_link import SerialLink
from firmware_bridge.arm.zeromq import ZeroMqLink
from sim_devices.arm.network import NetworkSettings
from sim_devices.arm_links.emulator import ArmEmulator
from sim_devices.arm_links.modbus_ends import ModbusSerialArm, ModbusTcpArm
from sim_devices.arm_links.serial_line import SerialArm
from sim_devices.arm_links.zeromq import ZeroMqArm
from sim_devices.ends import SocketEnd
from station.clock import VirtualClock
from station.controllers.registry import parse_controller_address
from tests.controllers.double import DoubleArm

_names = (f"inproc://bench-{number}" for number in itertools.count())


class Bench(NamedTuple):
    """An arm, the server of its link, and how a station opens it."""

    clock: VirtualClock
    arm: DoubleArm
    server: ArmEmulator
    connect: Callable[..., LinkedController]


def zeromq(**changes: object) -> Bench:
    clock, arm, name = VirtualClock(), DoubleArm(**changes), next(_names)  # type: ignore[arg-type]
    server = ZeroMqArm(arm, name, clock)

    def connect(role: Role = Role.COMMAND, who: str = "station") -> LinkedController:
        controller = ArmController(name, clock, ZeroMqLink(name, name), role, who)
        controller.wait_until_ready()
        return controller

    return Bench(clock, arm, server, connect)


def serial(**changes: object) -> Bench:
    clock, arm = VirtualClock(), DoubleArm(**changes)  # type: ignore[arg-type]
    end = SocketEnd("emulated arm")
    server = SerialArm(arm, end, clock)

    def connect(role: Role = Role.COMMAND) -> LinkedController:
        controller = ArmController(server.address, clock, SerialLink(end.connect), role)
        controller.wait_until_ready()
        return controller

    return Bench(clock, arm, server, connect)


def modbus_tcp(combined: bool = True, map_version: int = 1, delay: float = 0.0, **changes: object) -> Bench:
    """With `delay`, messages take so long each way [s]."""
    clock, arm = VirtualClock(), DoubleArm(**changes)  # type: ignore[arg-type]
    network = NetworkSettings(delay=delay) if delay else None
    server = ModbusTcpArm(arm, clock=clock, combined=combined, map_version=map_version, network=network)

    def connect(role: Role = Role.COMMAND) -> LinkedController:
        query = "?role=observe" if role is Role.OBSERVE else ""
        return MODBUS.open(parse_controller_address(server.address + query), clock)

    return Bench(clock, arm, server, connect)


def modbus_serial(combined: bool = True, **changes: object) -> Bench:
    clock, arm = VirtualClock(), DoubleArm(**changes)  # type: ignore[arg-type]
    end = SocketEnd("emulated arm")
    server = ModbusSerialArm(arm, end, clock, combined=combined)

    def connect(role: Role = Role.COMMAND) -> LinkedController:
        line = Line(end.connect, RtuFraming(1), 1, 0.05)
        controller = ModbusController(server.address, clock, line, None, role)
        controller.wait_until_ready()
        return controller

    return Bench(clock, arm, server, connect)


BENCHES: dict[str, Callable[..., Bench]] = {
    "zeromq": zeromq,
    "serial": serial,
    "modbus-tcp": modbus_tcp,
    "modbus-serial": modbus_serial,
}
