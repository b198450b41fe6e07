"""`Pace`: the loop of a servo, on the wall's time or a test's.

    pace = Pace(0.001)
    pace.start()
    while running:
        pace.wait()
        …                       # read the device
        pace.mark(Stage.DEVICE)
        …                       # and so on to Stage.PUBLISH
        pace.finish(latency)

A loop that is compiled as a whole calls the kernels of the same names with `pace.state`; both may be mixed. A tick that
took too long costs the ticks it covered; they are never caught up.
"""

from __future__ import annotations

from time import monotonic_ns

from station.clock import WALL, Clock, WallClock
from station.kernel import entry
from station.servo.pacing import libc
from station.servo.pacing.clock import now, sleep_until, worked
from station.servo.pacing.state import STAGES, PaceState, Stage
from station.servo.pacing.statistics import DEFAULT_WINDOW, NANO, TickStatistics, finish

LONGEST_SPIN = 0.5  # part of the period: the rest of the machine wants to live, too


@entry
def start(state: PaceState, time: int) -> None:
    """The first tick is one period after `time` [ns]."""
    state.deadline = time


@entry(inline=True)
def next_deadline(state: PaceState, time: int) -> int:
    """Choose the next moment of the grid that is not over at `time` [ns]; those passed over are counted."""
    deadline = state.deadline + state.period
    if time > deadline:
        missed = (time - deadline + state.period - 1) // state.period
        state.skipped += missed
        deadline += missed * state.period
    state.deadline = deadline
    return deadline


@entry(inline=True)
def woken(state: PaceState, time: int) -> None:
    """The tick begins, at `time` [ns]."""
    for stage in range(STAGES):
        state.marks[stage] = 0
    state.tick += 1
    state.woke, state.worked = time, worked(state)


@entry
def wait(state: PaceState) -> int:
    """Sleep until the next tick and begin it; returns the time it is [ns]."""
    deadline = next_deadline(state, now(state))
    time = sleep_until(state, deadline, state.spin)
    woken(state, time)
    return time


@entry(inline=True)
def mark(state: PaceState, stage: int) -> int:
    """A stage is over; stages follow in their order, and one may be left out. Returns the time it is [ns]."""
    time = now(state)
    state.marks[stage] = time
    return time


class Pace:
    """Ticks at fixed times. One that takes too long costs the ticks it covers; they are never caught up.

    Args:
        period: between two ticks [s].
        clock: whose time it is; on a virtual one nothing waits, and every run is the same.
        spin: look at the clock for this long before a tick instead of sleeping [s]: sharper, but busy.
        window: ticks of which the running percentiles are made.
        compiled: sleep inside compiled code, which wakes up sharper; no other Python thread runs meanwhile. May be
            changed between two ticks.
    """

    def __init__(
        self,
        period: float,
        clock: Clock = WALL,
        spin: float = 0.0,
        window: int = DEFAULT_WINDOW,
        compiled: bool = True,
    ) -> None:
        self.statistics = TickStatistics(period, window)
        if not 0.0 <= spin <= LONGEST_SPIN * period:
            raise ValueError(f"spin {spin:g} s: from 0 to half the period, {LONGEST_SPIN * period:g}, is allowed")
        self.clock = clock
        self.state = self.statistics.state
        self._virtual = not isinstance(clock, WallClock)
        self.compiled = compiled
        self._spin = round(spin / NANO)
        self._marks = memoryview(self.state.marks.data)  # single numbers are reached faster than by the array
        self.state.spin = self._spin
        self.start()

    def now(self) -> int:
        """Time by the clock [ns]."""
        return round(self.clock.now() / NANO) if self._virtual else monotonic_ns()

    def start(self) -> None:
        """Begin the grid here: the first tick is one period from now. Everything must be compiled by then."""
        start(self.state, self.now())

    def wait(self) -> int:
        """Wait for the next tick and begin it; returns the time it is [ns]."""
        if self.compiled and not self._virtual:
            return wait(self.state)
        deadline = next_deadline(self.state, self.now())
        if self._virtual:
            self.clock.sleep_until(deadline * NANO)
            woke = max(self.now(), deadline)  # a float of seconds may be a hair short of it
            self.state.virtual = woke
        else:
            woke = libc.sleep_until(deadline, self._spin)
        woken(self.state, woke)
        return woke

    def mark(self, stage: Stage) -> int:
        """A stage is over; stages follow in their order, and one may be left out. Returns the time it is [ns]."""
        now = self.now() if self._virtual else monotonic_ns()
        self._marks[stage] = now
        return now

    def finish(self, latency: int = -1) -> bool:
        """Count the tick; returns whether it was late. `latency` [ns] of hand to force, negative if unknown."""
        return finish(self.state, latency)

    @property
    def tick(self) -> int:
        """Number of the tick, from 1."""
        return self.state.tick

    @property
    def deadline(self) -> int:
        """When this tick should have begun [ns]."""
        return self.state.deadline

    def warm_up(self) -> None:
        """Compile all that a tick needs, on numbers of its own; the first tick must not wait for the compiler."""
        other = Pace(self.statistics.period, compiled=self.compiled)
        for _ in range(2):
            other.wait()
            for stage in Stage:
                other.mark(stage)
                mark(other.state, stage)
            other.finish(1)
