"""Guides and attraction zones that can be laid into the hand's space; device frame, SI."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

import numpy as np

from station.devices.parameter import SettingsError, check, check_length, parameter
from station.haptics.state import MOST_GUIDES
from station.kernel import (
    Floats,
    Floats1,
    Floats2,
    Ints2,
    Record,
    RecordAt,
    address_of_array,
    address_of_record,
    field,
    ints_at,
    kernel,
)
from station.kernel.record import WORD

Triple = tuple[float, float, float]
MOST_POINTS = 32
_FAR = 1e3  # [m]


class Shape(IntEnum):
    """What a guide leads the hand to."""

    NONE = 0
    POINT = 1
    LINE = 2
    PLANE = 3
    AXIS = 4
    CURVE = 5
    CONE = 6
    ZONE = 7


class LaidGuide(Record):
    """A guide as kernels read it. A command that lays one carries the same as real numbers, in this order."""

    shape: Shape
    wanted: bool = field("", "whether it is to be felt, or to fade out")
    stiffness: float = field("N/m", "to the nearest point")
    damping: float = field("N·s/m", "across the guide")
    radius: float = field("m", "how far it attracts; 0: without end")
    force: float = field("N", "largest pull")
    point: Floats1 = field("m", shape=3)
    direction: Floats1 = field("", "of a line, an axis, a cone; normal of a plane", shape=3)
    size: float = field("m | rad", "radius of a zone, half of the opening of a cone")
    turn_stiffness: float = field("N·m", "of an axis: torque per sine of the angle to the tool")
    turn_damping: float = field("N·m·s/rad", "across the tool")
    tool: Floats1 = field("", "direction of the tool in the handle", shape=3)
    count: int = field("", "points of a curve")
    points: Floats2 = field("m", "of a curve", shape=(MOST_POINTS, 3))

    @classmethod
    def place_of(cls, name: str) -> int:
        """Where the first number of a field is in a row of numbers."""
        return cls.fields[name].offset // WORD

    def row(self) -> Floats:
        """As a row of numbers."""
        return np.concatenate([np.ravel(np.asarray(getattr(self, name), float)) for name in self.fields])

    def take_row(self, row: Sequence[float]) -> None:
        """From a row of numbers."""
        for name, one in self.fields.items():
            start = one.offset // WORD
            if one.is_array:
                array = getattr(self, name)
                array[...] = np.reshape(row[start : start + array.size], array.shape)
            else:
                setattr(self, name, {"f8": float, "i8": int, "b1": bool}[one.form](row[start]))


GUIDE_WORDS = LaidGuide.fixed_size // WORD
GUIDE_BYTES = LaidGuide.fixed_size


class Guides(Record):
    """All that are laid, one after the other; `guides[2]` in Python, `guide_of(guides, 2)` in kernels."""

    words: Ints2 = field("", "memory of each", shape=(MOST_GUIDES, GUIDE_WORDS))

    def __getitem__(self, place: int) -> LaidGuide:
        return LaidGuide(self.words[place].view(np.uint8))


@dataclass(frozen=True, kw_only=True)
class Guide:
    """A spring and a damper to the nearest point of a shape."""

    stiffness: float = parameter(300.0, "spring to the nearest point", "N/m", 1e-6, 50_000.0)
    damping: float = parameter(1.0, "damper across the guide", "N·s/m", 0.0, 200.0)
    radius: float = parameter(0.03, "how far it attracts; 0: without end", "m", 0.0, 10.0)
    force: float = parameter(3.0, "largest pull", "N", 1e-6, 500.0)
    shape: ClassVar[Shape] = Shape.NONE

    def __post_init__(self) -> None:
        check(self)
        self._check_shape()

    def _check_shape(self) -> None:
        """Lengths and directions."""

    def laid(self) -> LaidGuide:
        """The guide as kernels read it."""
        laid = LaidGuide(shape=self.shape, wanted=True)
        laid.stiffness, laid.damping, laid.radius, laid.force = self.stiffness, self.damping, self.radius, self.force
        self._fill(laid)
        return laid

    def row(self) -> Floats:
        """The guide as the numbers of a command that lays it."""
        return self.laid().row()

    def _fill(self, laid: LaidGuide) -> None:
        """What the shape has besides."""


@dataclass(frozen=True, kw_only=True)
class PointGuide(Guide):
    """Pulls to a point."""

    point: Triple = parameter((0.0, 0.0, 0.0), "the point", "m", -_FAR, _FAR)
    shape: ClassVar[Shape] = Shape.POINT

    def _check_shape(self) -> None:
        check_length(self, "point", 3)

    def _fill(self, laid: LaidGuide) -> None:
        laid.point[:] = self.point


@dataclass(frozen=True, kw_only=True)
class LineGuide(PointGuide):
    """Pulls to a line through a point; one slides along it freely."""

    direction: Triple = parameter((1.0, 0.0, 0.0), "direction of the line, normal of a plane", "", -_FAR, _FAR)
    shape: ClassVar[Shape] = Shape.LINE

    def _check_shape(self) -> None:
        super()._check_shape()
        check_length(self, "direction", 3)
        if math.hypot(*self.direction) < 1e-6:
            raise SettingsError("direction has no length; allowed: any vector but zero")

    def _fill(self, laid: LaidGuide) -> None:
        super()._fill(laid)
        laid.direction[:] = np.array(self.direction) / math.hypot(*self.direction)


@dataclass(frozen=True, kw_only=True)
class PlaneGuide(LineGuide):
    """Pulls to a plane through a point; `direction` is its normal."""

    shape: ClassVar[Shape] = Shape.PLANE


@dataclass(frozen=True, kw_only=True)
class AxisGuide(LineGuide):
    """Pulls to a line and turns the tool along it, as for drilling."""

    turn_stiffness: float = parameter(0.3, "torque per sine of the angle between tool and axis", "N·m", 0.0, 100.0)
    turn_damping: float = parameter(0.001, "damper across the tool", "N·m·s/rad", 0.0, 5.0)
    tool: Triple = parameter((0.0, 0.0, 1.0), "direction of the tool in the handle", "", -1.0, 1.0)
    shape: ClassVar[Shape] = Shape.AXIS

    def _check_shape(self) -> None:
        super()._check_shape()
        check_length(self, "tool", 3)
        if abs(math.hypot(*self.tool) - 1.0) > 1e-6:
            raise SettingsError(f"tool has length {math.hypot(*self.tool):g}; allowed: 1")

    def _fill(self, laid: LaidGuide) -> None:
        super()._fill(laid)
        laid.turn_stiffness, laid.turn_damping = self.turn_stiffness, self.turn_damping
        laid.tool[:] = self.tool


@dataclass(frozen=True, kw_only=True)
class ConeGuide(LineGuide):
    """A funnel: free inside a cone that opens along `direction` from its tip `point`, pulled in from outside."""

    half_angle: float = parameter(0.3, "half of the opening", "rad", 0.01, 1.5)
    shape: ClassVar[Shape] = Shape.CONE

    def _fill(self, laid: LaidGuide) -> None:
        super()._fill(laid)
        laid.size = self.half_angle


@dataclass(frozen=True, kw_only=True)
class CurveGuide(Guide):
    """Pulls to a polyline."""

    points: tuple[Triple, ...] = ((0.0, 0.0, 0.0), (0.1, 0.0, 0.0))
    shape: ClassVar[Shape] = Shape.CURVE

    def _check_shape(self) -> None:
        if not 2 <= len(self.points) <= MOST_POINTS:
            raise SettingsError(f"points has {len(self.points)} members; allowed: 2 to {MOST_POINTS}")
        numbers = np.array(self.points, dtype=float)
        if numbers.shape[1:] != (3,) or not np.all(np.abs(numbers) <= _FAR):
            raise SettingsError("points must be finite triples [m]")

    def _fill(self, laid: LaidGuide) -> None:
        laid.count = len(self.points)
        laid.points[: laid.count] = self.points


@dataclass(frozen=True, kw_only=True)
class Zone(PointGuide):
    """An attraction zone: free inside a ball, pulled in from around it."""

    size: float = parameter(0.01, "radius of the ball", "m", 0.0, 10.0)
    shape: ClassVar[Shape] = Shape.ZONE

    def _fill(self, laid: LaidGuide) -> None:
        super()._fill(laid)
        laid.size = self.size


_guide_at = RecordAt(LaidGuide)


@kernel
def guide_of(guides: Guides, place: int) -> LaidGuide:
    """One of the guides that are laid."""
    guide: LaidGuide = _guide_at(address_of_array(guides.words) + GUIDE_BYTES * place)
    return guide


@kernel
def copy_guide(guide: LaidGuide, into: LaidGuide) -> None:
    """All of it."""
    old, new = ints_at(address_of_record(guide), GUIDE_WORDS), ints_at(address_of_record(into), GUIDE_WORDS)
    for i in range(GUIDE_WORDS):
        new[i] = old[i]
