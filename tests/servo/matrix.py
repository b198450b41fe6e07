"""Every link of an arm and every device, with a hand that a test leads; faults are put in while it moves the arm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import station
from sim_devices.arm import EmulatedArm, emulated_arm
from sim_devices.arm_links.process import ArmWishes
from sim_devices.arm_links.serving import LINKS
from sim_devices.faults import Fault, FaultScript
from sim_devices.kinds import SERIAL
from sim_devices.usb_kinds import USB
from station.clock import VirtualClock
from station.controllers.controller import ControllerStatus, Floats
from station.devices import open_device
from station.devices.device import DeviceStatus
from station.haptics import Cause
from station.run.places import DEFAULT_BENCH
from station.servo.rig import Wanted, put_together
from station.servo.servo import Servo
from station.servo.shared import Reset, ServoState
from tests.servo.arm_benches import linked
from tests.servo.rigs import Bench, IdealDevice, note_setpoints

ARM_ROWS = tuple(link.partition(":")[0] for link in LINKS)
DEVICE_ROWS = (*SERIAL, *USB)
PERIOD = 0.8  # of the hand's motion, there and back [s]
CUES = (Cause.CUES, Cause.PASSIVITY)  # a loss is told to the hand by a cue, and that is kept passive
RESETS = 3  # that a person tries: servos on a bus start anew and may say meanwhile that they are unfit
ZERO_WITHIN = 0.020  # [s]


class SteeredHand:
    """A hand that pulls towards where a test wants it: a spring and a damper; for syntaxer and Falcon."""

    STIFFNESS, DAMPING, MOST = 400.0, 12.0, 20.0  # [N/m], [N·s/m], [N]
    TURNING, TURNING_DAMPING = 2.0, 0.02  # [N·m/rad], [N·m·s/rad]

    def __init__(self, centre: tuple[float, float, float], bit: int) -> None:
        self.centre, self.target, self._bit, self._held = np.array(centre), np.array(centre), bit, False

    def go(self, share: float) -> None:
        """To a share of its way, -1 to 1."""
        self.target = self.centre + share * np.array([0.0, 0.03, 0.018])

    def press(self, on: bool) -> None:
        """The dead-man."""
        self._held = on

    def force(self, position: Floats, velocity: Floats, now: float) -> Floats:
        """On the grip [N]."""
        del now
        force = self.STIFFNESS * (self.target - position) - self.DAMPING * velocity[:3]
        return np.asarray(np.clip(force, -self.MOST, self.MOST))

    def wrench(self, now: float, position: Floats, rotation_vector: Floats, velocity: Floats) -> Floats:
        """On the handle [N, N·m]."""
        turn = -self.TURNING * rotation_vector - self.TURNING_DAMPING * velocity[3:]
        return np.concatenate((self.force(position, velocity, now), turn))

    def buttons(self, now: float) -> int:
        """That are down."""
        del now
        return self._held << self._bit

    def grip(self, now: float) -> float:
        """Loose."""
        del now
        return 0.0


class PressingHand(SteeredHand):
    """The same at a device that asks for the force alone: it presses as it is asked."""

    def __init__(self, centre: tuple[float, float, float], bit: int, down: Callable[[int], None]) -> None:
        super().__init__(centre, bit)
        self._down = down

    def press(self, on: bool) -> None:
        super().press(on)
        self._down(self.buttons(0.0))


class CapHand:
    """A hand at a cap: a share of full deflection."""

    def __init__(self, bit: int) -> None:
        self._bit, self._share, self._held = bit, 0.0, False

    def go(self, share: float) -> None:
        """Deflect it by so much, -1 to 1."""
        self._share = share

    def press(self, on: bool) -> None:
        """The dead-man."""
        self._held = on

    def deflection(self, now: float) -> tuple[float, ...]:
        """Of six axes."""
        del now
        return (0.0, 0.5 * self._share, 0.3 * self._share, 0.0, 0.0, 0.0)

    def buttons(self, now: float) -> int:
        """That are down."""
        del now
        return self._held << self._bit


class IdealHand:
    """A hand that is exactly where it is wanted, at an ideal device."""

    def __init__(self, device: IdealDevice) -> None:
        self._device = device

    def go(self, share: float) -> None:
        self._device.place = share * np.array([0.0, 0.04, 0.024])

    def press(self, on: bool) -> None:
        self._device.buttons = int(on)


class Row(Bench):
    """A row of the matrix: a whole station with an arm, a hand that is led, and a script of faults to put in."""

    def __init__(
        self, servo: Servo, device: Any, arm: EmulatedArm, faults: FaultScript, hand: Any, lived: Callable[[], float]
    ) -> None:
        super().__init__(servo, device)
        self.arm, self.faults, self.hand = arm, faults, hand
        self._lived = lived  # by the emulator's clock [s]
        self._deflects = isinstance(hand, CapHand)  # where the hand is is how fast the robot goes
        slow = device.capabilities.rate < 100.0
        self._settles = 0.2 if slow else 0.03  # until what the hand does is known [s]
        self._moved = 0.0  # time since the hand began to move [s]
        self._side, self._share, self._away = 1.0, 0.0, 0.0  # of its motion; where it is; how far it has led the robot
        self.asked: set[str] = set()  # kinds of faults that the emulator looks for: it has these
        active = faults.active

        def looked_for(kind: str) -> Fault | None:
            self.asked.add(kind)
            return active(kind)

        faults.active = looked_for  # type: ignore[method-assign]
        self.sent: list[tuple[float, Floats]] = []  # setpoints that went out since it was looked at last
        note_setpoints(servo, lambda q: self.sent.append((self.now, q)))

    @property
    def now(self) -> float:
        return self.servo.clock.now()

    @property
    def state(self) -> ServoState:
        return self.servo.part.state

    @property
    def leads(self) -> bool:
        """Whether the hand moves the robot."""
        return self.state is ServoState.ENGAGED

    def live(self, seconds: float, moves: bool, until: Callable[[], bool] | None = None) -> Iterator[None]:
        """Tick for so long [s], the hand going there and back or standing; yields after every tick."""
        end = self.now + seconds
        while self.now < end - 1e-9 and not (until is not None and until()):
            before = self._share
            if moves:
                self._moved += self.servo.period
                self._share = 0.5 * self._side * (1.0 - float(np.cos(2.0 * np.pi * self._moved / PERIOD)))
                self.hand.go(self._share)
            self.servo.tick()
            if self.leads:
                self._away += self._share * self.servo.period / PERIOD if self._deflects else self._share - before
            yield

    def run(self, seconds: float, moves: bool = False, until: Callable[[], bool] | None = None) -> bool:
        """The same in one go; whether `until` came true."""
        for _ in self.live(seconds, moves, until):
            pass
        return until is not None and until()

    def press(self) -> bool:
        """Let go, reset if need be, press; whether the hand leads. It then moves towards where it once began."""
        self.hand.press(False)
        self._moved, self._share, self._side = 0.0, 0.0, -1.0 if self._away > 0.0 else 1.0
        self.hand.go(0.0)
        self.run(self._settles)
        for _ in range(RESETS):
            if self.state is ServoState.FAULT:
                self.servo.part.orders.decide(Reset())
            self.run(1.5, until=lambda: self.state in (ServoState.READY, ServoState.HOLD) and self._holds)
        self.run(self._settles)
        self.hand.press(True)
        return self.run(1.0, until=lambda: self.leads)

    def put_in(self, fault: str) -> None:
        """Let something go wrong from now on."""
        self.asked.clear()
        self.faults.add(fault, self._lived())

    @property
    def why(self) -> str:
        """What device and arm say."""
        assert self.servo.part.arm is not None
        return "; ".join(text for text in (self.device.reason, self.servo.part.arm.reason) if text) or "nothing is said"

    @property
    def _holds(self) -> bool:
        """Whether the device is there and the arm holds by itself."""
        assert self.servo.part.arm is not None
        ready = self.device.status is DeviceStatus.READY
        return ready and self.servo.part.arm.controller.status is ControllerStatus.READY

    @property
    def pushes(self) -> float:
        """Force on the hand of all causes but cues [N]."""
        parts = np.delete(np.asarray(self.shared.wrench_parts), [int(cause) for cause in CUES], axis=0)
        return float(np.abs(parts[:, :3]).max())

    def worst_setpoint(self) -> tuple[float, float]:
        """Largest speed and acceleration that were sent since this was asked last, over the arm's own limits."""
        limits = self.arm.capabilities.joints
        speed, acceleration = (np.array([getattr(one, name) for one in limits]) for name in ("speed", "acceleration"))
        worst, sent = [0.0, 0.0], self.sent
        times, places = np.array([time for time, _ in sent]), np.array([q for _, q in sent])
        self.sent = []
        for run in np.split(np.arange(len(times)), np.flatnonzero(np.diff(times) > 1.5 * self.servo.period) + 1):
            speeds = np.diff(places[run], axis=0) / self.servo.period
            if len(speeds) > 1:
                worst[0] = max(worst[0], float((np.abs(speeds) / speed).max()))
                changes = np.abs(np.diff(speeds, axis=0)) / self.servo.period
                worst[1] = max(worst[1], float((changes / acceleration).max()))
        return worst[0], worst[1]


