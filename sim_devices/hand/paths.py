"""Ways of a hand: places, and how people go from one to the next.

A place is six numbers: x, y, z [m] and a rotation vector [rad], in the device frame. Reaches go by minimum jerk, as
people's do.
"""

from __future__ import annotations

import math
from enum import Enum, auto
from typing import NamedTuple

from sim_devices.hand.errors import ScriptError

Six = tuple[float, float, float, float, float, float]
STILL: Six = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class Heed(Enum):
    """What the person does about being somewhere else than wanted."""

    CORRECT = auto()  # after the time to react
    KEEP = auto()  # no more than so far: the arm is a spring and a damper
    FORGET = auto()  # nothing, and corrections fade


class Aim(NamedTuple):
    """What the arm wants at a moment."""

    place: Six  # [m, rad]
    speed: Six  # [m/s, rad/s]
    heed: Heed
    strength: float = math.inf  # of the muscles, if less than all of it [N]


class Move:
    """One line of a script. Times are counted from its beginning [s]."""

    @property
    def takes(self) -> float:
        """How long it lasts [s]."""
        return 0.0

    def aim(self, time: float, start: Six) -> Aim:  # noqa: ARG002 a move that goes nowhere
        """Where the arm wants to be, having started at `start`."""
        return Aim(start, STILL, Heed.KEEP)

    def end(self, start: Six) -> Six:
        """Where it has got to."""
        return self.aim(self.takes, start).place


def minimum_jerk(time: float, duration: float) -> tuple[float, float]:
    """Share of the way, 0 to 1, and its rate [1/s], after `time` [s]."""
    if time >= duration:
        return 1.0, 0.0
    s = max(time, 0.0) / duration
    return s**3 * (10.0 - 15.0 * s + 6.0 * s * s), 30.0 * (s * (1.0 - s)) ** 2 / duration


def between(start: Six, goal: Six, share: float, rate: float) -> tuple[Six, Six]:
    """Place and speed on a straight way."""
    u, v, w, x, y, z = start
    a, b, c, d, e, f = goal[0] - u, goal[1] - v, goal[2] - w, goal[3] - x, goal[4] - y, goal[5] - z
    place = (u + share * a, v + share * b, w + share * c, x + share * d, y + share * e, z + share * f)
    return place, (rate * a, rate * b, rate * c, rate * d, rate * e, rate * f)


def there_and_back(time: float, start: Six, goal: Six, stay: float, way: float) -> tuple[Six, Six]:
    """To a goal within `way` [s], stay for `stay` [s], and back."""
    if time < way + stay:
        return between(start, goal, *minimum_jerk(time, way))
    return between(goal, start, *minimum_jerk(time - way - stay, way))


def with_axes(start: Six, first: int, values: tuple[float | None, float | None, float | None]) -> Six:
    """A place with some of three axes changed."""
    place = list(start)
    for axis, value in enumerate(values, start=first):
        if value is not None:
            place[axis] = value
    a, b, c, d, e, f = place
    return a, b, c, d, e, f


def need(move: object, holds: bool, allowed: str) -> None:
    """Refuse a move in one line."""
    if not holds:
        raise ScriptError(f"{type(move).__name__.lower()}: allowed: {allowed}")


def six(values: list[float]) -> Six:
    """Six numbers as a place or speed."""
    a, b, c, d, e, f = values
    return a, b, c, d, e, f
