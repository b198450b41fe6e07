"""What the statistics that are always on cost per tick: `python -m benchmarks.statistics`; wanted: less than 2 µs.

A tick marks the end of its stages, reckons the way from the device's time stamp to the force, and counts itself: eight
histograms, percentiles of every window, running medians, its own work, the stage that a late tick is due to. The same
kernels are called here from a compiled loop, as in the servo; ticks with and without them by turns in one run, so that
whatever else the machine does meets both. Without: the clock is read twice, which a tick needs anyway.

    asleep   1 ms of sleep before every tick, as the servo sleeps; other programs have the caches meanwhile
    busy     over and over again
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.devices.age import DelayState, LinkDelay, delay_of
from station.kernel import kernel
from station.servo.pacing import Pace, PaceState, RealTimeSettings, real_time
from station.servo.pacing.clock import now
from station.servo.pacing.pace import mark, next_deadline, wait, woken
from station.servo.pacing.state import STAGES
from station.servo.pacing.statistics import finish

NANO = 1e-9  # [s/ns]
WANTED = 2.0  # [µs]


class Cost(NamedTuple):
    """Of one tick [µs]."""

    with_them: float  # p50
    without: float  # p50
    cost: float  # median of the differences between neighbours
    low: float  # the same of the least and of the largest of ten parts of the run
    high: float


@kernel
def ticks(state: PaceState, delay: DelayState, asleep: bool, spent: NDArray[np.int64]) -> None:
    """Ticks with statistics and without, by turns; times of both [ns] into `spent`."""
    for nth in range(spent.shape[1]):
        for side in range(2):
            if asleep:
                wait(state)
            else:
                next_deadline(state, now(state))
                woken(state, now(state))
            begin = now(state)
            if side == 0:
                sent = begin
                for stage in range(1, STAGES):
                    sent = mark(state, stage)
                arrival = begin * NANO
                held_up = delay_of(delay, arrival, arrival)
                finish(state, int(np.rint((held_up - arrival) / NANO + sent)))
            else:
                now(state)
                now(state)
            spent[side, nth] = now(state) - begin


def compared(count: int, asleep: bool) -> Cost:
    """So many ticks of each kind."""
    pace, delay = Pace(0.001), LinkDelay().state
    ticks(pace.state, delay, asleep, np.zeros((2, 20), np.int64))
    spent = np.zeros((2, count), np.int64)
    with real_time(RealTimeSettings()):
        pace.start()
        ticks(pace.state, delay, asleep, spent)
    if pace.statistics.ticks < 2 * count:
        raise RuntimeError("ticks were not counted")
    difference = 1e-3 * (spent[0] - spent[1])
    parts = [float(np.median(part)) for part in np.array_split(difference, 10)]
    first, second = 1e-3 * np.median(spent, axis=1)
    return Cost(float(first), float(second), float(np.median(difference)), min(parts), max(parts))


def run(count: int = 4000) -> dict[str, float]:
    """Figures for `python -m benchmarks`."""
    return {
        "statistics, asleep between ticks [µs]": compared(count, asleep=True).cost,
        "statistics, busy [µs]": compared(10 * count, asleep=False).cost,
    }


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description="cost of the statistics that are always on")
    parser.add_argument("--ticks", type=int, default=4000, help="of each kind (default: 4000, 8 s)")
    count = parser.parse_args().ticks
    print("| between ticks | with, p50 [µs] | without, p50 [µs] | cost, median [µs] | in tenths of the run | wanted |")
    print("|---|---|---|---|---|---|")
    for name, cost in (("asleep", compared(count, asleep=True)), ("busy", compared(10 * count, asleep=False))):
        print(
            f"| {name} | {cost.with_them:.2f} | {cost.without:.2f} | {cost.cost:.2f} "
            f"| {cost.low:.2f} to {cost.high:.2f} | {WANTED:g} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
