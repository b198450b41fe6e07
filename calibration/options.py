"""Options that commands of `station calibrate` share, and numbers as people may type them: finite, within bounds."""

from __future__ import annotations

import math
from typing import Any

import click

from calibration.errors import DataError


class Finite(click.FloatRange):
    """A number within bounds that is one: click's own ranges let nan pass."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; what is none is refused by click, in one line."""
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            self.fail(f"{str(value)!r} is not a finite number", param, ctx)
        return float(super().convert(number, param, ctx))


POSITIVE = Finite(min=0.0, min_open=True)
NOT_NEGATIVE = Finite(min=0.0)
SHARE = Finite(min=0.01, max=1.0)  # of an arm's limits

robot_name = click.option("--robot", "name", help="Robot, if the scene has several.")
speed_share = click.option("--speed", default=0.25, metavar="SHARE", type=SHARE, help="Of the arm's limits.")


def finite_numbers(text: str, count: int, says: str) -> list[float]:
    """Numbers by commas; a DataError that says what is allowed if they are others, or not so many."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise DataError(says)
    return numbers
