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
from calibration.fitting import FitSettings, fit
from calibration.hand_eye.linear import HandEye
from calibration.hand_eye.refine import AXES, HandEyeResult, calibrate_hand_eye, small_pose, spin_rate
from calibration.judge import Errors, cross_validate, judge
from calibration.parameters import Floats, Ints, Parameter, Rows
from calibration.turning import cross_matrix, rotation

NOISE = 0.06  # of a corner [px]
ROUGH = (1e-3, 2e-3)  # of a place made from one picture [m, rad]
LENIENT = FitSettings(weakest=1e3, most_noise=1e3)  # such places only begin the search; corners judge what they tell


class PictureModel:
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
        self.hand, self.lens, self.guess, self.noise = hand, lens, guess, noise
        self.view_of: Ints = np.repeat(np.arange(len(views)), [len(view.numbers) for view in views])
        self._points = np.concatenate([board.corners[view.numbers] for view in views])
        self._pixels = np.concatenate([view.pixels for view in views])
        self._parameters = tuple(
            Parameter(name=f"{which} {axis}", unit="rad" if axis[0] == "r" else "m", nominal=0.0, typical=0.01)
            for which in ("camera", "target")
            for axis in AXES
        )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Small motions of X, then of Y, along and about their own axes."""
        return self._parameters

    @property
    def observations(self) -> int:
        """Corners."""
        return len(self.view_of)

    def transforms(self, values: Floats) -> HandEye:
        """X and Y."""
        return HandEye(self.guess.x @ small_pose(values[:6]), self.guess.y @ small_pose(values[6:]))

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
    fitted = fit(model, fitting)
    if fitted.identified.fixed:
        fixed = fitted.identified.fixed[0]
        raise DataError(f"these stations do not tell all: {fixed}; turn the hand about more axes")

    def error(values: Floats, which: Ints) -> Floats:
        return np.asarray(np.linalg.norm(model.rows(values, which).residuals, axis=1) * noise)

    after = Errors.of(cross_validate(model, fitted, error, fitting))
    found = model.transforms(fitted.values)
    return HandEyeResult(found.x, found.y, fitted.covariance, judge(model, fitted), first.linear, after, fitted)


def pictures_hash(hand: Floats, views: Sequence[View], lens: Lens) -> str:
    """Of what was measured and seen."""
    digest = hashlib.sha256(repr(tuple(lens)).encode())
    digest.update(np.ascontiguousarray(hand, dtype="<f8").tobytes())
    for view in views:
        digest.update(np.ascontiguousarray(view.pixels, dtype="<f8").tobytes())
    return digest.hexdigest()
