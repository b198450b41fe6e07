"""A servo with an emulated arm at the other end, over real bytes, on one virtual clock with device and hand."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

import station
from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.linked import LinkedController
from firmware_bridge.arm.modbus.driver import ModbusController
from firmware_bridge.arm.modbus.framing import RtuFraming
from firmware_bridge.arm.modbus.lines import Line
from firmware_bridge.arm.modbus.scheme import SCHEME as MODBUS
from firmware_bridge.arm.modbus.scheme import SERIAL_LOST, SERIAL_TIMEOUT
from firmware_bridge.arm.serial_link import SerialLink
from firmware_bridge.arm.zeromq import ZeroMqLink
from firmware_bridge.dynamixel.bus import Bus
from firmware_bridge.dynamixel.driver import DynamixelController
from firmware_bridge.dynamixel.scheme import BAUD, seats_of
from firmware_bridge.ur.scheme import SCHEME as UR
from sim_devices.arm import EmulatedArm, NetworkSettings, emulated_arm
from sim_devices.arm_links.emulator import ArmEmulator
from sim_devices.arm_links.process import ArmWishes
from sim_devices.arm_links.serving import USUAL, far_side
from sim_devices.arm_links.zeromq import ZeroMqArm
from sim_devices.ends import SocketEnd
from sim_devices.fixtures import own_host
from station.clock import VirtualClock
from station.controllers import ControllerStatus
from station.controllers.registry import parse_controller_address
from station.devices import open_device
from station.run.places import DEFAULT_BENCH
from station.servo.rig import Wanted, put_together
from station.servo.servo import Servo
from station.servo.shared import ServoState
from tests.servo.rigs import Bench

# Engaged from 0.7 s on, away and at rest; the dead-man let go at 2 s and pressed again at 2.4 s, then back.
HAND = (
    "tighten 0.6 in 0.1; reach 0.22 0 0 in 0.6; press deadman; hold 0.3; reach 0.22 0.05 0.03 in 0.6; hold 0.4; "
    "release deadman; hold 0.4; press deadman; hold 0.3; reach 0.22 0 0 in 0.6; hold 1"
)


_names = (f"inproc://arm-bench-{number}" for number in itertools.count())


class ArmBench(Bench):
    """A bench with an arm; `cable` is that of a serial line, over whatever protocol."""

    def __init__(self, servo: Servo, device: object, arm: EmulatedArm, cable: SocketEnd) -> None:
        super().__init__(servo, device)
        self.arm, self.cable = arm, cable

    def until(self, time: float) -> None:
        while self.servo.clock.now() < time - 1e-9:
            self.ticks()

    def state(self) -> ServoState:
        return self.servo.part.state

    @property
    def behind(self) -> float:
        """How far the arm is from the predicted robot [rad]."""
        return float(np.abs(self.robot.q - self.shared.measured_q).max())

    @property
    def current(self) -> float:
        """Largest in any motor of the device [mA]."""
        return float(np.abs(self.emulator.firmware.given).max())


# Opening an arm that is served, at a serial line where it has one; all in one process, on one clock.
Opening = Callable[[ArmEmulator, SocketEnd, VirtualClock], LinkedController]


def _serial(server: ArmEmulator, end: SocketEnd, clock: VirtualClock) -> LinkedController:
    return ArmController(server.address, clock, SerialLink(end.connect))


def _zeromq(server: ArmEmulator, end: SocketEnd, clock: VirtualClock) -> LinkedController:
    del end
    return ArmController(server.address, clock, ZeroMqLink(server.address, server.address))


def _modbus(server: ArmEmulator, end: SocketEnd, clock: VirtualClock) -> LinkedController:
    del end
    return MODBUS.open(parse_controller_address(server.address), clock)


def _modbus_serial(server: ArmEmulator, end: SocketEnd, clock: VirtualClock) -> LinkedController:
    controller = ModbusController(server.address, clock, Line(end.connect, RtuFraming(1), 1, SERIAL_TIMEOUT), None)
    controller.lost_after = SERIAL_LOST
    return controller


def _dynamixel(server: ArmEmulator, end: SocketEnd, clock: VirtualClock) -> LinkedController:
    seats = seats_of(parse_controller_address(server.address))
    return DynamixelController(server.address, clock, Bus(end.connect, BAUD), seats)


def _ur(server: ArmEmulator, end: SocketEnd, clock: VirtualClock) -> LinkedController:
    del end
    return UR.open(parse_controller_address(server.address), clock)


OPENINGS: dict[str, Opening] = {  # by the scheme of an address
    "tcp": _zeromq,
    "serial": _serial,
    "modbus": _modbus,
    "modbus+serial": _modbus_serial,
    "dynamixel": _dynamixel,
    "ur": _ur,
}


@contextmanager
def linked(
    link: str,
    arm: EmulatedArm,
    clock: VirtualClock,
    delay: float = 0.0,
    loss: float = 0.05,
    jitter: float | None = None,
) -> Iterator[tuple[LinkedController, SocketEnd]]:
    """An arm behind a link and the station's controller at the other end, ready; with the cable of a serial line.

    `link` is an address as in `far_side`, or the scheme alone: tcp, serial, modbus, modbus+serial, dynamixel, ur.
    With a `delay` [s] it has `loss` and `jitter`, too: a fifth of the delay unless said [s].
    """
    scheme, end = link.partition(":")[0], SocketEnd("emulated arm")
    jitter = 0.2 * delay if jitter is None else jitter
    network = NetworkSettings(delay=delay, jitter=jitter, loss=loss) if delay else None
    with ExitStack() as stack:
        server: ArmEmulator
        if scheme == "tcp":  # a name within this process: nothing waits for another thread's turn
            server = ZeroMqArm(arm, next(_names), clock, network=network)
        elif scheme == "ur":  # its ports are fixed: a host of its own
            server = far_side(f"ur://{own_host()}", arm, clock, network=network)
        else:
            place = link if ":" in link else USUAL.get(link, f"{link}:")
            server = far_side(place, arm, clock, network=network, end=end)
        stack.enter_context(closing(server))
        controller = OPENINGS[scheme](server, end, clock)
        stack.enter_context(closing(controller))
        if controller.status is ControllerStatus.OPENING:  # what a scheme opens is ready already
            controller.wait_until_ready()
        yield controller, end


@contextmanager
def arm_bench(
    folder: Path,
    arm_faults: str = "",
    device_faults: str = "",
    hand: str = HAND,
    world: str = "",
    settings: str = "",
    link: str = "serial:",
    delay: float = 0.0,
    loss: float = 0.05,
    wanted: Wanted | None = None,
    scene_file: Path = DEFAULT_BENCH,
    arm_file: Path = DEFAULT_BENCH,
) -> Iterator[ArmBench]:
    """The default bench; `world` and `settings` are of the arm, see ArmWishes; a link with `delay` has a `loss`, too.

    `scene_file` is what the station has, `arm_file` what is really there. `link`: see `linked`.
    """
    clock, scene = VirtualClock(), station.load(scene_file)
    wishes = ArmWishes(str(arm_file), world=world, settings=settings)
    arm = emulated_arm(wishes.surroundings(), None, wishes.arm_settings(), faults=arm_faults)
    url = "sim:syntaxer?" + urlencode({"hand": hand, "faults": device_faults})
    with linked(link, arm, clock, delay, loss) as (controller, cable), open_device(url, clock) as device:
        rig = put_together(scene, device, wanted or Wanted(), controller)
        with Servo(rig, clock=clock, folder=folder) as servo:
            yield ArmBench(servo, device, arm, cable)
