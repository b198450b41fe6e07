"""How far each link is from the nearest obstacle, measured by the view itself where the robot is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from station.errors import StationError
from station.mad.scene import Scene
from station.mechanism import Mechanism
from station.view.augment.reading import Reading
from station.view.augment.spots import Spots

if TYPE_CHECKING:
    from station.collision import Surroundings

NEAR = 0.25  # distance from which on it is shown, over the reach of the robot


class Distances:
    """Obstacles around robots; what is needed to measure is made when it is first asked for."""

    def __init__(self) -> None:
        self._made: WeakKeyDictionary[Mechanism, Surroundings | str] = WeakKeyDictionary()

    def of(self, scene: Scene, mechanism: Mechanism) -> Surroundings | str:
        """What is around a robot of a scene, or why that cannot be said."""
        if mechanism not in self._made:
            from station.collision import Surroundings  # its library takes long to load, and few ask for this

            try:
                self._made[mechanism] = Surroundings(scene, mechanism)
            except StationError as error:
                self._made[mechanism] = str(error)
        return self._made[mechanism]


def obstacle_spots(reading: Reading, full: float | None) -> Spots | str:
    """The nearest obstacle of every link that is near one; arrows point at it. `full`: distance of share 0 [m]."""
    around = reading.surroundings() if reading.surroundings is not None else "nothing is known of what is around"
    if isinstance(around, str):
        return around
    try:
        found = around.distances(reading.robot.q, include_self=False)
    except StationError as error:
        return str(error)
    if not found:
        return "there is no obstacle"
    near = full or NEAR * reading.robot.body.reach
    nearest = {row.pair.frame: row for row in reversed(found) if row.distance < near}  # the nearest of each comes last
    rows = list(nearest.values())
    return Spots(
        tuple(nearest),
        tuple(f"{row.pair.body} to {row.pair.obstacle}" for row in rows),
        np.array([row.point for row in rows]).reshape(-1, 3),
        -np.array([row.normal for row in rows]).reshape(-1, 3),
        np.full(len(rows), reading.robot.body.size),
        np.array([row.distance for row in rows]),
        np.clip([1.0 - row.distance / near for row in rows], 0.0, 1.0),
        ("m",) * len(rows),
    )
