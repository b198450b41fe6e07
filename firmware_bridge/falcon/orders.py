"""What the motors are to do: the newest command, for a short time only."""

from __future__ import annotations

from typing import NamedTuple

from firmware_bridge.falcon.frames import Lamp, Request, Three
from station.devices.device import LOST_AFTER

NO_WORDS: Three = (0, 0, 0)
HOMED, NOT_HOMED = Lamp.HOMING | Lamp.GREEN, Lamp.HOMING | Lamp.RED


class Order(NamedTuple):
    """Motor words and when they were given [s]."""

    words: Three
    given: float


class Orders:
    """The last command; written by one thread and read by another, so it changes by one assignment."""

    def __init__(self) -> None:
        self._order = Order(NO_WORDS, float("-inf"))

    def give(self, words: Three, now: float) -> None:
        """A new command at `now` [s]."""
        self._order = Order(words, now)

    def clear(self) -> None:
        """No force from the next request on."""
        self._order = Order(NO_WORDS, self._order.given)

    def fresh(self, now: float) -> bool:
        """Whether somebody still gives commands."""
        return now - self._order.given <= LOST_AFTER

    def request(self, now: float, *, homed: bool) -> Request:
        """What to send at `now` [s]: an old command, or one to a device that knows no places, becomes no force."""
        order = self._order
        usable = homed and now - order.given <= LOST_AFTER
        return Request(order.words if usable else NO_WORDS, HOMED if homed else NOT_HOMED)
