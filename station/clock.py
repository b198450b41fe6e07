"""Time, of the wall or of a test: everything that waits or measures an age asks a clock.

On a virtual clock nothing waits: time stands still until somebody moves it on, and what is attached to the clock, such
as an emulator, is taken along. So a test runs as fast as it can compute, and always the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple, Protocol


class Clock(Protocol):
    """Something that tells the time and can wait."""

    def now(self) -> float:
        """Time since some fixed instant [s]; it never goes back."""

    def sleep_until(self, moment: float) -> None:
        """Return at `moment` [s], or at once if that is over."""


class WallClock:
    """The machine's own monotonic time."""

    def now(self) -> float:
        """Time since the machine was started [s]."""
        return time.monotonic()

    def sleep_until(self, moment: float) -> None:
        """Sleep until `moment` [s]."""
        left = moment - time.monotonic()
        if left > 0.0:
            time.sleep(left)


WALL = WallClock()


class Exchange(NamedTuple):
    """A message to somebody with a clock of its own and one back, with four times, as in NTP."""

    sent: float  # by the station's clock, before it went [s]
    heard: float  # by the other clock [s]
    answered: float  # by the other clock [s]
    back: float  # by the station's clock [s]


class VirtualClock:
    """Time that passes only when it is moved on."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = start
        self._attached: list[Callable[[float], object]] = []

    def now(self) -> float:
        """Time since the beginning [s]."""
        return self._now

    def attach(self, follow: Callable[[float], object]) -> Callable[[], None]:
        """Call `follow(now)` whenever time has moved on; returns a function that ends this."""
        self._attached.append(follow)
        return lambda: self._attached.remove(follow) if follow in self._attached else None

    def sleep_until(self, moment: float) -> None:
        """Move time on to `moment` [s]."""
        if moment > self._now:
            self._now = moment
            for follow in tuple(self._attached):
                follow(moment)

    def advance(self, duration: float, step: float = 0.001) -> None:
        """Let `duration` [s] pass in steps of `step` [s]."""
        start = self._now
        for number in range(1, round(duration / step) + 1):
            self.sleep_until(start + number * step)
        self.sleep_until(start + duration)