def _scene(device: str) -> Any:
    """The default bench with a device that is written so."""
    text = DEFAULT_BENCH.read_text(encoding="utf8")
    begin = text.index("device 1 {")
    return station.loads(text[:begin] + device + text[text.index("\n", begin) :])


def _arm() -> EmulatedArm:
    wishes = ArmWishes(str(DEFAULT_BENCH))
    return emulated_arm(wishes.surroundings(), None, wishes.arm_settings())


@contextmanager
def arm_row(link: str, folder: Path) -> Iterator[Row]:
    """An arm behind a link, led by an ideal device."""
    clock, arm = VirtualClock(), _arm()
    device = IdealDevice(clock)
    with linked(link, arm, clock) as (controller, _):
        rig = put_together(_scene("device 1 { scale { 1 1 1 } }"), device, Wanted(), controller)
        with Servo(rig, clock=clock, folder=folder) as servo:
            yield Row(servo, device, arm, arm.faults, IdealHand(device), lambda: arm.world.lived)


def _at_syntaxer(emulator: Any) -> Any:
    emulator.hand = SteeredHand((0.22, 0.0, 0.0), 0)
    return emulator.hand


def _at_falcon(emulator: Any) -> Any:
    hand = PressingHand((0.0, 0.0, 0.0), 2, emulator.press)
    emulator.hold(hand)
    return hand


