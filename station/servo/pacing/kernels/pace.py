"""Keeping to the grid of ticks: a tick that took too long costs the ticks it covered; they are never caught up."""

from __future__ import annotations

from station.servo.pacing.kernels.block import (
    DEADLINE,
    MARKS,
    PERIOD,
    SKIPPED,
    SPIN,
    STAGES,
    TICK,
    WOKE,
    WORKED,
    Address,
    words,
)
from station.servo.pacing.kernels.cache import kernel
from station.servo.pacing.kernels.clock import now, sleep_until, worked


@kernel
def start(block: Address, time: int) -> None:
    """The first tick is one period after `time` [ns]."""
    words(block)[DEADLINE] = time


@kernel
def next_deadline(block: Address, time: int) -> int:
    """Choose the next moment of the grid that is not over at `time` [ns]; those passed over are counted."""
    numbers = words(block)
    deadline = numbers[DEADLINE] + numbers[PERIOD]
    if time > deadline:
        missed = (time - deadline + numbers[PERIOD] - 1) // numbers[PERIOD]
        numbers[SKIPPED] += missed
        deadline += missed * numbers[PERIOD]
    numbers[DEADLINE] = deadline
    return int(deadline)


@kernel
def woken(block: Address, time: int) -> None:
    """The tick begins, at `time` [ns]."""
    numbers = words(block)
    for stage in range(STAGES):
        numbers[MARKS + stage] = 0
    numbers[TICK] += 1
    numbers[WOKE], numbers[WORKED] = time, worked(block)


@kernel
def wait(block: Address) -> int:
    """Sleep until the next tick and begin it; returns the time it is [ns]."""
    deadline = next_deadline(block, now(block))
    time = sleep_until(block, deadline, words(block)[SPIN])
    woken(block, time)
    return time


@kernel
def mark(block: Address, stage: int) -> int:
    """A stage is over; stages follow in their order, and one may be left out. Returns the time it is [ns]."""
    time = now(block)
    words(block)[MARKS + stage] = time
    return time
