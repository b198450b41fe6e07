"""Obstacles of the scene, for whatever leads a virtual robot: it stops at them as that of a station does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from station.bench import Bench
from station.errors import StationError
from station.mechanism import Contact, Mechanism

if TYPE_CHECKING:
    from station.collision import Surroundings


class Around:
    """What is around a robot, obstacles and other robots; nothing, where the scene has neither.

    Args:
        bench: the scene.
        mechanism: the robot as it is led.
    """

    def __init__(self, bench: Bench, mechanism: Mechanism) -> None:
        self._surroundings: Surroundings | None = None
        self.trouble = ""  # why obstacles are not seen, if there are any
        others = [system.mechanism for system in bench.systems() if system.mechanism.robot.name != mechanism.robot.name]
        if bench.obstacles or mechanism.robot.obstacles or others:
            try:
                from station.collision import CollisionSettings, Surroundings  # takes a moment, and few need it

                self._surroundings = Surroundings(bench, mechanism, CollisionSettings(), others=others)
            except (StationError, ImportError) as error:
                self.trouble = f"obstacles are not felt: {error}"

    def contacts(self, dt: float) -> tuple[Contact, ...]:
        """Half-spaces that the next step of `dt` [s] must stay out of."""
        return () if self._surroundings is None else self._surroundings.contacts(dt)

    def stepped(self) -> None:
        """The robot has moved: look again at what is near."""
        if self._surroundings is not None:
            self._surroundings.refine()
