"""A servo with an emulated arm at the other end, over real bytes, on one virtual clock with device and hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

import station
from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.serial_link import SerialLink
from sim_devices.arm import EmulatedArm, NetworkSettings, emulated_arm
from sim_devices.arm_links.process import ArmWishes
from sim_devices.arm_links.serving import far_side
from sim_devices.ends import SocketEnd
from station.clock import VirtualClock
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


class ArmBench(Bench):
    """A bench with an arm."""

    def __init__(self, servo: Servo, device: object, arm: EmulatedArm, cable: SocketEnd) -> None:
        super().__init__(servo, device)
        self.arm, self.cable = arm, cable

    def until(self, time: float) -> None:
        while self.servo.clock.now() < time - 1e-9:
            self.ticks()

    def state(self) -> ServoState:
        return self.servo.state

    @property
    def behind(self) -> float:
        """How far the arm is from the predicted robot [rad]."""
        return float(np.abs(self.robot.q - self.shared.measured_q).max())

    @property
    def current(self) -> float:
        """Largest in any motor of the device [mA]."""
        return float(np.abs(self.emulator.firmware.given).max())


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
    wanted: Wanted | None = None,
    scene_file: Path = DEFAULT_BENCH,
) -> Iterator[ArmBench]:
    """The default bench; `world` and `settings` are of the arm, see ArmWishes; a link with `delay` loses 5 %.

    `scene_file` is what the station has; the arm is that of the default bench.
    """
    clock, scene, end = VirtualClock(), station.load(scene_file), SocketEnd("emulated arm")
    wishes = ArmWishes(str(DEFAULT_BENCH), world=world, settings=settings)
    arm = emulated_arm(wishes.surroundings(), None, wishes.arm_settings(), faults=arm_faults)
    network = NetworkSettings(delay=delay, jitter=0.2 * delay, loss=0.05) if delay else None
    server = far_side(link, arm, clock, network=network, end=end)
    controller = ArmController("serial:emulated", clock, SerialLink(end.connect))
    try:
        controller.wait_until_ready()
        url = "sim:syntaxer?" + urlencode({"hand": hand, "faults": device_faults})
        with open_device(url, clock) as device, controller:
            rig = put_together(scene, device, wanted or Wanted(), controller)
            with Servo(rig, clock=clock, folder=folder) as servo:
                yield ArmBench(servo, device, arm, end)
    finally:
        server.close()
