"""`Trail`: the last places that a point has been at."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from station.view.geometry.mesh import Colour

LENGTH = 600  # places that are kept
WIDTH = 2.5  # [px]
STEP = 1e-3  # way after which a place is worth keeping [m]


class Trail:
    """A path that fades towards its past.

    Args:
        colour: of its newest end.
        length: how many places are kept.
        step: way after which a new place is kept [m].
        width: of the line [px].
    """

    def __init__(self, colour: Colour, length: int = LENGTH, step: float = STEP, width: float = WIDTH) -> None:
        self.colour, self.step, self.width = colour, step, width
        self._places = np.zeros((length, 3))
        self.count = 0  # places so far

    def __len__(self) -> int:
        return min(self.count, len(self._places))

    def add(self, place: ArrayLike) -> bool:
        """A new place [m]; returns whether it was far enough from the last to be kept."""
        new = np.asarray(place, np.float64)
        if not np.isfinite(new).all():
            return False
        if self.count:
            last = self._places[(self.count - 1) % len(self._places)]
            if np.abs(new - last).max() < self.step:
                return False
        self._places[self.count % len(self._places)] = new
        self.count += 1
        return True

    def extend(self, places: ArrayLike) -> None:
        """New places (n, 3) [m], the oldest first."""
        for place in np.asarray(places, np.float64).reshape(-1, 3):
            self.add(place)

    def clear(self) -> None:
        """Forget all."""
        self.count = 0

    def points(self) -> NDArray[np.float64]:
        """All places, the oldest first [m]."""
        if self.count <= len(self._places):
            return self._places[: self.count]
        start = self.count % len(self._places)
        return np.concatenate([self._places[start:], self._places[:start]])

    def colours(self) -> NDArray[np.float32]:
        """Of each piece between two places, the oldest faint."""
        pieces = max(len(self) - 1, 0)
        colours = np.tile(np.array(self.colour, np.float32), (pieces, 1))
        colours[:, 3] *= np.linspace(0.15, 1.0, pieces, dtype=np.float32)
        return colours
