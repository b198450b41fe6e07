"""Parameters that know their unit, range and meaning: checked when set, and listed in the manual from one place."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from station.devices.errors import DeviceError

_KEY = "parameter"


class SettingsError(DeviceError, ValueError):
    """A setting outside its range; one line that names it and says what is allowed."""


class About(NamedTuple):
    """What a parameter is, besides its type and default."""

    unit: str  # empty: a plain number or a word
    low: float
    high: float
    meaning: str

    @property
    def allowed(self) -> str:
        """The range as text, empty if anything goes."""
        if math.isinf(self.low) and math.isinf(self.high):
            return ""
        return f"{self.low:g} to {self.high:g}" if math.isfinite(self.high) else f"at least {self.low:g}"


def parameter(default: Any, meaning: str, unit: str = "", low: float = -math.inf, high: float = math.inf) -> Any:
    """A field of a frozen dataclass; numbers, also within tuples, must be finite and from low to high."""
    return dataclasses.field(default=default, metadata={_KEY: About(unit, low, high, meaning)})


def about(settings: Any) -> Iterator[tuple[str, Any, About]]:
    """Name, default and description of each parameter of a settings class."""
    for field in dataclasses.fields(settings):
        if _KEY in field.metadata:
            yield field.name, field.default, field.metadata[_KEY]


def check(settings: Any) -> None:
    """Raise a SettingsError for the first number out of its range; called once everything is set."""
    for name, _, description in about(settings):
        value = getattr(settings, name)
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, bool) or not isinstance(number, int | float):
                continue
            if not (math.isfinite(number) and description.low <= number <= description.high):
                unit = f" [{description.unit}]" if description.unit else ""
                allowed = description.allowed or "any finite number"
                raise SettingsError(f"{name} is {number:g}{unit}; allowed: {allowed}")


def check_length(settings: Any, name: str, length: int) -> None:
    """Raise a SettingsError if a tuple has the wrong number of members."""
    if len(getattr(settings, name)) != length:
        raise SettingsError(f"{name} has {len(getattr(settings, name))} members; allowed: {length}")
