"""Hand-eye, second step: X and Y together by least squares on what the camera measured, outliers named.

The camera's measurement is where the target is for the camera, C_i = B_i⁻¹; the model says C_i = (A_i·X)⁻¹·Y. X and Y
are turned from the right by small vectors, so that no angle is special.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from calibration.errors import DataError, UnitsError
from calibration.fitting import Fit, FitSettings, fit
from calibration.hand_eye.linear import HandEye, solve_ax_xb, solve_ax_yb
from calibration.judge import Errors, Judgement, cross_validate, judge
from calibration.parameters import Floats, Ints, Parameter, Rows
from station.kernel.so3 import cross_matrix, right_rate, rotation, rotation_vector

AXES = ("x", "y", "z", "rx", "ry", "rz")
LARGEST = 10.0  # distance between stations that any hand goes [m]


class HandEyeResult(NamedTuple):
    """Two transforms and what they are worth."""

    x: Floats  # camera in the hand (4, 4) [m]
    y: Floats  # target in the robot's base (4, 4) [m]
    covariance: Floats  # of X then Y: along and about their own axes [m², m·rad, rad²]
    judgement: Judgement
    linear: HandEye  # the first step
    after: Errors | None  # on what was held back: of places of the target [m], or of corners in pictures [px]
    fit: Fit

    def data(self) -> dict[str, Any]:
        """For a file."""
        return {
            "x": self.x.tolist(),
            "y": self.y.tolist(),
            "covariance": self.covariance.tolist(),
            "judgement": self.judgement.data(),
            "after": None if self.after is None else self.after._asdict(),
        }


class TwoPoses(ABC):
    """X and Y near a first guess, moved along and about their own axes by small values; of `count` observations."""

    def __init__(self, guess: HandEye, count: int) -> None:
        self.guess, self.observations = guess, count
        self.parameters: tuple[Parameter, ...] = tuple(
            Parameter(
                name=f"{which} {axis}",
                unit="rad" if axis.startswith("r") else "m",
                nominal=0.0,
                typical=0.01,
                keep=0 if which == "camera" else 1,
            )
            for which in ("camera", "target")
            for axis in AXES
        )

    def transforms(self, values: Floats) -> HandEye:
        """X and Y."""
        return HandEye(self.guess.x @ small_pose(values[:6]), self.guess.y @ small_pose(values[6:]))

    @abstractmethod
    def rows(self, values: Floats, which: Ints) -> Rows:
        """What the camera should see against what it saw, over the noise, and derivatives."""


class HandEyeModel(TwoPoses):
    """Stations, each of them an observation of the target's pose."""

    def __init__(self, hand: Floats, seen: Floats, guess: HandEye, noise: tuple[float, float]) -> None:
        """Take stations.

        Args:
            hand: where the hand is for the robot's base (n, 4, 4) [m].
            seen: where the target is for the camera (n, 4, 4) [m].
            guess: X and Y from a linear method.
            noise: standard deviations of the camera's places and turns, per axis [m, rad].
        """
        super().__init__(guess, len(hand))
        self.hand, self.seen, self.noise = hand, seen, np.repeat(noise, 3)

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Predicted target for the camera against what it saw."""
        x, y = self.transforms(values)
        predicted = np.linalg.inv(self.hand[which] @ x) @ y
        turn = predicted[:, :3, :3]
        vectors = rotation_vector(np.swapaxes(self.seen[which][:, :3, :3], 1, 2) @ turn)
        residuals = np.concatenate([predicted[:, :3, 3] - self.seen[which][:, :3, 3], vectors], axis=1)
        jacobian = np.zeros((len(which), 6, 12))
        # A motion of X (u along, w about its own axes) moves the target against it: -u - w × p, and turns it by -w.
        spin_x, spin_y = spin_rate(values[3:6]), spin_rate(values[9:12])
        along_x = rotation(values[3:6]).T
        jacobian[:, :3, :3] = -along_x
        jacobian[:, :3, 3:6] = cross_matrix(predicted[:, :3, 3]) @ spin_x
        jacobian[:, :3, 6:9] = turn @ rotation(values[9:12]).T
        rate = right_rate(vectors)
        jacobian[:, 3:, 3:6] = -rate @ np.swapaxes(turn, 1, 2) @ spin_x
        jacobian[:, 3:, 9:12] = rate @ spin_y
        return Rows(residuals / self.noise, jacobian / self.noise[:, None])


def small_pose(values: Floats) -> Floats:
    """Pose of a place and a rotation vector."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation(values[3:6]), values[:3]
    return pose


