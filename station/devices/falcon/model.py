"""`FalconModel`: exact kinematics both ways, and forces as motor words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from station.devices.device import Floats
from station.devices.falcon.geometry import (
    ANGLE_AT_ZERO,
    COUNT,
    LARGEST_WORD,
    MAX_FORCE,
    WORDS_PER_NEWTON_METRE,
)
from station.devices.falcon.kernels.legs import leg_angles
from station.devices.falcon.kernels.place import force_to_words, place, words_to_force


class FalconModel:
    """Where the grip is and what pushes it; all in the station's device frame.

    `words_per_newton_metre` is how much of a motor word makes a torque of 1 N·m at a thigh. The default is the number
    in libnifalcon; no measured one has been published, so forces in newtons are right only after a calibration.
    """

    def __init__(self, words_per_newton_metre: float = WORDS_PER_NEWTON_METRE) -> None:
        self.words_per_newton_metre = words_per_newton_metre
        self._near = np.zeros(3)  # where the last search ended [m]
        self._angles = np.zeros(3)
        self._words = np.zeros(3)
        self._work = np.zeros((6, 3))
        self._limits = np.array([MAX_FORCE, float(LARGEST_WORD)])
        self.position_of_counts((0, 0, 0))  # compile or load now, not in the first tick
        self.words_for(np.zeros(3), np.zeros(3))

    def position_of_counts(self, counts: Sequence[float]) -> Floats | None:
        """Place of the grip [m] for three encoder counts; None if the mechanism cannot be so."""
        for leg in range(3):
            self._angles[leg] = ANGLE_AT_ZERO + COUNT * counts[leg]
        return self._near.copy() if place(self._angles, self._near, self._work) else None

    def position_of_angles(self, angles: Floats) -> Floats | None:
        """Place of the grip [m] for three leg angles [rad]; None if the mechanism cannot be so."""
        self._angles[:] = angles
        return self._near.copy() if place(self._angles, self._near, self._work) else None

    def angles(self, position: Floats) -> Floats | None:
        """Leg angles [rad] at a place [m]; None if it is out of reach."""
        result = np.zeros(3)
        return result if leg_angles(position, result, self._work[:3]) else None

    def counts(self, position: Floats) -> Floats | None:
        """Encoder counts, not rounded, at a place [m]; None if it is out of reach."""
        angles = self.angles(position)
        return None if angles is None else (angles - ANGLE_AT_ZERO) / COUNT

    def rates(self, position: Floats) -> Floats | None:
        """3×3 [rad/m]: how the leg angles change with the place; its inverse is the jacobian of the mechanism."""
        result = np.zeros((3, 3))
        return result if leg_angles(position, self._angles, result) else None

    def words_for(self, position: Floats, force: Floats) -> tuple[int, int, int]:
        """Motor words that push with a force [N] at a place [m]; direction kept, zeros where it cannot be."""
        force_to_words(position, force, self.words_per_newton_metre, self._limits, self._words, self._work)
        first, second, third = self._words
        return int(first), int(second), int(third)

    def force_of(self, position: Floats, words: Sequence[float]) -> Floats:
        """Force [N] that motor words make at a place [m]; zeros out of reach."""
        force = np.zeros(3)
        rates = self.rates(position)
        if rates is not None:
            words_to_force(rates, np.asarray(words, dtype=np.float64), self.words_per_newton_metre, force)
        return force
