"""Two ends with a network between them, and an arm that is where it is told to be, at a wall."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from sim_devices.arm.network import Network, NetworkSettings
from station.bilateral import ArmEnd, BilateralSettings, HandEnd
from station.devices.device import Floats

PERIOD = 1e-3  # [s]


class Moment(NamedTuple):
    """What there is after a tick."""

    time: float  # [s]
    hand: float  # [m]
    arm: float  # [m]
    force: float  # on the hand [N]
    contact: float  # on the tool [N]


class Link:
    """A hand whose motion is given, and an ideal arm at a wall that begins at 0 and fills x > 0."""

    def __init__(
        self,
        settings: BilateralSettings,
        stiffness: float = 500.0,
        network: NetworkSettings | None = None,
        seed: int = 0,
        start: float = -0.01,
    ) -> None:
        self.hand, self.arm = HandEnd(settings), ArmEnd(settings)
        quiet = network or NetworkSettings()
        self.there: Network[bytes] = Network(quiet, seed)
        self.back: Network[bytes] = Network(quiet, seed + 1)
        self.stiffness = stiffness
        self.time, self.place, self.arm_place, self.contact = 0.0, start, start, 0.0
        self.wrench = np.zeros(6)
        self.energy = 0.0  # from the hand into the force, exactly [J]
        self.cut = False  # nothing gets through any more

    def tick(self, place: float) -> Moment:
        """The hand is led to a place [m] within one tick."""
        self.energy -= self.wrench[0] * (place - self.place)
        self.time, self.place = self.time + PERIOD, place
        for data in self.back.due(self.time):
            if not self.cut:
                self.hand.take_bytes(data, self.time)
        for data in self.there.due(self.time):
            if not self.cut:
                self.arm.take_bytes(data, self.time)
        self.wrench = self.hand.tick(self.time, six(place), self.wrench).copy()
        self.arm_place = float(self.arm.tick(self.time, six(self.arm_place), six(self.contact))[0])
        self.contact = -self.stiffness * max(self.arm_place, 0.0)
        self.there.send(self.time, self.hand.packet_bytes)
        self.back.send(self.time, self.arm.packet_bytes)
        return Moment(self.time, place, self.arm_place, float(self.wrench[0]), self.contact)

    def play(self, way: Callable[[float], float], seconds: float) -> Iterator[Moment]:
        """Lead the hand along a way for so long [s]; its time counts from here."""
        for tick in range(1, round(seconds / PERIOD) + 1):
            yield self.tick(way(tick * PERIOD))

    def lead(self, end: float, seconds: float) -> Moment:
        """Lead the hand evenly to a place [m]; returns the last moment."""
        start = self.place
        *_, last = self.play(lambda time: start + (end - start) * time / seconds, seconds)
        return last

    def stay(self, seconds: float) -> Moment:
        """Hold the hand where it is."""
        return self.lead(self.place, seconds)


def six(x: float) -> Floats:
    """A number along the first axis."""
    return np.array([x, 0.0, 0.0, 0.0, 0.0, 0.0])
