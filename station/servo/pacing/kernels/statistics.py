"""Counting a tick: histograms with logarithmic bins, late ticks and what they are due to."""

from __future__ import annotations

import numpy as np

from station.servo.pacing.kernels.block import (
    AWAY,
    BINS,
    CAUSES,
    DEADLINE,
    ENDED,
    FIRST_OCTAVE,
    LAST_CAUSE,
    LAST_LATE,
    LATE,
    LATE_WAITING,
    MARKS,
    MEASURES,
    PERIOD,
    RESULTS,
    SHARES,
    SPENT,
    STAGES,
    SUMMARY,
    SUMMARY_COUNT,
    TICK,
    TOTAL_BINS,
    TOTAL_COUNT,
    TOTAL_WORST,
    USUAL,
    VIRTUAL,
    WINDOW,
    WINDOW_BINS,
    WINDOW_COUNT,
    WINDOW_WORST,
    WOKE,
    WORKED,
    Address,
    part,
    words,
)
from station.servo.pacing.kernels.cache import kernel
from station.servo.pacing.kernels.clock import worked
from station.servo.pacing.stages import Measure

_TICK, _LATENCY = int(Measure.TICK), int(Measure.LATENCY)
_SHIFT = 48  # leaves the exponent of a double and four bits below: sixteen bins per octave
_FIRST = int(np.float64(2.0**FIRST_OCTAVE).view(np.int64)) >> _SHIFT
_SLOWLY = 64  # the running median moves by this part of itself
_LEAST = 10  # and by this at least [ns]


@kernel
def bin_of(time: int) -> int:
    """The bin of a time [ns]."""
    place = int(np.float64(max(time, 1)).view(np.int64) >> _SHIFT) - _FIRST
    return min(max(place, 0), BINS - 1)


@kernel
def upper_edge(place: int) -> int:
    """The first time that does not belong to a bin any more [ns]."""
    return int(np.int64((place + 1 + _FIRST) << _SHIFT).view(np.float64))


@kernel
def summarise(block: Address, bins: int, count: int, worst: int, result: int) -> None:
    """Percentiles and largest of the histogram at place `bins` to place `result` [ns]; zeros if it is empty."""
    numbers = words(block)
    seen, share = 0, 0
    for place in range(BINS):
        seen += numbers[bins + place]
        while share < SHARES and seen > 0 and seen >= part(share) * count:
            numbers[result + share] = min(upper_edge(place), worst)
            share += 1
        if share == SHARES:
            break
    for rest in range(share, SHARES):
        numbers[result + rest] = worst
    numbers[result + SHARES] = worst


@kernel
def close_window(block: Address, measure: int) -> None:
    """Summarise the window of a measure, add it to the total, and begin a new one."""
    numbers = words(block)
    window, total = WINDOW_BINS + measure * BINS, TOTAL_BINS + measure * BINS
    count, worst = numbers[WINDOW_COUNT + measure], numbers[WINDOW_WORST + measure]
    summarise(block, window, count, worst, SUMMARY + measure * RESULTS)
    numbers[SUMMARY_COUNT + measure] = count
    for place in range(BINS):
        numbers[total + place] += numbers[window + place]
        numbers[window + place] = 0
    numbers[TOTAL_COUNT + measure] += count
    numbers[TOTAL_WORST + measure] = max(numbers[TOTAL_WORST + measure], worst)
    numbers[WINDOW_COUNT + measure] = numbers[WINDOW_WORST + measure] = 0


@kernel
def count(block: Address, measure: int, time: int) -> None:
    """Put a time [ns] into the window's histogram."""
    numbers = words(block)
    numbers[WINDOW_BINS + measure * BINS + bin_of(time)] += 1
    numbers[WINDOW_COUNT + measure] += 1
    numbers[WINDOW_WORST + measure] = max(numbers[WINDOW_WORST + measure], time)


@kernel
def cause_of_delay(block: Address) -> int:
    """The stage that exceeded its usual time most."""
    numbers = words(block)
    cause, most = 0, numbers[SPENT] - numbers[USUAL]
    for stage in range(1, STAGES):
        excess = numbers[SPENT + stage] - numbers[USUAL + stage]
        if excess > most:
            cause, most = stage, excess
    return cause


@kernel
def waited(block: Address) -> bool:
    """Whether waiting for a processor, before the tick and in it, cost more than work beyond what is usual."""
    numbers = words(block)
    usual = 0
    for stage in range(1, STAGES):
        usual += numbers[USUAL + stage]
    waiting = numbers[SPENT] - numbers[USUAL] + numbers[AWAY]
    return bool(waiting > numbers[SPENT + _TICK] - numbers[AWAY] - usual)


@kernel
def learn_usual(block: Address) -> None:
    """Move the running medians towards this tick's times; a single outlier hardly moves them."""
    numbers = words(block)
    for stage in range(STAGES):
        usual, spent = numbers[USUAL + stage], numbers[SPENT + stage]
        if numbers[TICK] <= 1:
            usual = spent
        pace = max(usual // _SLOWLY, _LEAST)
        numbers[USUAL + stage] = usual + min(max(spent - usual, -pace), pace)


@kernel
def measure_tick(block: Address) -> None:
    """From the marks to times spent; a stage without a mark took none."""
    numbers = words(block)
    before = numbers[WOKE]
    numbers[SPENT] = max(0, before - numbers[DEADLINE])
    for stage in range(1, STAGES):
        end = max(numbers[MARKS + stage], before)
        numbers[SPENT + stage] = end - before
        before = end
    numbers[ENDED] = before
    numbers[SPENT + _TICK] = before - numbers[WOKE]
    work = worked(block) - numbers[WORKED]
    numbers[AWAY] = 0 if numbers[VIRTUAL] != 0 else max(0, numbers[SPENT + _TICK] - work)


@kernel
def finish(block: Address, latency: int) -> bool:
    """Count the tick, which ended at the last mark; returns whether it was late.

    `latency` [ns] is from the sample's time stamp to the force written, or negative if no new sample was used.
    Windows are closed one measure per tick, so that no tick pays for all of them.
    """
    numbers = words(block)
    measure_tick(block)
    for measure in range(_LATENCY):
        count(block, measure, numbers[SPENT + measure])
    numbers[SPENT + _LATENCY] = max(latency, 0)
    if latency >= 0:
        count(block, _LATENCY, latency)
    late = numbers[ENDED] > numbers[DEADLINE] + numbers[PERIOD]
    if late:
        cause = cause_of_delay(block)
        numbers[LATE] += 1
        numbers[CAUSES + cause] += 1
        numbers[LATE_WAITING] += waited(block)
        numbers[LAST_LATE], numbers[LAST_CAUSE] = numbers[TICK], cause
    learn_usual(block)
    turn = numbers[TICK] % numbers[WINDOW]
    if turn < MEASURES and numbers[TICK] >= numbers[WINDOW]:
        close_window(block, turn)
    return bool(late)
