"""How a part of the geometry refuses numbers that cannot be: in one line, with its name and the value."""

from __future__ import annotations

import math

from station.devices.errors import DeviceError


class GeometryError(DeviceError, ValueError):
    """Dimensions of which no device can be made."""


def need(part: object, condition: bool, rule: str) -> None:
    """Refuse a part that breaks a rule."""
    if not condition:
        raise GeometryError(f"syntaxer geometry, {type(part).__name__.lower()}: {rule}")


def positive(part: object, *names: str) -> None:
    """Refuse a part one of whose numbers is not finite and above 0."""
    for name in names:
        value = getattr(part, name)
        need(part, 0.0 < value < math.inf, f"{name} is a finite number above 0, not {value!r}")


def finite(part: object, *names: str) -> None:
    """Refuse a part one of whose numbers, or triples of numbers, is not finite."""
    for name in names:
        value = getattr(part, name)
        values = value if isinstance(value, tuple) else (value,)
        need(part, all(map(math.isfinite, values)), f"{name} is finite, not {value!r}")


def mass(part: object, *names: str) -> None:
    """Refuse a part one of whose masses is not finite or below 0."""
    for name in names:
        value = getattr(part, name)
        need(part, 0.0 <= value < math.inf, f"{name} is a mass of 0 or more, not {value!r}")


def many(part: object, name: str, count: int) -> None:
    """Refuse a part of which there are not so many."""
    have = len(getattr(part, name))
    need(part, have == count, f"{name} are {count}, not {have}")
