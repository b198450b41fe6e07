"""Planes and balls that points should lie on: a first guess from the points, distances from them, and derivatives.

A plane is n·p = c with n = (n₀ + u·e₁ + v·e₂) / |…|, so that no direction is special; a ball is |p - m| = r.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibration.errors import DataError, UnitsError
from calibration.geometry.touched import PLANE, Surface
from calibration.parameters import Floats, Parameter

TYPICAL_LENGTH, TYPICAL_TILT = 0.01, 0.01  # of the first guess [m], [rad]
FLAT = 0.02  # of the size of a set of points, that makes it a line or a plane: the nominal robot is a little wrong
THOUSAND = (500.0, 2000.0)


class Rows(NamedTuple):
    """Of some points."""

    distance: Floats  # from the surface (n,) [m]
    normal: Floats  # how it grows with the point (n, 3)
    slopes: Floats  # how it grows with the numbers of the surface (n, numbers)


class Guess:
    """A surface near which points were found, and its numbers."""

    def __init__(self, surface: Surface, points: Floats) -> None:
        """Fit a surface to points (n, 3) [m]; a DataError if they do not tell one."""
        self.surface, self.centre = surface, points.mean(axis=0)
        _, sizes, axes = np.linalg.svd(points - self.centre)
        self._axes = axes  # longest first, the normal of a plane last
        if surface.kind == PLANE:
            if sizes[1] < FLAT * sizes[0] or sizes[0] == 0.0:
                raise DataError(f"all touches of {surface.name} lie on a line; touch it further apart")
            names = [("tilt u", "rad", 0.0, TYPICAL_TILT), ("tilt v", "rad", 0.0, TYPICAL_TILT)]
            names.append(("offset", "m", 0.0, TYPICAL_LENGTH))
        else:
            self.centre, radius = _ball(surface, points, sizes)
            names = [(axis, "m", float(at), TYPICAL_LENGTH) for axis, at in zip("xyz", self.centre, strict=True)]
            if surface.radius is None:
                names.append(("radius", "m", radius, TYPICAL_LENGTH))
        self.parameters = tuple(
            Parameter(name=f"{surface.name} {name}", unit=unit, nominal=nominal, typical=typical)
            for name, unit, nominal, typical in names
        )

    def rows(self, numbers: Floats, points: Floats) -> Rows:
        """Distances of points (n, 3) from the surface with these numbers."""
        return self._plane(numbers, points) if self.surface.kind == PLANE else self._sphere(numbers, points)

    def _plane(self, numbers: Floats, points: Floats) -> Rows:
        u, v, offset = numbers.tolist()
        first, second, normal = self._axes
        tilted = normal + u * first + v * second
        size = float(np.sqrt(1.0 + u * u + v * v))
        unit, away = tilted / size, points - self.centre
        height = away @ unit
        along = [(away @ axis - height * (axis @ unit)) / size for axis in (first, second)]
        slopes = np.column_stack([*along, np.full(len(points), -1.0)])
        return Rows(height - offset, np.broadcast_to(unit, points.shape), slopes)

    def _sphere(self, numbers: Floats, points: Floats) -> Rows:
        away = points - numbers[:3]
        distance = np.linalg.norm(away, axis=1)
        normal = away / np.maximum(distance, 1e-12)[:, None]
        if self.surface.radius is not None:
            return Rows(distance - self.surface.radius, normal, -normal)
        return Rows(distance - numbers[3], normal, np.column_stack([-normal, np.full(len(points), -1.0)]))


def _ball(surface: Surface, points: Floats, sizes: Floats) -> tuple[Floats, float]:
    """Centre and radius: |p|² = 2·m·p + (r² - |m|²) is linear in them."""
    if sizes[2] < FLAT * sizes[0]:
        raise DataError(f"all touches of {surface.name} lie in a plane; touch it all around")
    middle = points.mean(axis=0)
    near = points - middle
    solved = np.linalg.lstsq(np.column_stack([2.0 * near, np.ones(len(near))]), np.sum(near**2, axis=1), rcond=None)[0]
    radius = float(np.sqrt(max(solved[3] + solved[:3] @ solved[:3], 0.0)))
    if surface.radius is not None and radius > 0.0:
        ratio = surface.radius / radius
        if THOUSAND[0] < ratio < THOUSAND[1]:
            told = f"touches are on a ball of {1e3 * radius:.3g} mm"
            raise UnitsError(f"{surface.name} has a radius of {surface.radius:g} m; {told}: millimetres for metres")
        if THOUSAND[0] < 1.0 / ratio < THOUSAND[1]:
            told = f"touches are on a ball of {radius:.3g} m"
            raise UnitsError(f"{surface.name} has a radius of {surface.radius:g} m; {told}: kilometres for metres?")
    return middle + solved[:3], radius
