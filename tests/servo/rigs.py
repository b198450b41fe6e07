"""A servo on a virtual clock, with a hand that is exactly where a test puts it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import robots
import station
from station.clock import VirtualClock
from station.devices.device import Axis, AxisKind, Capabilities, Device, DeviceStatus, Floats, Sample
from station.servo.rig import Wanted, put_together
from station.servo.servo import Servo

DEAD_MAN, CLUTCH = 1, 2  # bits


class IdealDevice(Device):
    """Three straight axes that push up to `force` [N]; no mass, no friction, no delay."""

    url = "ideal:"

    def __init__(self, clock: VirtualClock, force: float = 50.0, reach: float = 1.0, rate: float = 1000.0) -> None:
        straight = Axis(kind=AxisKind.ABSOLUTE, low=-reach, high=reach, force=force, peak=force, stiffness=20_000.0)
        self.capabilities = Capabilities(
            model="ideal", axes=(straight,) * 3 + (Axis(),) * 3, buttons=("dead-man", "clutch"), rate=rate
        )
        self.clock = clock
        self.place, self.velocity = np.zeros(3), np.zeros(3)  # of the hand [m], [m/s]
        self.buttons = 0
        self.felt = np.zeros(6)  # what it was told last [N, N·m]
        self.silent = False
        self.time_offset = 0.0
        self._force = False
        self._sequence = 0
        self._status = DeviceStatus.READY

    def newest(self) -> Sample | None:
        if self.silent or self._status is not DeviceStatus.READY:
            return None
        pose = np.eye(4)
        pose[:3, 3] = self.place
        self._sequence += 1
        now = self.clock.now()
        velocity = np.concatenate([self.velocity, np.zeros(3)])
        return Sample(pose, velocity, self.buttons, 0.0, now + self.time_offset, now, self._sequence)

    def command(self, wrench: Floats | Sequence[float]) -> None:
        self.felt = np.array(wrench, dtype=float) if self._force else np.zeros(6)

    def enable_force(self) -> bool:
        self._force = self._status is DeviceStatus.READY
        return self._force

    def disable_force(self) -> None:
        self._force = False

    @property
    def force_enabled(self) -> bool:
        return self._force

    def become(self, status: DeviceStatus) -> None:
        self._status = status
        if status is not DeviceStatus.READY:
            self._force = False

    def close(self) -> None:
        self._status = DeviceStatus.CLOSED


def note_setpoints(servo: Servo, note: Callable[[Floats], object]) -> None:
    """Call `note` with every setpoint [rad | m] that is made to be sent, after its tick, whoever sends it."""
    assert servo.part.arm is not None
    tick, setpoint = servo.tick, servo.part.arm.memory.setpoint

    def noted() -> None:
        before = setpoint.sequence
        tick()
        if setpoint.sequence != before:
            note(setpoint.q.copy())

    servo.tick = noted  # type: ignore[method-assign]


class Bench:
    """A servo with its hand; time passes by `ticks`, `seconds` and `move`."""

    def __init__(self, servo: Servo, device: Any) -> None:
        self.servo, self.device, self.shared = servo, device, servo.part.shared
        self.robot = servo.part.rig.robot
        self.emulator: Any = getattr(device, "emulator", None)  # of the device, if there is one in this process

    def ticks(self, count: int = 1) -> None:
        for _ in range(count):
            self.servo.tick()

    def engage(self) -> None:
        """Let go of the dead-man and press it."""
        self.device.buttons = 0
        self.ticks(5)
        self.device.buttons = DEAD_MAN
        self.ticks(5)

    def move(self, to: Any, seconds: float) -> Iterator[float]:
        """Lead the hand evenly to a place [m] within some time [s]; yields after every tick how far it is, 0 to 1."""
        start, count = self.device.place.copy(), round(seconds / self.servo.period)
        velocity = (np.asarray(to, float) - start) / seconds
        for nth in range(1, count + 1):
            self.device.velocity = velocity
            self.device.place = start + velocity * (nth * self.servo.period)
            self.servo.tick()
            yield nth / count
        self.device.velocity = np.zeros(3)

    def lead(self, to: Any, seconds: float) -> None:
        for _ in self.move(to, seconds):
            pass

    @property
    def force(self) -> Floats:
        """On the hand [N]."""
        return np.array(self.device.felt[:3])


@contextmanager
def ideal(scene: str, folder: Path, wanted: Wanted | None = None, **device: Any) -> Iterator[Bench]:
    """A bench with an ideal device; `scene` is MAD text or the name of a robot."""
    clock, wanted = VirtualClock(1.0), wanted or Wanted()
    hand = IdealDevice(clock, **device)
    with Servo(put_together(loaded(scene), hand, wanted), wanted.rate, clock=clock, folder=folder) as servo:
        yield Bench(servo, hand)


def loaded(scene: str) -> Any:
    return station.loads(scene) if "RAFF" in scene else station.load(robots.path(scene))


# Three sliders at right angles, each ±20 mm: a hand that goes further pushes against a stop.
GANTRY = """RAFF v2.0 Gantry
device 1 { scale { 1 1 1 } }
robot gantry { base { }
  link 1 { parameters { 0 0 0 0 }    type prismatic  pred 0  limits { -20 20 } }
  link 2 { parameters { 90 0 90 0 }  type prismatic  pred 1  limits { -20 20 } }
  link 3 { parameters { 0 0 90 0 }   type prismatic  pred 2  limits { -20 20 } }
  frame 4 { pos { 0 0 0 } pred 3 }
  constraint { frame 4 device ( 0 1 ) } }"""


@contextmanager
def emulated(
    scene: str, folder: Path, hand: str, faults: str = "", seed: int = 0, rate: float = 1000.0
) -> Iterator[Bench]:
    """A bench with the emulated syntaxer and a scripted hand, over its real driver."""
    from urllib.parse import urlencode

    from station.devices import open_device

    clock = VirtualClock()
    url = "sim:syntaxer?" + urlencode({"hand": hand, "faults": faults, "seed": seed, "rate": rate})
    with open_device(url, clock) as device:
        rig = put_together(loaded(scene), device, Wanted(rate=rate))
        with Servo(rig, rate, clock=clock, folder=folder) as servo:
            yield Bench(servo, device)


@contextmanager
def emulated_falcon(
    scene: str, folder: Path, hand: str, faults: str = "", *, url: str = "usb:falcon", **emulator: Any
) -> Iterator[Bench]:
    """A bench with the emulated Falcon and a scripted hand, over its real driver; `emulator`: see FalconEmulator."""
    from firmware_bridge.falcon import open_falcon
    from sim_devices.falcon import FalconEmulator
    from sim_devices.faults import FaultScript, parse_faults
    from sim_devices.hand import Hand
    from sim_devices.usb_kinds import GripHand
    from station.devices.address import parse_address
    from station.devices.falcon import BUTTONS

    clock = VirtualClock()
    options = {"homed": True, "firmware_loaded": True, "serial_number": "SIM-0001", **emulator}
    made = FalconEmulator(clock, FaultScript(parse_faults(faults)), **options)
    made.hold(GripHand(Hand(hand, 0, buttons=BUTTONS), made.press))
    with (
        closing(made),
        open_falcon(parse_address(url), clock, made.backend) as device,
        Servo(put_together(loaded(scene), device, Wanted()), clock=clock, folder=folder) as servo,
    ):
        bench = Bench(servo, device)
        bench.emulator = made
        yield bench
