"""Two clocks compared by messages that go to and fro: drift for certain, offset as far as both ways are alike.

    heard - sent    =  offset + way there       of a message there; both stamps one-sided: what holds it up adds
    arrival - told  = -offset + way back        of a message back

Hold-ups only ever add to a way, so the messages that were held up least tell the clocks, and the others nothing: of
each part of the time the least of both ways is taken, and one line laid through them, there and back with one slope.
The least of a part may itself be held up, or have a wrong stamp, so parts far off the line lose their weight (Tukey).

Scatter of the parts is not white; see `blocks`. What wanders too slowly to be seen by that is seen by another sign: a
drift makes one way grow as the other shrinks, and hold-ups do not. Half of what the drifts of both ways differ by, each
found alone, is the least that is stated.

Nothing tells a clock that is ahead from a way there that is shorter than the way back: only the sum of both ways is
sure. Half of it bounds what that leaves open of the offset.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from calibration.errors import DataError
from calibration.parameters import Flags, Floats
from calibration.timing.blocks import spells

PARTS = 20  # of the time
FEWEST = 10  # parts with messages both ways
FAR = 4.7  # standard deviations at which a part has no weight
TURNS, TURNS_AGAIN = 30, 8  # of laying the line, and without a stretch of time
EXACT = 1e-10  # scatter of parts that is taken as none [s]
JUMP = 0.005  # that a clock may seem to jump by from part to part, because messages were held up [s]
THERE, BACK, DRIFT = 0, 1, 2


class Messages(NamedTuple):
    """When messages left and came."""

    sent: Floats  # there, by the station's clock (n) [s]
    heard: Floats  # the same ones, by the other clock (n) [s]
    told: Floats  # back, by the other clock (m) [s]
    arrival: Floats  # the same ones, by the station's clock (m) [s]


class HeldUp(NamedTuple):
    """By how much more than the least messages back took."""

    usual: float  # half of them less [s]
    rare: float  # one in a hundred more [s]


class Clocks(NamedTuple):
    """The other clock against the station's."""

    offset: float  # the other less the station's, in the middle, if both ways are alike [s]
    offset_deviation: float  # standard deviation, beside what `asymmetry` leaves open [s]
    drift: float  # seconds per second that the other gains
    drift_deviation: float
    trip: float  # least way there and back [s]
    back_deviation: float  # of the way back if the offset were known: half of the trip [s]
    middle: float  # by the station's clock [s]
    held_up: HeldUp

    @property
    def asymmetry(self) -> float:
        """By which the offset may be off if the ways are not alike [s]."""
        return 0.5 * self.trip

    def by_station(self, times: Floats) -> Floats:
        """Times of the other clock by the station's [s]."""
        away = np.asarray(times) - self.offset - self.middle
        return np.asarray(self.middle + away / (1.0 + self.drift))

    def data(self) -> dict[str, Any]:
        """For a file."""
        return {**self._asdict(), "held_up": self.held_up._asdict(), "asymmetry": self.asymmetry}


def compare_clocks(messages: Messages) -> Clocks:
    """Offset and drift of the other clock.

    Raises a DataError if there are too few messages, or if the clock was set meanwhile.
    """
    begin = min(messages.sent.min(initial=np.inf), messages.arrival.min(initial=np.inf))
    end = max(messages.sent.max(initial=-np.inf), messages.arrival.max(initial=-np.inf))
    middle = 0.5 * (begin + end)
    edges = np.linspace(begin, end, PARTS + 1)
    zero = float(np.median(messages.told - messages.arrival)) if len(messages.told) else 0.0  # for small numbers
    there = _Way(messages.sent - middle, messages.heard - messages.sent - zero, edges - middle)
    back = _Way(messages.arrival - middle, messages.arrival - messages.told + zero, edges - middle)
    for way, name in ((there, "there"), (back, "back")):
        if way.parts < FEWEST:
            raise DataError(
                f"messages {name} in {way.parts} of {PARTS} parts of the time; at least {FEWEST} are needed: "
                "measure for longer, or on a link that loses less"
            )
    _check_jumps(there, back, edges)
    every = np.ones(PARTS, dtype=bool)
    line = _lay_line(there, back, np.zeros(3), every)
    spread = spells(0.5 * (edges[1:] + edges[:-1]), lambda kept: _lay_line(there, back, line, kept, TURNS_AGAIN))
    # What came through best in a part was held up all the same: levels, not the drift, may be lower by so much.
    held = np.array([there.beaten(line[THERE], line[DRIFT]), back.beaten(line[BACK], -line[DRIFT])]) ** 2
    unlike = 0.5 * abs(_own_drift(there, 1.0, line[DRIFT]) - _own_drift(back, -1.0, line[DRIFT]))
    late = back.values - line[BACK] + line[DRIFT] * back.times
    offset = np.array([0.5, -0.5, 0.0])
    return Clocks(
        zero + float(offset @ line),
        float(np.sqrt(offset @ spread @ offset + 0.25 * held.sum())),
        float(line[DRIFT]),
        max(float(np.sqrt(spread[DRIFT, DRIFT])), unlike),
        float(line[THERE] + line[BACK]) / (1.0 + float(line[DRIFT])),
        float(np.sqrt(spread[BACK, BACK] + held[BACK])),
        middle,
        HeldUp(float(np.median(late)), float(np.quantile(late, 0.99))),
    )


