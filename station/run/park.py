"""`station park` and `station release`: what becomes of an arm after work, only ever when a person asks for it.

Parking goes from the measured pose to a named posture, at a share of the limits of file and arm, and leaves the arm
holding by itself. The move is planned, and compared with what is around the robot, before the arm is asked to follow.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from station.bench import Bench
from station.clock import WALL, Clock
from station.controllers import Controller, ControllerStatus, Measurement, check_calibrated
from station.controllers.controller import Floats
from station.controllers.shaping import Shaped, Shaper, ShapingSettings, Stopped, joint_limits
from station.controllers.supervisor import Shape
from station.errors import StationError
from station.mechanism import Mechanism
from station.run.parking_way import Destination, check_way

HIGHEST_RATE = 1000.0  # setpoints per second [Hz]
USUAL_SPEED = 1.0  # of a joint if neither file nor arm tells a limit [rad/s]
START_WITHIN = 3.0  # for the arm to measure, or to follow [s]
REST_WITHIN = 5.0  # for setpoints to come to rest [s]
SETTLE_WITHIN = 2.0  # for the arm to be where its last setpoint is [s]
SETTLED = 0.005  # from there [rad | m]
STIRRED = 0.02  # that the arm may move while it is switched on [rad | m]
TELL_EVERY = 0.25  # [s]
RELEASE_TIME = 0.5  # in which a refusal would have come [s]
REASON_WITHIN = 0.2  # an arm tells why it has stopped on a way of its own, a little later [s]

setpoint_numbers = itertools.count(1)  # of setpoints: a controller takes them upwards only, whoever sends them

Tell = Callable[[str], object]


class ParkError(StationError, RuntimeError):
    """An arm that is not parked or released; one line that says why and where it stands."""


class Parked(NamedTuple):
    """How a move to a posture ended."""

    posture: str
    duration: float  # of the move [s]
    error: float  # largest distance of a joint from the posture [rad | m]


def park(
    scene: Bench,
    mechanism: Mechanism,
    controller: Controller,
    destination: Destination,
    share: float,
    *,
    clock: Clock = WALL,
    tell: Tell = lambda _: None,
) -> Parked:
    """Move an arm to a posture at a share of the limits (file's or arm's, the smaller), then let it hold by itself.

    Raises a ParkError, or what the shaping refuses, with one line. An interruption (Ctrl-C) brakes within limits, lets
    the arm hold, and goes on.
    """
    check_calibrated(mechanism.robot, controller)
    mover = Mover(mechanism, controller, share, clock)
    start = mover.wait_for_measurement()
    check_way(scene, mechanism, start.q, destination, mover.shaper.limits)
    try:
        duration = mover.begin(destination)
        tell(f"to posture {destination.name!r} at {100.0 * share:.0f} % of the limits, {duration:.1f} s")
        mover.go(duration, tell)
        return Parked(destination.name, duration, mover.settle(destination.q))
    except BaseException:
        mover.brake()
        raise
    finally:
        mover.let_hold()


class Mover:
    """Shaped setpoints for an arm, one per tick of its own."""

    def __init__(self, mechanism: Mechanism, controller: Controller, share: float, clock: Clock) -> None:
        able = controller.capabilities
        self.controller, self._clock = controller, clock
        self._period = 1.0 / min(able.rate, HIGHEST_RATE)
        settings = ShapingSettings(period=self._period, share=share, file_share=share, speed=USUAL_SPEED * share)
        self.shaper = Shaper(joint_limits(mechanism, able.joints, settings), settings)
        self._inputs = self.shaper.inputs()
        self._takes_velocity = able.takes_velocity
        self._last: Measurement | None = None
        self._due = clock.now()

    def wait_for_measurement(self) -> Measurement:
        """Where the arm is; a ParkError if it is not there or not fit."""
        end = self._clock.now() + START_WITHIN
        while (said := self._listen()) is None:
            if self._clock.now() >= end:
                raise ParkError(f"{self.controller.url}: the arm does not answer: {self.controller.reason}")
            self._pause()
        check_fit(self.controller)
        return said

    def begin(self, destination: Destination) -> float:
        """Have the arm follow where it stands, and plan the move; how long it takes [s]."""
        controller, before = self.controller, self._measured()
        self._check_range(before)
        controller.activate()
        end = self._clock.now() + START_WITHIN
        while controller.status is not ControllerStatus.ACTIVE:
            if self._clock.now() >= end:
                reason = controller.answer or controller.reason or "no reason given"
                raise ParkError(f"{controller.url}: the arm does not start to follow: {reason}")
            self._tick(Shape.IDLE)
            check_fit(controller)
        self._inputs.start()
        while not self._tick(Shape.BRAKE).at_rest:  # it may have been measured as moving a little
            if self._clock.now() >= end:
                raise ParkError(f"{controller.url}: the arm does not stand still; see to it and try again")
        if np.abs(self._measured() - before).max() > STIRRED:
            raise ParkError(f"{controller.url}: the arm moved while it was switched on; see to it and try again")
        return self.shaper.park(destination.q)

    def _check_range(self, q: Floats) -> None:
        """A ParkError if a joint is too far outside its range for a move to begin there."""
        outside, joints = self.shaper.settings.outside, self.controller.capabilities.joints
        for joint, limits, place in zip(joints, self.shaper.limits, q, strict=True):
            if not limits.low - outside <= place <= limits.high + outside:
                unit = "m" if joint.prismatic else "rad"
                raise ParkError(
                    f"{self.controller.url}: joint {joint.name} is at {place:.3g} {unit}, by file and arm allowed are "
                    f"{limits.low:.3g} to {limits.high:.3g}; lead it there with the arm's own panel, or mend the file"
                )

    def go(self, duration: float, tell: Tell) -> None:
        """Along the move that was planned."""
        begin = self._clock.now()
        next_word, end = begin + TELL_EVERY, begin + 2.0 * duration + REST_WITHIN
        while not (shaped := self._tick(Shape.PARK)).parked:
            now = self._clock.now()
            self._check_following(shaped, now < end)
            if now >= next_word:
                next_word = now + TELL_EVERY
                done = min(1.0, (now - begin) / duration) if duration > 0.0 else 1.0
                tell(f"{100.0 * done:.0f} % of the way, {max(0.0, begin + duration - now):.1f} s left")

    def settle(self, goal: Floats) -> float:
        """Until the arm is where it was sent, or for a while; how far it is from there [rad | m]."""
        end = self._clock.now() + SETTLE_WITHIN
        while (error := float(np.abs(self._measured() - goal).max())) > SETTLED and self._clock.now() < end:
            self._check_following(self._tick(Shape.PARK), True)
        return error

    def brake(self) -> None:
        """To a stop within limits, as long as the arm follows."""
        end = self._clock.now() + REST_WITHIN
        while self.controller.status is ControllerStatus.ACTIVE and self._clock.now() < end:
            shaped = self._tick(Shape.BRAKE)
            if shaped.at_rest or not shaped.running:
                return

    def let_hold(self) -> None:
        """The arm holds by itself, and follows no more."""
        end = self._clock.now() + START_WITHIN
        self.controller.deactivate()
        while self.controller.status is ControllerStatus.ACTIVE and self._clock.now() < end:
            self._tick(Shape.BRAKE)

    def _check_following(self, shaped: Shaped, in_time: bool) -> None:
        controller = self.controller
        if controller.status is not ControllerStatus.ACTIVE:
            end = self._clock.now() + REASON_WITHIN
            while self._clock.now() < end:
                self._listen()
                self._pause()
            raise ParkError(f"{controller.url}: the arm follows no more: {controller.reason or controller.status}")
        if shaped.stopped is not Stopped.FINE:
            joint = int(np.argmax(self.shaper.apart))
            name = controller.capabilities.joints[joint].name
            raise ParkError(
                f"{controller.url}: stopped on the way: joint {name} is not where it was sent; look for what holds it"
            )
        if not in_time:
            raise ParkError(f"{controller.url}: stopped on the way: it takes too long; look for what holds the arm")

    def _measured(self) -> Floats:
        assert self._last is not None
        return self._last.q

    def _listen(self) -> Measurement | None:
        """A measurement that is new and makes sense."""
        said = self.controller.newest()
        if said is None or not np.isfinite(said.q).all():
            return None
        self._last = said
        return said

    def _tick(self, wanted: Shape) -> Shaped:
        self._listen()
        inputs, last, now = self._inputs, self._last, self._clock.now()
        assert last is not None
        inputs.measured[:] = inputs.target[:] = last.q
        inputs.measured_v[:] = math.nan if last.v is None else last.v
        trip = self.controller.health.round_trip
        inputs.link(now - last.arrival, trip if math.isfinite(trip) else 0.0)
        inputs.at(now, wanted)
        shaped = self.shaper.tick(inputs)
        if shaped.running:
            self.controller.send(shaped.q, shaped.v if self._takes_velocity else None, None, next(setpoint_numbers))
        self._pause()
        return shaped

    def _pause(self) -> None:
        self._due = max(self._due + self._period, self._clock.now())
        self._clock.sleep_until(self._due)


def check_fit(controller: Controller) -> None:
    """A ParkError if the arm is in fault or was stopped."""
    status = controller.status
    if status is ControllerStatus.FAULT:
        raise ParkError(f"{controller.url}: the arm is in fault: {controller.reason}")
    if status is ControllerStatus.STOPPED:
        raise ParkError(f"{controller.url}: the arm was stopped: {controller.reason}; reset it once it is safe")
    if status is ControllerStatus.LOST:
        why = controller.reason.removeprefix(f"{controller.url}: ")
        raise ParkError(f"{controller.url}: the arm was lost: {why}; see to its link and give the same command again")


def release(controller: Controller, clock: Clock = WALL) -> None:
    """Take the torque away; a ParkError if the arm is in fault, stopped or lost, or refuses."""
    controller.newest()
    check_fit(controller)
    controller.release()
    end = clock.now() + RELEASE_TIME
    while clock.now() < end:
        controller.newest()
        check_fit(controller)
        if controller.answer:
            raise ParkError(f"{controller.url}: the arm keeps its torque: {controller.answer}")
        clock.sleep_until(clock.now() + 1.0 / HIGHEST_RATE)
