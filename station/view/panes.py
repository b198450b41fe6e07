"""`Panes`: how a window is divided among cameras, and what the mouse does in it; the same for every kind of canvas."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

from station.view.camera import TOOL_VIEW, Camera, PoseCamera, Ray, viewpoint
from station.view.drawing.borders import draw_borders
from station.view.drawing.scene_drawing import Pane
from station.view.errors import ViewRequestError
from station.view.picking import Hit
from station.view.scene_view import SceneView

ORBIT = math.radians(0.4)  # per pixel
WHEEL = 0.88  # factor of the distance per notch
CLICK = 4  # way of the mouse up to which it is a click [px]
SMALL = ("top", "front", "side", TOOL_VIEW)  # panes at the right, if wanted
MAIN = 0.7  # part of the width that the main pane keeps then
BORDER = 2  # between two panes [px]
LEFT = 1

Place = tuple[float, float]  # [px] from the top left
Size = tuple[float, float]  # of the window [px]


class Part(NamedTuple):
    """A part of the window and the camera whose picture it shows; lengths [px] from the top left."""

    name: str  # empty: the main one
    camera: Camera
    left: float
    top: float
    width: float
    height: float

    @property
    def aspect(self) -> float:
        """Width over height."""
        return self.width / self.height

    def holds(self, place: Place) -> bool:
        """Whether a place is in it."""
        return self.left <= place[0] < self.left + self.width and self.top <= place[1] < self.top + self.height

    def within(self, place: Place) -> tuple[float, float]:
        """The place in its picture: x right and y up from -1 to 1."""
        x, y = (place[0] - self.left) / self.width, (place[1] - self.top) / self.height
        return 2.0 * x - 1.0, 1.0 - 2.0 * y

    def ray(self, place: Place) -> Ray:
        """Line of sight through a place of the window."""
        return self.camera.ray(*self.within(place), self.aspect)


class Panes:
    """A main pane with the scene's camera, and small ones along the axes and from the tool if wanted.

    Args:
        view: the scene.
        picked: called with what was clicked on, or None for empty space.
    """

    def __init__(self, view: SceneView, picked: Callable[[Hit | None], object]) -> None:
        self.view, self._picked = view, picked
        self.others: dict[str, Camera] = {}  # small panes by name, from the top down
        self.frames, self.frame_time = 0, 0.0  # drawn so far; spent on the last one [s]
        self._fitted: dict[str, float] = {}  # small panes that were not moved, with the width over height they are for
        self._button: int | None = None
        self._held = ""  # name of the pane that the button went down in
        self._last: Place = (0.0, 0.0)
        self._way = 0.0

    def split(self, on: bool) -> None:
        """Small panes at the right, or none; without one from the tool where no robot has a tool."""
        if on is not bool(self.others):
            self.view.camera.zoom(1.0 / MAIN if on else MAIN)  # what was seen before is seen now
        self.others = {}
        for name in SMALL if on else ():
            try:
                self.others[name] = self.view.tool_camera() if name == TOOL_VIEW else viewpoint(name)
            except ViewRequestError:
                continue
        self.fit()

    def fit(self) -> None:
        """Let everything fill the small panes, from the next picture on; also of other sizes until they are moved."""
        self._fitted = dict.fromkeys(self.others, 0.0)

    def _fit(self, part: Part) -> None:
        if part.name in self._fitted and self._fitted[part.name] != part.aspect:
            self._fitted[part.name] = part.aspect
            if not isinstance(part.camera, PoseCamera):
                part.camera.fit(self.view.points(), part.aspect)

    def main_width(self, width: float) -> float:
        """Of the main pane, in a window of that width."""
        return max(MAIN * width if self.others else width, 1.0)

    def parts(self, size: Size) -> list[Part]:
        """How a window of that size [px] is divided; the main pane first."""
        width, height = max(size[0], 1.0), max(size[1], 1.0)
        main = self.main_width(width)
        parts = [Part("", self.view.camera, 0.0, 0.0, main, height)]
        high = height / max(len(self.others), 1)
        for number, (name, camera) in enumerate(self.others.items()):
            parts.append(Part(name, camera, main, number * high, max(width - main, 1.0), high))
        return parts

    def part_at(self, place: Place, size: Size) -> Part:
        """The pane at a place of the window; the main one where there is none."""
        parts = self.parts(size)
        return next((part for part in parts if part.holds(place)), parts[0])

    def draw(self, width: int, height: int, scale: float, own_buffer: bool = False) -> None:
        """All panes into the current frame buffer [device px]; `scale` device pixels per pixel.

        `own_buffer`: it is one of ours, so that pictures can be copied into it.
        """
        started = time.perf_counter()
        parts = self.parts((width, height))
        for part in parts:
            left, top = round(part.left), round(part.top)
            right, bottom = round(part.left + part.width), round(part.top + part.height)
            size, corner = (max(right - left, 1), max(bottom - top, 1)), (left, height - bottom)
            if not part.name:
                self.view.draw(Pane(size, scale, corner, still=own_buffer and not self.others))
            else:
                self._fit(part)
                self.view.draw(Pane(size, scale, corner, clear=False, texts=False, title=part.name), part.camera)
        corners = [(part.left, part.top, part.width, part.height) for part in parts[1:]]
        draw_borders(corners, height, round(BORDER * scale), self.view.theme.grid_strong)
        self.frames += 1
        self.frame_time = time.perf_counter() - started

    def press(self, button: int, place: Place, size: Size) -> None:
        """A button goes down: 1 left, 2 right, 3 middle."""
        self._button, self._last, self._way = button, place, 0.0
        self._held = self.part_at(place, size).name

    def move(self, place: Place, shift: bool, size: Size) -> bool:
        """The mouse moves; returns whether the picture changes."""
        if self._button is None or place == self._last:
            return False
        dx, dy = place[0] - self._last[0], place[1] - self._last[1]
        self._last = place
        self._way += abs(dx) + abs(dy)
        part = next((part for part in self.parts(size) if part.name == self._held), self.parts(size)[0])
        self._fitted.pop(part.name, None)
        if self._button == LEFT and not shift and not part.name:
            part.camera.turn(-ORBIT * dx, ORBIT * dy)
        else:  # a view along an axis stays one
            part.camera.pan(-dx / part.height, dy / part.height)
        return True

    def release(self, place: Place, size: Size) -> None:
        """The button goes up; a press without a way is a click."""
        button, self._button = self._button, None
        if button == LEFT and self._way <= CLICK:
            self._picked(self.hit(place, size))

    def wheel(self, notches: float, place: Place, size: Size) -> None:
        """Nearer or away."""
        part = self.part_at(place, size)
        self._fitted.pop(part.name, None)
        part.camera.zoom(WHEEL**notches)

    def hit(self, place: Place, size: Size) -> Hit | None:
        """What is at a place of the window."""
        part = self.part_at(place, size)
        return self.view.hit(*part.within(place), part.aspect, part.camera)
