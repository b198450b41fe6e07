"""Signs of the arm's force sensor: bits of `reflection_status` that a person is told of, in the same words everywhere.

`Signs` follows them from tick to tick: a bit that flickers is one sign that stands, and fills no log.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.servo.shared.words import BilateralStatus

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STAYS = 0.3  # a sign is shown until its bit was gone for so long: longer than between two pictures [s]
QUIET = 2.0  # a bit that comes again within this time has not been gone: at most a line in a second [s]
MOST_CHANGES = 64  # that are kept for somebody who asks


class Sign(NamedTuple):
    """Something that a person should know."""

    bit: BilateralStatus
    words: str  # while it stands
    past: str  # of a run in which it stood
    what_next: str = ""  # what a person does about it
    settles: float = 0.0  # nothing is told of it before it has lasted so long [s]

    @property
    def told(self) -> str:
        """In words, with what to do."""
        return f"{self.words}: {self.what_next}" if self.what_next else self.words


SIGNS = (
    Sign(BilateralStatus.PRESSING, "arm presses as hard as it may", "pressed as hard as it may"),
    Sign(
        BilateralStatus.UNTARED,
        "sensor not tared",
        "sensor not tared",
        "press t with the arm at rest",
        1.0,  # before the arm first follows, the bias is still being looked for
    ),
)


class Change(NamedTuple):
    """A sign that has come or gone."""

    sign: Sign
    time: float  # when it did [s]
    lasted: float | None = None  # None: it has come [s]

    @property
    def told(self) -> str:
        """In words."""
        if self.lasted is None:
            return self.sign.told
        return f"{self.sign.words}: over after {self.lasted:.2f} s"


class _Spell(NamedTuple):
    begin: float  # [s]
    end: float  # when its bit was last there [s]
    is_told: bool = False


class Signs:
    """Which signs stand, by the records of every tick."""

    def __init__(self) -> None:
        self.ticks = dict.fromkeys(SIGNS, 0)  # in which its bit was there
        self._spells: dict[Sign, _Spell] = {}  # that are not over
        self._changes: deque[Change] = deque(maxlen=MOST_CHANGES)
        self._now = -np.inf  # of the newest tick [s]

    @property
    def standing(self) -> tuple[Sign, ...]:
        """Those to be shown now, the most urgent first."""
        return tuple(sign for sign in SIGNS if (spell := self._spells.get(sign)) and self._is_shown(sign, spell))

    def changes(self) -> list[Change]:
        """What has come and gone since this was asked last, oldest first."""
        new = list(self._changes)
        self._changes.clear()
        return new

    def add(self, status: Ints, time: Floats) -> None:
        """Follow some ticks: `reflection_status` of each, and when it was [s]."""
        known = np.isfinite(time)
        status, time = status[known], time[known]
        for sign in SIGNS:
            self.ticks[sign] += int(np.count_nonzero(status & sign.bit))
        back = np.flatnonzero(np.diff(time, prepend=self._now) < 0.0)
        if len(back):  # somebody seeks in a recording
            self._spells.clear()
            status, time = status[back[-1] :], time[back[-1] :]
        if not len(time):
            return
        self._now = float(time[-1])
        for sign in SIGNS:
            self._follow(sign, time[(status & sign.bit) != 0])

    def _is_shown(self, sign: Sign, spell: _Spell) -> bool:
        return self._now - spell.end <= STAYS and spell.end - spell.begin >= sign.settles

    def _follow(self, sign: Sign, seen: Floats) -> None:
        """Times at which its bit was there [s]."""
        for part in np.split(seen, 1 + np.flatnonzero(np.diff(seen) > QUIET)):
            if len(part):
                self._see(sign, float(part[0]), float(part[-1]))
        self._end(sign, self._now)

    def _see(self, sign: Sign, first: float, last: float) -> None:
        self._end(sign, first)
        spell = self._spells.get(sign) or _Spell(first, first)
        due = not spell.is_told and last - spell.begin >= sign.settles
        self._spells[sign] = _Spell(spell.begin, last, spell.is_told or due)
        if due:
            self._changes.append(Change(sign, spell.begin))

    def _end(self, sign: Sign, now: float) -> None:
        """Over, if its bit has been gone for long."""
        spell = self._spells.get(sign)
        if spell is not None and now - spell.end > QUIET:
            del self._spells[sign]
            if spell.is_told:
                self._changes.append(Change(sign, spell.end, spell.end - spell.begin))
