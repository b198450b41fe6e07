"""Hand-eye from pictures: the corners of a board themselves, not places made from them, decide where the camera is.

Linear methods begin with places of the board; then X and Y are moved until corners fall on their pixels. Pixels have
noise of one size in all directions; places of a board seen from far away have not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from calibration.camera.board import Board
from calibration.camera.detecting import View, board_pose
from calibration.camera.projection import Lens, project
from calibration.errors import DataError
from calibration.fitting import FitSettings
from calibration.hand_eye.linear import HandEye
from calibration.hand_eye.refine import HandEyeResult, TwoPoses, calibrate_hand_eye, judged, spin_rate
from calibration.parameters import Floats, Ints, Rows
from station.kernel.so3 import cross_matrix, rotation

NOISE = 0.06  # of a corner [px]
ROUGH = (1e-3, 2e-3)  # of a place made from one picture [m, rad]
LENIENT = FitSettings(weakest=1e3, most_noise=1e3)  # such places only begin the search; corners judge what they tell


class PictureModel(TwoPoses):
    """Corners in pictures from stations; each corner is an observation."""

    def __init__(
        self, hand: Floats, views: Sequence[View], board: Board, lens: Lens, guess: HandEye, noise: float = NOISE
    ) -> None:
        """Take pictures.

        Args:
            hand: where the hand was for the robot's base in each picture (n, 4, 4) [m].
            views: what was seen.
            board: of what.
            lens: of the camera.
            guess: X and Y, about.
            noise: standard deviation of a corner, per axis [px].
        """
        self.hand, self.lens, self.noise = hand, lens, noise
        self.view_of: Ints = np.repeat(np.arange(len(views)), [len(view.numbers) for view in views])
        super().__init__(guess, len(self.view_of))
        self._points = np.concatenate([board.corners[view.numbers] for view in views])
        self._pixels = np.concatenate([view.pixels for view in views])

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Predicted pixels against those that were seen, over the noise."""
        x, _ = self.transforms(values)
        views = self.view_of[which]
        to_board = (np.linalg.inv(self.hand @ x) @ self.guess.y)[views]  # by camera, before Y is moved
        turn, points = to_board[:, :3, :3], self._points[which]
        swung = rotation(values[9:12])
        moved = points @ swung.T + values[6:9]
        seen = np.einsum("nij,nj->ni", turn, moved) + to_board[:, :3, 3]
        found = project(seen, self.lens)
        rates = np.empty((len(which), 3, 12))
        rates[:, :, :3] = -rotation(values[3:6]).T
        rates[:, :, 3:6] = cross_matrix(seen) @ spin_rate(values[3:6])
        rates[:, :, 6:9] = turn
        rates[:, :, 9:12] = -turn @ swung @ cross_matrix(points) @ spin_rate(values[9:12])
        return Rows((found.pixels - self._pixels[which]) / self.noise, found.by_place @ rates / self.noise)


def calibrate_from_pictures(
    hand: Floats,
    views: Sequence[View],
    board: Board,
    lens: Lens,
    *,
    noise: float = NOISE,
    method: str = "ax=yb",
    fitting: FitSettings | None = None,
) -> HandEyeResult:
    """Camera in the hand, and board in the base, from pictures at stations; see `calibrate_hand_eye`."""
    hand = np.asarray(hand, dtype=np.float64)
    if len(hand) != len(views):
        raise DataError(f"{len(hand)} stations and {len(views)} pictures; one picture belongs to each station")
    seen = np.array([board_pose(view, board, lens) for view in views])
    first = calibrate_hand_eye(hand, seen, ROUGH, method=method, fitting=LENIENT, validate=False)
    model = PictureModel(hand, views, board, lens, HandEye(first.x, first.y), noise)
    return judged(model, first.linear, lambda rows: np.linalg.norm(rows, axis=1) * noise, fitting)


def pictures_hash(hand: Floats, views: Sequence[View], lens: Lens) -> str:
    """Of what was measured and seen."""
    digest = hashlib.sha256(repr(tuple(lens)).encode())
    digest.update(np.ascontiguousarray(hand, dtype="<f8").tobytes())
    for view in views:
        digest.update(np.ascontiguousarray(view.pixels, dtype="<f8").tobytes())
    return digest.hexdigest()
