"""Where a work-piece is, judged: from touches to a place with standard deviations, outliers named."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from calibration.errors import DataError, TooFewError, UnitsError
from calibration.fitting import Fit, FitSettings, fit, refit
from calibration.identify import identify
from calibration.judge import Errors, Judgement, judge
from calibration.parameters import Floats, Ints
from calibration.registration.features import ROWS, Piece
from calibration.registration.model import RegistrationModel, Touches
from calibration.registration.near import text_of
from calibration.registration.searching import Found, how_far, search

LEAST = 6  # numbers that a place needs
THOUSANDS = {1e3: "millimetres given for metres", 1e-3: "metres given for millimetres"}
LARGEST = 10.0  # work-piece that anybody would touch [m]
CLEARLY = 0.7  # of the way to the next place that fits, within which the nearest is meant
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
        nominal: about where it should be, which decides between places that fit as well (4, 4) [m]; without it, or
            if it is about as far from two of them, several places are refused.
        find_tip: estimate the radius of the tip too.
        fitting: how the estimate is made.
    """
    _check(piece, touches)
    around = np.eye(4) if nominal is None else np.asarray(nominal, dtype=np.float64)
    found = search(piece, touches, around)
    model = RegistrationModel(piece, touches, found[0].pose, find_tip=find_tip)
    fitted = _fitted(model, fitting)
    missing = [one for one in fitted.identified.fixed if one.name != "tip radius"]
    if missing:
        raise DataError(f"these touches do not tell all: {missing[0]}; touch other sides, further apart")
    _check_clear(piece, found, None if nominal is None else around)
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
    if piece.size > LARGEST:
        raise UnitsError(f"{piece.name} is {piece.size:.4g} m large, {LARGEST:g} at most: millimetres given for metres")
    centred = touches.points - touches.points.mean(axis=0)
    lengths = np.linalg.svd(centred, compute_uv=False)
    if lengths[1] < 1e-3 * lengths[0]:
        raise DataError("all touches are in one line; touch other sides, further apart")
    scale = float(np.linalg.norm(np.ptp(touches.points, axis=0))) / max(piece.size, 1e-9)
    for factor, words in THOUSANDS.items():
        if factor / AROUND < scale < factor * AROUND:
            raise UnitsError(f"touches are {scale:.3g} times as far apart as {piece.name} is large: {words}")


def _check_clear(piece: Piece, found: list[Found], nominal: Floats | None) -> None:
    """A DataError that lists the places, unless there is one, or one that is clearly nearest to where it should be."""
    if len(found) == 1:
        return
    places = f"the touches fit {piece.name} at {len(found)} places: {' or '.join(text_of(one.pose) for one in found)}"
    if nominal is None:
        raise DataError(f"{places} [mm, °]; say with --near which one, or touch a side more")
    first, second = (how_far(one.pose, nominal) for one in found[:2])
    if first > CLEARLY * second:
        raise DataError(f"{places} [mm, °]; --near does not decide between the first two; give it better")


def _fitted(model: RegistrationModel, settings: FitSettings | None) -> Fit:
    if model.observations == len(model.parameters):
        return _exact(model)
    try:
        return fit(model, settings)
    except TooFewError:  # there were enough, before some were left out
        raise DataError(
            "the touches do not agree, and are too few to tell which one is wrong; touch some more, or all of them anew"
        ) from None


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
