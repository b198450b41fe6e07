"""Tremor: a few sines between 8 and 12 Hz on each axis, their frequencies and phases drawn from a seed."""

from __future__ import annotations

import math
import random

import numpy as np

from station.kernel import Floats

LOW, HIGH = 8.0, 12.0  # [Hz]
SINES = 3  # on each axis: enough to come and go irregularly


def sines_of(seed: int) -> Floats:
    """Rates [rad/s] and phases [rad] of the sines of three axes; the same for the same seed."""
    draw = random.Random(seed)  # noqa: S311 not for secrets
    sines = np.zeros((3, SINES, 2))
    for sine in sines.reshape(-1, 2):
        sine[:] = 2.0 * math.pi * draw.uniform(LOW, HIGH), 2.0 * math.pi * draw.random()
    return sines
