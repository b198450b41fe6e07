"""Settings of the surroundings, with their ranges."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any

from station.collision.errors import CollisionError
from station.collision.kernels.table import MOST_PICKS


def _setting(default: float, unit: str, lo: float, hi: float, text: str) -> Any:
    return field(default=default, metadata={"unit": unit, "lo": lo, "hi": hi, "text": text})


@dataclass(frozen=True)
class CollisionSettings:
    """How far one looks, how near one goes; docs/collision.md explains each."""

    horizon: float = _setting(0.15, "m", 0.001, 100.0, "distance up to which pairs are told")
    contact_range: float = _setting(0.03, "m", 0.0, 1.0, "distance up to which the solver is given half-spaces")
    margin: float = _setting(0.001, "m", 0.0, 0.1, "distance that the solver keeps from obstacles")
    approach_time: float = _setting(0.02, "s", 0.0, 10.0, "an obstacle at distance d is approached by at most d/this")
    push_speed: float = _setting(0.1, "m/s", 0.0, 10.0, "speed at which the robot leaves what it has entered")
    exact_per_tick: int = _setting(2, "", 1, MOST_PICKS, "pairs whose distance is found exactly in a tick")
    samples: int = _setting(100, "", 1, 100_000, "configurations that decide which pairs are never apart")

    def __post_init__(self) -> None:
        for item in fields(self):
            value, unit = getattr(self, item.name), item.metadata["unit"]
            lo, hi = item.metadata["lo"], item.metadata["hi"]
            if not (isinstance(value, (int, float)) and math.isfinite(value) and lo <= value <= hi):
                raise CollisionError(f"{item.name} is {value!r}; allowed: {lo:g} to {hi:g} {unit}".rstrip())
            if item.type == "int" and value != int(value):
                raise CollisionError(f"{item.name} is {value!r}; allowed: whole numbers")
