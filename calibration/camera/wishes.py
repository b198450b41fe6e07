"""How a board may be held before a camera: in words of the picture, which need no lens, and as a place in space."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from calibration.camera.board import Board
from calibration.camera.projection import Lens
from calibration.parameters import Floats
from calibration.units import DEGREE
from station.kernel.so3 import rotation, rotation_vector

TILT = 35.0 * DEGREE
ASIDE = 0.5  # of the middle of a board that is held to one side, in halves of the picture
SMALL, LARGE = 0.45, 0.85  # shares of the picture that a board takes
LEVEL = 8.0 * DEGREE  # below which a tilt is not worth a word
FILLS = ((0.35, "a third of the picture"), (0.6, "half of the picture"), (1.0, "nearly all of the picture"))


class Wish(NamedTuple):
    """Where a board is in a picture, and how it is turned there; left and right are those of the picture."""

    x: float  # of its middle, to the right, in halves of the picture's width
    y: float  # down, in halves of its height
    fill: float  # share of the picture that it takes if it is not tilted, in the tighter direction
    tilt_x: float  # with its lower edge away from the camera [rad]
    tilt_y: float  # with its left edge away from the camera [rad]
    turn: float  # clockwise [rad]

    def __str__(self) -> str:
        return ", ".join(filter(None, (self._place, self._size, self._tilt, self._turned)))

    @property
    def _place(self) -> str:
        down, right = (_side(value) for value in (self.y, self.x))
        names = [("upper", "", "lower")[down], ("left", "", "right")[right]]
        return f"towards the {' '.join(filter(None, names))}" if any(names) else "in the middle"

    @property
    def _size(self) -> str:
        size = next((words for most, words in FILLS if self.fill <= most), "more than the picture")
        return f"so near that it takes {size}"

    @property
    def _tilt(self) -> str:
        tilts = ((self.tilt_y, "left", "right"), (self.tilt_x, "lower", "upper"))
        told = [a if tilt > 0.0 else b for tilt, a, b in tilts if abs(tilt) >= LEVEL]
        angle = float(np.hypot(self.tilt_x, self.tilt_y)) / DEGREE
        return f"its {' and '.join(told)} edge tilted away by {angle:.0f}°" if told else "facing the camera"

    @property
    def _turned(self) -> str:
        angle = self.turn / DEGREE
        if abs(angle) < 15.0:
            return ""
        way = "clockwise" if angle > 0.0 else "anti-clockwise"
        return "upside down" if abs(angle) > 150.0 else f"turned {way} by {abs(angle):.0f}°"


def wishes() -> list[Wish]:
    """All that may be asked for: corners of the picture and its middle, near and far, tilted to all sides, turned."""
    tilts = [(0.0, 0.0), *((TILT * np.sin(a), TILT * np.cos(a)) for a in np.arange(8) * np.pi / 4.0)]
    sides = (-ASIDE, 0.0, ASIDE)
    places = [(x, y, SMALL) for x, y in itertools.product(sides, sides)]
    places += [(0.5 * x, 0.5 * y, LARGE) for x, y in itertools.product((-ASIDE, ASIDE), (-ASIDE, ASIDE))]
    places.append((0.0, 0.0, LARGE))
    return [
        Wish(x, y, fill, float(tilt_x), float(tilt_y), turn)
        for (x, y, fill), (tilt_x, tilt_y), turn in itertools.product(places, tilts, (0.0, np.pi / 2.0))
    ]


def pose_of(wish: Wish, board: Board, lens: Lens, size: tuple[int, int]) -> Floats:
    """Where the board's upper left corner is for a camera, if it is held so (4, 4) [m]; the lens may be a guess.

    Args:
        wish: how it is held.
        board: its size.
        lens: of the camera; that it bends is not looked at.
        size: of its pictures [px].
    """
    pose, middle = np.eye(4), np.array([*board.size, 0.0]) / 2.0
    pose[:3, :3] = rotation(np.array([wish.tilt_x, wish.tilt_y, 0.0])) @ rotation(np.array([0.0, 0.0, wish.turn]))
    depth = _depth(wish.turn, board, lens, size) / wish.fill
    at = np.array([(1.0 + wish.x) * size[0] / 2.0, (1.0 + wish.y) * size[1] / 2.0])
    ray = np.array([*((at - [lens.cx, lens.cy]) / [lens.fx, lens.fy]), 1.0])
    pose[:3, 3] = depth * ray - pose[:3, :3] @ middle
    return pose


def wish_of(pose: Floats, board: Board, lens: Lens, size: tuple[int, int]) -> Wish:
    """How a board is held that is at a place (4, 4) [m]: the other way round."""
    middle = pose[:3, :3] @ np.array([*board.size, 0.0]) / 2.0 + pose[:3, 3]
    at = middle[:2] / middle[2] * [lens.fx, lens.fy] + [lens.cx, lens.cy]
    normal = pose[:3, 2]
    level = np.array([-normal[1], normal[0], 0.0])  # z × normal: the tilt turns z to it
    sine = float(np.linalg.norm(level))
    tilt = level / sine * np.arctan2(sine, normal[2]) if sine > 1e-12 else np.zeros(3)
    turn = float(rotation_vector(rotation(tilt).T @ pose[:3, :3])[2])
    fill = _depth(turn, board, lens, size) / float(middle[2])
    x, y = 2.0 * at / size - 1.0
    return Wish(float(x), float(y), fill, float(tilt[0]), float(tilt[1]), turn)


def _depth(turn: float, board: Board, lens: Lens, size: tuple[int, int]) -> float:
    """At which a board just fits into the picture, if it is not tilted [m]."""
    cosine, sine = abs(np.cos(turn)), abs(np.sin(turn))
    width, height = board.size
    wide, tall = cosine * width + sine * height, sine * width + cosine * height
    return float(max(wide * lens.fx / size[0], tall * lens.fy / size[1]))


def _side(value: float) -> int:
    return 0 if value < -ASIDE / 3.0 else 2 if value > ASIDE / 3.0 else 1
