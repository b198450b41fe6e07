"""A driven motion as the device saw it, in short intervals: joints, their rates and accelerations, and currents.

A motion is periodic and recorded for one period, so it is a sum of harmonics; those that the motion cannot have are
noise and are left out, and rates and accelerations come from the others without differences.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from calibration.errors import DataError
from calibration.parameters import Floats

INTERVAL = 0.025  # [s]
HIGHEST = 25.0  # frequency that a motion has, turning points of dry friction included [Hz]
MOVES = 0.2  # of the largest rate of a joint: slower, and dry friction may hold it


class Motion(NamedTuple):
    """n intervals of a motion; three joints, as counts of their encoders."""

    counts: Floats  # (n, 3)
    rates: Floats  # (n, 3) [counts/s]
    accelerations: Floats  # (n, 3) [counts/s²]
    ways: Floats  # (n, 3): 1 or -1 if the joint moved that way all the time, 0 if it did not
    currents: Floats  # measured, mean (n, 3) [A]

    def data(self) -> dict[str, Any]:
        """For a file."""
        return {name: value.tolist() for name, value in self._asdict().items()}

    @classmethod
    def read(cls, data: dict[str, Any]) -> Motion:
        """From a file."""
        try:
            made = cls(*(np.array(data[name], dtype=np.float64) for name in cls._fields))
        except (KeyError, TypeError, ValueError):
            raise DataError(f"a motion has {', '.join(cls._fields)}, numbers of one shape") from None
        if not all(values.shape == made.counts.shape and np.isfinite(values).all() for values in made):
            raise DataError("a motion whose numbers are not finite or not all of one shape")
        return made


def motion_of(counts: Floats, currents: Floats, period: float) -> Motion:
    """Cut one period [s] of evenly spaced samples (n, 3) into intervals."""
    count = len(counts)
    frequencies = np.fft.rfftfreq(count, period / count)
    spectrum = np.fft.rfft(counts, axis=0)
    spectrum[frequencies > HIGHEST] = 0.0
    turning = 2j * np.pi * frequencies[:, None]
    smooth, rates, accelerations = (
        np.asarray(np.fft.irfft(spectrum * turning**order, count, axis=0)) for order in range(3)
    )
    length = max(1, round(count * INTERVAL / period))
    whole = count - count % length

    def cut(values: Floats) -> Floats:
        return values[:whole].reshape(-1, length, 3)

    slow = MOVES * np.abs(rates).max(axis=0)
    ways = np.where((cut(rates) > slow).all(axis=1), 1.0, np.where((cut(rates) < -slow).all(axis=1), -1.0, 0.0))
    means = [cut(values).mean(axis=1) for values in (smooth, rates, accelerations)]
    return Motion(means[0], means[1], means[2], ways, cut(currents).mean(axis=1))
