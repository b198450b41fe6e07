"""The default bench on a clock of its own: the same on any machine, however busy. For pictures and tests of the view.

Servo, device driver, emulated syntaxer with its hand, emulated arm behind a link with a delay: all in this process and
all as in `station run`, but for the clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlencode

from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.serial_link import SerialLink
from sim_devices.arm import emulated_arm
from sim_devices.arm.network import NetworkSettings
from sim_devices.arm_links.process import ArmWishes
from sim_devices.arm_links.serving import far_side
from sim_devices.ends import SocketEnd
from station.bench import Bench, load
from station.clock import VirtualClock
from station.devices import open_device
from station.servo.rig import Wanted, put_together
from station.servo.servo import Servo
from station.view.local import LocalStation
from station.view.moment import Moment

FOLDER = Path(str(files("station"))) / "run"
SCENE, HAND, WORLD = FOLDER / "bench.mad", FOLDER / "bench.hand", FOLDER / "bench_world.mad"
ARM_SETTINGS = "tip_time=0.1,contact_force=400"
STEP = 0.001  # [s]


class VirtualBench:
    """A bench that goes on when it is told to.

    Args:
        scene: what it drives.
        servo: of it.
    """

    def __init__(self, scene: Bench, servo: Servo) -> None:
        self.scene, self.servo = scene, servo

    @property
    def now(self) -> float:
        """Of its clock [s]."""
        return self.servo.clock.now()

    @property
    def state(self) -> Path:
        """Its shared state."""
        return self.servo.part.writer.path

    def advance(self, seconds: float) -> None:
        """Let so much time pass [s]."""
        for _ in range(round(seconds / STEP)):
            self.servo.tick()


class PromptStation(LocalStation):
    """The shared state of a bench on a virtual clock: how long ago it spoke by the wall's clock means nothing."""

    def look(self) -> Moment:
        """What came since the last look, as if it had come at once."""
        return replace(super().look(), silence=0.0)


@contextmanager
def virtual_bench(folder: Path, delay: float = 0.0, hand: str = f"@{HAND}") -> Iterator[VirtualBench]:
    """The default bench, its shared state in a folder, behind a link that takes `delay` [s] each way."""
    clock, scene, end = VirtualClock(), load(SCENE), SocketEnd("emulated arm")
    wishes = ArmWishes(str(SCENE), world=str(WORLD), settings=ARM_SETTINGS)
    arm = emulated_arm(wishes.surroundings(), None, wishes.arm_settings())
    server = far_side("serial:", arm, clock, end=end, network=NetworkSettings(delay=delay))
    controller = ArmController("serial:emulated", clock, SerialLink(end.connect))
    try:
        controller.wait_until_ready()
        url = "sim:syntaxer?" + urlencode({"hand": hand})
        with open_device(url, clock) as device, controller:
            rig = put_together(scene, device, Wanted(), controller)
            with Servo(rig, clock=clock, folder=folder) as servo:
                yield VirtualBench(scene, servo)
    finally:
        server.close()
