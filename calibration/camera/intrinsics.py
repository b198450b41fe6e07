"""A camera's lens from pictures of a board: OpenCV finds a beginning, then all numbers and places together, judged."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from calibration.camera.board import Board
from calibration.camera.detecting import View, board_pose
from calibration.camera.opencv import opencv
from calibration.camera.projection import NAMES, Lens, project
from calibration.errors import DataError
from calibration.fitting import Fit, FitSettings, fit
from calibration.hand_eye.refine import small_pose, spin_rate
from calibration.judge import Errors, Judgement, cross_validate, judge
from calibration.parameters import Floats, Ints, Parameter, Rows
from station.kernel.so3 import cross_matrix, rotation

LEAST = 3  # pictures
NOISE = 0.06  # of a corner in a picture [px]
TYPICAL = (20.0, 20.0, 20.0, 20.0, 0.1, 0.5, 0.005, 0.005, 1.0)
CELLS = (8, 6)  # into which a picture is cut to see where corners were
FRONTAL = 0.05  # angle between pictures below which a board was only seen from one side [rad]


class CameraModel:
    """Corners in pictures; each corner is an observation, so that a wrong one is left out alone."""

    def __init__(self, views: Sequence[View], board: Board, lens: Lens, poses: Sequence[Floats], noise: float) -> None:
        """Take pictures.

        Args:
            views: what was seen.
            board: of what.
            lens: about.
            poses: where the board was for the camera in each picture, about (4, 4) [m].
            noise: standard deviation of a corner, per axis [px].
        """
        self.views, self.lens, self.poses, self.noise = tuple(views), lens, tuple(poses), noise
        self.view_of: Ints = np.repeat(np.arange(len(views)), [len(view.numbers) for view in views])
        self._points = np.concatenate([board.corners[view.numbers] for view in views])
        self._pixels = np.concatenate([view.pixels for view in views])
        lenses = [
            Parameter(name=name, unit="px" if size > 1.0 and name[0] in "fc" else "", nominal=value, typical=size)
            for name, value, size in zip(NAMES, lens, TYPICAL, strict=True)
        ]
        places = [
            Parameter(
                name=f"{view.name} {axis}",
                unit="rad" if axis.startswith("r") else "m",
                nominal=0.0,
                typical=0.02,
                keep=-1,
            )
            for view in views
            for axis in ("x", "y", "z", "rx", "ry", "rz")
        ]
        self._parameters = (*lenses, *places)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Numbers of the lens, then a small motion of the board in each picture, in its own axes."""
        return self._parameters

    @property
    def observations(self) -> int:
        """Corners."""
        return len(self.view_of)

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Predicted pixels against those that were seen, over the noise."""
        lens = Lens.of(values[:9])
        residuals = np.zeros((len(which), 2))
        jacobian = np.zeros((len(which), 2, len(values)))
        seen_in = self.view_of[which]
        for number in np.unique(seen_in):
            here = np.flatnonzero(seen_in == number)
            at = slice(9 + 6 * int(number), 15 + 6 * int(number))
            move, pose = values[at], self.poses[number]
            points = self._points[which[here]]
            moved = points @ rotation(move[3:6]).T + move[:3]
            found = project(moved @ pose[:3, :3].T + pose[:3, 3], lens)
            residuals[here] = found.pixels - self._pixels[which[here]]
            jacobian[here, :, :9] = found.by_lens
            by_board = found.by_place @ pose[:3, :3]
            turned = -rotation(move[3:6]) @ cross_matrix(points) @ spin_rate(move[3:6])
            jacobian[here, :, at] = np.concatenate([by_board, by_board @ turned], axis=2)
        return Rows(residuals / self.noise, jacobian / self.noise)

    def names(self, which: Sequence[int]) -> dict[str, list[int]]:
        """Corners by their numbers on the board, under the names of their pictures."""
        numbers = np.concatenate([view.numbers for view in self.views])
        found: dict[str, list[int]] = {}
        for one in which:
            found.setdefault(self.views[self.view_of[one]].name, []).append(int(numbers[one]))
        return found

    def pose(self, values: Floats, number: int) -> Floats:
        """Where the board was for the camera in a picture (4, 4) [m]."""
        return np.asarray(self.poses[number] @ small_pose(values[9 + 6 * number : 15 + 6 * number]))


class CameraResult(NamedTuple):
    """A lens and what it is worth."""

    lens: Lens
    deviations: Floats  # standard deviations of its nine numbers; 0 for one that was fixed
    size: tuple[int, int]  # of the pictures [px]
    poses: Floats  # where the board was for the camera in each picture (n, 4, 4) [m]
    judgement: Judgement
    after: Errors  # of corners that were held back [px]
    outliers: dict[str, list[int]]  # numbers of the corners that were left out, by picture
    covered: float  # share of the picture in which corners were seen
    fit: Fit

    def data(self) -> dict[str, Any]:
        """For a file."""
        return {
            "lens": list(self.lens),
            "deviations": self.deviations.tolist(),
            "size": list(self.size),
            "judgement": self.judgement.data(),
            "after": self.after._asdict(),
            "held_back_error_px": self.after.rms,
            "left_out_corners": self.outliers,
            "covered": self.covered,
        }


def calibrate_camera(
    views: Sequence[View], board: Board, *, noise: float = NOISE, fitting: FitSettings | None = None
) -> CameraResult:
    """A camera's lens from views of a board.

    Raises a DataError for too few pictures, of different sizes, or all from one side; a NotExplainedError for corners
    that no lens explains.
    """
    if len(views) < LEAST:
        raise DataError(f"{len(views)} pictures in which the board is seen; {LEAST} are needed, 10 to 20 are usual")
    sizes = sorted({view.size for view in views})
    if len(sizes) > 1:
        said = ", ".join(f"{width}×{height}" for width, height in sizes)
        raise DataError(f"pictures of different sizes: {said}; all must come from one camera, in one mode")
    lens, poses = first_lens(views, board)
    _check_turned(poses)
    model = CameraModel(views, board, lens, poses, noise)
    fitted = fit(model, fitting)
    missing = [one for one in fitted.identified.fixed if one.name in NAMES[:4]]
    if missing:
        raise DataError(f"these pictures do not tell all: {missing[0]}; tilt the board, and fill the picture with it")
    judged = judge(model, fitted)

    def error(values: Floats, which: Ints) -> Floats:
        return np.asarray(np.linalg.norm(model.rows(values, which).residuals, axis=1) * noise)

    return CameraResult(
        Lens.of(fitted.values[:9]),
        np.array([one.deviation for one in judged.parameters[:9]]),
        sizes[0],
        np.array([model.pose(fitted.values, number) for number in range(len(views))]),
        judged,
        Errors.of(cross_validate(model, fitted, error, fitting)),
        model.names(fitted.outliers),
        covered(views),
        fitted,
    )


def first_lens(views: Sequence[View], board: Board) -> tuple[Lens, list[Floats]]:
    """A lens to begin with, and where the board was for the camera in each picture (4, 4) [m]; by OpenCV."""
    cv2 = opencv()
    points = [board.corners[view.numbers].astype(np.float32) for view in views]
    pixels = [view.pixels.astype(np.float32) for view in views]
    try:
        _, matrix, bent, _, _ = cv2.calibrateCamera(points, pixels, views[0].size, None, None)
    except cv2.error as error:
        raise DataError(f"these pictures tell no lens: {str(error).splitlines()[0]}") from None
    lens = Lens(matrix[0, 0], matrix[1, 1], matrix[0, 2], matrix[1, 2], *np.ravel(bent)[:5].tolist())
    return lens, [board_pose(view, board, lens) for view in views]


def _check_turned(poses: Sequence[Floats]) -> None:
    faces = np.array([pose[:3, 2] for pose in poses])
    if np.linalg.norm(faces - faces.mean(axis=0), axis=1).max() < FRONTAL:
        raise DataError("the board was seen from one side only: focal length and distance cannot be told; tilt it")


def covered(views: Sequence[View]) -> float:
    """Share of the picture in which corners were seen; beyond, distortion is only guessed."""
    cells = np.zeros(CELLS, dtype=bool)
    for view in views:
        at = (view.pixels / view.size * CELLS).astype(np.int64)
        cells[tuple(np.clip(at, 0, np.array(CELLS) - 1).T)] = True
    return float(cells.mean())


def views_hash(views: Sequence[View], board: Board) -> str:
    """Of what was seen."""
    digest = hashlib.sha256(repr((board, [view.size for view in views])).encode())
    for view in views:
        digest.update(np.ascontiguousarray(view.numbers, dtype="<i8").tobytes())
        digest.update(np.ascontiguousarray(view.pixels, dtype="<f8").tobytes())
    return digest.hexdigest()
