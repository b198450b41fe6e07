"""Percentiles, windows and causes of delay."""

from __future__ import annotations

from itertools import pairwise
from time import sleep

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from station.clock import VirtualClock
from station.kernel import kernel
from station.servo.pacing import Measure, Pace, Stage, TickStatistics
from station.servo.pacing.pace import mark, wait, woken
from station.servo.pacing.state import BINS, MEASURES, STAGES, PaceState
from station.servo.pacing.statistics import bin_of, finish, upper_edge

BIN = 1.0 / 16.0  # widest bin, as a part of its time
PERIOD = 1_000_000  # [ns]


def tick(statistics: TickStatistics, spent: dict[Stage, int], latency: int = -1, work: int = 0) -> bool:
    """One tick whose stages take these times [ns], of which so much is `work` [ns]."""
    state = statistics.state
    state.deadline += state.period
    time = state.deadline + spent.get(Stage.WAKE_UP, 0)
    woken(state, time)
    state.worked -= work  # and the little that this test itself does
    for stage in list(Stage)[1:]:
        if stage in spent:
            time += spent[stage]
            state.marks[stage] = time
    return finish(state, latency)


@given(some.integers(0, 1 << 40))
def test_a_time_lies_within_its_bin(time: int) -> None:
    place = bin_of(time)
    assert time < upper_edge(place) or place == BINS - 1
    assert place == 0 or time >= upper_edge(place - 1)


def test_bins_grow_by_at_most_a_sixteenth() -> None:
    edges = [upper_edge(place) for place in range(BINS)]
    assert all(high - low <= BIN * low + 1 for low, high in pairwise(edges))


@pytest.mark.parametrize("window", [8, 100, 5000])
def test_percentiles_are_those_of_numpy_within_a_bin(window: int) -> None:
    times = np.random.default_rng(7).lognormal(10.0, 1.0, 3000).astype(np.int64)
    statistics = TickStatistics(10.0, window)
    for time in times:
        tick(statistics, {Stage.SOLVE: int(time)})
    found = statistics.total(Measure.SOLVE)
    for share, value in zip((50.0, 90.0, 99.0, 99.9), found[1:5], strict=True):
        true = float(np.percentile(times, share, method="inverted_cdf")) * 1e-9
        assert true <= value * (1.0 + 1e-9) <= true * (1.0 + BIN) + 1e-9
    assert found.worst == pytest.approx(times.max() * 1e-9)
    assert found.samples == 3000


def test_the_window_forgets_and_the_total_does_not() -> None:
    statistics = TickStatistics(0.001, window=100)
    for _ in range(100 + MEASURES):
        tick(statistics, {Stage.HAPTICS: 50_000})
    for _ in range(200):
        tick(statistics, {Stage.HAPTICS: 1_000})
    assert statistics.window(Measure.HAPTICS).worst < 2e-6
    assert statistics.total(Measure.HAPTICS).worst == pytest.approx(50e-6)


def test_every_tick_is_counted_once_whatever_the_window() -> None:
    for window in (8, 13, 1000):
        statistics = TickStatistics(0.001, window)
        for _ in range(250):
            tick(statistics, {Stage.DEVICE: 700})
        assert {statistics.total(measure).samples for measure in list(Measure)[:-1]} == {250}
        assert sum(bar.samples for bar in statistics.histogram(Measure.DEVICE)) == 250


def test_latency_counts_only_where_there_is_a_new_sample() -> None:
    statistics = TickStatistics(0.001)
    for number in range(10):
        tick(statistics, {Stage.SEND: 100}, latency=500_000 if number % 2 else -1)
    assert statistics.total(Measure.LATENCY).samples == 5
    assert statistics.total(Measure.LATENCY).p50 == pytest.approx(500e-6, rel=BIN)
    for _ in range(3 * MEASURES):
        tick(statistics, {})
    assert statistics.total(Measure.LATENCY).samples == 5


@pytest.mark.parametrize("guilty", list(Stage))
def test_a_late_tick_is_put_down_to_the_stage_that_exceeded_its_usual_time(guilty: Stage) -> None:
    usual = dict.fromkeys(Stage, 100_000) | {Stage.SOLVE: 400_000}
    statistics = TickStatistics(0.001)
    for _ in range(50):
        assert not tick(statistics, usual)
    assert tick(statistics, usual | {guilty: usual[guilty] + 350_000})
    assert statistics.late_by_stage == {stage: int(stage is guilty) for stage in Stage}
    assert statistics.last_late == (51, guilty)


