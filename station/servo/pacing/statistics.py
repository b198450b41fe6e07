"""`TickStatistics`: how long the stages of a tick take, which ticks were late and why; always on.

Histograms have logarithmic bins. Inside kernels a tick is counted by `finish`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np

from station.kernel import Ints, entry, kernel
from station.servo.pacing.clock import worked
from station.servo.pacing.state import (
    BINS,
    FIRST_OCTAVE,
    MEASURES,
    PERCENTILES,
    SHARES,
    STAGES,
    Measure,
    PaceState,
    Stage,
)

NANO = 1e-9  # [s/ns]
DEFAULT_WINDOW = 1000  # ticks
SHORTEST, LONGEST = 1e-6, 10.0  # period [s]

_PARTS = np.array([share / 100.0 for share in PERCENTILES])
_SHIFT = 48  # leaves the exponent of a double and four bits below: sixteen bins per octave
_FIRST = int(np.float64(2.0**FIRST_OCTAVE).view(np.int64)) >> _SHIFT
_SLOWLY = 64  # the running median moves by this part of itself
_LEAST = 10  # and by this at least [ns]

# What is forgotten when counting begins anew; the grid, the tick under way and what is usual stay.
COUNTS = (
    *("skipped", "late", "last_late", "last_cause", "late_waiting", "causes"),
    *("window_worst", "total_worst", "window_count", "total_count"),
    *("summary", "summary_count", "window_bins", "total_bins"),
)


@kernel
def bin_of(time: int) -> int:
    """The bin of a time [ns]."""
    place = int(np.float64(max(time, 1)).view(np.int64) >> _SHIFT) - _FIRST
    return min(max(place, 0), BINS - 1)


@entry
def upper_edge(place: int) -> int:
    """The first time that does not belong to a bin any more [ns]."""
    return int(np.int64((place + 1 + _FIRST) << _SHIFT).view(np.float64))


@kernel
def summarise(state: PaceState, measure: int) -> None:
    """Percentiles and largest of the window of a measure into the summary [ns]; zeros if it is empty."""
    bins, result = state.window_bins, state.summary
    count, worst = state.window_count[measure], state.window_worst[measure]
    seen, share = 0, 0
    for place in range(BINS):
        seen += bins[measure, place]
        while share < SHARES and seen > 0 and seen >= _PARTS[share] * count:
            result[measure, share] = min(upper_edge(place), worst)
            share += 1
        if share == SHARES:
            break
    for rest in range(share, SHARES):
        result[measure, rest] = worst
    result[measure, SHARES] = worst


@kernel
def close_window(state: PaceState, measure: int) -> None:
    """Summarise the window of a measure, add it to the total, and begin a new one."""
    window, total = state.window_bins, state.total_bins
    count, worst = state.window_count[measure], state.window_worst[measure]
    summarise(state, measure)
    state.summary_count[measure] = count
    for place in range(BINS):
        total[measure, place] += window[measure, place]
        window[measure, place] = 0
    state.total_count[measure] += count
    state.total_worst[measure] = max(state.total_worst[measure], worst)
    state.window_count[measure] = state.window_worst[measure] = 0


@kernel
def count(state: PaceState, measure: int, time: int) -> None:
    """Put a time [ns] into the window's histogram."""
    state.window_bins[measure, bin_of(time)] += 1
    state.window_count[measure] += 1
    state.window_worst[measure] = max(state.window_worst[measure], time)


@kernel
def cause_of_delay(state: PaceState) -> Any:
    """The `Stage` that exceeded its usual time most."""
    spent, usual = state.spent, state.usual
    cause, most = 0, spent[0] - usual[0]
    for stage in range(1, STAGES):
        excess = spent[stage] - usual[stage]
        if excess > most:
            cause, most = stage, excess
    return cause


@kernel
def waited(state: PaceState) -> bool:
    """Whether waiting for a processor, before the tick and in it, cost more than work beyond what is usual."""
    usual = 0
    for stage in range(1, STAGES):
        usual += state.usual[stage]
    waiting = state.spent[Stage.WAKE_UP] - state.usual[Stage.WAKE_UP] + state.away
    return bool(waiting > state.spent[Measure.TICK] - state.away - usual)


