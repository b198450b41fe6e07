"""Estimate: robust least squares with scaling and priors, in which outliers are named and then left out.

Levenberg-Marquardt on rows that come in groups, one group per observation. As long as outliers may be among them, the
weight of a group falls with its length (Huber), with a scale that follows the median; then groups that the noise does
not explain are left out, and the rest counts in full, so that standard deviations mean what they say.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import gammaincinv

from calibration.errors import DataError, NotExplainedError, TooFewError
from calibration.identify import Identified, identify
from calibration.parameters import Flags, Floats, Ints, Model, nominal_of
from station.devices.parameter import check, parameter

CHANCE = 1e-3  # that any good observation of the whole set is taken for an outlier
BEND = 0.95  # share of good observations with full weight while outliers may be there
ROUGH = 1e-3  # step over typical error at which the search among possible outliers ends
LARGEST = 5.0  # step of the solver, in typical errors: further on, loops may close in another way
FLOOR = 1e-9  # of the scale, in standard deviations: data without noise have none


@dataclass(frozen=True, kw_only=True)
class FitSettings:
    """How an estimate is made."""

    turns: int = parameter(100, "of the solver, at most", "", 1, 10_000)
    small_step: float = parameter(1e-11, "of a parameter over its typical error, at which it ends", "", 1e-16, 1e-2)
    weakest: float = parameter(1.0, "standard deviation worth estimating, in typical errors", "", 1e-3, 1e9)
    most_outliers: float = parameter(0.3, "share of observations that may be left out", "", 0.0, 0.49)
    most_noise: float = parameter(10.0, "times the stated noise that is still believed", "", 1.0, 1e6)

    def __post_init__(self) -> None:
        check(self)


class Fit(NamedTuple):
    """An estimate."""

    values: Floats  # all parameters
    identified: Identified
    used: Ints  # observations
    outliers: tuple[int, ...]  # observations that were left out
    residuals: Floats  # of all observations, in standard deviations of the noise
    jacobian: Floats  # rows of the used observations × free parameters
    covariance: Floats  # of the free parameters, for the stated noise
    turns: int

    @property
    def noise(self) -> float:
        """Noise that the residuals show, over the noise that was stated."""
        rows, free = self.jacobian.shape
        return float(np.sqrt(np.sum(self.residuals[self.used] ** 2) / max(1, rows - free)))


class _Weighing(NamedTuple):
    values: Floats
    turns: int
    settled: bool  # no step makes it better; else the turns ran out


def fit(model: Model, settings: FitSettings | None = None, which: Ints | None = None) -> Fit:
    """Estimate the parameters of a model from some of its observations, or from all.

    Raises a DataError if there are too few, a NotExplainedError if too many do not fit.
    """
    settings = settings or FitSettings()
    which = np.arange(model.observations) if which is None else which
    values = nominal_of(model)
    if len(which) < 2:
        raise DataError(f"{len(which)} observations; at least 2 are needed")
    found = _identified(model, values, which, settings)
    turns = 0
    for attempt in range(3):  # what nominal values hide may show at the estimate, and the other way round
        weighed = _minimise(model, values, which, found.free, settings, robust=True)
        values, turns = weighed.values, turns + weighed.turns
        used = np.zeros(0, dtype=np.int64)
        for _ in range(6):
            good = which[~_outliers(model, values, which, used if len(used) else which, settings)]
            if np.array_equal(good, used):
                break
            used = good
            weighed = _minimise(model, values, used, found.free, settings, robust=False)
            values, turns = weighed.values, turns + weighed.turns
        again = _identified(model, values, used, settings)
        if attempt == 2 or np.array_equal(again.free, found.free):
            break
        found, values = again, nominal_of(model)
    return _finished(model, weighed._replace(turns=turns), used, which, found, settings)


def refit(model: Model, begin: Fit, which: Ints | None = None, settings: FitSettings | None = None) -> Fit:
    """Estimate the same free parameters from other observations, all of which are trusted, from a fit that is near."""
    settings, found = settings or FitSettings(), begin.identified
    which = np.arange(model.observations) if which is None else which
    solved = _minimise(model, begin.values, which, found.free, settings, robust=False)
    return _finished(model, solved, which, which, found, settings)


def _identified(model: Model, values: Floats, which: Ints, settings: FitSettings) -> Identified:
    rows = model.rows(values, which)
    if not (np.isfinite(rows.residuals).all() and np.isfinite(rows.jacobian).all()):
        raise DataError("the measurements, or what the model makes of them, are not finite numbers")
    found = identify(model.parameters, rows.jacobian.reshape(-1, rows.jacobian.shape[2]), settings.weakest)
    count, free = rows.residuals.size, int(found.free.sum())
    if free == 0:
        raise DataError("these data tell nothing about any parameter; measure at other places, further apart")
    if count <= free:
        raise TooFewError(f"{count} measured numbers for {free} parameters; measure more, or at other places")
    return found


def _finished(
    model: Model, solved: _Weighing, used: Ints, which: Ints, found: Identified, settings: FitSettings
) -> Fit:
    values = solved.values
    rows = model.rows(values, np.arange(model.observations))
    jacobian = rows.jacobian[used][:, :, found.free].reshape(-1, int(found.free.sum()))
    fitted = Fit(
        values,
        found,
        used,
        tuple(int(number) for number in np.setdiff1d(which, used)),
        rows.residuals,
        jacobian,
        _covariance(model, jacobian, found.free),
        solved.turns,
    )
    if not solved.settled:
        raise NotExplainedError(
            f"the estimate did not settle within {settings.turns} turns: residuals are {fitted.noise:.3g} times the "
            f"stated noise, {_farthest(model, values)}; are units, noise and file those of these measurements?"
        )
    if fitted.noise > settings.most_noise:
        raise NotExplainedError(
            f"the model does not explain the measurements: residuals are {fitted.noise:.3g} times the stated noise, at "
            f"most {settings.most_noise:g} times is believed; are units, noise and file those of these measurements?"
        )
    return fitted


def _farthest(model: Model, values: Floats) -> str:
    """The parameter that went farthest from its nominal value, for a person."""
    away = [abs(value - one.nominal) / one.typical for one, value in zip(model.parameters, values, strict=True)]
    number = int(np.argmax(away))
    return f"{model.parameters[number].name} is {away[number]:.3g} typical errors away"


def _covariance(model: Model, jacobian: Floats, free: Flags) -> Floats:
    scale, strength = _scales(model, free)
    scaled = jacobian * scale
    information = scaled.T @ scaled + np.diag((scale * strength) ** 2)
    return np.asarray(np.linalg.inv(information) * np.outer(scale, scale))


def _scales(model: Model, free: Flags) -> tuple[Floats, Floats]:
    """Typical errors of the free parameters, and one over the standard deviations of their priors."""
    chosen = [one for one, is_free in zip(model.parameters, free, strict=True) if is_free]
    strength = [0.0 if one.prior is None else 1.0 / one.prior for one in chosen]
    return np.array([one.typical for one in chosen]), np.array(strength)


@lru_cache(maxsize=64)
def _quantile(share: float, values: int) -> float:
    return float(2.0 * gammaincinv(0.5 * values, share))


def _minimise(
    model: Model, values: Floats, which: Ints, free: Flags, settings: FitSettings, *, robust: bool
) -> _Weighing:
    """Levenberg-Marquardt from these values."""
    scale, strength = _scales(model, free)
    nominal = nominal_of(model)[free]
    pull = scale * strength
    damping, cost = 1e-6, np.inf
    best = values.copy()
    normal, slope = np.zeros((0, 0)), np.zeros(0)
    step: Floats = np.zeros(len(scale))
    trial = best
    turns, settled = 0, False
    while turns < settings.turns:
        turns += 1
        rows = model.rows(trial, which)
        squares = np.einsum("ij,ij->i", rows.residuals, rows.residuals)
        off = (trial[free] - nominal) * strength
        if cost == np.inf:
            bend = _bend(squares, rows.residuals.shape[1]) if robust else np.inf
        now = _cost(squares, bend) + float(off @ off) if np.isfinite(squares).all() else np.inf
        small = float(np.abs(step).max(initial=0.0)) <= (ROUGH if robust else settings.small_step)
        if now <= cost:
            done = turns > 1 and (small or (cost - now <= 1e-13 * cost and turns > 3))
            best, cost, damping = trial, now, max(damping * 0.1, 1e-15)
            if done:
                settled = True
                break
            if robust:
                bend = _bend(squares, rows.residuals.shape[1])
                cost = _cost(squares, bend) + float(off @ off)
            weights = np.minimum(1.0, np.sqrt(bend / np.maximum(squares, 1e-300))) if robust else np.ones(len(squares))
            scaled = rows.jacobian[:, :, free] * scale
            root = np.sqrt(weights)[:, None]
            flat = (scaled * root[:, :, None]).reshape(-1, len(scale))
            normal = flat.T @ flat + np.diag(pull**2)
            slope = flat.T @ (rows.residuals * root).ravel() + pull * off
        else:
            damping = max(damping, 1e-9) * 10.0
            if damping > 1e12 or small or now - cost <= 1e-12 * cost:  # the last one: nothing but rounding is left
                settled = True
                break
        step = -_solve(normal + damping * np.diag(np.diag(normal)), slope)
        step *= min(1.0, LARGEST / max(float(np.abs(step).max()), 1e-300))
        trial = best.copy()
        trial[free] += scale * step
    return _Weighing(best, turns, settled)


def _solve(matrix: Floats, right: Floats) -> Floats:
    return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)


def _bend(squares: Floats, values: int) -> float:
    """Squared length of a residual above which its weight falls, by the scale of the median."""
    middle = float(np.median(squares)) / _quantile(0.5, values)
    return max(middle, FLOOR**2) * _quantile(BEND, values)


def _cost(squares: Floats, bend: float) -> float:
    """Huber's, on lengths of groups."""
    if not np.isfinite(bend):
        return float(squares.sum())
    return float(np.where(squares <= bend, squares, 2.0 * np.sqrt(bend * np.maximum(squares, bend)) - bend).sum())


def _outliers(model: Model, values: Floats, which: Ints, used: Ints, settings: FitSettings) -> Flags:
    """Observations that the noise does not explain; a NotExplainedError if they are too many."""
    residuals = model.rows(values, which).residuals
    squares = np.einsum("ij,ij->i", residuals, residuals)
    among = squares[np.isin(which, used)]
    middle = float(np.median(among)) / _quantile(0.5, residuals.shape[1])
    bound = _quantile(1.0 - CHANCE / len(which), residuals.shape[1]) * max(1.0, middle)
    bad = np.asarray(squares > bound)
    if bad.mean() > settings.most_outliers:
        raise NotExplainedError(
            f"{int(bad.sum())} of {len(which)} observations do not fit the others, at most "
            f"{100.0 * settings.most_outliers:g} % may be left out; did something slip, is the stated noise too small?"
        )
    return bad