def test_a_late_tick_that_slept_was_kept_waiting_and_one_that_worked_was_not() -> None:
    pace = Pace(0.005)
    pace.wait()
    pace.finish()  # as usual: in no time
    pace.wait()
    before = pace.statistics.late_waiting
    sleep(0.02)
    pace.mark(Stage.SOLVE)
    assert pace.finish()
    assert pace.statistics.away == pytest.approx(pace.statistics.last(Measure.SOLVE), rel=0.2)
    assert pace.statistics.late_waiting == before + 1


@pytest.mark.parametrize(
    ("spent", "work", "waiting"),
    [
        ({Stage.SOLVE: 3_000_000}, 3_000_000, 0),  # busy all the time
        ({Stage.SOLVE: 3_000_000}, 2_000_000, 0),  # most of it
        ({Stage.SOLVE: 3_000_000}, 1_000_000, 1),  # taken off the processor
        ({Stage.WAKE_UP: 2_000_000, Stage.SOLVE: 50_000}, 50_000, 1),  # begun late
    ],
)
def test_a_late_tick_was_kept_waiting_or_busy(spent: dict[Stage, int], work: int, waiting: int) -> None:
    statistics = TickStatistics(0.001)
    for _ in range(5):
        tick(statistics, {Stage.SOLVE: 50_000}, work=50_000)
    tick(statistics, spent, work=work)
    assert (statistics.late, statistics.late_waiting) == (1, waiting)


def test_all_time_of_a_virtual_clock_is_work() -> None:
    clock = VirtualClock()
    pace = Pace(0.001, clock)
    for spent in (0.0003, 0.0022):
        pace.wait()
        clock.sleep_until(clock.now() + spent)
        pace.mark(Stage.SOLVE)
        late = pace.finish()
    assert late
    assert pace.statistics.away == 0.0
    assert pace.statistics.late_waiting == 0


def test_a_single_outlier_hardly_moves_what_is_usual() -> None:
    statistics = TickStatistics(0.001)
    for _ in range(200):
        tick(statistics, {Stage.SOLVE: 64_000})
    tick(statistics, {Stage.SOLVE: 5_000_000})
    assert statistics.usual(Stage.SOLVE) == pytest.approx(65e-6, rel=1e-3)


def test_what_is_usual_follows_a_lasting_change() -> None:
    statistics = TickStatistics(0.001)
    for time in [20_000] * 10 + [200_000] * 400:
        tick(statistics, {Stage.SOLVE: time})
    assert statistics.usual(Stage.SOLVE) == pytest.approx(200e-6, rel=0.02)


def test_merged_statistics_are_those_of_both_runs() -> None:
    one, two, both = (TickStatistics(0.001, 20) for _ in range(3))
    for number in range(90):
        spent = {Stage.SOLVE: 1000 * (number + 1), Stage.SEND: 2_000_000 if number % 30 == 0 else 0}
        tick(one if number % 2 else two, spent)
        tick(both, spent)
    one.merge(two)
    for measure in Measure:
        assert one.total(measure) == both.total(measure)
    assert (one.late, one.ticks, one.late_by_stage) == (both.late, both.ticks, both.late_by_stage)
    assert one.late_waiting == both.late_waiting


def test_clearing_forgets_counts_but_not_the_grid() -> None:
    statistics = TickStatistics(0.001)
    for _ in range(5):
        tick(statistics, {Stage.SOLVE: 3 * PERIOD})
    deadline = statistics.state.deadline
    statistics.clear()
    assert (statistics.late, statistics.total(Measure.SOLVE).samples) == (0, 0)
    assert statistics.state.deadline == deadline
    assert statistics.last_late is None


def test_nothing_measured_reads_as_zero() -> None:
    assert TickStatistics(0.001).total(Measure.TICK) == (0, 0.0, 0.0, 0.0, 0.0, 0.0)


def test_a_window_too_short_for_its_rounds_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 8"):
        TickStatistics(0.001, window=3)


def test_a_loop_compiled_as_a_whole_uses_the_same_record() -> None:
    @kernel
    def loop(state: PaceState, ticks: int) -> int:
        late = 0
        for _ in range(ticks):
            wait(state)
            for stage in range(1, STAGES):
                mark(state, stage)
            late += finish(state, 1000)
        return late

    statistics = TickStatistics(0.0005)
    statistics.state.deadline = 0  # long ago: everything up to now is skipped
    assert loop(statistics.state, 30) == statistics.late
    assert statistics.ticks == 30
    assert statistics.skipped > 1000
    assert statistics.total(Measure.LATENCY).samples == 30
