"""`Label`: a text in a picture; and `arranged`: where texts go so that all can be read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from station.view.camera import Sight
from station.view.geometry.mesh import Colour

PAD, HALF = 0.4, 0.62  # room beside a text, and above and below its middle, over the size of the letters
FARTHEST = 6  # heights of a line by which a text is moved to be read


class Label(NamedTuple):
    """A text at a place in the world [m], or in the picture [px] from the top left if the place has two numbers."""

    text: str
    place: tuple[float, ...]
    colour: Colour
    back: Colour | None = None  # colour of a box behind it
    offset: tuple[float, float] = (8.0, 0.0)  # of its left middle from the place [px], y down


class Placed(NamedTuple):
    """A text whose left middle has a place in the picture [device px] from the top left."""

    text: str
    x: int
    y: int
    colour: Colour
    back: Colour | None


class Box(NamedTuple):
    """Room that a text takes [device px] from the top left."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether both share some room."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def arranged(
    labels: Sequence[Label],
    sight: Sight,
    size: tuple[int, int],
    scale: float,
    letters: int,
    width_of: Callable[[str], float],
) -> list[Placed]:
    """Texts where they belong, within the picture, moved up or down where they would cover each other.

    Those with a place in the picture stay; of the others the first keep their places.

    Args:
        labels: the texts.
        sight: what the camera sees.
        size: width and height of the picture [device px].
        scale: device pixels per pixel.
        letters: their size [device px].
        width_of: how wide a text is [device px].
    """
    placed: list[Placed] = []
    taken: list[Box] = []
    for label in sorted(labels, key=lambda label: len(label.place)):
        at = _in_picture(label, sight, size, scale)
        if at is None or not label.text:
            continue
        pad, half, width = PAD * letters, HALF * letters, width_of(label.text)
        x, y = (math.floor(along) + round(scale * by) for along, by in zip(at, label.offset, strict=True))
        if len(label.place) == 3:
            x = math.floor(max(min(x, size[0] - width - pad), pad))
            y = math.floor(max(min(y, size[1] - half), half))
            y = _free(Box(x - pad, y - half, x + width + pad, y + half), taken, size[1])
        taken.append(Box(x - pad, y - half, x + width + pad, y + half))
        placed.append(Placed(label.text, x, y, label.colour, label.back))
    return placed


def _in_picture(label: Label, sight: Sight, size: tuple[int, int], scale: float) -> tuple[float, float] | None:
    """Where its place is [device px] from the top left; None: not in the picture."""
    if len(label.place) == 2:
        return scale * label.place[0], scale * label.place[1]
    x, y, _, w = sight.view_projection @ np.array([*label.place, 1.0])
    if w <= 0.0 or not (abs(x) <= w and abs(y) <= w):
        return None
    return 0.5 * (1.0 + x / w) * size[0], 0.5 * (1.0 - y / w) * size[1]


def _free(box: Box, taken: list[Box], height: int) -> int:
    """The middle of a box [device px] that is moved up or down to where nothing is, as little as need be."""
    middle = round(0.5 * (box.top + box.bottom))
    for shift in _shifts(box.bottom - box.top):
        moved = box._replace(top=box.top + shift, bottom=box.bottom + shift)
        inside = moved.top >= 0.0 and moved.bottom <= height
        if inside and not any(moved.meets(other) for other in taken):
            return middle + shift
    return middle


def _shifts(line: float) -> Iterator[int]:
    """None, then a little down, up, further down, and so on, in whole pixels [device px]."""
    yield 0
    for half in range(1, 2 * FARTHEST + 1):
        yield math.ceil(0.5 * half * line)
        yield -math.ceil(0.5 * half * line)
