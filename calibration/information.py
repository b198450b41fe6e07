"""Which pose next: the one that tells most about the parameters, given those that were measured already.

Every pose adds J·J to the information matrix, J being its rows in standard deviations of the noise per typical error.
The next one is that with the largest gain of log det (D-optimal, greedy): it shrinks the ellipsoid of what is still
possible by the largest factor. Before anything is measured, parameters are known to within their typical errors.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from calibration.identify import identify
from calibration.parameters import Floats, Ints, Model, nominal_of


class Information:
    """What poses would tell."""

    def __init__(self, model: Model, weakest: float = 1.0) -> None:
        """Take the observations of a model as candidates, at nominal values; what was measured does not matter.

        Args:
            model: its parameters, and derivatives at every candidate.
            weakest: largest standard deviation worth estimating, in typical errors.
        """
        jacobian = model.rows(nominal_of(model), np.arange(model.observations)).jacobian
        flat = jacobian.reshape(-1, jacobian.shape[2])
        free = identify(model.parameters, flat, weakest).free
        typical = np.array([one.typical for one in model.parameters])[free]
        self.rows: Floats = jacobian[:, :, free] * typical  # candidates × values × parameters that all together tell

    def matrix(self, measured: Iterable[int]) -> Floats:
        """Information of some poses, and of what is known beforehand."""
        rows = self.rows[np.array(list(measured), dtype=np.int64)].reshape(-1, self.rows.shape[2])
        return np.asarray(np.eye(self.rows.shape[2]) + rows.T @ rows)

    def gains(self, measured: Iterable[int]) -> Floats:
        """By how much log det would grow with each candidate."""
        root = np.linalg.cholesky(self.matrix(measured))
        shape = self.rows.shape
        solved = np.linalg.solve(root, self.rows.reshape(-1, shape[2]).T).T.reshape(shape)
        small = np.eye(shape[1]) + solved @ np.swapaxes(solved, 1, 2)
        return np.asarray(np.linalg.slogdet(small)[1])

    def best(self, measured: Iterable[int], without: Iterable[int] = ()) -> int | None:
        """The candidate that tells most; None if there is none left."""
        done = list(measured)
        gains = self.gains(done)
        gains[np.array([*done, *without], dtype=np.int64)] = -np.inf
        best = int(np.argmax(gains))
        return best if np.isfinite(gains[best]) else None

    def chosen(self, count: int) -> Ints:
        """The first `count` poses, one after the other."""
        taken: list[int] = []
        while len(taken) < count and (one := self.best(taken)) is not None:
            taken.append(one)
        return np.array(taken, dtype=np.int64)

    def size(self, measured: Iterable[int]) -> float:
        """Log det of the information of some poses."""
        return float(np.linalg.slogdet(self.matrix(measured))[1])
