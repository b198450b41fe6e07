"""What a person does whom the device lets down: back to where that was, press again, go on from there.

The light in the handle tells whether a robot follows. If it is dark while the button is held that must have it lit,
the hand lets the button go, returns to where it was when it saw the light last, and presses anew until it is lit. The
robot stood still meanwhile, so hand and robot belong together as before, wherever in a script this happens.
"""

from __future__ import annotations

from typing import NamedTuple

from sim_devices.hand.paths import Aim, Heed, Six, between, minimum_jerk

BACK = 0.6  # time to return [s]
SETTLE = 0.4  # there, before the button is pressed [s]
PATIENCE = 1.0  # with the button held in the dark, before it is let go once more [s]
SURE = 0.3  # lit for so long, the hand goes on [s]


class Fine(NamedTuple):
    """The last moment at which all was well."""

    time: float  # of the script [s]
    place: Six  # of the handle [m, rad]


class Return(NamedTuple):
    """Of a hand that was let down."""

    began: float  # by the clock [s]
    start: Six  # [m, rad]
    to: Fine


class Attention:
    """Knows how far the script is behind the clock, and what is done meanwhile. Times are those of the clock [s]."""

    def __init__(self, reaction: float) -> None:
        self._reaction = reaction  # until the dark is acted upon [s]
        self._behind = 0.0
        self._fine: Fine | None = None  # None: the button is up, nothing to look for
        self._return: Return | None = None  # None: the script goes on
        self._lit_since: float | None = None  # while returning

    def script_time(self, now: float) -> float:
        """Where the script is."""
        return now - self._behind if self._return is None else self._return.to.time

    def see(self, now: float, held: bool, lit: bool, place: Six, earliest: float) -> None:
        """Look at the light, with the handle at `place`; `held`: the button that must have it lit, by the script.

        The script is not taken back to before `earliest`.
        """
        time = self.script_time(now)
        if self._return is not None:
            self._try(now, lit, self._return)
        elif not held:
            self._fine = None
        elif lit or self._fine is None:
            self._fine = Fine(time, place)
        elif time - self._fine.time > self._reaction:
            self._return = Return(now, place, Fine(max(self._fine.time, earliest), self._fine.place))
            self._lit_since = None

    def _try(self, now: float, lit: bool, back: Return) -> None:
        if not lit or self.lets_go(now):
            self._lit_since = None
        elif self._lit_since is None:
            self._lit_since = now
        elif now - self._lit_since >= SURE:
            self._behind, self._fine, self._return = now - back.to.time, back.to, None

    def lets_go(self, now: float) -> bool:
        """Whether the button is let go, whatever the script says."""
        if self._return is None:
            return False
        since = now - self._return.began - BACK
        return since < SETTLE or (self._lit_since is None and since % (SETTLE + PATIENCE) < SETTLE)

    def aim(self, now: float) -> Aim | None:
        """Where the arm wants to be; None: as the script says."""
        back = self._return
        if back is None:
            return None
        return Aim(*between(back.start, back.to.place, *minimum_jerk(now - back.began, BACK)), Heed.CORRECT)
