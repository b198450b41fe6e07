"""`Inputs`: what the forces need to know in a tick; views of one array, filled in place."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from station.devices.parameter import SettingsError
from station.haptics.kernels import layout as at
from station.haptics.kernels.layout import Floats
from station.haptics.results import Cue


class Inputs:
    """All in the frame of the device, SI; the mapping takes robot quantities to the hand.

    Arrays are filled in place: `inputs.hand[:] = place`. Kernels write the same numbers into `inputs.numbers`.
    """

    def __init__(self) -> None:
        self.numbers: Floats = np.zeros(at.INPUTS_SIZE)
        self.hand = self._view(at.HAND, 3)  # place of the handle [m]
        self.hand_turn = self._view(at.HAND_TURN, 4)  # quaternion (w, x, y, z)
        self.hand_speed = self._view(at.HAND_SPEED, 6)  # estimate [m/s, rad/s]
        self.hand_acceleration = self._view(at.HAND_ACCELERATION, 3)  # estimate [m/s²]
        self.proxy = self._view(at.PROXY, 3)  # where the predicted robot lets the hand be [m]
        self.proxy_turn = self._view(at.PROXY_TURN, 4)
        self.proxy_speed = self._view(at.PROXY_SPEED, 6)
        self.nearness = self._view(at.NEARNESS, 7)  # measure of singularity, 0 there; its gradient at the hand
        self.measured = self._view(at.MEASURED, 6)  # contact at the arm, as the hand is to feel it [N, N·m]
        self.own_wrench = self._view(at.OWN, 6)  # of the mapping: the edge of the device [N, N·m]
        self.hand_turn[0] = self.proxy_turn[0] = 1.0
        self.nearness[0] = 1e6
        self.measured_age = math.inf
        self.at(0.0, fresh=True)
        self.states(ready=True, engaged=True, link=True)

    def at(self, now: float, *, fresh: bool, sample_time: float | None = None) -> None:
        """Time of the tick [s]; whether the place of the hand is new, and when it was there [s]."""
        self.numbers[at.NOW], self.numbers[at.FRESH] = now, fresh
        self.numbers[at.SAMPLE_TIME] = now if sample_time is None else sample_time

    def states(self, *, ready: bool, engaged: bool, link: bool) -> None:
        """Whether the device takes forces, the hand moves the robot, the arm side answers."""
        self.numbers[at.READY], self.numbers[at.ENGAGED], self.numbers[at.LINK] = ready, engaged, link

    @property
    def measured_age(self) -> float:
        """Age of the measured contact [s]."""
        return float(self.numbers[at.MEASURED_AGE])

    @measured_age.setter
    def measured_age(self, age: float) -> None:
        self.numbers[at.MEASURED_AGE] = age

    def stops(self, rows: ArrayLike) -> None:
        """n×7: distance to a joint stop [rad | m], and its gradient at the hand."""
        self._rows(rows, "stops", at.STOP_COUNT, at.STOP_ROWS, at.MOST_STOPS)

    def obstacles(self, rows: ArrayLike) -> None:
        """n×7: signed distance [m], unit normal away from the obstacle, near point of what the hand moves [m]."""
        self._rows(rows, "obstacles", at.OBSTACLE_COUNT, at.OBSTACLE_ROWS, at.MOST_OBSTACLES)

    def play(self, cue: Cue) -> None:
        """Start a cue in the next tick; it replaces one that is playing."""
        self.numbers[at.CUE] = cue
        self.numbers[at.CUE_COUNT] += 1.0

    def _view(self, start: int, count: int) -> Floats:
        return self.numbers[start : start + count]

    def _rows(self, rows: ArrayLike, name: str, count: int, start: int, most: int) -> None:
        numbers = np.asarray(rows, dtype=float).reshape(-1, at.ROW)
        if len(numbers) > most:
            raise SettingsError(f"{len(numbers)} {name}; allowed: {most}, the nearest ones")
        self.numbers[count] = len(numbers)
        self.numbers[start : start + numbers.size] = numbers.ravel()
