"""Couplings as numbers: where machinery, a cam or a polynomial puts a joint, and how fast it moves it there.

A table is joined by cubics whose slopes are those of Fritsch and Butland (SIAM J. Sci. Stat. Comput. 5, 1984): the
curve and its slope are continuous, and it rises and falls only where the table does. So a dwell, two points of one
height, stays a dwell, which a spline of continuous curvature would swing through.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from station.mad.scene import Coupling

Floats = NDArray[np.float64]


class CurveKind(IntEnum):
    """How a curve is given."""

    NONE = 0
    TABLE = 1
    PERIODIC = 2  # a table that goes on after its last point as after its first one, as much higher as it ends there
    POLYNOMIAL = 3


@dataclass(frozen=True)
class Curve:
    """Joint value as a function of another one [rad | m].

    Of a table `x`, `y` and `slope` are its points; it goes straight on beyond its ends. Of a polynomial `y` has the
    coefficients, the constant one first.
    """

    kind: CurveKind
    x: Floats
    y: Floats
    slope: Floats

    def value(self, at: ArrayLike) -> Floats:
        """Where the curve is."""
        return self._both(at)[0]

    def rate(self, at: ArrayLike) -> Floats:
        """Its slope."""
        return self._both(at)[1]

    def _both(self, at: ArrayLike) -> tuple[Floats, Floats]:
        x = np.asarray(at, np.float64)
        if self.kind is CurveKind.POLYNOMIAL:
            value, slope = np.zeros_like(x), np.zeros_like(x)
            for coefficient in self.y[::-1]:
                slope = slope * x + value
                value = value * x + coefficient
            return value, slope
        lift = np.zeros_like(x)
        if self.kind is CurveKind.PERIODIC:
            turns = np.floor((x - self.x[0]) / (self.x[-1] - self.x[0]))
            x, lift = x - turns * (self.x[-1] - self.x[0]), turns * (self.y[-1] - self.y[0])
        inside = np.clip(x, self.x[0], self.x[-1])
        i = np.clip(np.searchsorted(self.x, inside, side="right") - 1, 0, len(self.x) - 2)
        width, rise = self.x[i + 1] - self.x[i], self.y[i + 1] - self.y[i]
        t = (inside - self.x[i]) / width
        m, n = self.slope[i] * width, self.slope[i + 1] * width
        # Hermite's cubic, from its first point.
        value = self.y[i] + t * (m + t * (3.0 * rise - 2.0 * m - n + t * (m + n - 2.0 * rise)))
        slope = (m + t * (2.0 * (3.0 * rise - 2.0 * m - n) + 3.0 * t * (m + n - 2.0 * rise))) / width
        return value + lift + slope * (x - inside), slope


@lru_cache(maxsize=64)
def curve_of(coupling: Coupling) -> Curve | None:
    """How the leader of a coupling moves its joint, if it has one."""
    if coupling.leader is None:
        return None
    return table(coupling.cam, coupling.periodic) if coupling.cam else polynomial(coupling.polynomial)


def moved_to(coupling: Coupling, values: Mapping[int, ArrayLike]) -> Floats:
    """Where the joint of a coupling has to be [rad | m], for values of the others by link."""
    total = sum((ratio * np.asarray(values[link]) for link, ratio in coupling.equals), np.asarray(coupling.offset))
    curve = curve_of(coupling)
    if curve is not None and coupling.leader is not None:
        total = total + curve.value(values[coupling.leader])
    return np.asarray(total)


def slopes_of(coupling: Coupling, values: Mapping[int, ArrayLike]) -> dict[int, Floats]:
    """How far the joint of a coupling moves per unit of each joint that moves it, by link."""
    found = {link: np.asarray(ratio) for link, ratio in coupling.equals}
    curve = curve_of(coupling)
    if curve is not None and coupling.leader is not None:
        found[coupling.leader] = found.get(coupling.leader, np.zeros(())) + curve.rate(values[coupling.leader])
    return found


def table(points: Sequence[tuple[float, float]], periodic: bool = False) -> Curve:
    """A curve through points of rising x, at least two."""
    x, y = np.array(points, np.float64).T.copy()
    width = np.diff(x)
    steep = np.diff(y) / width
    slope = np.empty_like(x)
    slope[1:-1] = _between(width[:-1], width[1:], steep[:-1], steep[1:])
    if periodic:
        slope[0] = slope[-1] = _between(width[-1:], width[:1], steep[-1:], steep[:1])[0]
    elif len(x) == 2:
        slope[:] = steep[0]
    else:
        slope[0] = _at_end(width[0], width[1], steep[0], steep[1])
        slope[-1] = _at_end(width[-1], width[-2], steep[-1], steep[-2])
    return Curve(CurveKind.PERIODIC if periodic else CurveKind.TABLE, x, y, slope)


def polynomial(coefficients: Sequence[float]) -> Curve:
    """c0 + c1·x + c2·x² + …."""
    y = np.array(coefficients, np.float64)
    return Curve(CurveKind.POLYNOMIAL, np.zeros_like(y), y, np.zeros_like(y))


def _between(width: Floats, next_width: Floats, steep: Floats, next_steep: Floats) -> Floats:
    """Slope at a point between two stretches: a weighed harmonic mean, and none where the curve turns back."""
    a, b = 2.0 * next_width + width, next_width + 2.0 * width
    rising = steep * next_steep > 0.0
    safe, next_safe = np.where(rising, steep, 1.0), np.where(rising, next_steep, 1.0)
    return np.where(rising, (a + b) / (a / safe + b / next_safe), 0.0)


def _at_end(width: float, next_width: float, steep: float, next_steep: float) -> float:
    """Slope at the first point, by three points, as far as it does not leave the table's way."""
    slope = ((2.0 * width + next_width) * steep - width * next_steep) / (width + next_width)
    if slope * steep <= 0.0:
        return 0.0
    if steep * next_steep <= 0.0 and abs(slope) > 3.0 * abs(steep):
        return 3.0 * steep
    return slope