def _at_cap(emulator: Any) -> Any:
    emulator.hand = CapHand(0)
    return emulator.hand


def _at_mouse3d(emulator: Any) -> Any:
    emulator.hand = SteeredHand((0.0, 0.0, 0.0), 0)
    return emulator.hand


# The hand at a device, in the middle of where that can go, and which button is the dead-man.
HANDS: dict[str, tuple[Callable[[Any], Any], int]] = {
    "syntaxer": (_at_syntaxer, 0),
    "falcon": (_at_falcon, 2),
    "magellan": (_at_cap, 0),
    "spaceball": (_at_cap, 0),
    "mouse3d": (_at_mouse3d, 0),
    "spacemouse": (_at_cap, 0),
}


@contextmanager
def device_row(kind: str, folder: Path) -> Iterator[Row]:
    """A device that leads an arm at a serial line."""
    clock, arm = VirtualClock(), _arm()
    with linked("serial", arm, clock) as (controller, _), open_device(f"sim:{kind}?hand=none", clock) as device:
        emulator: Any = device.emulator  # type: ignore[attr-defined]
        take, button = HANDS[kind]
        hand = take(emulator)
        scene = _scene(f"device 1 {{ deadman {button}  scale {{ 1 1 1 }} }}")
        rig = put_together(scene, device, Wanted(), controller)
        with Servo(rig, clock=clock, folder=folder) as servo:
            row = Row(servo, device, arm, emulator.faults, hand, lambda: clock.now() - emulator._start)
            row.run(0.8)  # the hand goes to the middle
            yield row
