"""Ticks keep to their grid; what is late is skipped, never caught up."""

from __future__ import annotations

import signal
from itertools import pairwise

import pytest

from station.clock import VirtualClock
from station.servo.pacing import Measure, Pace, Stage

MS = 1_000_000  # [ns]


def run(pace: Pace, clock: VirtualClock, delays: list[float]) -> list[int]:
    """Beginnings of ticks [ns] that take these times [s]."""
    begun = []
    for delay in delays:
        begun.append(pace.wait())
        clock.sleep_until(clock.now() + delay)
        pace.mark(Stage.SOLVE)
        pace.finish()
    return begun


def test_quick_ticks_are_one_period_apart() -> None:
    clock = VirtualClock()
    assert run(Pace(0.001, clock), clock, [0.0002] * 5) == [MS, 2 * MS, 3 * MS, 4 * MS, 5 * MS]


def test_a_long_tick_costs_those_it_covers_and_the_grid_stays() -> None:
    clock = VirtualClock()
    pace = Pace(0.001, clock)
    assert run(pace, clock, [0.0, 0.0025, 0.0, 0.0]) == [MS, 2 * MS, 5 * MS, 6 * MS]
    assert pace.statistics.skipped == 2
    assert pace.statistics.late == 1
    assert pace.statistics.last_late == (2, Stage.SOLVE)


def test_ticks_never_bunch_up() -> None:
    clock = VirtualClock()
    delays = [0.0003, 0.0012, 0.0031, 0.0009, 0.00101, 0.0] * 20
    begun = run(Pace(0.001, clock), clock, delays)
    assert all(later - earlier >= MS for earlier, later in pairwise(begun))
    assert all(moment % MS == 0 for moment in begun)


def test_ticks_begun_and_skipped_add_up_to_the_time_that_passed() -> None:
    clock = VirtualClock()
    pace = Pace(0.001, clock)
    begun = run(pace, clock, [0.0003, 0.0042, 0.0018] * 30)
    assert pace.statistics.ticks + pace.statistics.skipped == begun[-1] // MS


def test_a_tick_that_ends_just_in_time_is_not_late() -> None:
    clock = VirtualClock()
    pace = Pace(0.001, clock)
    run(pace, clock, [0.001, 0.0])
    assert (pace.statistics.late, pace.statistics.skipped) == (0, 0)


def test_a_run_on_a_virtual_clock_is_the_same_twice() -> None:
    results = []
    for _ in range(2):
        clock = VirtualClock(12.345)
        pace = Pace(0.00025, clock, window=50)
        run(pace, clock, [0.0001, 0.0003, 0.0] * 100)
        results.append(bytes(pace.state))
    assert results[0] == results[1]


def test_a_clock_that_is_a_hair_early_still_reaches_the_tick() -> None:
    clock = VirtualClock(1e6 / 3.0)
    pace = Pace(0.0003, clock)
    begun = run(pace, clock, [0.0] * 2000)
    assert all(later - earlier == 300_000 for earlier, later in pairwise(begun))


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "python"])
@pytest.mark.parametrize("spin", [0.0, 0.0002])
def test_no_tick_begins_before_its_time(compiled: bool, spin: float) -> None:
    pace = Pace(0.001, compiled=compiled, spin=spin)
    pace.warm_up()
    pace.start()
    for number in range(1, 21):
        assert pace.wait() >= pace.deadline
        assert pace.tick == number
        for stage in Stage:
            pace.mark(stage)
        pace.finish(1000)
    assert pace.statistics.total(Measure.TICK).samples == 20


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "python"])
def test_signals_do_not_begin_a_tick_early(compiled: bool) -> None:
    pace = Pace(0.002, compiled=compiled)
    pace.warm_up()
    before = signal.signal(signal.SIGALRM, lambda _number, _frame: None)
    signal.setitimer(signal.ITIMER_REAL, 0.0003, 0.0003)
    try:
        pace.start()
        for _ in range(10):
            assert pace.wait() >= pace.deadline
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_warming_up_leaves_no_trace_in_the_counts() -> None:
    pace = Pace(0.001)
    pace.warm_up()
    assert pace.statistics.ticks == 0


@pytest.mark.parametrize("period", [0.0, -1.0, float("nan"), float("inf"), 1e-9])
def test_an_absurd_period_is_refused(period: float) -> None:
    with pytest.raises(ValueError, match="is allowed"):
        Pace(period)


def test_spinning_for_most_of_the_period_is_refused() -> None:
    with pytest.raises(ValueError, match="half the period"):
        Pace(0.001, spin=0.0009)
