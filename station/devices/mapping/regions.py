"""Where a handle can go, as a simple convex shape in the device's own frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from station.devices.mapping.kernels import layout
from station.devices.parameter import SettingsError, check, check_length, parameter

Triple = tuple[float, float, float]
ORIGIN: Triple = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class Box:
    """Travel of three straight axes."""

    number: ClassVar[int] = layout.BOX
    centre: Triple = parameter(ORIGIN, "middle of the box", "m", -100.0, 100.0)
    size: Triple = parameter((0.2, 0.2, 0.2), "full length along x, y, z", "m", 1e-4, 100.0)

    def __post_init__(self) -> None:
        check_length(self, "centre", 3)
        check_length(self, "size", 3)
        check(self)

    def halves(self, margin: float) -> Triple:
        """Half lengths of what is left within a margin [m]; an error if nothing is."""
        x, y, z = (_left(0.5 * length, margin) for length in self.size)
        return x, y, z


@dataclass(frozen=True, kw_only=True)
class Cylinder:
    """As of the syntaxer."""

    number: ClassVar[int] = layout.CYLINDER
    centre: Triple = parameter(ORIGIN, "middle of the axis", "m", -100.0, 100.0)
    radius: float = parameter(0.170, "radius", "m", 1e-4, 100.0)
    length: float = parameter(0.150, "length along the axis", "m", 1e-4, 100.0)
    axis: int = parameter(2, "which axis of the device it lies along: 0 x, 1 y, 2 z", "", 0, 2)

    def __post_init__(self) -> None:
        check_length(self, "centre", 3)
        check(self)

    def halves(self, margin: float) -> Triple:
        """Radius and half length of what is left within a margin [m]; an error if nothing is."""
        return _left(self.radius, margin), _left(0.5 * self.length, margin), 0.0


@dataclass(frozen=True, kw_only=True)
class Sphere:
    """A ball."""

    number: ClassVar[int] = layout.SPHERE
    centre: Triple = parameter(ORIGIN, "its middle", "m", -100.0, 100.0)
    radius: float = parameter(0.1, "radius", "m", 1e-4, 100.0)

    def __post_init__(self) -> None:
        check_length(self, "centre", 3)
        check(self)

    def halves(self, margin: float) -> Triple:
        """Radius of what is left within a margin [m]; an error if nothing is."""
        return _left(self.radius, margin), 0.0, 0.0


Region = Box | Cylinder | Sphere


def _left(half: float, margin: float) -> float:
    if half <= margin:
        raise SettingsError(f"margin is {margin:g} [m]; allowed: less than half of the region, {half:g}")
    return half - margin