@kernel
def learn_usual(state: PaceState) -> None:
    """Move the running medians towards this tick's times; a single outlier hardly moves them."""
    for stage in range(STAGES):
        usual, spent = state.usual[stage], state.spent[stage]
        if state.tick <= 1:
            usual = spent
        pace = max(usual // _SLOWLY, _LEAST)
        state.usual[stage] = usual + min(max(spent - usual, -pace), pace)


@kernel
def measure_tick(state: PaceState) -> None:
    """From the marks to times spent; a stage without a mark took none."""
    before = state.woke
    state.spent[Stage.WAKE_UP] = max(0, before - state.deadline)
    for stage in range(1, STAGES):
        end = max(state.marks[stage], before)
        state.spent[stage] = end - before
        before = end
    state.ended = before
    whole = before - state.woke
    state.spent[Measure.TICK] = whole
    work = worked(state) - state.worked
    state.away = 0 if state.virtual != 0 else max(0, whole - work)


@entry
def finish(state: PaceState, latency: int) -> bool:
    """Count the tick, which ended at the last mark; returns whether it was late.

    `latency` [ns] is from the sample's time stamp to the force written, or negative if no new sample was used.
    Windows are closed one measure per tick, so that no tick pays for all of them.
    """
    measure_tick(state)
    for measure in range(MEASURES):
        if measure != Measure.LATENCY:
            count(state, measure, state.spent[measure])
    state.spent[Measure.LATENCY] = max(latency, 0)
    if latency >= 0:
        count(state, Measure.LATENCY, latency)
    late = state.ended > state.deadline + state.period
    if late:
        cause = cause_of_delay(state)
        state.late += 1
        state.causes[cause] += 1
        state.late_waiting += waited(state)
        state.last_late, state.last_cause = state.tick, cause
    learn_usual(state)
    turn = state.tick % state.window
    if turn < MEASURES and state.tick >= state.window:
        close_window(state, turn)
    return late


class Spread(NamedTuple):
    """How a time is distributed [s]; percentiles are at most 6.25 % too large. All 0 if there was nothing."""

    samples: int
    p50: float
    p90: float
    p99: float
    p999: float
    worst: float


class Bar(NamedTuple):
    """One bar of a histogram: `samples` times from `low` up to, not including, `high` [s]."""

    low: float
    high: float
    samples: int


class TickStatistics:
    """The numbers of one clockwork; `state` is what kernels get.

    Inside kernels: `pace.wait`, `pace.mark`, `statistics.finish`, each with `state`. In Python: `Pace`.
    """

    def __init__(self, period: float, window: int = DEFAULT_WINDOW) -> None:
        if not SHORTEST <= period <= LONGEST:
            raise ValueError(f"period {period:g} s: from {SHORTEST:g} to {LONGEST:g} is allowed")
        if window < MEASURES:
            raise ValueError(f"window of {window} ticks: at least {MEASURES} are needed")
        self.state = PaceState(period=round(period / NANO), window=window)

    @property
    def period(self) -> float:
        """Between two ticks [s]."""
        return self.state.period * NANO

    @property
    def ticks(self) -> int:
        """Ticks that were begun."""
        return self.state.tick

    @property
    def skipped(self) -> int:
        """Ticks that were left out, as the one before was not over."""
        return self.state.skipped

    @property
    def late(self) -> int:
        """Ticks that ended after the next should have begun."""
        return self.state.late

    @property
    def late_by_stage(self) -> dict[Stage, int]:
        """Late ticks by the stage that exceeded its usual time most."""
        return {stage: int(self.state.causes[stage]) for stage in Stage}

    @property
    def late_waiting(self) -> int:
        """Late ticks that were rather kept waiting for a processor than busy for longer than usual."""
        return self.state.late_waiting

    @property
    def last_late(self) -> tuple[int, Stage] | None:
        """Number of the last late tick and its cause."""
        return (self.state.last_late, self.state.last_cause) if self.late else None

    @property
    def away(self) -> float:
        """Time of the last tick that ended in which others had its processor [s]."""
        return self.state.away * NANO

    def last(self, measure: Measure) -> float:
        """Time in the last tick that ended [s]."""
        return float(self.state.spent[measure]) * NANO

    def usual(self, stage: Stage) -> float:
        """A running median [s]."""
        return float(self.state.usual[stage]) * NANO

    def window(self, measure: Measure) -> Spread:
        """Of the last whole window; all 0 before the first is over."""
        values = self.state.summary[measure] * NANO
        return Spread(int(self.state.summary_count[measure]), *map(float, values))

    def total(self, measure: Measure) -> Spread:
        """Since the start, or the last `clear`."""
        counts, worst = self._counts(measure), self._worst(measure)
        whole = int(counts.sum())
        if not whole:
            return Spread(0, 0.0, 0.0, 0.0, 0.0, 0.0)
        places = np.searchsorted(np.cumsum(counts), [share / 100.0 * whole for share in PERCENTILES])
        p50, p90, p99, p999 = (min(upper_edge(int(place)), worst) * NANO for place in places)
        return Spread(whole, p50, p90, p99, p999, worst * NANO)

    def histogram(self, measure: Measure) -> Iterator[Bar]:
        """The bars that are not empty, since the start."""
        for place, count in enumerate(self._counts(measure)):
            if count:
                low = upper_edge(place - 1) if place else 0
                yield Bar(low * NANO, upper_edge(place) * NANO, int(count))

    def merge(self, other: Self) -> None:
        """Add the counts of another run to these."""
        own, more = self.state, other.state
        for measure in Measure:
            counts = other._counts(measure)
            own.total_bins[measure] += counts
            own.total_count[measure] += counts.sum()
            own.total_worst[measure] = max(own.total_worst[measure], other._worst(measure))
        own.tick += more.tick
        own.skipped += more.skipped
        own.late += more.late
        own.late_waiting += more.late_waiting
        own.causes += more.causes

    def clear(self) -> None:
        """Forget all counts, as after warming up; the grid of ticks stays."""
        fresh, kept = PaceState(), self.state
        for name in COUNTS:
            setattr(kept, name, getattr(fresh, name))

    def finish(self, latency: float = -1.0) -> bool:
        """Count the tick, which ended at the last mark; `latency` [s] of hand to force, negative if unknown."""
        return finish(self.state, round(latency / NANO) if latency >= 0.0 else -1)

    def _counts(self, measure: Measure) -> Ints:
        counts: Ints = self.state.total_bins[measure] + self.state.window_bins[measure]
        return counts

    def _worst(self, measure: Measure) -> int:
        return int(max(self.state.total_worst[measure], self.state.window_worst[measure]))
