"""Touches with an arm: the tool feels its way along a line until something pushes back; and with a haptic device.

An arm goes slowly, compares the force at its tool with that of a moment before, and comes back the same way. A person
with a haptic device brings its tip to the surface and presses a button.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from calibration.errors import DataError, PoseError
from calibration.leading import Leader, Path, SensorLostError, eased
from calibration.parameters import Floats
from station.clock import WALL, Clock
from station.controllers import Measurement
from station.devices import Device, DeviceStatus
from station.mechanism import Mechanism, Status
from station.tasks.task.joints import driven_joints

SPEED = 0.005  # of feeling [m/s]
THRESHOLD = 3.0  # of a touch [N]
LASTS = 0.1  # that the arm then stands, to see whether the force stays [s]
LEFT = 0.5  # part of the threshold that must be left of it
TRIES = 3  # to find something that stays
TARE = 0.2  # for which forces are averaged before [s]
POINTS = 21  # of the path, between which joints go straight
HELD = 0.2  # after a button was pressed, for which places are averaged [s]
STILL = 5e-4  # that a tip may move meanwhile [m]
PAUSE = 0.001  # between two looks at a device [s]


class Touch(NamedTuple):
    """One touch."""

    point: Floats  # where the frame of the tool was, in the world [m]
    joints: Floats  # at that moment [rad | m]
    force: float  # at that moment [N]


class ArmProbe:
    """An arm with a round tip in one of its frames."""

    def __init__(self, mechanism: Mechanism, frame: int | str, leader: Leader) -> None:
        self._mechanism, self._frame, self._leader = mechanism, frame, leader
        self._driven = driven_joints(mechanism)

    def touch(self, direction: Floats, distance: float) -> Touch:
        """Feel along a direction of the world, from where the tool is, for at most a distance [m]; then back.

        A force that does not last while the arm stands is a jolt and no touch: it is felt for once more. Raises a
        PoseError if nothing is there, if nothing but jolts is felt, or if the arm cannot go along that line.
        """
        direction = np.asarray(direction, dtype=np.float64) / np.linalg.norm(direction)
        for _ in range(TRIES):
            touch = self._feel(direction, distance)
            if touch is not None:
                return touch
        raise PoseError(f"{TRIES} jolts of the arm were felt and no touch; is something else moving it?")

    def _feel(self, direction: Floats, distance: float) -> Touch | None:
        """Once along the line, and back; None if what was felt did not last."""
        tare = self._tare()
        along = self._path(self._leader.where().q, direction, distance)
        seconds = distance / SPEED

        def force(said: Measurement) -> float:
            assert said.wrench is not None
            return float(np.linalg.norm(said.wrench[:3] - tare))

        def felt(said: Measurement) -> bool:
            return force(said) > THRESHOLD

        with self._leader.following() as begin:
            led = self._leader.lead(_with_start(along, begin, seconds), seconds, felt)
            last = led.heard[-1]
            now, back = led.sent[-1].q, max(0.2, len(led.sent) * self._leader.period)
            stood = self._leader.lead(lambda _: now, LASTS).heard if felt(last) else []
            self._leader.lead(lambda t: now + (begin - now) * eased(t / back), back)
        if not felt(last):
            raise PoseError(f"nothing was felt within {1e3 * distance:.0f} mm")
        lasting = [force(said) for said in stood[len(stood) // 2 :]]
        if not lasting or float(np.median(lasting)) < LEFT * THRESHOLD:
            return None
        return Touch(self._place(last.q)[:3, 3], last.q, force(last))

    def _tare(self) -> Floats:
        wrenches = [one.wrench for one in self._leader.listen(TARE) if one.wrench is not None]
        if not wrenches:
            raise DataError(f"{self._leader.controller.url}: this arm measures no forces at its tool")
        return np.asarray(np.mean(wrenches, axis=0)[:3])

    def _place(self, q: Floats) -> Floats:
        whole = self._mechanism.q
        whole[self._driven] = q
        self._mechanism.q = whole
        return self._mechanism.pose(self._frame)

    def _path(self, start: Floats, direction: Floats, distance: float) -> Floats:
        pose = self._place(start)
        points = []
        for far in np.linspace(0.0, distance, POINTS):
            goal = pose.copy()
            goal[:3, 3] += far * direction
            if self._mechanism.reach(self._frame, goal, restarts=0).status is not Status.OK:
                raise PoseError(f"the tool cannot go {1e3 * far:.0f} mm along that line")
            points.append(self._mechanism.q[self._driven])
        return np.array(points)


def _with_start(points: Floats, begin: Floats, seconds: float) -> Path:
    """Along joint values, one after the other in equal times, beginning where the arm stands."""
    shift = begin - points[0]
    times = np.linspace(0.0, seconds, len(points))

    def at(time: float) -> Floats:
        return np.asarray([np.interp(time, times, column) for column in points.T] + shift)

    return at


class DeviceProbe:
    """A haptic device whose handle ends in a tip, with the work-piece in its reach."""

    def __init__(self, device: Device, button: int = 0, device_in_world: Floats | None = None) -> None:
        """Take a device.

        Args:
            device: with absolute places.
            button: that is pressed at a touch, by its number.
            device_in_world: where the frame of the device is (4, 4) [m]; else the world is that of the device.
        """
        names = device.capabilities.buttons
        if button >= len(names):
            raise DataError(f"{device.capabilities.model} has no button {button}; there are {len(names)}")
        self.device, self._bit = device, 1 << button
        self._stand = np.eye(4) if device_in_world is None else np.asarray(device_in_world, dtype=np.float64)

    def touch(self, within: float, clock: Clock = WALL) -> Floats:
        """Where the tip is when the button is pressed next [m]; a PoseError if it is not, or if the tip moved."""
        end, pressed_at = clock.now() + within, float("inf")
        released = False
        places: list[Any] = []
        while clock.now() < min(end, pressed_at + HELD):
            clock.sleep_until(clock.now() + PAUSE)
            sample = self.device.newest()
            if self.device.status in (DeviceStatus.LOST, DeviceStatus.FAULT, DeviceStatus.CLOSED):
                raise SensorLostError(f"{self.device.url}: {self.device.reason or self.device.status}")
            if sample is None:
                continue
            down = bool(sample.buttons & self._bit)
            released = released or not down
            if down and released:
                pressed_at = min(pressed_at, clock.now())
                places.append(sample.pose[:3, 3])
        if not places:
            raise PoseError(f"no button was pressed within {within:g} s")
        spread = float(np.ptp(places, axis=0).max())
        if spread > STILL:
            raise PoseError(f"the tip moved by {1e3 * spread:.2f} mm while the button was pressed; hold it still")
        return np.asarray(self._stand[:3, :3] @ np.mean(places, axis=0) + self._stand[:3, 3])
