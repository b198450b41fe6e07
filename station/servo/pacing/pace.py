"""`Pace`: the loop of a servo, on the wall's time or a test's.

    pace = Pace(0.001)
    pace.start()
    while running:
        pace.wait()
        …                       # read the device
        pace.mark(Stage.DEVICE)
        …                       # and so on to Stage.PUBLISH
        pace.finish(latency)

A loop that is compiled as a whole calls the kernels of the same names with `pace.block`; both may be mixed.
"""

from __future__ import annotations

from time import monotonic_ns

from station.clock import WALL, Clock, WallClock
from station.servo.pacing import libc
from station.servo.pacing.kernels import block as at
from station.servo.pacing.kernels import pace as kernels
from station.servo.pacing.kernels.statistics import finish
from station.servo.pacing.stages import Stage
from station.servo.pacing.statistics import DEFAULT_WINDOW, NANO, TickStatistics

LONGEST_SPIN = 0.5  # part of the period: the rest of the machine wants to live, too


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
        self.block = self.statistics.block
        self._virtual = not isinstance(clock, WallClock)
        self.compiled = compiled
        self._spin = round(spin / NANO)
        self._numbers = memoryview(self.statistics.numbers.data)  # single numbers are reached faster than by the array
        self._marks = self._numbers[at.MARKS : at.MARKS + at.STAGES]
        self._numbers[at.SPIN] = self._spin
        self.start()

    def now(self) -> int:
        """Time by the clock [ns]."""
        return round(self.clock.now() / NANO) if self._virtual else monotonic_ns()

    def start(self) -> None:
        """Begin the grid here: the first tick is one period from now. Everything must be compiled by then."""
        kernels.start(self.block, self.now())

    def wait(self) -> int:
        """Wait for the next tick and begin it; returns the time it is [ns]."""
        if self.compiled and not self._virtual:
            return kernels.wait(self.block)
        deadline = kernels.next_deadline(self.block, self.now())
        if self._virtual:
            self.clock.sleep_until(deadline * NANO)
            woke = max(self.now(), deadline)  # a float of seconds may be a hair short of it
            self._numbers[at.VIRTUAL] = woke
        else:
            woke = libc.sleep_until(deadline, self._spin)
        kernels.woken(self.block, woke)
        return woke

    def mark(self, stage: Stage) -> int:
        """A stage is over; stages follow in their order, and one may be left out. Returns the time it is [ns]."""
        now = self.now() if self._virtual else monotonic_ns()
        self._marks[stage] = now
        return now

    def finish(self, latency: int = -1) -> bool:
        """Count the tick; returns whether it was late. `latency` [ns] of hand to force, negative if unknown."""
        return finish(self.block, latency)

    @property
    def tick(self) -> int:
        """Number of the tick, from 1."""
        return int(self._numbers[at.TICK])

    @property
    def deadline(self) -> int:
        """When this tick should have begun [ns]."""
        return int(self._numbers[at.DEADLINE])

    def warm_up(self) -> None:
        """Compile all that a tick needs, on numbers of its own; the first tick must not wait for the compiler."""
        other = Pace(self.statistics.period, compiled=self.compiled)
        for _ in range(2):
            other.wait()
            for stage in Stage:
                other.mark(stage)
                kernels.mark(other.block, int(stage))
            other.finish(1)
