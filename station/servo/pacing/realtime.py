"""Becoming a real-time process: what the system allows is done, what it forbids is told in one line each."""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from station.message_threads import message_threads, schedule
from station.servo.pacing import libc
from station.servo.pacing.libc import IPC_LOCK, capable

LOWEST, HIGHEST = 1, 99  # of SCHED_FIFO; 0 here means: do not ask for it
PRIORITY = 80  # above what drives interrupts of ordinary devices (50), below the kernel's own watchdogs (99)
SLACK = 1  # [ns]
SWITCH = 1e-4  # Python's other threads give the interpreter back when a tick has waited for so long [s]
LATENCY = "/dev/cpu_dma_latency"  # longest wake-up that is allowed
AWAKE_ADVICE = """allow it: 'KERNEL=="cpu_dma_latency", GROUP="realtime", MODE="0660"' as a udev rule"""


@dataclass(frozen=True, kw_only=True)
class RealTimeSettings:
    """What to ask the system for."""

    priority: int = PRIORITY  # of SCHED_FIFO, 1 to 99; 0: ordinary scheduling
    core: int | None = None  # the only processor to run on; None: any
    lock_memory: bool = True
    collect_garbage: bool = False  # whether Python's garbage collector may run between or in ticks

    def __post_init__(self) -> None:
        if not 0 <= self.priority <= HIGHEST:
            raise ValueError(f"priority {self.priority}: 0 for ordinary scheduling, or {LOWEST} to {HIGHEST}")
        if self.core is not None and self.core < 0:
            raise ValueError(f"core {self.core}: numbers begin at 0")


class Note(NamedTuple):
    """Something that could not be had."""

    what: str
    why: str
    advice: str

    def __str__(self) -> str:
        return f"{self.what}: {self.why}; {self.advice}"


@dataclass
class RealTime:
    """What was achieved, and what was not."""

    scheduled: bool = False  # SCHED_FIFO
    locked: bool = False
    pinned: bool = False
    awake: bool = False  # processors do not sleep deeply
    notes: list[Note] = field(default_factory=list)
    undo: list[Callable[[], object]] = field(default_factory=list, repr=False)


@contextlib.contextmanager
def real_time(settings: RealTimeSettings | None = None) -> Iterator[RealTime]:
    """Make this thread real-time for as long as the block lasts. Threads and processes begun inside inherit it."""
    asked = settings or RealTimeSettings()
    got = RealTime()
    try:
        _slack(got)
        _switch(got)
        _pin(got, asked)
        if not asked.collect_garbage:
            _no_garbage(got)
        if asked.lock_memory:
            _lock(got)
        if asked.priority:
            _stay_awake(got)
            _schedule(got, asked.priority)  # last: all before may take its time
        yield got
    finally:
        for step in reversed(got.undo):
            with contextlib.suppress(OSError, ValueError):
                step()


def _schedule(got: RealTime, priority: int) -> None:
    policy, before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except OSError as error:
        got.notes.append(Note("real-time scheduling", _why(error), f"allow it: {rtprio_advice(priority)}"))
        return
    got.scheduled = True
    got.undo.append(lambda: os.sched_setscheduler(0, policy, before))
    threads = message_threads()
    schedule(threads, os.SCHED_FIFO, max(priority - 1, LOWEST))  # a tick comes before them
    got.undo.append(lambda: schedule(threads, os.SCHED_OTHER, 0))


def _stay_awake(got: RealTime) -> None:
    """Processors that sleep deeply wake up late; those of a virtual machine may not get their turn for milliseconds."""
    try:
        held = os.open(LATENCY, os.O_WRONLY)
        got.undo.append(lambda: os.close(held))
        os.write(held, bytes(4))  # [µs] as a whole number; for as long as it is open
    except FileNotFoundError:  # they do not sleep
        return
    except OSError as error:
        got.notes.append(Note("processors that stay awake", _why(error), AWAKE_ADVICE))
        return
    got.awake = True


def _lock(got: RealTime) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    with contextlib.suppress(OSError, ValueError):  # as much as may be had
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (hard, hard))
        got.undo.append(lambda: resource.setrlimit(resource.RLIMIT_MEMLOCK, (soft, hard)))
    endless = hard == resource.RLIM_INFINITY or capable(IPC_LOCK)
    try:
        # With a bound, memory to come is not locked: the first allocation above the bound would fail.
        libc.lock_memory(future=endless)
    except OSError as error:
        advice = "raise the bound: '@realtime - memlock unlimited' in /etc/security/limits.conf"
        got.notes.append(Note("locked memory", _why(error), advice))
        return
    got.locked = True
    got.undo.append(libc.unlock_memory)


def _pin(got: RealTime, asked: RealTimeSettings) -> None:
    if asked.core is None:
        return
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {asked.core})
    except OSError as error:
        allowed = ", ".join(map(str, sorted(before)))
        got.notes.append(Note(f"core {asked.core}", _why(error), f"choose one of: {allowed}"))
        return
    got.pinned = True
    got.undo.append(lambda: os.sched_setaffinity(0, before))


def _slack(got: RealTime) -> None:
    before = libc.timer_slack()
    try:
        libc.set_timer_slack(SLACK)
    except OSError as error:
        got.notes.append(Note("timer slack", _why(error), "expect wake-ups up to 50 µs later without SCHED_FIFO"))
        return
    got.undo.append(lambda: libc.set_timer_slack(max(before, SLACK)))


def _switch(got: RealTime) -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    got.undo.append(lambda: sys.setswitchinterval(before))


def _no_garbage(got: RealTime) -> None:
    was_on = gc.isenabled()
    gc.collect()
    gc.freeze()  # what lives now need never be looked at again
    gc.disable()

    def again() -> None:
        gc.unfreeze()
        if was_on:
            gc.enable()

    got.undo.append(again)


def rtprio_advice(priority: int) -> str:
    """How to allow real-time scheduling to a person."""
    return (
        f"'@realtime - rtprio {priority}' in /etc/security/limits.conf and join the group 'realtime', or CAP_SYS_NICE"
    )


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
