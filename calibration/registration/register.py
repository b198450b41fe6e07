"""Where a work-piece is, judged: from touches to a place with standard deviations, outliers named."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from calibration.errors import DataError, UnitsError
from calibration.fitting import Fit, FitSettings, fit, refit
from calibration.identify import identify
from calibration.judge import Errors, Judgement, judge
from calibration.parameters import Floats, Ints
from calibration.registration.features import ROWS, Piece
from calibration.registration.model import RegistrationModel, Touches
from calibration.registration.searching import search

LEAST = 6  # numbers that a place needs
THOUSANDS = {1e3: "millimetres given for metres", 1e-3: "metres given for millimetres"}
AROUND = 10.0  # a thousand, up and down: how large a work-piece is, is only about known


class RegistrationResult(NamedTuple):
    """Where a work-piece is."""

    pose: Floats  # (4, 4) in the world [m]
    covariance: Floats  # along and about its own axes [m², m·rad, rad²]
    tip: float  # radius of the tip, as it was told or found [m]
    also: tuple[Floats, ...]  # other places that explain the touches as well
    outliers: tuple[int, ...]  # touches
    judgement: Judgement  # its observations are rows, not touches
    after: Errors  # of touches that were held back, where the others tell enough [m]
    fit: Fit

    @property
    def checked(self) -> bool:
        """Whether there was a touch more than needed, so that a mistake would show."""
        return self.judgement.freedom > 0

    def data(self) -> dict[str, Any]:
        """For a file."""
        return {
            "pose": self.pose.tolist(),
            "covariance": self.covariance.tolist(),
            "tip": self.tip,
            "also": [pose.tolist() for pose in self.also],
            "touches_left_out": list(self.outliers),
            "judgement": self.judgement.data(),
            "after": self.after._asdict(),
        }


def register(
    piece: Piece,
    touches: Touches,
    nominal: Floats | None = None,
    *,
    find_tip: bool = False,
    fitting: FitSettings | None = None,
) -> RegistrationResult:
    """Where a work-piece is.

    Six numbers are enough (three touches of a plane, two of a second, one of a third); more are checked against each
    other.

    Args:
        piece: what was touched.
        touches: where.
        nominal: about where it should be, which decides between places that fit as well (4, 4) [m]; else the world.
        find_tip: estimate the radius of the tip too.
        fitting: how the estimate is made.
    """
    _check(piece, touches)
    found = search(piece, touches, np.eye(4) if nominal is None else np.asarray(nominal, dtype=np.float64))
    model = RegistrationModel(piece, touches, found[0].pose, find_tip=find_tip)
    fitted = _exact(model) if model.observations == len(model.parameters) else fit(model, fitting)
    missing = [one for one in fitted.identified.fixed if one.name != "tip radius"]
    if missing:
        raise DataError(f"these touches do not tell all: {missing[0]}; touch other sides, further apart")
    judged = judge(model, fitted)
    outliers = tuple(sorted({int(model.touch_of[row]) for row in fitted.outliers}))
    return RegistrationResult(
        model.pose(fitted.values),
        fitted.covariance[:6, :6] * max(1.0, fitted.noise) ** 2,
        float(fitted.values[6]) if find_tip else touches.tip,
        tuple(one.pose for one in found[1:]),
        outliers,
        judged,
        Errors.of(_held_back(model, fitted)),
        fitted,
    )


def _check(piece: Piece, touches: Touches) -> None:
    for name in touches.features:
        if name not in piece.features:
            raise DataError(f"{piece.name} has no feature {name!r}; there are: {', '.join(piece.features)}")
    numbers = sum(ROWS[piece.features[name].kind] for name in touches.features)
    if numbers < LEAST:
        raise DataError(f"{len(touches.features)} touches tell {numbers} numbers; a place has {LEAST}: touch more")
    centred = touches.points - touches.points.mean(axis=0)
    lengths = np.linalg.svd(centred, compute_uv=False)
    if lengths[1] < 1e-3 * lengths[0]:
        raise DataError("all touches are in one line; touch other sides, further apart")
    scale = float(np.linalg.norm(np.ptp(touches.points, axis=0))) / max(piece.size, 1e-9)
    for factor, words in THOUSANDS.items():
        if factor / AROUND < scale < factor * AROUND:
            raise UnitsError(f"touches are {scale:.3g} times as far apart as {piece.name} is large: {words}")


def _exact(model: RegistrationModel) -> Fit:
    """As many numbers as parameters: there is one answer, and nothing to check it by."""
    which = np.arange(model.observations)
    values = np.array([one.nominal for one in model.parameters])
    rows = model.rows(values, which)
    jacobian = rows.jacobian[:, 0]
    found = identify(model.parameters, jacobian, FitSettings().weakest)
    free = jacobian[:, found.free]
    scale = np.array([one.typical for one in model.parameters])[found.free]
    covariance = np.linalg.inv((free * scale).T @ (free * scale)) * np.outer(scale, scale)
    return Fit(values, found, which, (), rows.residuals, free, covariance, 0)


def _held_back(model: RegistrationModel, fitted: Fit) -> Floats:
    """Distances of each touch from a place that was found without it, where the others still tell all [m]."""
    errors = []
    used = fitted.used
    for touch in np.unique(model.touch_of[used]):
        part = used[model.touch_of[used] == touch]
        others: Ints = np.setdiff1d(used, part)
        jacobian = model.rows(fitted.values, others).jacobian[:, 0]
        if len(others) < len(model.parameters) or not _tells_all(model, jacobian, fitted):
            continue
        away = model.rows(refit(model, fitted, others).values, part).residuals
        errors.append(float(np.linalg.norm(away)) * model.touches.noise)
    return np.array(errors or np.abs(fitted.residuals[used, 0]) * model.touches.noise)


def _tells_all(model: RegistrationModel, jacobian: Floats, fitted: Fit) -> bool:
    free = identify(model.parameters, jacobian, FitSettings().weakest).free
    return bool((free | ~fitted.identified.free).all())
