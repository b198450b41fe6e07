"""A hand on a cap: how far it is deflected and which buttons are down, as a function of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from sim_devices.hand import Hand

FULL_PUSH = np.array([5.0, 5.0, 5.0, 0.1, 0.1, 0.1])  # what deflects a cap all the way [N, N·m]
ASKED_WITHIN = 0.25  # between two questions of a station that runs [s]
ASKED_FOR = 0.3  # so long it has to ask before a patient hand begins [s]
Motion = Callable[[float], Sequence[float]]  # time [s] → six deflections, each from -1 to 1, in the station's frame


class CapHand(Protocol):
    """Whatever moves a cap."""

    def deflection(self, now: float) -> Sequence[float]:
        """Six deflections at `now` [s], each from -1 to 1: x to the operator, y right, z up, then rotations."""

    def buttons(self, now: float) -> int:
        """Buttons that are down at `now` [s], bit i for button i."""


class AtRest:
    """Nobody touches it."""

    def deflection(self, now: float) -> Sequence[float]:  # noqa: ARG002 a hand is told the time
        """None."""
        return (0.0,) * 6

    def buttons(self, now: float) -> int:  # noqa: ARG002
        """None."""
        return 0


class ScriptedHand:
    """A motion given as a function, and buttons that are pressed and released by calls or at given times."""

    def __init__(self, motion: Motion | None = None, presses: Mapping[int, tuple[float, float]] | None = None) -> None:
        self._motion = motion
        self._presses = dict(presses or {})  # button → from when to when [s]
        self._held = 0

    def press(self, button: int) -> None:
        """Put a finger on a button."""
        self._held |= 1 << button

    def release(self, button: int) -> None:
        """Take it off."""
        self._held &= ~(1 << button)

    def move(self, motion: Motion | None) -> None:
        """Move in another way from now on; None: let go."""
        self._motion = motion

    def deflection(self, now: float) -> Sequence[float]:
        """Six deflections at `now` [s]."""
        return (0.0,) * 6 if self._motion is None else self._motion(now)

    def buttons(self, now: float) -> int:
        """Buttons that are down at `now` [s]."""
        scripted = sum(1 << button for button, (begin, end) in self._presses.items() if begin <= now < end)
        return self._held | scripted


def hand_of(motion: Motion | CapHand | None) -> CapHand:
    """A hand, from what a person writes for one."""
    if motion is None:
        return AtRest()
    if hasattr(motion, "deflection"):
        return motion  # type: ignore[return-value] # a callable with this method is a hand too
    return ScriptedHand(motion)


class PushingHand:
    """The same hand at a cap, which hardly gives way: what it pushes with is how far the cap is deflected."""

    def __init__(self, hand: Hand) -> None:
        self._hand = hand
        self._now = float("-inf")  # of the last push [s]
        self._shares: tuple[float, ...] = (0.0,) * 6

    def deflection(self, now: float) -> Sequence[float]:
        """Six deflections at `now` [s], each from -1 to 1."""
        if now > self._now:  # a hand is told each time once
            self._now = now
            push = self._hand.wrench(now, np.zeros(3), np.zeros(3), np.zeros(6))
            self._shares = tuple(np.clip(push / FULL_PUSH, -1.0, 1.0).tolist())
        return self._shares

    def buttons(self, now: float) -> int:
        """Buttons that are down at `now` [s]."""
        return self._hand.buttons(now)


class PatientHand:
    """A hand that waits at rest until somebody asks the device on and on: a station that runs, not one that opens it.

    Its time begins then, so that a script is not half over when the robot can first be led.
    """

    def __init__(self, hand: CapHand) -> None:
        self._hand = hand
        self._since = self._asked = float("-inf")  # the first and the last question of those in a row [s]
        self._begun: float | None = None  # [s]

    def hear(self, now: float) -> None:
        """The device was asked something at `now` [s]."""
        if now - self._asked > ASKED_WITHIN:
            self._since = now
        self._asked = now
        if self._begun is None and now - self._since >= ASKED_FOR:
            self._begun = now

    def deflection(self, now: float) -> Sequence[float]:
        """Six deflections at `now` [s], each from -1 to 1."""
        return (0.0,) * 6 if self._begun is None else self._hand.deflection(now - self._begun)

    def buttons(self, now: float) -> int:
        """Buttons that are down at `now` [s]."""
        return 0 if self._begun is None else self._hand.buttons(now - self._begun)
