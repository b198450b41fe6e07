"""What the fixtures of `pytest_plugin` hand out: emulators with or without their drivers, on one virtual clock."""

from __future__ import annotations

import itertools
import os
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import station
from firmware_bridge.port import Port
from firmware_bridge.robotiq.opening import open_gripper
from sim_devices.ends import End, SocketEnd, UnixEnd
from sim_devices.faults import FaultScript, parse_faults
from sim_devices.kinds import SERIAL, Wishes
from sim_devices.robotiq.emulator import RobotiqEmulator
from sim_devices.scheme import SCHEME, EmulatedDevice
from sim_devices.scripts import EmulatorError
from sim_devices.usb_kinds import USB
from station.clock import VirtualClock
from station.controllers import Controller, open_controller
from station.devices.address import parse_address

if TYPE_CHECKING:
    from firmware_bridge.robotiq.driver import RobotiqGripper
    from sim_devices.arm import EmulatedArm
    from sim_devices.arm_links.emulator import ArmEmulator
    from sim_devices.emulator import Emulator
    from sim_devices.falcon import FalconEmulator
    from sim_devices.spacemouse import SpaceMouseEmulator

ARM_LINKS = {  # whose bytes pass at once, as a virtual clock needs it
    "native": "serial:",
    "modbus": "modbus://127.0.0.1:0",
    "modbus+serial": "modbus+serial:",
    "dynamixel": "dynamixel:",
    "ur": "ur://{host}",
}
ARM_PORTS = {"arm": "serial:", "modbus": "modbus+serial:", "dynamixel": "dynamixel:"}  # arms at a serial line
USUAL_ROBOTS = {"dynamixel": "hobby-arm"}  # shipped ones that a link fits; elsewhere ur5e
_hosts = itertools.count()


@dataclass
class RawPort:
    """The station's end of a cable: bytes, and what is at its other end."""

    port: Port
    emulator: Emulator

    def read(self) -> bytes:
        """All bytes that have come in, or none."""
        return self.port.read()

    def write(self, data: bytes) -> bool:
        """Send; they are heard as time goes on."""
        return self.port.write(data)


@dataclass
class ArmBench:
    """An emulated arm and the driver that leads it."""

    controller: Controller
    emulator: ArmEmulator  # the far side of the link
    machine: EmulatedArm  # what moves


@dataclass
class GripperBench:
    """An emulated gripper and the driver that leads it."""

    gripper: RobotiqGripper
    emulator: RobotiqEmulator


class Emulated:
    """Makes emulators on one virtual clock and ends them with the test."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.open = ExitStack()

    def __call__(self, kind: str = "syntaxer", **options: Any) -> EmulatedDevice:
        """A device with its driver: `sim:kind` with options such as hand, faults, seed, rate."""
        query = f"?{urlencode(options)}" if options else ""
        return self.open.enter_context(SCHEME.open(parse_address(f"sim:{kind}{query}"), self.clock))

    def port(self, kind: str = "syntaxer", **options: Any) -> RawPort:
        """The bytes alone of what is at a serial line: a device, the gripper, or an arm with its scene as `file`."""
        known = (*SERIAL, "gripper", *ARM_PORTS)
        if kind not in known:
            on_usb = "; it is on USB: see emulated_usb" if kind in USB else ""
            raise EmulatorError(f"no emulator {kind!r} at a serial line; there are: {', '.join(known)}{on_usb}")
        end = SocketEnd(f"emulated {kind}")
        if kind in SERIAL:
            emulator: Emulator = SERIAL[kind](end, self.clock, Wishes(**options))
        elif kind == "gripper":
            emulator = RobotiqEmulator(end, self.clock, _faults(**options))
        else:
            emulator, _ = self._far_side(ARM_PORTS[kind], end, **options)
        self.open.enter_context(closing(emulator))
        port = end.connect()
        self.open.enter_context(closing(port))
        return RawPort(port, emulator)

    def usb(self, kind: str = "falcon", **options: Any) -> FalconEmulator | SpaceMouseEmulator:
        """A device on an emulated USB bus, without its driver: `usb.core.find(backend=it.bus.backend)` finds it."""
        if kind not in USB:
            raise EmulatorError(f"no emulator {kind!r} on USB; there are: {', '.join(USB)}")
        return self.open.enter_context(closing(USB[kind](self.clock, Wishes(**options))))

    def arm(self, link: str = "native", **options: Any) -> ArmBench:
        """An arm with its driver: `file` (a scene or a shipped robot), robot, faults, seed.

        `link` is one of native (our own messages, over a serial line), modbus, modbus+serial, dynamixel and ur.
        """
        if link not in ARM_LINKS:
            raise EmulatorError(f"no arm at a link {link!r}; there are: {', '.join(ARM_LINKS)}")
        address = ARM_LINKS[link].format(host=own_host())
        end = None if "//" in address else UnixEnd("arm")
        server, machine = self._far_side(address, end, **options)
        self.open.enter_context(closing(server))
        controller = self.open.enter_context(open_controller(server.address, self.clock))
        return ArmBench(controller, server, machine)

    def gripper(self, **options: Any) -> GripperBench:
        """A Robotiq gripper with its driver; options: faults."""
        emulator = RobotiqEmulator(UnixEnd("gripper"), self.clock, _faults(**options))
        self.open.enter_context(closing(emulator))
        return GripperBench(self.open.enter_context(open_gripper(emulator.address, self.clock)), emulator)

    def _far_side(
        self, link: str, end: End | None, file: str = "", robot: str | None = None, faults: str = "", seed: int = 0
    ) -> tuple[ArmEmulator, EmulatedArm]:
        from sim_devices.arm import emulated_arm  # loads the physics: only for who wants an arm
        from sim_devices.arm_links.serving import far_side

        scene = station.load(file or USUAL_ROBOTS.get(link.partition(":")[0], "ur5e"))
        machine = emulated_arm(scene, robot, faults=faults, seed=seed)
        return far_side(link, machine, self.clock, end=end), machine


def own_host() -> str:
    """A loopback address that no other test of this machine has now: the ports of a UR are fixed."""
    process, number = os.getpid(), next(_hosts)
    return f"127.{1 + process // 250 % 250}.{1 + process % 250}.{1 + number % 250}"


def _faults(faults: str = "") -> FaultScript:
    return FaultScript(parse_faults(faults))
