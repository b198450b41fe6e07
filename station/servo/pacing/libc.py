"""What Python's own library does not offer of the system: absolute sleep, locked memory, timer slack, capabilities."""

from __future__ import annotations

import ctypes
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MONOTONIC, THREAD, ABSOLUTE = 1, 3, 1  # CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID, TIMER_ABSTIME
LOCK_CURRENT, LOCK_FUTURE, LOCK_TOUCHED = 1, 2, 4  # MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT
SMALL = 1 << 20  # memory up to this size is brought in as a whole when it is locked [bytes];
HEAPS_IN_USE, CODE_IN_USE = 32, 2  # larger pieces if at least one part in so many has been touched
SET_SLACK, GET_SLACK = 29, 30  # PR_SET_TIMERSLACK, PR_GET_TIMERSLACK
SECOND = 1_000_000_000  # [ns]
SYS_NICE, IPC_LOCK = 23, 14  # capabilities: real-time priorities; locking memory without bound
ROOT = Path("/")

_PIECE = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) (.)(.).*\n(?:.*\n)*?Rss: +(\d+) kB", re.MULTILINE)
_EFFECTIVE = re.compile(r"^CapEff:\s*([0-9a-f]+)", re.MULTILINE)
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
    """Keep all pages in memory that are in use, and those to come if `future`; raises OSError.

    What is in use is brought in as a whole, so that ticks touch nothing for the first time. What is large and hardly
    touched is locked as far as it is touched: work memory that libraries of linear algebra set aside (32 MB for each
    thread), the far ends of stacks, what of a large library nobody calls. Memory to come is brought in when it is
    asked for.
    """
    _checked(_libc.mlockall(LOCK_CURRENT | LOCK_TOUCHED))
    for piece in _memory():
        if piece.in_use:
            _libc.mlock(ctypes.c_void_p(piece.start), ctypes.c_size_t(piece.size))
    if future:
        _checked(_libc.mlockall(LOCK_FUTURE))


class _Piece(NamedTuple):
    """Memory of one kind, one after the other."""

    start: int
    size: int  # [bytes]
    readable: bool
    writable: bool
    touched: int  # so much of it is there [bytes]

    @property
    def in_use(self) -> bool:
        if not self.readable:
            return True  # room for a heap to grow into: nothing comes in, but what it grows by will
        return self.size <= SMALL or self.touched * (HEAPS_IN_USE if self.writable else CODE_IN_USE) >= self.size


def _memory() -> Iterator[_Piece]:
    """All memory of this process."""
    for found in _PIECE.finditer(Path("/proc/self/smaps").read_text(encoding="utf8", errors="replace")):
        start, end = int(found[1], 16), int(found[2], 16)
        yield _Piece(start, end - start, found[3] == "r", found[4] == "w", 1024 * int(found[5]))


def unlock_memory() -> None:
    """Let the system page out again."""
    _checked(_libc.munlockall())


def timer_slack() -> int:
    """By how much the kernel may delay a wake-up of this thread to save power [ns]."""
    return int(_libc.prctl(GET_SLACK, 0, 0, 0, 0))


def set_timer_slack(slack: int) -> None:
    """Set it [ns]; raises OSError."""
    _checked(_libc.prctl(SET_SLACK, ctypes.c_ulong(slack), 0, 0, 0))


def capable(capability: int, root: Path = ROOT) -> bool:
    """Whether this process has a capability, by its number: being root in a container does not mean all of them."""
    try:
        found = _EFFECTIVE.search((root / "proc/self/status").read_text(encoding="ascii", errors="replace"))
    except OSError:
        return False
    return found is not None and bool(int(found[1], 16) >> capability & 1)


def _checked(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
