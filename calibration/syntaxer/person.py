"""Whoever stands at the device: does one thing at a time when asked to.

The same collection runs with a person at hardware, who is told what to do and presses a key, and with an emulated one
(emulated.py), who acts on the emulator's physics.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from calibration.errors import PoseError

Triple = tuple[float, float, float]
ENDS = ("towards the plate", "towards you")


class LetGo(NamedTuple):
    """Hands off."""

    @property
    def text(self) -> str:
        """What to do."""
        return "Let the handle go and keep your hands off; the device will move by itself."


class HoldAt(NamedTuple):
    """Hold the handle still somewhere; an instrument measures where exactly."""

    place: Triple  # [m]
    turn: Triple  # [rad]

    @property
    def text(self) -> str:
        """What to do."""
        return f"Hold the handle still at about {_at(self.place)}, {_turned(self.turn)}."


class Seat(NamedTuple):
    """Clamp the handle into a socket of a jig."""

    name: str  # of the socket
    place: Triple  # [m]
    turn: Triple  # [rad]

    @property
    def text(self) -> str:
        """What to do."""
        return f"Clamp the handle into {self.name} of the jig: {_at(self.place)}, {_turned(self.turn)}."


class Swing(NamedTuple):
    """Swing the handle on the bar, all over what it reaches."""

    ball: int
    foot: Triple  # where the ball stands, about [m]
    length: float  # of the bar [m]
    seconds: float  # to swing for [s]

    @property
    def text(self) -> str:
        """What to do."""
        return (
            f"Stand the ball of the bar at about {_at(self.foot)} (stand {self.ball + 1}) and hold the handle on its "
            f"other end. From Enter on, swing it slowly all over what it reaches, in rings out and back, for "
            f"{self.seconds:g} s."
        )


class LeanOn(NamedTuple):
    """Lean an arm gently on one of its stops."""

    arm: int
    end: int
    place: Triple  # of the handle when the arm meets its stop, about [m]
    beyond: Triple  # where to push it to [m]

    @property
    def text(self) -> str:
        """What to do."""
        return (
            f"Push the handle gently until arm {self.arm + 1} rests on its stop {ENDS[self.end]} "
            f"(the handle is at about {_at(self.place)} then), and hold it there."
        )


class Fix(NamedTuple):
    """Fix masses and cords to the handle, or take them off."""

    mass: float = 0.0  # [kg]
    place: Triple = (0.0, 0.0, 0.0)  # from the ball [m]
    cord: float = 0.0  # weight on a cord over a pulley [kg]
    way: Triple = (0.0, 1.0, 0.0)
    held: Triple = (0.0, 0.0, 0.0)  # where the cord is held, from the ball [m]

    @property
    def text(self) -> str:
        """What to do."""
        if self.mass == self.cord == 0.0:
            return "Take all weights and cords off the handle."
        text = f"Fix a mass of {1e3 * self.mass:g} g to the handle, {_at(self.place)} from the ball."
        if self.cord > 0.0:
            way = ", ".join(f"{part:g}" for part in self.way)
            text += (
                f" Tie a cord to it {_at(self.held)} from the ball, lead it along ({way}) over a pulley and hang "
                f"{1e3 * self.cord:g} g on it."
            )
        return text


Task = LetGo | HoldAt | Seat | Swing | LeanOn | Fix


class Person(Protocol):
    """Somebody who does what is asked."""

    def do(self, task: Task) -> None:
        """Do it, and return when it is done; a PoseError if it cannot be done there."""


class PersonAtDevice:
    """A person who reads and presses keys."""

    def __init__(self, tell: Callable[[str], object], answer: Callable[[str], str]) -> None:
        """Talk to a person.

        Args:
            tell: shows a line.
            answer: asks for a line.
        """
        self._tell, self._answer = tell, answer

    def do(self, task: Task) -> None:
        """Tell what to do and wait."""
        self._tell(task.text)
        if self._answer("Enter when it is so; 'skip' if it cannot be").strip().lower() == "skip":
            raise PoseError("skipped by the person")


def _at(place: Triple) -> str:
    return ", ".join(f"{1e3 * part:.0f}" for part in place) + " mm"


def _turned(turn: Triple) -> str:
    if not any(turn):
        return "not turned"
    return "turned by " + ", ".join(f"{np.degrees(part):.1f}" for part in turn) + "° about x, y, z"
