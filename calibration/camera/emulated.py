"""An emulated camera with somebody before it who holds a board as is told, though not exactly: `sim:camera`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import fields
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

import numpy as np

from calibration.camera.board import Board
from calibration.camera.projection import Lens
from calibration.camera.wishes import Wish, pose_of
from calibration.errors import DataError
from calibration.parameters import Floats
from sim_devices.camera import CameraServer, CameraSettings, pictured
from sim_devices.camera.picturing import Picture

SCHEME = "sim:camera"
CLUMSY = (0.08, 0.08, 0.05, 0.08, 0.08, 0.1)  # how far a hand is off what it was told, standard deviations of a wish
SQUARE = 80  # of the drawn board [px]


class EmulatedHolder:
    """Holds a board before an emulated camera at once, about as it was told."""

    def __init__(self, board: Board, settings: CameraSettings, seed: int) -> None:
        """Take a board.

        Args:
            board: that is held.
            settings: of the camera.
            seed: of noise, and of how clumsy the hand is each time.
        """
        self._board, self._settings = board, settings
        self._texture = board.picture(SQUARE)
        self._random = np.random.default_rng(seed)
        s = settings
        self._lens = Lens(s.fx, s.fy, s.cx, s.cy, s.k1, s.k2, s.p1, s.p2)
        self._pose: Floats | None = None  # not held yet

    def hold(self, wish: Wish) -> None:
        """As told, within what a hand can do."""
        off = np.array(CLUMSY) * self._random.uniform(-1.5, 1.5, len(CLUMSY))
        held = Wish(*(np.array(wish) + off).tolist())
        s = self._settings
        self._pose = pose_of(held, self._board, self._lens, (s.width, s.height))

    def picture(self) -> Picture:
        """What the camera sees now."""
        if self._pose is None:
            return np.full((self._settings.height, self._settings.width), 90, dtype=np.uint8)
        return pictured(self._texture, self._board.size, self._pose, self._settings, self._random)


class EmulatedCamera(NamedTuple):
    """A camera at an address, and who is before it."""

    url: str  # of its picture
    holder: EmulatedHolder


@contextmanager
def emulated_camera(url: str, board: Board) -> Iterator[EmulatedCamera]:
    """Start a camera such as sim:camera?serial=SIM-7&seed=3&k1=-0.3, with all that `CameraSettings` has."""
    parts = urlsplit(url)
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    usual = CameraSettings()
    known = {one.name: type(getattr(usual, one.name)) for one in fields(usual)}
    serial, seed = given.pop("serial", "SIM-CAMERA"), given.pop("seed", "0")
    if unknown := set(given) - set(known):
        raise DataError(f"{url}: no {min(unknown)!r} there; there are: serial, seed, {', '.join(known)}")
    try:
        numbers = {name: known[name](text) for name, text in given.items()}
        number = int(seed)
    except ValueError:
        raise DataError(f"{url}: settings are numbers, such as sim:camera?seed=3&k1=-0.3") from None
    holder = EmulatedHolder(board, CameraSettings(**numbers), number)
    with closing(CameraServer(holder.picture, serial)) as server:
        yield EmulatedCamera(server.address, holder)
