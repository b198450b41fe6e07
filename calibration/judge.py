"""Judge: what an estimate is worth, before anybody writes it down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaincc

from calibration.fitting import Fit, FitSettings, refit
from calibration.identify import Fixed
from calibration.parameters import Floats, Ints, Model, nominal_of

FOLDS = 5
ALIKE = 0.99  # correlation of two parameters that is worth a word


class Estimated(NamedTuple):
    """One parameter afterwards."""

    name: str
    unit: str
    nominal: float
    value: float
    deviation: float  # standard deviation; 0 for one that was fixed
    fixed: bool


class Errors(NamedTuple):
    """Some errors in numbers."""

    rms: float
    largest: float

    @classmethod
    def of(cls, errors: Floats) -> Errors:
        """Of distances."""
        return cls(float(np.sqrt(np.mean(errors**2))), float(np.abs(errors).max()))


class Judgement(NamedTuple):
    """What an estimate is worth."""

    observations: int
    outliers: tuple[int, ...]
    parameters: tuple[Estimated, ...]
    fixed: tuple[Fixed, ...]
    condition: float  # of the free parameters, scaled; more than some 1000 is poor
    alike: tuple[tuple[str, str, float], ...]  # pairs that these data hardly tell apart, and their correlation
    noise: float  # of the residuals, over the noise that was stated
    chi_square: float
    freedom: int  # numbers measured less parameters estimated; 0: nothing is left to judge noise and chance by
    chance: float  # of a sum of squares at least as large, if model and stated noise are right
    singular_values: tuple[float, ...] = ()  # of the free parameters' columns, each scaled to length 1
    residuals: tuple[float, ...] = ()  # length per observation and measured number, in standard deviations of the noise
    nominal_residuals: tuple[float, ...] = ()  # the same for nominal values of all parameters

    def data(self) -> dict[str, Any]:
        """For a file."""
        return {
            **self._asdict(),
            "outliers": list(self.outliers),
            "parameters": [one._asdict() for one in self.parameters],
            "fixed": [one._asdict() for one in self.fixed],
            "alike": [list(pair) for pair in self.alike],
            "singular_values": list(self.singular_values),
            "residuals": list(self.residuals),
            "nominal_residuals": list(self.nominal_residuals),
        }


def judge(model: Model, fitted: Fit, against: tuple[Model, Floats] | None = None) -> Judgement:
    """Look at an estimate; standard deviations are those of the residuals where these are larger than stated.

    Args:
        model: what was estimated.
        fitted: the estimate.
        against: a model of the same parameters and the values that changes are told from, where these are others than
            the nominal values that the estimate began with.
    """
    other, said = against or (model, nominal_of(model))
    free = fitted.identified.free
    spread = np.sqrt(np.diag(fitted.covariance))
    chi_square = float(np.sum(fitted.residuals[fitted.used] ** 2))
    freedom = len(fitted.jacobian) - len(spread)
    deviations = np.zeros(len(free))
    deviations[free] = spread * max(1.0, fitted.noise)
    estimated = tuple(
        Estimated(one.name, one.unit, float(was), float(value), float(deviation), not bool(is_free))
        for one, was, value, deviation, is_free in zip(
            model.parameters, said, fitted.values, deviations, free, strict=True
        )
    )
    return Judgement(
        model.observations,
        fitted.outliers,
        estimated,
        fitted.identified.fixed,
        fitted.identified.condition,
        _alike([one.name for one, is_free in zip(model.parameters, free, strict=True) if is_free], fitted.covariance),
        fitted.noise,
        chi_square,
        freedom,
        float(gammaincc(0.5 * freedom, 0.5 * chi_square)),
        tuple(fitted.identified.singular_values.tolist()),
        _lengths(fitted.residuals),
        _lengths(other.rows(said, np.arange(other.observations)).residuals),
    )


def _lengths(residuals: Floats) -> tuple[float, ...]:
    """Root mean square of the numbers of each observation."""
    return tuple(np.sqrt(np.mean(residuals**2, axis=1)).tolist())


def _alike(names: list[str], covariance: Floats) -> tuple[tuple[str, str, float], ...]:
    spread = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(spread, spread)
    first, second = np.where(np.triu(np.abs(correlation) > ALIKE, 1))
    return tuple((names[a], names[b], float(correlation[a, b])) for a, b in zip(first, second, strict=True))


def cross_validate(
    model: Model,
    fitted: Fit,
    error: Callable[[Floats, Ints], Floats],
    settings: FitSettings | None = None,
    folds: int = FOLDS,
) -> Floats:
    """Errors of every observation that was used, predicted from estimates that did not see it.

    Args:
        model: what is estimated.
        fitted: the estimate from all observations; its outliers take no part.
        error: of observations, for values of the parameters.
        settings: of the estimates.
        folds: parts that are held back in turn.
    """
    order = np.random.default_rng(9).permutation(fitted.used)
    errors = np.zeros(model.observations)
    for part in np.array_split(order, min(folds, len(order))):
        others = np.setdiff1d(fitted.used, part)
        errors[part] = error(refit(model, fitted, others, settings).values, part)
    return errors[fitted.used]
