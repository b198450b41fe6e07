"""`Ground`: what is behind everything: background, grid of the floor, shadows on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from station.view.camera import Sight
from station.view.drawing.backdrop import Backdrop
from station.view.drawing.library import gloo
from station.view.drawing.robot_visual import LinkStates, RobotVisual
from station.view.drawing.segments import Segments
from station.view.drawing.state import State
from station.view.floor import Floor, floor_lines
from station.view.theme import Theme

if TYPE_CHECKING:
    from station.view.drawing.scene_drawing import Pane

Caster = tuple[RobotVisual, LinkStates, bool]  # what throws a shadow, and whether it is never seen from behind


class Ground:
    """Background, grid and shadows of a scene."""

    def __init__(self, state: State) -> None:
        self._state, self._grid, self._backdrop = state, Segments(), Backdrop()
        self._floors = 0  # so far

    def put(self, floor: Floor, theme: Theme) -> None:
        """Another floor, or another theme."""
        starts, ends, colours = floor_lines(floor, theme)
        self._grid.put(starts, ends, colours, np.ones(len(starts)))
        self._grid.fade(floor.centre, floor.radius)
        self._floors += 1

    def draw(self, sight: Sight, pane: Pane, theme: Theme, floor: bool) -> None:
        """Background and grid; a still picture of them is copied."""
        key = (sight.view_projection.tobytes(), pane.size, pane.scale, theme.name, floor, self._floors)

        def paint() -> None:
            gloo.clear(color=theme.background, depth=True)
            if floor:
                self._lines(sight, pane)

        if not pane.clear:
            if not all(pane.mask):
                gloo.clear(color=False, depth=True)  # the other eye has drawn here
            self._state.set(color_mask=(*pane.mask, True))
            if floor:
                self._lines(sight, pane)
        elif pane.still and all(pane.mask) and self._backdrop.show(key, pane.size, paint):
            gloo.clear(color=False, depth=True)
        elif all(pane.mask):
            paint()
        else:
            gloo.clear(color=theme.background, depth=True)
            self._state.set(color_mask=(*pane.mask, True))
            if floor:
                self._lines(sight, pane)

    def _lines(self, sight: Sight, pane: Pane) -> None:
        self._state.set(depth_test=False, blend=True, cull_face=False)
        self._grid.draw(sight, pane.size, pane.scale)
        self._state.set(depth_test=True, blend=False)

    def draw_shadows(self, casters: Iterable[Caster], height: float, theme: Theme) -> None:
        """On the floor at that height [m]: what is lighter than a shadow becomes as dark, however many fall there."""
        self._state.set(depth_test=False, blend=True, darken=True)
        for visual, states, closed in casters:
            self._state.set(cull_face=closed)
            visual.draw_shadow(states, height, theme.shadow)
        self._state.set(depth_test=True, blend=False, darken=False, cull_face=False)
