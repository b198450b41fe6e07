"""A driver and an emulated gripper, in one process on a virtual clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from firmware_bridge.arm.modbus.framing import RtuFraming
from firmware_bridge.arm.modbus.lines import Line
from firmware_bridge.robotiq.driver import RobotiqGripper
from firmware_bridge.robotiq.registers import MODELS
from sim_devices.ends import SocketEnd
from sim_devices.robotiq.emulator import RobotiqEmulator
from station.clock import VirtualClock
from station.controllers.tool import GripperMeasurement, ToolStatus

TICK = 0.001  # [s]


class Bench(NamedTuple):
    clock: VirtualClock
    emulator: RobotiqEmulator
    gripper: RobotiqGripper

    def until(self, done: Callable[[], bool], seconds: float = 5.0) -> bool:
        """Tick until something is so."""
        for _ in range(round(seconds / TICK)):
            if done():
                return True
            self.gripper.newest()
            self.clock.advance(TICK)
        return done()

    def settled(self, seconds: float = 5.0) -> GripperMeasurement:
        """Tick until the fingers stand; what was said then."""
        said: list[GripperMeasurement] = []
        for _ in range(round(seconds / TICK)):
            one = self.gripper.newest()
            said += [] if one is None else [one]
            self.clock.advance(TICK)
            if len(said) > 4 and not any(one.moving for one in said[-3:]):
                break
        return said[-1]

    def activated(self) -> Bench:
        self.gripper.activate()
        assert self.until(lambda: self.gripper.status is ToolStatus.READY)
        return self


def driver(end: SocketEnd, clock: VirtualClock, unit: int = 9) -> RobotiqGripper:
    line = Line(end.connect, RtuFraming(unit), unit, 0.05)
    gripper = RobotiqGripper("robotiq:test", clock, line, MODELS["2f85"])
    gripper.wait_until_ready()
    return gripper
