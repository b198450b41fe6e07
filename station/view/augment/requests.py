"""`Requests`: which quantities, marks and layers were asked for, and what only somebody else knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from station.view.augment.marks import Mark, mark_named
from station.view.augment.quantities import TOLD, quantity_named
from station.view.augment.reading import Floats
from station.view.augment.stops import Stops
from station.view.errors import ViewRequestError
from station.view.robot import DrawnRobot

if TYPE_CHECKING:
    from station.view.scene_view import SceneView


@dataclass
class Layers:
    """What is drawn beside the quantities that are asked for; change it at any time."""

    stops: Stops | str = Stops.NEAR  # off, near, all
    limits: bool = True  # links that are held back coloured
    tool_force: bool = True
    hand_forces: bool = True  # by cause
    cursor: bool = True  # of the hand
    device_workspace: bool = False
    ellipsoid: bool = False  # of manipulability
    guides: bool = True
    words: bool = True  # lines at the top left


class Shown(NamedTuple):
    """A quantity that is shown."""

    quantity: str
    mark: Mark
    robot: str | None = None  # None: all robots
    full: float | None = None  # what counts as full, in the unit of the quantity; None: limits of the file, or usual
    number: bool = True  # whether the largest value is written beside its mark


class Requests:
    """What is asked for. `layers` may be changed at any time.

    Args:
        view: the scene.
    """

    def __init__(self, view: SceneView) -> None:
        self._view = view
        self.layers = Layers()
        self._shown: dict[tuple[str, Mark], Shown] = {}
        self._told: dict[str, dict[str, Floats]] = {}  # by robot, by quantity
        self._changes = 0  # of what was told

    def show(
        self,
        quantity: str,
        mark: str = "sphere",
        *,
        robot: str | None = None,
        full: float | None = None,
        number: bool = True,
    ) -> None:
        """Show a quantity by a mark at the places it belongs to.

        Args:
            quantity: speed, effort, load, nearness, temperature, tracking or obstacle.
            mark: sphere, colour, transparency or arrow.
            robot: of one robot only.
            full: what counts as full, in the unit of the quantity; else the limits of the file, or what is usual.
            number: whether the largest value is written beside its mark.

        Raises:
            ViewRequestError: that lists what there is.
        """
        name, chosen = quantity_named(quantity).name, mark_named(mark)
        if robot is not None:
            self._robot(robot)
        if full is not None and not 0.0 < full < np.inf:
            raise ViewRequestError(f"{name} is full at {full:g}; allowed: more than 0")
        self._shown[name, chosen] = Shown(name, chosen, robot, full, number)

    def hide(self, quantity: str | None = None, mark: str | None = None) -> None:
        """Show a quantity no longer, by one mark or by any; all quantities if none is named."""
        name = quantity_named(quantity).name if quantity is not None else None
        chosen = mark_named(mark) if mark is not None else None
        for key in list(self._shown):
            if name in (None, key[0]) and chosen in (None, key[1]):
                del self._shown[key]

    @property
    def shown(self) -> tuple[Shown, ...]:
        """Quantities that are shown."""
        return tuple(self._shown.values())

    def tell(self, quantity: str, values: ArrayLike | None, robot: str | None = None) -> None:
        """Values of a quantity that no station publishes, one per joint in the order of the file; NaN: not known.

        Args:
            quantity: effort [N·m | N] or temperature [°C].
            values: one per joint; None: they are no longer known.
            robot: whose they are; the first if not given.
        """
        if quantity not in TOLD:
            raise ViewRequestError(f"'{quantity}' cannot be told; what can: {', '.join(TOLD)}")
        drawn = self._robot(robot or next(iter(self._view.robots)))
        known = self._told.setdefault(drawn.name, {})
        self._changes += 1
        if values is None:
            known.pop(quantity, None)
            return
        numbers = np.array(values, np.float64)
        if numbers.shape != (drawn.kinematics.joints,):
            raise ViewRequestError(f"robot {drawn.name} takes {drawn.kinematics.joints} values, one per joint")
        numbers[~np.isfinite(numbers)] = np.nan
        known[quantity] = numbers

    def _robot(self, name: str) -> DrawnRobot:
        if name not in self._view.robots:
            raise ViewRequestError(f"no robot '{name}' in this scene; there are: {', '.join(self._view.robots)}")
        return self._view.robots[name]
