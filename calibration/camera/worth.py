"""What a view of a board would tell about a lens: which one to ask for next, and whether one that came is worth having.

Where the board is in a picture is not known beforehand and is estimated with the lens. What a view tells about the lens
is therefore what is left of its derivatives once six that move the board are taken out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.camera.board import Board
from calibration.camera.detecting import LEAST, View, board_pose
from calibration.camera.intrinsics import LEAST as LEAST_VIEWS
from calibration.camera.intrinsics import NOISE, TYPICAL, first_lens
from calibration.camera.projection import NAMES, Lens, project
from calibration.camera.wishes import Wish, pose_of
from calibration.errors import DataError
from calibration.information import Information
from calibration.parameters import Floats, Ints, Parameter, Rows
from station.kernel.so3 import cross_matrix

LIKELY = (0.2, 5.0)  # focal lengths of a lens, in widths of its pictures
MARGIN = 2.0  # from the edge of a picture, where no corner is found [px]


class ViewsModel:
    """Views as observations, for `Information`: nine numbers each, by nine of the lens."""

    def __init__(self, poses: Sequence[Floats], board: Board, lens: Lens, size: tuple[int, int]) -> None:
        """Take views.

        Args:
            poses: where the board is for the camera in each (4, 4) [m].
            board: of what.
            lens: about.
            size: of the pictures [px].
        """
        self._rows = np.array([told_by(pose, board, lens, size) for pose in poses])
        self._parameters = tuple(
            Parameter(name=name, unit="", nominal=value, typical=typical)
            for name, value, typical in zip(NAMES, lens, TYPICAL, strict=True)
        )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Numbers of the lens."""
        return self._parameters

    @property
    def observations(self) -> int:
        """Views."""
        return len(self._rows)

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Derivatives at the lens that was given; nothing was measured, so nothing is off."""
        return Rows(np.zeros((len(which), len(values))), self._rows[which])


def told_by(pose: Floats, board: Board, lens: Lens, size: tuple[int, int]) -> Floats:
    """What corners in the picture tell about the lens, wherever the board is: rows over the noise (9, 9)."""
    corners = board.corners
    seen = project(corners @ pose[:3, :3].T + pose[:3, 3], lens)
    inside = ((seen.pixels > MARGIN) & (seen.pixels < np.array(size) - 1.0 - MARGIN)).all(axis=1)
    inside &= corners @ pose[2, :3] + pose[2, 3] > 0.0
    if inside.sum() < LEAST:
        return np.zeros((len(NAMES), len(NAMES)))
    by_lens = seen.by_lens[inside].reshape(-1, len(NAMES))
    by_board = seen.by_place[inside] @ pose[:3, :3]
    by_pose = np.concatenate([by_board, -by_board @ cross_matrix(corners[inside])], axis=2).reshape(-1, 6)
    basis = np.linalg.qr(by_pose / np.linalg.norm(by_pose, axis=0))[0]
    left = by_lens - basis @ (basis.T @ by_lens)
    return np.asarray(np.linalg.qr(left)[1] / NOISE)


def rough_lens(views: Sequence[View], board: Board, size: tuple[int, int]) -> Lens:
    """What views tell so far, as far as they tell anything; else an ordinary lens, as wide as a picture is far."""
    usual = Lens(float(size[0]), float(size[0]), size[0] / 2.0, size[1] / 2.0)
    if len(views) < LEAST_VIEWS:
        return usual
    try:
        found, _ = first_lens(views, board)
    except DataError:
        return usual
    likely = all(LIKELY[0] * size[0] < focal < LIKELY[1] * size[0] for focal in found[:2])
    return Lens(*found[:4]) if likely and np.isfinite(found).all() else usual


class Worth:
    """What views would tell beside those that there are."""

    def __init__(self, plan: Sequence[Wish], views: Sequence[View], board: Board, size: tuple[int, int]) -> None:
        """Take what may be asked for, and what was seen.

        Args:
            plan: how the board may be held.
            views: of it, so far.
            board: that is looked at.
            size: of the pictures [px].
        """
        self.lens, self.board, self._size = rough_lens(views, board, size), board, size
        self._plan = [pose_of(wish, board, self.lens, size) for wish in plan]
        self._had = [board_pose(view, board, self.lens) for view in views]

    def best(self, without: Sequence[int]) -> int | None:
        """Number of the wish that tells most; None if none is left."""
        measured = range(len(self._plan), len(self._plan) + len(self._had))
        return self._information().best(measured, without)

    def share(self, view: View, wish: int) -> float:
        """What a view tells, as a share of what was asked for would tell; above 1 if it tells more."""
        information = self._information(board_pose(view, self.board, self.lens))
        gains = information.gains(range(len(self._plan), len(self._plan) + len(self._had)))
        return float(gains[-1] / max(gains[wish], 1e-12))

    def _information(self, *more: Floats) -> Information:
        return Information(ViewsModel([*self._plan, *self._had, *more], self.board, self.lens, self._size))
