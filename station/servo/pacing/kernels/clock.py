"""The machine's monotonic time inside kernels, by the C library; the same as `time.monotonic_ns`."""

from __future__ import annotations

from numba import types

from station.servo.pacing.kernels.block import SCRATCH, VIRTUAL, Address, words
from station.servo.pacing.kernels.cache import kernel

MONOTONIC, THREAD, ABSOLUTE = 1, 3, 1  # CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID, TIMER_ABSTIME
SECOND = 1_000_000_000  # [ns]

# Named symbols, not function pointers: those would be other numbers in each process and could not be kept on disk.
_clock_gettime = types.ExternalFunction("clock_gettime", types.int32(types.int32, types.intp))
_clock_nanosleep = types.ExternalFunction(
    "clock_nanosleep", types.int32(types.int32, types.int32, types.intp, types.intp)
)


@kernel
def now(block: Address) -> int:
    """Time since the machine was started, or of a test's clock [ns]."""
    answer = words(block)
    if answer[VIRTUAL] != 0:
        return int(answer[VIRTUAL])
    _clock_gettime(MONOTONIC, block + 8 * SCRATCH)
    return int(answer[SCRATCH] * SECOND + answer[SCRATCH + 1])


@kernel
def worked(block: Address) -> int:
    """Time that this thread has had a processor [ns]; on a test's clock nobody counts it."""
    answer = words(block)
    if answer[VIRTUAL] != 0:
        return 0
    _clock_gettime(THREAD, block + 8 * SCRATCH)
    return int(answer[SCRATCH] * SECOND + answer[SCRATCH + 1])


@kernel
def sleep_until(block: Address, moment: int, spin: int) -> int:
    """Sleep until `spin` [ns] before `moment` [ns], look at the clock for the rest; returns the time it is [ns]."""
    asleep = moment - spin
    request = words(block)
    time = now(block)
    while time < asleep:  # a signal may have interrupted it; ends in any case: time goes on
        request[SCRATCH], request[SCRATCH + 1] = asleep // SECOND, asleep % SECOND
        _clock_nanosleep(MONOTONIC, ABSOLUTE, block + 8 * SCRATCH, 0)
        time = now(block)
    while time < moment:
        time = now(block)
    return time
