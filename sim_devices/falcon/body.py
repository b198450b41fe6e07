"""The mechanics: a mass on three legs, with friction, motors, gravity, stops, and a hand.

The legs are light and the gears are cables, so their inertia is taken together with that of the grip as one mass.
Masses and friction are plausible, not measured. The stops are a ball about the centre.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from station.compiled import Compiler
from station.devices.device import Floats
from station.devices.falcon.geometry import ANGLE_AT_ZERO, COUNT, REACH
from station.devices.falcon.kernels.cache import SOURCES
from station.devices.falcon.kernels.legs import leg_angles
from station.devices.falcon.kernels.place import words_to_force

LONGEST_STEP = 0.0005  # [s]
GRAVITY = 9.81  # [m/s²]

kernel = Compiler("falcon-body", [Path(__file__)], uses=SOURCES)


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


@kernel
def advance(position: Floats, velocity: Floats, push: Floats, drive: Floats, body: Floats, step: float) -> None:
    """Move on by `step` [s] under the forces of the hand and of the motors [N]; `body` is packed as below."""
    mass, weight, viscous, coulomb = body[0], body[1], body[2], body[3]
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
        self.position = np.zeros(3)  # [m]
        self.velocity = np.zeros(3)  # [m/s]
        self.push = np.zeros(3)  # constant force from outside [N]
        self.hand: Hand | None = None
        self.words = np.zeros(3)  # of the motors, as they act
        self.drive = np.zeros(3)  # force of the motors [N]
        self._scale = scale
        self._packed = np.array([body.mass, body.weight, body.viscous, body.coulomb])
        self._angles = np.zeros(3)
        self._rates = np.zeros((3, 3))
        self._time = 0.0

    def move_to(self, now: float) -> None:
        """Live until `now` [s]."""
        while now - self._time > 1e-9:
            step = min(LONGEST_STEP, now - self._time)
            push = self.push
            if self.hand is not None:
                push = push + self.hand.force(self.position.copy(), self.velocity.copy(), self._time)
            leg_angles(self.position, self._angles, self._rates)
            words_to_force(self._rates, self.words, self._scale, self.drive)
            advance(self.position, self.velocity, push, self.drive, self._packed, step)
            self._time += step

    @property
    def time(self) -> float:
        """Until when it has lived [s]."""
        return self._time

    @property
    def counts(self) -> list[int]:
        """What ideal encoders would count."""
        leg_angles(self.position, self._angles, self._rates)
        return [round((angle - ANGLE_AT_ZERO) / COUNT) for angle in self._angles]
