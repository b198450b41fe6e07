"""A script laid out in time: what the hand does at a moment. Durations are known, so buttons and grip are at once."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sim_devices.hand.errors import ScriptError
from sim_devices.hand.holding import Again, Grasp, LetGo, Press, Release, Strength, Tighten, Tremor, Watch
from sim_devices.hand.moves import Clutch, Hold
from sim_devices.hand.paths import STILL, Aim, Heed, Move, Six, minimum_jerk

FIRST_GRIP = 0.3


class Holding(NamedTuple):
    """How the hand holds when a move begins."""

    holds: bool = True
    buttons: int = 0
    grip: float = FIRST_GRIP
    tremor: float = 0.0  # [m]
    strength: float = math.inf  # of the muscles, besides the arm's own [N]
    watched: int = 0  # buttons that must have the light lit, as bits


class Moment(NamedTuple):
    """Where in the script a time falls."""

    rounds: int  # how often the script has begun again
    move: int  # its number
    time: float  # since that move began [s]


class Timeline:
    """Moves one after the other; where they start is only known once the hand has the handle."""

    def __init__(self, moves: Sequence[Move], buttons: Sequence[str] | Mapping[str, int]) -> None:
        numbered = buttons if isinstance(buttons, Mapping) else {name: bit for bit, name in enumerate(buttons)}
        self._buttons = dict(numbered)
        self.moves = list(moves)
        self.repeats = bool(self.moves) and isinstance(self.moves[-1], Again)
        if any(isinstance(move, Again) for move in self.moves[:-1]):
            raise ScriptError("again: allowed: only as the last move")
        if not self.repeats:
            self.moves.append(Hold(math.inf))
        self._begins, self.holding = [0.0], [Holding()]
        for move in self.moves:
            self._begins.append(self._begins[-1] + move.takes)
            self.holding.append(self._after(move, self.holding[-1]))
        self.length = self._begins[len(self.moves) - 1]  # once through [s]
        if self.repeats and not self.length > 0.0:
            raise ScriptError("again: allowed: only after moves that take time")
        self._starts: list[Six] = [STILL] * (len(self.moves) + 1)
        self._origin = STILL

    def _after(self, move: Move, before: Holding) -> Holding:
        if isinstance(move, Press | Clutch | Release):
            bit = self._bit(move.button)
            if isinstance(move, Press):
                return before._replace(buttons=before.buttons | bit)
            return before._replace(buttons=before.buttons & ~bit)
        if isinstance(move, Watch):
            return before._replace(watched=before.watched | self._bit(move.button))
        if isinstance(move, LetGo):
            return before._replace(holds=False, grip=0.0, buttons=0)
        if isinstance(move, Grasp):
            return before._replace(holds=True, grip=FIRST_GRIP if not before.holds else before.grip)
        if isinstance(move, Tighten):
            return before._replace(grip=move.grip)
        if isinstance(move, Tremor):
            return before._replace(tremor=move.size)
        if isinstance(move, Strength):
            return before._replace(strength=move.force)
        if not before.holds and not isinstance(move, Hold | Again):
            raise ScriptError(f"{type(move).__name__.lower()} after 'let go'; allowed: hold, grasp")
        return before

    def _bit(self, name: str) -> int:
        if name not in self._buttons:
            raise ScriptError(f"no button {name!r}; there are: {', '.join(self._buttons) or 'none'}")
        return 1 << self._buttons[name]

    def at(self, now: float) -> Moment:
        """The move of a time [s]; the last of those that begin together."""
        rounds = math.floor(now / self.length) if self.repeats and now >= self.length else 0
        local = max(now - rounds * self.length, 0.0)
        last = len(self.moves) - 1
        index = min(bisect_right(self._begins, local, hi=last + 1) - 1, last)
        return Moment(rounds, index, local - self._begins[index])

    def begin_of_round(self, now: float) -> float:
        """When the script began the last time [s]."""
        return self.at(now).rounds * self.length

    def buttons(self, moment: Moment) -> int:
        """Buttons that are down, as bits."""
        move = self.moves[moment.move]
        down = self.holding[moment.move].buttons
        if isinstance(move, Clutch):
            return down | self._bit(move.button)
        return self.holding[moment.move + 1].buttons if move.takes == 0.0 else down

    def held(self, moment: Moment) -> Holding:
        """How the hand holds, with a grip that may be changing."""
        before, after = self.holding[moment.move], self.holding[moment.move + 1]
        if isinstance(self.moves[moment.move], Tighten):
            share, _ = minimum_jerk(moment.time, self.moves[moment.move].takes)
            return before._replace(grip=before.grip + share * (after.grip - before.grip))
        return after

    def anchor(self, index: int, place: Six) -> None:
        """The hand has the handle there [m, rad] when move `index` begins."""
        if index == 0:
            self._origin = place
        for i in range(index, len(self.moves)):
            self._starts[i] = place
            move = self.moves[i]
            if isinstance(move, Clutch) and move.x is None:
                place = (*self._origin[:3], *place[3:])
            else:
                place = move.end(place) if math.isfinite(move.takes) else place
        self._starts[len(self.moves)] = place

    @property
    def last_place(self) -> Six:
        """Where the script ends [m, rad]."""
        return self._starts[len(self.moves)]

    def aim(self, moment: Moment) -> Aim:
        """Where the arm wants to be."""
        move, start = self.moves[moment.move], self._starts[moment.move]
        if isinstance(move, Clutch) and move.x is None:
            x, y, z = self._origin[:3]
            move = Clutch(x, y, z, move.seconds, move.button)
        return move.aim(moment.time, start) if move.takes > 0.0 else Aim(start, STILL, Heed.KEEP)
