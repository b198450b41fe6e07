"""The states of an emulated arm: what leads from one to the other, how it stops, and who holds its joints."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sim_devices.arm.abilities import capabilities_of
from sim_devices.arm.guard import Guard
from sim_devices.arm.log import ArmLog, Event
from sim_devices.arm.loops import JointLoops
from sim_devices.arm.machine import NO_SEQUENCE, ArmState, Floats
from sim_devices.arm.model import GRAVITY
from sim_devices.arm.power import Power
from sim_devices.arm.reference import Reference
from sim_devices.arm.senses import Ammeter, Encoders, ToolSensor
from sim_devices.arm.settings import ArmSettings
from station.mad.scene import Robot

if TYPE_CHECKING:
    from sim_devices.arm.world import World

STANDING = 0.05  # share of the largest speed under which the arm counts as standing
RELEASED = "the torque is released; activate takes it back"


class Waiting(NamedTuple):
    """A setpoint on its way through the controller."""

    due: float  # [s lived]
    q: Floats
    v: Floats | None
    effort: Floats | None
    sequence: int


class ArmStates:
    """The parts of an arm's controller and the states they are in. Each change is logged with its cause."""

    def __init__(self, world: World, robot: Robot, settings: ArmSettings, seed: int, tick: float) -> None:
        self.world, self.robot, self.settings = world, robot, settings
        self.body = world.bodies[robot.name]
        drives = [world.built.drives[robot.name][link.id] for link in self.body.links]
        self._abilities = capabilities_of(robot, self.body, drives, settings, seed)
        self._standing = STANDING * np.array([drive.speed for drive in drives])
        self._guard = Guard(settings, self._abilities.joints, drives)
        self._loops = JointLoops(
            settings, drives, self.body.driven, self.body.passive, self.body.ties, len(world.tied(robot.name)) > 1, tick
        )
        true = world.true_parameters(robot.name)
        slides = [joint.prismatic for joint in self._abilities.joints]
        self._encoders = Encoders(settings, slides, true.zeros, true.ratios, tick)
        self._encoders.start(self.body.q)
        self._sensor = ToolSensor(settings, seed, tick, world.tool_as_known(robot.name), GRAVITY)
        self._ammeter = Ammeter(settings, seed, len(drives))
        acceleration = np.array([drive.acceleration for drive in drives])
        # A hair above the speed that the guard stops at, so that it still sees setpoints that are too fast for long.
        fastest = 1.02 * settings.speed_margin * np.array([drive.speed for drive in drives])
        self._reference = Reference(
            self._encoders.q, 1.0 / self._abilities.rate, tick, fastest, acceleration, self._guard.low, self._guard.high
        )
        self.log = ArmLog(len(drives), max(round(settings.log_time / tick), 1))
        self.state, self.reason, self.power = ArmState.READY, "", Power.DRIVES
        self._then: tuple[ArmState, str] | None = None  # state and reason after a controlled stop
        self._waiting: deque[Waiting] = deque()
        self._echo, self._clock = NO_SEQUENCE, 0.0
        self.body.brake(False)

    @property
    def follows(self) -> bool:
        """Whether setpoints are taken: ACTIVE, and not on the way to a standstill."""
        return self.state is ArmState.ACTIVE and self._then is None

    @property
    def stands(self) -> bool:
        """Whether all driven joints stand still, as measured."""
        return bool((np.abs(self._encoders.v) < self._standing).all())

    @property
    def sensor_bias(self) -> Floats:
        """What the tool sensor tells too much [N, N·m]."""
        return np.array(self._sensor.bias)

    @property
    def force(self) -> float:
        """On the tool, without noise and bias [N]."""
        return float(np.linalg.norm(self._sensor.unbiased[:3]))

    def go(self, state: ArmState, reason: str, cause: str) -> None:
        """Change the state, and write down why."""
        self.log.events.append(Event(self.world.lived, self.state, state, cause))
        self.state, self.reason = state, reason

    def reflex(self, cause: str) -> None:
        """Stop by itself and stay STOPPED, brakes on at the end."""
        if self.state in (ArmState.STOPPED, ArmState.FAULT):
            return
        self.go(ArmState.STOPPED, f"{cause}; reset it", cause)
        self._stop_then(ArmState.STOPPED, self.reason, "stands, brakes on")

    def fail(self, cause: str) -> None:
        """Drives off at once, brakes on, FAULT."""
        self._then = None
        self._waiting.clear()
        self._set_power(Power.BRAKES)
        self.go(ArmState.FAULT, cause, cause)

    def put_back(self, cause: str) -> None:
        """Somebody has put the arm elsewhere, on its brakes."""
        self._encoders.start(self.body.q)
        self._reference.hold(self._encoders.q)
        self.fail(cause)

    def drives_stop(self) -> None:
        """The controller is dead and the drives come to a standstill by themselves."""
        self._waiting.clear()
        if self.state is ArmState.ACTIVE and self.power is Power.DRIVES:
            self._reference.brake()

    def start_anew(self) -> None:
        """As after switching on: standing on its drives, with a clock that begins at 0."""
        self._clock, self._echo = 0.0, NO_SEQUENCE
        self._hold()
        self.go(ArmState.READY, "the controller has started anew; activate again", "started")

    def _stop_then(self, state: ArmState, reason: str, cause: str) -> None:
        if self.state is not ArmState.STOPPED:
            self.log.events.append(Event(self.world.lived, self.state, self.state, cause))
            self.reason = f"{cause}: stopping"
        self._then = (state, reason)
        self._waiting.clear()
        if self.power is Power.DRIVES:
            self._reference.brake()

    def _arrive(self) -> None:
        """The end of a controlled stop."""
        assert self._then is not None
        (state, reason), self._then = self._then, None
        if state is ArmState.STOPPED and self.power is Power.DRIVES:
            self._set_power(Power.BRAKES)
        if self.state is not state:
            self.go(state, reason, "stands")

    def _hold(self) -> None:
        """Drives on, where the arm is."""
        self._reference.hold(self._encoders.q)
        self._waiting.clear()
        self._set_power(Power.DRIVES)

    def _set_power(self, power: Power) -> None:
        if power is not self.power:
            self._loops.rest()
        self.power = power
        self.body.brake(power is Power.BRAKES)
