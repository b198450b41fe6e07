"""The machine's monotonic time inside kernels, by the C library; the same as `time.monotonic_ns`, or a test's clock."""

from __future__ import annotations

from station.kernel import CFunction, address_of_array, kernel
from station.servo.pacing.libc import ABSOLUTE, MONOTONIC, SECOND, THREAD
from station.servo.pacing.state import PaceState

_clock_gettime = CFunction("i4", "i4", "i8", symbol="clock_gettime")
_clock_nanosleep = CFunction("i4", "i4", "i4", "i8", "i8", symbol="clock_nanosleep")


@kernel
def _asked(state: PaceState, clock: int) -> int:
    """What a clock of the system says [ns]."""
    answer = state.answer
    _clock_gettime(clock, address_of_array(answer))
    return int(answer[0] * SECOND + answer[1])


@kernel
def now(state: PaceState) -> int:
    """Time since the machine was started, or of a test's clock [ns]."""
    return state.virtual if state.virtual != 0 else _asked(state, MONOTONIC)


@kernel
def worked(state: PaceState) -> int:
    """Time that this thread has had a processor [ns]; on a test's clock nobody counts it."""
    return 0 if state.virtual != 0 else _asked(state, THREAD)


@kernel
def sleep_until(state: PaceState, moment: int, spin: int) -> int:
    """Sleep until `spin` [ns] before `moment` [ns], look at the clock for the rest; returns the time it is [ns]."""
    asleep = moment - spin
    request = state.answer
    time = now(state)
    while time < asleep:  # a signal may have interrupted it; ends in any case: time goes on
        request[0], request[1] = asleep // SECOND, asleep % SECOND
        _clock_nanosleep(MONOTONIC, ABSOLUTE, address_of_array(request), 0)
        time = now(state)
    while time < moment:
        time = now(state)
    return time
