"""Standard deviations where errors come in spells: by what one stretch of time changes, leaving it out.

A stall, a busy neighbour or a joint that sticks is in many samples that follow each other, so that a thousand of them
may tell no more than ten. Formulas for white noise then promise far too much. Samples of different stretches of time,
each longer than such a spell, are nearly independent: the estimate is made anew without each stretch in turn, and the
scatter of these is what is stated (jackknife of blocks). It needs no model of the noise. A scatter of few numbers is
itself not sure: it is widened by what a Student distribution is wider than a normal one.

Wander that is slower than a stretch, a tenth of the time, looks like what is measured and cannot be seen: measure for
several times as long as it lasts.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calibration.parameters import Flags, Floats

COUNT = 10  # stretches that the time is cut into


def spells(times: Floats, without: Callable[[Flags], Floats]) -> Floats:
    """Covariance of an estimate.

    Args:
        times: of the data (n) [s].
        without: the estimate from those data that are kept (n flags).
    """
    first, last = float(times.min()), float(times.max())
    block = np.minimum((COUNT * (times - first) / max(last - first, 1e-12)).astype(np.int64), COUNT - 1)
    estimates = np.array([without(block != number) for number in range(COUNT)])
    away, freedom = estimates - estimates.mean(axis=0), COUNT - 1
    return np.asarray(freedom / COUNT * away.T @ away * freedom / (freedom - 2.0))


def linear_without(jacobian: Floats, residuals: Floats) -> Callable[[Flags], Floats]:
    """For `spells`: by how much a least-squares estimate moves if some of its rows are left out, to first order.

    Args:
        jacobian: of the residuals (n × parameters).
        residuals: at the estimate (n).
    """

    def moved(kept: Flags) -> Floats:
        rows = jacobian[kept]
        return np.asarray(-np.linalg.lstsq(rows.T @ rows, rows.T @ residuals[kept], rcond=None)[0])

    return moved
