"""What measures: an instrument at an address, or a person who reads one off and types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from calibration.errors import PoseError
from calibration.units import MM
from firmware_bridge.instrument import About, NotSeenError, Reading, open_instrument
from station.clock import WALL, Clock

PERSON = "person"
SKIP = "skip"


class Instrument(Protocol):
    """Anything that tells where a frame of the robot is."""

    @property
    def about(self) -> About:
        """What it is, what it measures, and how well."""

    def measure(self) -> Reading:
        """Where the target is; raises a NotSeenError or a PoseError if it cannot tell at this pose."""

    def close(self) -> None:
        """Let it go."""


class Person:
    """Somebody who reads an instrument off."""

    def __init__(self, ask: Callable[[str], str], noise: float = 5e-5, name: str = PERSON) -> None:
        """Take somebody.

        Args:
            ask: shows a question and returns what was typed.
            noise: of a position, standard deviation per axis [m].
            name: of the instrument that is read off.
        """
        self._ask = ask
        self.about = About(PERSON, name, "position", noise, 0.0)

    def measure(self) -> Reading:
        """Ask until three numbers are typed."""
        question = f"measured x y z [mm], or {SKIP}"
        while True:
            typed = self._ask(question).replace(",", " ").split()
            if typed == [SKIP]:
                raise PoseError("skipped by the person")
            try:
                position = MM * np.array([float(word) for word in typed])
            except ValueError:
                position = np.zeros(0)
            if position.shape == (3,) and np.isfinite(position).all():
                return Reading(position, None)
            question = f"three numbers by spaces [mm], or {SKIP}"

    def close(self) -> None:
        """Nothing to do."""


def instrument_at(url: str, ask: Callable[[str], str], noise: float | None = None, clock: Clock = WALL) -> Instrument:
    """`person`, or an address such as tcp://127.0.0.1:5600; raises an InstrumentError with one line."""
    if url == PERSON:
        return Person(ask) if noise is None else Person(ask, noise)
    return open_instrument(url, clock)


def measured(instrument: Instrument) -> Reading:
    """A reading; a PoseError if the instrument cannot tell at this pose."""
    try:
        return instrument.measure()
    except NotSeenError as error:
        raise PoseError(str(error)) from None
