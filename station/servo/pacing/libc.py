"""What Python's own library does not offer of the C library: absolute sleep, locked memory, timer slack."""

from __future__ import annotations

import ctypes
import os
import time

MONOTONIC, ABSOLUTE = 1, 1  # CLOCK_MONOTONIC, TIMER_ABSTIME
LOCK_CURRENT, LOCK_FUTURE = 1, 2  # MCL_CURRENT, MCL_FUTURE
SET_SLACK, GET_SLACK = 29, 30  # PR_SET_TIMERSLACK, PR_GET_TIMERSLACK
SECOND = 1_000_000_000  # [ns]

_libc = ctypes.CDLL(None, use_errno=True)


class _TimeSpec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


def sleep_until(moment: int, spin: int = 0) -> int:
    """Sleep until `spin` [ns] before `moment` [ns], look at the clock for the rest; returns the time it is [ns].

    Other threads may run meanwhile, which they may not while a compiled kernel sleeps.
    """
    asleep = moment - spin
    request = _TimeSpec(asleep // SECOND, asleep % SECOND)
    now = time.monotonic_ns()
    while now < asleep:  # a signal may have interrupted it; ends in any case: time goes on
        _libc.clock_nanosleep(MONOTONIC, ABSOLUTE, ctypes.byref(request), None)
        now = time.monotonic_ns()
    while now < moment:
        now = time.monotonic_ns()
    return now


def lock_memory(future: bool) -> None:
    """Keep all pages in memory, also those to come if `future`; raises OSError."""
    _checked(_libc.mlockall(LOCK_CURRENT | (LOCK_FUTURE if future else 0)))


def unlock_memory() -> None:
    """Let the system page out again."""
    _checked(_libc.munlockall())


def timer_slack() -> int:
    """By how much the kernel may delay a wake-up of this thread to save power [ns]."""
    return int(_libc.prctl(GET_SLACK, 0, 0, 0, 0))


def set_timer_slack(slack: int) -> None:
    """Set it [ns]; raises OSError."""
    _checked(_libc.prctl(SET_SLACK, ctypes.c_ulong(slack), 0, 0, 0))


def _checked(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
