"""A handle that is a mass in free space or before a wall, for tests of the hand alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim_devices.hand import Hand
from station.kernel import Floats

Force = Callable[[Floats, Floats], Floats]


class Handle:
    """A mass on three axes that only translates."""

    def __init__(self, mass: float = 0.3, place: tuple[float, float, float] = (0.2, 0.0, 0.0)) -> None:
        self.mass, self.position, self.velocity = mass, np.array(place), np.zeros(3)
        self.now = 0.0

    def live(self, hand: Hand, seconds: float, other: Force | None = None, period: float = 0.001) -> Floats:
        """Move under the hand and another force [N] for some time [s]; a row per step: place, force of the hand."""
        rows = []
        for _ in range(round(seconds / period)):
            pushed = hand.force(self.position, self.velocity, self.now)
            total = pushed if other is None else pushed + other(self.position, self.velocity)
            speed = self.velocity + period / self.mass * total
            self.position = self.position + 0.5 * period * (self.velocity + speed)
            self.velocity = speed
            self.now += period
            rows.append([*self.position, *pushed])
        return np.array(rows)
