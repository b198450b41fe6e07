"""Find a board in a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from calibration.camera.board import Board
from calibration.camera.opencv import opencv
from calibration.camera.projection import Lens
from calibration.errors import DataError, PoseError
from calibration.parameters import Floats, Ints
from station.kernel.so3 import rotation

LEAST = 8  # corners of a board that are worth having
WINDOW = 4  # around a corner, each way, in which it is looked for closely [px]


class View(NamedTuple):
    """What was seen of a board in one picture."""

    name: str  # of the picture
    numbers: Ints  # of the corners that were seen
    pixels: Floats  # n × 2 [px]
    size: tuple[int, int]  # width and height of the picture [px]


def read_picture(path: str | Path) -> Any:
    """A picture in grey; a DataError if it is none."""
    picture = opencv().imread(str(path), 0)
    if picture is None:
        raise DataError(f"{path}: not a picture, or it cannot be read")
    return picture


def find_board(picture: Any, board: Board, name: str = "picture") -> View:
    """The board's corners in a picture in grey; a PoseError if too little of it is seen."""
    cv2 = opencv()
    if np.asarray(picture).ndim != 2:
        raise DataError(f"{name}: has the shape {np.asarray(picture).shape}; allowed: a picture in grey")
    corners, numbers, _, markers = cv2.aruco.CharucoDetector(board.opencv).detectBoard(picture)
    count = 0 if numbers is None else len(numbers)
    if count < LEAST:
        seen = 0 if markers is None else len(markers)
        raise PoseError(f"{name}: {count} corners and {seen} markers of the board are seen; {LEAST} corners are needed")
    height, width = np.asarray(picture).shape
    order = np.argsort(np.ravel(numbers))
    found = np.asarray(corners, dtype=np.float32).reshape(-1, 1, 2)[order]
    ends = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 50, 1e-4)
    fine = cv2.cornerSubPix(np.asarray(picture), found, (WINDOW, WINDOW), (-1, -1), ends)
    pixels = np.asarray(fine, dtype=np.float64).reshape(-1, 2)
    return View(name, np.ravel(numbers)[order].astype(np.int64), pixels, (width, height))


def board_pose(view: View, board: Board, lens: Lens) -> Floats:
    """Where the board is for the camera, about (4, 4) [m]."""
    cv2 = opencv()
    points = board.corners[view.numbers]
    found, turn, place = cv2.solvePnP(points, view.pixels, lens.matrix, lens.distortion)
    if not found:
        raise PoseError(f"{view.name}: no place of the board explains its corners")
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation(np.ravel(turn)), np.ravel(place)
    return pose
