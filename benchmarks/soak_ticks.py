"""Ticks of a soak that were not as usual, kept to tell afterwards what led to a loss of device or arm."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.stalls import Floats, Stalls
from station.monitor.collector import BATCH
from station.monitor.columns import Columns
from station.servo.pacing import Measure, Stage
from station.servo.shared import RecordReader, ServoState, StateReader

ODD = 0.004  # from which the time between two ticks, the time spent in one, or an age is worth keeping [s]
MOST_KEPT = 20_000  # the newest; room for them is taken at the start, so that the monitor itself does not grow
WINDOW = 0.1  # before a loss, of which is told [s]
MOST_TOLD = 12  # ticks of one loss
SAME = 1e-6  # moments so near are one [s]
TIME, GAP, AGE, SPENT = range(4)  # columns of what is kept; SPENT: the first stage


class OddTicks:
    """Follows the records of a servo."""

    def __init__(self) -> None:
        self.first = math.nan  # time of the first tick [s, monotonic]
        self._late_at = np.full(MOST_KEPT, math.nan)
        self.contacts: list[float] = []  # hardest contact of each turn in which the hand led the arm [N]
        self._kept = np.full((MOST_KEPT, SPENT + len(Stage)), -math.inf)
        self._count, self._late, self._lates, self._last, self._led = 0, 0, 0, math.nan, False

    @property
    def late(self) -> Floats:
        """When ticks were late, the newest of them [s, monotonic]."""
        known: Floats = self._late_at[~np.isnan(self._late_at)]
        return known

    def follow(self, state: StateReader) -> None:
        """From now on."""
        self._state, self._reader = state, RecordReader(state, from_start=True)

    def poll(self) -> None:
        """Take all that is new."""
        while self._take_next() == BATCH:  # what came meanwhile waits for the next poll
            pass

    def _take_next(self) -> int:
        """One batch, which is forgotten before the next is read."""
        batch = self._reader.read(BATCH).records
        at = Columns(self._state.layout, batch[batch[:, self._state.layout.by_name["tick"].start] > 0])
        if len(at):
            self._take(at)
        return len(batch)

    def _take(self, at: Columns) -> None:
        if math.isnan(self.first):
            self.first = self._last = float(at.time[0])
        late = at.time[np.diff(at.late_ticks, prepend=self._late) > 0]
        self._late_at[(self._lates + np.arange(len(late))) % MOST_KEPT] = late
        self._lates += len(late)
        self._late = int(at.late_ticks[-1])
        stages = at.spent[:, : len(Stage)]
        rows = np.column_stack([at.time, np.diff(at.time, prepend=self._last), at.hand_age, stages])
        self._last = float(at.time[-1])
        odd = rows[(rows[:, GAP] > ODD) | (rows[:, AGE] > ODD) | (at.spent[:, Measure.TICK] > ODD)]
        self.keep(odd)
        self.touch(at.state, at.measured_wrench)

    def touch(self, states: Floats, wrenches: Floats) -> None:
        """Keep how hard the tool touched something, turn by turn."""
        forces = np.nan_to_num(np.linalg.norm(wrenches[:, :3], axis=1))
        for force, led in zip(forces.tolist(), (states == ServoState.ENGAGED).tolist(), strict=True):
            if led and not self._led:
                self.contacts.append(0.0)
            if led:
                self.contacts[-1] = max(self.contacts[-1], force)
            self._led = led

    def keep(self, rows: Floats) -> None:
        """Keep ticks, in place of the oldest if there is no more room."""
        self._kept[(self._count + np.arange(len(rows))) % MOST_KEPT] = rows
        self._count += len(rows)

    def end_of(self, moment: float) -> float:
        """When the tick that began at a moment was over, if that took long; else the moment [s, monotonic]."""
        late = self._kept[self._kept[:, GAP] > ODD]
        after = late[np.abs(late[:, TIME] - late[:, GAP] - moment) < SAME]
        return float(after[:, TIME].max(initial=moment))

    def before(self, moment: float, stalls: Stalls) -> list[str]:
        """What was not as usual right before a moment [s, monotonic], one line each."""
        rows = self._kept[np.argsort(self._kept[:, TIME], kind="stable")]
        near = rows[(rows[:, TIME] > moment - WINDOW) & (rows[:, TIME] <= moment + ODD)]
        told = [_line(row, moment) for row in near[-MOST_TOLD:]]
        spans = stalls.spans[(stalls.spans[:, 1] > moment - WINDOW) & (stalls.spans[:, 0] < moment)]
        told += [
            f"{1e3 * (begin - moment):+.1f} ms: a processor stood still for {1e3 * (end - begin):.1f} ms"
            for begin, end in spans
        ]
        return told or ["all ticks before it were as usual, and no processor stood still"]


def _line(row: Floats, moment: float) -> str:
    """Of one tick; its stages are those of the tick before, as that is what a record can tell."""
    stages = row[SPENT:]
    longest = Stage(int(np.nanargmax(stages))).name if np.isfinite(stages).any() else "?"
    at, gap, age = 1e3 * np.array([row[TIME] - moment, row[GAP], row[AGE]])
    return (
        f"{at:+.1f} ms: tick after {gap:.1f} ms, sample {age:.1f} ms old; "
        f"of the tick before, {longest} took longest: {1e3 * np.nanmax(stages, initial=0.0):.1f} ms"
    )
