"""Rounding noise taken out of numbers, so that a file reads `alpha 90` and not `alpha 90.00000000000001`.

Only what arithmetic added is taken out: no number moves by more than `NOISE` per metre or radian, far less than any
number that a person or a CAD program wrote on purpose (`1.5708` stays 90.0002…°).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from station.mad.scene import Angles, Vector
from station.mad.units import RADIANS_PER_DEGREE, from_text

NOISE = 4e-15  # of what was computed here, per metre or radian
STATED_NOISE = 1e-15  # of what the URDF says: a few units in the last place of its own arithmetic


def angle(value: float, noise: float = NOISE) -> float:
    """An angle [rad]: of whole billionths of a degree if it is within noise of that."""
    degrees = round(math.degrees(value), 9)
    rounded = from_text(repr(degrees), RADIANS_PER_DEGREE)
    return (rounded if abs(rounded - value) <= noise * max(1.0, abs(value)) else float(value)) + 0.0


def length(value: float, scale: float = 1.0) -> float:
    """A length [m] computed from lengths up to `scale` [m]: of whole picometres if it is within noise of that."""
    rounded = round(float(value), 12)
    return (rounded if abs(rounded - value) <= NOISE * max(1.0, scale) else float(value)) + 0.0


def zeroed(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """A rotation or direction whose noise around 0 is gone."""
    return np.where(np.abs(array) <= NOISE, 0.0, array)


def stated_angles(ori: Iterable[float]) -> Angles:
    """Angles as the URDF gives them [rad], in which 1.0471975511965976 is 60°."""
    return Angles(*(angle(value, STATED_NOISE) for value in ori))


def stated_lengths(pos: Iterable[float]) -> Vector:
    """Lengths as the URDF gives them [m], in which 2.8e-17 is 0."""
    return Vector(*(0.0 if abs(value) <= STATED_NOISE else value for value in pos))


def angles_of(rotation: NDArray[np.float64]) -> Angles:
    """The angles of a rotation [rad], exact also where a and c turn about the same axis."""
    r = zeroed(rotation)
    c = math.atan2(r[1, 0], r[0, 0])
    b = math.atan2(-r[2, 0], math.hypot(r[0, 0], r[1, 0]))
    c = angle(c)
    # a is what is left after undoing c: an error in c, which is large if |b| is near 90°, is made up for here.
    sin, cos = math.sin(c), math.cos(c)
    a = math.atan2(sin * r[0, 2] - cos * r[1, 2], cos * r[1, 1] - sin * r[0, 1])
    return Angles(angle(a), angle(b), c)


def lengths_of(position: NDArray[np.float64], scale: float) -> Vector:
    """A position [m] computed from lengths up to `scale` [m]."""
    x, y, z = position
    return Vector(length(x, scale), length(y, scale), length(z, scale))
