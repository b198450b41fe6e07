"""`Lighting`: what a camera sees and how things are lit, as every visual takes it; worked out once for all of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.view.camera import Sight
from station.view.geometry.mesh import unit
from station.view.theme import Theme

Floats = NDArray[np.float32]


class Lighting(NamedTuple):
    """Numbers for the graphics card."""

    view_projection: Floats  # (4, 4), transposed
    eye: Floats  # place of the eye, 1; or direction to it, 0
    key: Floats  # direction to the light over the shoulder
    fill: Floats  # direction to the light on the other side
    light: tuple[float, float, float]  # strength of: all around, key, fill


class Lamp:
    """Makes the lighting; the same object again while neither camera nor theme has changed."""

    def __init__(self) -> None:
        self._made: dict[object, Lighting] = {}

    def of(self, sight: Sight, theme: Theme) -> Lighting:
        """For a picture; that of the last few cameras is kept, for several panes and for two eyes."""
        key = sight.view_projection.tobytes(), theme.name
        if key not in self._made:
            if len(self._made) > 8:
                self._made.clear()
            towards = unit(0.45 * sight.up - 0.55 * sight.right + 0.70 * sight.back)
            across = unit(0.10 * sight.up + 0.90 * sight.right + 0.40 * sight.back)
            self._made[key] = Lighting(
                np.ascontiguousarray(sight.view_projection.T, np.float32),
                sight.eye.astype(np.float32),
                towards.astype(np.float32),
                across.astype(np.float32),
                (theme.ambient, theme.key, theme.fill),
            )
        return self._made[key]
