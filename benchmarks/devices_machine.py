"""The machine that is measured on: who else used it meanwhile, timing of calls, and real-time scheduling."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.environments import progress
from benchmarks.peers.score import Figures, Row, Table, quick

Floats = NDArray[np.float64]
Answer = TypeVar("Answer")

MOST_STEAL = 0.5  # of the hypervisor, above which figures say more of it than of us [%]
TRIES = 3
PRIORITY = 50  # of SCHED_FIFO


class Times(NamedTuple):
    """What the processors did so far [s, all processors together]."""

    steal: float
    busy: float
    total: float
    ours: float  # of this process and of those it started that have ended

    @classmethod
    def now(cls) -> Times:
        """Read the counters of the kernel; zeros where there are none."""
        own = sum(os.times()[:4])
        try:
            line = Path("/proc/stat").read_text(encoding="ascii").partition("\n")[0]
        except OSError:
            return cls(0.0, 0.0, 1e-9, own)
        user, nice, system, idle, waiting, hard, soft, steal = [
            int(word) / os.sysconf("SC_CLK_TCK") for word in line.split()[1:9]
        ]
        busy = user + nice + system + hard + soft
        return cls(steal, busy, busy + idle + waiting + steal, own)


class Company(NamedTuple):
    """Who else used the machine during a measurement."""

    steal: float  # time that the hypervisor gave to other machines [%]
    others: float  # processors that other programs of this machine kept busy
    load: float  # average over the last minute, at the end

    @classmethod
    def since(cls, before: Times) -> Company:
        """What happened since then."""
        now = Times.now()
        total = max(now.total - before.total, 1e-9)
        seconds = total / (os.cpu_count() or 1)
        others = max(now.busy - before.busy - (now.ours - before.ours), 0.0) / seconds
        return cls(100.0 * (now.steal - before.steal) / total, others, os.getloadavg()[0])

    def __str__(self) -> str:
        return f"steal {self.steal:.2f} %, others {self.others:.2f} processors, load {self.load:.1f}"


def steady(name: str, measure: Callable[[], list[Table]]) -> list[Table]:
    """Tables with the company they were measured in; measured again while there is too much, the quietest counts."""
    best: tuple[Company, list[Table]] | None = None
    for number in range(1 if quick() else TRIES):
        progress(f"devices: {name} …" if number == 0 else f"devices: {name} again, as there was {best and best[0]} …")
        before = Times.now()
        tables = measure()
        company = Company.since(before)
        if best is None or company.steal < best[0].steal:
            best = company, tables
        if company.steal <= MOST_STEAL:
            break
    assert best is not None
    company, tables = best
    return [table._replace(conditions=f"{table.conditions}; {company}") for table in tables]


def spread(times: Floats, unit: str = "µs") -> Figures:
    """Percentiles of times."""
    return {
        f"{label} {unit}": float(np.percentile(times, share)) if times.size else float("nan")
        for label, share in (("p50", 50.0), ("p99", 99.0), ("p99.9", 99.9))
    }


def contest(
    calls: Mapping[str, Callable[[int], object]], samples: int, rounds: int, stride: Mapping[str, int] | None = None
) -> dict[str, list[Floats]]:
    """Times of single calls [µs] by name and round; all take turns, so that noise hits all alike.

    Calls get the number of their sample. A slow one takes every `stride`-th only.
    """
    for call in calls.values():
        for i in range(50):
            call(i)
    spent: dict[str, list[Floats]] = {name: [] for name in calls}
    clock = time.perf_counter_ns
    with undisturbed():
        for _ in range(rounds):
            for name, call in calls.items():
                times = np.zeros(samples // (stride or {}).get(name, 1))
                for i in range(times.size):
                    begin = clock()
                    call(i)
                    times[i] = clock() - begin
                spent[name].append(times * 1e-3)
    return spent


def rows_of(spent: Mapping[str, list[Floats]], peer: str, notes: Mapping[str, str]) -> list[Row]:
    """Percentiles over all rounds, and the median over the rounds of our median to that of the peer."""
    rows = []
    for name, times in spent.items():
        ratio = float(np.median([np.median(a) / np.median(b) for a, b in zip(times, spent[peer], strict=True)]))
        rows.append(Row(name, {**spread(np.concatenate(times)), f"to {peer}": ratio}, notes.get(name, "")))
    return rows


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Without the garbage collector, as a servo runs."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def may_be_real_time() -> bool:
    """Whether this process may use SCHED_FIFO, and `--normal` was not given."""
    if "--normal" in sys.argv or not hasattr(os, "sched_setscheduler"):
        return False
    with real_time(0) as done:
        return done


@contextlib.contextmanager
def real_time(process: int) -> Iterator[bool]:
    """SCHED_FIFO for a process (0: this one), if it may; says whether."""
    before = os.sched_getscheduler(process)
    try:
        os.sched_setscheduler(process, os.SCHED_FIFO, os.sched_param(PRIORITY))
    except OSError:
        yield False
        return
    try:
        yield True
    finally:
        with contextlib.suppress(OSError):  # it may have ended
            os.sched_setscheduler(process, before, os.sched_param(0))
