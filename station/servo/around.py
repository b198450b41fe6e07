"""Obstacles in a tick: half-spaces for the solver, and rows for the forces."""

from __future__ import annotations

import numpy as np

from station.collision import Surroundings
from station.servo.kernels import fields as at
from station.servo.kernels.fields import ServoMemory


class Around:
    """What is around the robot, told before each step of the solver and looked at again after it."""

    def __init__(self, surroundings: Surroundings, memory: ServoMemory, numbers: memoryview[float]) -> None:
        self._surroundings, self._rows, self._numbers = surroundings, memory.obstacles, numbers
        self._bodies = np.array(surroundings.bodies, float)  # of each pair
        self.refine = surroundings.refine

    def tell(self, dt: float) -> int:
        """Tell the solver what bounds its next step of `dt` [s]; returns the number of half-spaces."""
        told, numbers = self._surroundings.tell(dt), self._numbers
        count = min(told.rows, len(self._rows))
        if count:
            self._rows[:count, :7] = self._surroundings.rows[:count]
            self._rows[:count, 7] = self._bodies[self._surroundings.row_numbers[:count]]
        numbers[at.OBSTACLES], numbers[at.CONTACTS] = count, told.contacts
        numbers[at.NEAREST] = told.nearest if count else at.NOTHING_NEAR
        return told.contacts
