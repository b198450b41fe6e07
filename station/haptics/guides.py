"""Guides and attraction zones that can be laid into the hand's space; device frame, SI."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from station.devices.parameter import SettingsError, check, check_length, parameter
from station.haptics.kernels import layout as at
from station.haptics.kernels.layout import Floats

Triple = tuple[float, float, float]
_FAR = 1e3  # [m]


@dataclass(frozen=True, kw_only=True)
class Guide:
    """A spring and a damper to the nearest point of a shape."""

    stiffness: float = parameter(300.0, "spring to the nearest point", "N/m", 1e-6, 50_000.0)
    damping: float = parameter(1.0, "damper across the guide", "N·s/m", 0.0, 200.0)
    radius: float = parameter(0.03, "how far it attracts; 0: without end", "m", 0.0, 10.0)
    force: float = parameter(3.0, "largest pull", "N", 1e-6, 500.0)
    kind: ClassVar[int] = at.NO_GUIDE

    def __post_init__(self) -> None:
        check(self)
        self._check_shape()

    def _check_shape(self) -> None:
        """Lengths and directions."""

    def row(self) -> Floats:
        """The guide as the numbers that kernels read."""
        row = np.zeros(at.GUIDE_SIZE)
        row[at.KIND], row[at.WANTED] = self.kind, 1.0
        row[at.G_STIFFNESS], row[at.G_DAMPING] = self.stiffness, self.damping
        row[at.G_RADIUS], row[at.G_MOST] = self.radius, self.force
        self._fill(row)
        return row

    def _fill(self, row: Floats) -> None:
        """The numbers of the shape."""


@dataclass(frozen=True, kw_only=True)
class PointGuide(Guide):
    """Pulls to a point."""

    point: Triple = parameter((0.0, 0.0, 0.0), "the point", "m", -_FAR, _FAR)
    kind: ClassVar[int] = at.POINT

    def _check_shape(self) -> None:
        check_length(self, "point", 3)

    def _fill(self, row: Floats) -> None:
        row[at.G_POINT : at.G_POINT + 3] = self.point


@dataclass(frozen=True, kw_only=True)
class LineGuide(PointGuide):
    """Pulls to a line through a point; one slides along it freely."""

    direction: Triple = parameter((1.0, 0.0, 0.0), "direction of the line, normal of a plane", "", -_FAR, _FAR)
    kind: ClassVar[int] = at.LINE

    def _check_shape(self) -> None:
        super()._check_shape()
        check_length(self, "direction", 3)
        if math.hypot(*self.direction) < 1e-6:
            raise SettingsError("direction has no length; allowed: any vector but zero")

    def _fill(self, row: Floats) -> None:
        super()._fill(row)
        row[at.G_DIRECTION : at.G_DIRECTION + 3] = np.array(self.direction) / math.hypot(*self.direction)


@dataclass(frozen=True, kw_only=True)
class PlaneGuide(LineGuide):
    """Pulls to a plane through a point; `direction` is its normal."""

    kind: ClassVar[int] = at.PLANE


@dataclass(frozen=True, kw_only=True)
class AxisGuide(LineGuide):
    """Pulls to a line and turns the tool along it, as for drilling."""

    turn_stiffness: float = parameter(0.3, "torque per sine of the angle between tool and axis", "N·m", 0.0, 100.0)
    turn_damping: float = parameter(0.001, "damper across the tool", "N·m·s/rad", 0.0, 5.0)
    tool: Triple = parameter((0.0, 0.0, 1.0), "direction of the tool in the handle", "", -1.0, 1.0)
    kind: ClassVar[int] = at.AXIS

    def _check_shape(self) -> None:
        super()._check_shape()
        check_length(self, "tool", 3)
        if abs(math.hypot(*self.tool) - 1.0) > 1e-6:
            raise SettingsError(f"tool has length {math.hypot(*self.tool):g}; allowed: 1")

    def _fill(self, row: Floats) -> None:
        super()._fill(row)
        row[at.G_TURN_STIFFNESS], row[at.G_TURN_DAMPING] = self.turn_stiffness, self.turn_damping
        row[at.G_TOOL : at.G_TOOL + 3] = self.tool


@dataclass(frozen=True, kw_only=True)
class ConeGuide(LineGuide):
    """A funnel: free inside a cone that opens along `direction` from its tip `point`, pulled in from outside."""

    half_angle: float = parameter(0.3, "half of the opening", "rad", 0.01, 1.5)
    kind: ClassVar[int] = at.CONE

    def _fill(self, row: Floats) -> None:
        super()._fill(row)
        row[at.G_SIZE] = self.half_angle


@dataclass(frozen=True, kw_only=True)
class CurveGuide(Guide):
    """Pulls to a polyline."""

    points: tuple[Triple, ...] = ((0.0, 0.0, 0.0), (0.1, 0.0, 0.0))
    kind: ClassVar[int] = at.CURVE

    def _check_shape(self) -> None:
        if not 2 <= len(self.points) <= at.MOST_POINTS:
            raise SettingsError(f"points has {len(self.points)} members; allowed: 2 to {at.MOST_POINTS}")
        numbers = np.array(self.points, dtype=float)
        if numbers.shape[1:] != (3,) or not np.all(np.abs(numbers) <= _FAR):
            raise SettingsError("points must be finite triples [m]")

    def _fill(self, row: Floats) -> None:
        row[at.G_POINT_COUNT] = len(self.points)
        row[at.G_POINTS : at.G_POINTS + 3 * len(self.points)] = np.array(self.points).ravel()


@dataclass(frozen=True, kw_only=True)
class Zone(PointGuide):
    """An attraction zone: free inside a ball, pulled in from around it."""

    size: float = parameter(0.01, "radius of the ball", "m", 0.0, 10.0)
    kind: ClassVar[int] = at.ZONE

    def _fill(self, row: Floats) -> None:
        super()._fill(row)
        row[at.G_SIZE] = self.size
