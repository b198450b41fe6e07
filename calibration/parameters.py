"""Parameters to estimate, and what a model has to tell about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One number to estimate."""

    name: str  # such as "link 3 alpha"
    unit: str  # "m", "rad", "N", …; "" for a ratio
    nominal: float
    typical: float  # size of an ordinary error, which makes metres and radians comparable
    prior: float | None = None  # standard deviation of what is known beforehand; None: nothing is
    keep: int = 0  # of two that cannot be told apart, the one with the larger number is fixed


class Rows(NamedTuple):
    """How far the model is from the measurements, in standard deviations of their noise."""

    residuals: Floats  # observations × values of one observation
    jacobian: Floats  # observations × values × parameters, in the units of the parameters


class Model(Protocol):
    """What is estimated: parameters, observations, and the way from one to the other."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """In the order of the numbers that `rows` takes."""

    @property
    def observations(self) -> int:
        """How many there are."""

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Residuals and derivatives of some observations, for these values of the parameters."""


def nominal_of(model: Model) -> Floats:
    """Nominal values of all parameters."""
    return np.array([parameter.nominal for parameter in model.parameters], dtype=np.float64)