def check_rising(told: Floats) -> None:
    """A DataError for a clock that goes back."""
    steps = np.diff(told)
    if len(steps) and float(steps.min()) < 0.0:
        place = int(np.argmin(steps))
        raise DataError(
            f"the other clock went back by {-float(steps[place]):.6f} s: it was set, or begins anew; measure again"
        )


class _Way:
    """Messages of one direction, by parts of the time."""

    def __init__(self, times: Floats, values: Floats, edges: Floats) -> None:
        self.times, self.values = times, values
        part = np.clip(np.searchsorted(edges, times, side="right") - 1, 0, PARTS - 1)
        self._members = [np.flatnonzero(part == number) for number in range(PARTS)]

    @property
    def parts(self) -> int:
        """In which there are any."""
        return sum(len(one) > 0 for one in self._members)

    def least(self, slope: float, kept: Flags) -> tuple[Floats, Floats]:
        """Times and values of those that were held up least, for values that rise by so much a second."""
        level = self.values - slope * self.times
        members = [one for one, keep in zip(self._members, kept, strict=True) if keep and len(one)]
        chosen = np.array([one[np.argmin(level[one])] for one in members])
        return self.times[chosen], self.values[chosen]

    def beaten(self, level: float, slope: float) -> float:
        """By how much the best part was held up less than a line says, parts far off it left aside [s]."""
        times, values = self.least(slope, np.ones(PARTS, dtype=bool))
        off = values - level - slope * times
        near = off[np.abs(off) <= FAR * max(1.4826 * float(np.median(np.abs(off))), EXACT)]
        return max(0.0, -float(near.min(initial=0.0)))

    def medians(self) -> Floats:
        """Of each part; not a number where there are none."""
        return np.array([np.median(self.values[one]) if len(one) else np.nan for one in self._members])


def _lay_line(there: _Way, back: _Way, line: Floats, kept: Flags, turns: int = TURNS) -> Floats:
    """Level there, level back and drift by the parts that are kept; from a line that is near, in some turns."""
    for turn in range(turns):
        (t_there, y_there), (t_back, y_back) = there.least(line[DRIFT], kept), back.least(-line[DRIFT], kept)
        rows = np.zeros((len(t_there) + len(t_back), 3))
        rows[: len(t_there), THERE], rows[len(t_there) :, BACK] = 1.0, 1.0
        rows[:, DRIFT] = np.concatenate([t_there, -t_back])
        values = np.concatenate([y_there, y_back])
        away = values - rows @ line
        hard = turn >= turns // 2
        root = np.sqrt(np.concatenate([_weights(away[: len(t_there)], hard), _weights(away[len(t_there) :], hard)]))
        line = np.linalg.lstsq(rows * root[:, None], values * root, rcond=None)[0]
    return line


def _own_drift(way: _Way, sign: float, drift: float) -> float:
    """The drift that one way alone shows."""
    every = np.ones(PARTS, dtype=bool)
    line = np.array([np.median(way.least(sign * drift, every)[1]), drift])
    for turn in range(TURNS):
        times, values = way.least(sign * line[1], every)
        rows = np.column_stack([np.ones(len(times)), sign * times])
        root = np.sqrt(_weights(values - rows @ line, turn >= TURNS // 2))
        line = np.linalg.lstsq(rows * root[:, None], values * root, rcond=None)[0]
    return float(line[1])


def _weights(off: Floats, hard: bool) -> Floats:
    """Of parts so far off the line: less and less; `hard`: none at all for those that are far off."""
    scale = max(1.4826 * float(np.median(np.abs(off - np.median(off)))), EXACT)
    off = np.abs(off) / scale
    weights = np.maximum(1.0 - (off / FAR) ** 2, 1e-9) ** 2 if hard else 1.5 / np.maximum(off, 1.5)
    return np.asarray(weights / scale**2)


def _check_jumps(there: _Way, back: _Way, edges: Floats) -> None:
    """A DataError if the clock was set: then both ways change at once, one by as much more as the other by less."""
    more, less = np.diff(there.medians()), np.diff(back.medians())
    jump = 0.5 * (more - less)
    sum_of = np.abs(more + less)
    sudden = np.flatnonzero((np.abs(jump) > JUMP) & (sum_of < 0.5 * np.abs(jump)))
    if len(sudden):
        place = int(sudden[np.argmax(np.abs(jump[sudden]))])
        raise DataError(
            f"the other clock jumped by {jump[place]:+.4f} s after {edges[place + 1] - edges[0]:.1f} s: "
            "it was set, or begins anew; measure again"
        )
