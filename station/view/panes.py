"""`Panes`: how a window is divided among cameras, and what the mouse does in it; the same for every kind of canvas."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from station.view.camera import Camera, viewpoint
from station.view.drawing.scene_drawing import Pane
from station.view.picking import Hit
from station.view.scene_view import SceneView

ORBIT = math.radians(0.4)  # per pixel
WHEEL = 0.88  # factor of the distance per notch
CLICK = 4  # way of the mouse up to which it is a click [px]
SMALL = ("top", "front", "side")  # panes at the right, if wanted
MAIN = 0.7  # part of the width that the main pane keeps then
LEFT = 1

Place = tuple[float, float]  # [px] from the top left


class Panes:
    """A main pane with the scene's camera, and three small ones if wanted.

    Args:
        view: the scene.
        picked: called with what was clicked on, or None for empty space.
    """

    def __init__(self, view: SceneView, picked: Callable[[Hit | None], object]) -> None:
        self.view, self._picked = view, picked
        self.others: list[Camera] = []
        self.frames, self.frame_time = 0, 0.0  # drawn so far; spent on the last one [s]
        self._button: int | None = None
        self._last: Place = (0.0, 0.0)
        self._way = 0.0

    def split(self, on: bool) -> None:
        """Three small panes at the right, from the top, the front and the side; or none."""
        self.others = [viewpoint(name) for name in SMALL] if on else []
        for camera in self.others:
            camera.fit(self.view.points(), 1.0)

    def main_width(self, width: float) -> float:
        """Of the main pane, in a window of that width."""
        return MAIN * width if self.others else width

    def draw(self, width: int, height: int, scale: float, own_buffer: bool = False) -> None:
        """All panes into the current frame buffer [device px]; `scale` device pixels per pixel.

        `own_buffer`: it is one of ours, so that pictures can be copied into it.
        """
        started = time.perf_counter()
        width, height = max(width, 1), max(height, 1)
        main = max(int(self.main_width(width)), 1)
        self.view.draw(Pane((main, height), scale, still=own_buffer and not self.others))
        if self.others:
            side = (max(width - main, 1), max(height // len(self.others), 1))
            for number, camera in enumerate(self.others):
                corner = (main, height - (number + 1) * side[1])
                self.view.draw(Pane(side, scale, corner, clear=False, texts=False), camera)
        self.frames += 1
        self.frame_time = time.perf_counter() - started

    def press(self, button: int, place: Place) -> None:
        """A button goes down: 1 left, 2 right, 3 middle."""
        self._button, self._last, self._way = button, place, 0.0

    def move(self, place: Place, shift: bool, height: float) -> bool:
        """The mouse moves; returns whether the picture changes. `height` of the window [px]."""
        if self._button is None or place == self._last:
            return False
        dx, dy = place[0] - self._last[0], place[1] - self._last[1]
        self._last = place
        self._way += abs(dx) + abs(dy)
        if self._button == LEFT and not shift:
            self.view.camera.turn(-ORBIT * dx, ORBIT * dy)
        else:
            self.view.camera.pan(-dx / max(height, 1.0), dy / max(height, 1.0))
        return True

    def release(self, place: Place, size: tuple[float, float]) -> None:
        """The button goes up; a press without a way is a click. `size` of the window [px]."""
        button, self._button = self._button, None
        if button == LEFT and self._way <= CLICK:
            self._picked(self.hit(place, size))

    def wheel(self, notches: float) -> None:
        """Nearer or away."""
        self.view.camera.zoom(WHEEL**notches)

    def hit(self, place: Place, size: tuple[float, float]) -> Hit | None:
        """What is at a place of the main pane, in a window of that size [px]."""
        width, height = max(self.main_width(size[0]), 1.0), max(size[1], 1.0)
        return self.view.hit(2.0 * place[0] / width - 1.0, 1.0 - 2.0 * place[1] / height, width / height)