def spin_rate(vector: Floats) -> Floats:
    """How R(w) turns, in its own axes, when w changes: the inverse of `right_rate`."""
    return np.asarray(np.linalg.inv(right_rate(vector)), dtype=np.float64)


def calibrate_hand_eye(
    hand: Floats,
    seen: Floats,
    noise: tuple[float, float],
    *,
    method: str = "ax=yb",
    fitting: FitSettings | None = None,
    validate: bool = True,
) -> HandEyeResult:
    """Camera in the hand, and target in the base, from stations.

    Args:
        hand: where the hand is for the robot's base (n, 4, 4) [m].
        seen: where the target is for the camera (n, 4, 4) [m].
        noise: standard deviations of what the camera sees, per axis [m, rad].
        method: first step, "ax=xb" or "ax=yb".
        fitting: how the second step is made.
        validate: hold parts of the stations back in turn.
    """
    methods = {"ax=xb": solve_ax_xb, "ax=yb": solve_ax_yb}
    if method not in methods:
        raise DataError(f"no method {method!r}; there are: {', '.join(methods)}")
    hand, seen = np.asarray(hand, dtype=np.float64), np.asarray(seen, dtype=np.float64)
    if not all(0.0 < one < np.inf for one in noise):
        raise DataError("noise is a positive standard deviation; nothing is measured without")
    if not np.isfinite(seen).all() or seen.ndim != 3 or seen.shape[1:] != (4, 4):
        raise DataError("what the camera saw must be finite 4×4 poses")
    _check_units(hand, seen)
    guess = methods[method](hand, np.asarray(np.linalg.inv(seen), dtype=np.float64))
    model = HandEyeModel(hand, seen, guess, noise)
    return judged(model, guess, lambda rows: np.linalg.norm(rows[:, :3], axis=1) * noise[0], fitting, validate=validate)


def judged(
    model: TwoPoses,
    linear: HandEye,
    size: Callable[[Floats], Floats],
    fitting: FitSettings | None,
    *,
    validate: bool = True,
) -> HandEyeResult:
    """Fit X and Y, and judge them; a DataError if the stations do not tell both.

    Args:
        model: with what was measured.
        linear: the first step.
        size: of the errors that rows of residuals stand for.
        fitting: how.
        validate: hold parts of the data back in turn.
    """
    fitted = fit(model, fitting)
    fixed = fitted.identified.fixed
    if fixed:
        raise DataError(f"these stations do not tell all: {fixed[0]}; turn the hand about more axes")

    def error(values: Floats, which: Ints) -> Floats:
        return np.asarray(size(model.rows(values, which).residuals))

    after = Errors.of(cross_validate(model, fitted, error, fitting)) if validate else None
    found = model.transforms(fitted.values)
    return HandEyeResult(found.x, found.y, fitted.covariance, judge(model, fitted), linear, after, fitted)


def _check_units(hand: Floats, seen: Floats) -> None:
    """Millimetres on both sides, or on one only: the target would be a thousand times nearer or further than it is."""
    sizes = [float(np.median(np.linalg.norm(poses[:, :3, 3], axis=1))) for poses in (hand, seen)]
    for name, size, other in (("hand", sizes[0], sizes[1]), ("camera", sizes[1], sizes[0])):
        if size > 30.0 and size > 100.0 * other:
            raise UnitsError(f"{name} poses are {size:.4g} m away, the others {other:.3g} m: millimetres for metres")
    moved = float(np.linalg.norm(np.ptp(hand[:, :3, 3], axis=0)))
    if moved > LARGEST:
        raise UnitsError(f"the hand moved by {moved:.4g} m, {LARGEST:g} at most: millimetres for metres")


def data_hash(hand: Floats, seen: Floats) -> str:
    """Of what was measured."""
    digest = hashlib.sha256()
    for poses in (hand, seen):
        digest.update(np.ascontiguousarray(poses, dtype="<f8").tobytes())
    return digest.hexdigest()
