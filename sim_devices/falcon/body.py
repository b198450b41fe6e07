"""The mechanics: a mass on three legs, with friction, motors, gravity, stops, and a hand.

The legs are light and the gears are cables, so their inertia is taken together with that of the grip as one mass.
Masses and friction are plausible, not measured. The stops are a ball about the centre.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from station.devices.device import Floats
from station.devices.falcon.geometry import ANGLE_AT_ZERO, COUNT, REACH
from station.devices.falcon.kinematics import leg_angles, words_to_force
from station.kernel import Floats1, Floats2, Record, entry, field

LONGEST_STEP = 0.0005  # [s]
GRAVITY = 9.81  # [m/s²]


class Hand(Protocol):
    """Whoever holds the grip."""

    def force(self, position: Floats, velocity: Floats, now: float) -> Floats:
        """Force on the grip [N], device frame, at a place [m], a velocity [m/s] and a time [s]."""


@dataclass(frozen=True, kw_only=True)
class Body:
    """Numbers of the mechanics."""

    mass: float = 0.25  # of the grip and what moves with it [kg]
    weight: float = 0.10  # of that, what the motors have to carry [kg]
    viscous: float = 1.5  # friction per speed [N·s/m]
    coulomb: float = 0.25  # dry friction [N]


class Moving(Record):
    """The grip under way, with the numbers of its mechanics."""

    position: Floats1 = field("m", shape=3)
    velocity: Floats1 = field("m/s", shape=3)
    drive: Floats1 = field("N", "force of the motors", shape=3)
    angles: Floats1 = field("rad", "of the legs", shape=3)
    rates: Floats2 = field("rad/m", "how these change with the place", shape=(3, 3))
    mass: float = field("kg", "of the grip and what moves with it")
    weight: float = field("kg", "of that, what the motors have to carry")
    viscous: float = field("N·s/m", "friction per speed")
    coulomb: float = field("N", "dry friction")


@entry
def advance(body: Moving, push: Floats1, step: float) -> None:
    """Move on by `step` [s] under the forces of the hand [N] and of the motors."""
    position, velocity, drive = body.position, body.velocity, body.drive
    mass, weight, viscous, coulomb = body.mass, body.weight, body.viscous, body.coulomb
    size = 0.0
    for axis in range(3):
        force = push[axis] + drive[axis] - (weight * GRAVITY if axis == 2 else 0.0)
        velocity[axis] = (velocity[axis] + step * force / mass) / (1.0 + step * viscous / mass)
        size += velocity[axis] ** 2
    size = math.sqrt(size)
    slower = max(size - step * coulomb / mass, 0.0) / size if size > 0.0 else 0.0
    distance = 0.0
    for axis in range(3):
        velocity[axis] *= slower
        position[axis] += step * velocity[axis]
        distance += position[axis] ** 2
    distance = math.sqrt(distance)
    if distance > REACH:  # at the stop: back onto it, and no speed outwards
        outwards = 0.0
        for axis in range(3):
            position[axis] *= REACH / distance
            outwards += position[axis] * velocity[axis] / REACH
        for axis in range(3):
            velocity[axis] -= max(outwards, 0.0) * position[axis] / REACH


class Mechanics:
    """State of the mechanics; what the motors do is set from outside."""

    def __init__(self, body: Body, scale: float) -> None:
        self._body = Moving(mass=body.mass, weight=body.weight, viscous=body.viscous, coulomb=body.coulomb)
        self.position = self._body.position  # [m]
        self.velocity = self._body.velocity  # [m/s]
        self.push = np.zeros(3)  # constant force from outside [N]
        self.hand: Hand | None = None
        self.words = np.zeros(3)  # of the motors, as they act
        self.drive = self._body.drive  # force of the motors [N]
        self._scale = scale
        self._time = 0.0

    def move_to(self, now: float) -> None:
        """Live until `now` [s]."""
        body = self._body
        while now - self._time > 1e-9:
            step = min(LONGEST_STEP, now - self._time)
            push = self.push
            if self.hand is not None:
                push = push + self.hand.force(self.position.copy(), self.velocity.copy(), self._time)
            leg_angles(self.position, body.angles, body.rates)
            words_to_force(body.rates, self.words, self._scale, self.drive)
            advance(body, push, step)
            self._time += step

    @property
    def time(self) -> float:
        """Until when it has lived [s]."""
        return self._time

    @property
    def counts(self) -> list[int]:
        """What ideal encoders would count."""
        leg_angles(self.position, self._body.angles, self._body.rates)
        return [round((angle - ANGLE_AT_ZERO) / COUNT) for angle in self._body.angles]
