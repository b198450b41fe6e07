"""Robustness: the same task in many variants, in parallel processes; a margin per check over all of them."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from station.bench import load
from station.child import safe_path
from station.controllers.controller import Capabilities
from station.tasks.task import Task
from station.tasks.task.model import Floats
from station.tasks.verify.checks import make_workbench
from station.tasks.verify.results import Check
from station.tasks.verify.settings import RobustSettings, VerifySettings
from station.tasks.verify.trials import UNITS, Trials

AT_ONCE = 4  # variants that a process does before it tells


class Spread(NamedTuple):
    """Margins of one check over all variants; negative ones fail."""

    check: Check
    unit: str
    least: float
    percentile: float  # 1 of 100 variants is worse
    median: float
    failed: int  # variants
    worst: int  # number of the variant with the least margin

    @property
    def data(self) -> dict[str, Any]:
        """For programs."""
        values = {**self._asdict(), "check": self.check.value}
        return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in values.items()}


class Robustness(NamedTuple):
    """What the variants of a task showed."""

    variants: int
    failed: int  # with any margin below zero
    spreads: tuple[Spread, ...]
    seed: int

    @property
    def data(self) -> dict[str, Any]:
        """For programs."""
        return {**self._asdict(), "spreads": [spread.data for spread in self.spreads]}


class Case(NamedTuple):
    """What a process needs to check variants."""

    task: Task
    scene_file: str
    held_to: VerifySettings
    settings: RobustSettings
    arm: Capabilities | None = None  # in the order of the scene

    def trials(self) -> Trials:
        """Ready to check."""
        scene = load(self.scene_file)
        bench = make_workbench(scene, scene[self.task.robot], self.held_to, self.arm, self.task.frame)
        return Trials(self.task, bench, self.settings)


def robustness(case: Case, workers: int | None = None, tell: Callable[[int], object] = lambda _: None) -> Robustness:
    """Check all variants in parallel processes; `tell` is called with how many more are done."""
    count = case.settings.variants
    workers = min(workers or os.cpu_count() or 1, count)
    rows = np.zeros((count, len(UNITS)))
    numbers = [list(range(first, min(first + AT_ONCE, count))) for first in range(0, count, AT_ONCE)]
    if workers == 1:
        trials = case.trials()
        _collect(rows, numbers, ([trials.margins(n) for n in some] for some in numbers), tell)
    else:
        with safe_path():
            pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin, (case,))
        try:
            with _without_interrupts(), safe_path():
                results = pool.map(_some, numbers)  # starts the processes
            _collect(rows, numbers, results, tell)
        finally:
            pool.shutdown(cancel_futures=True)  # Ctrl-C does not wait for all that was to come
    return summary(rows, case.settings.seed)


def summary(rows: Floats, seed: int) -> Robustness:
    """From the margins of all variants, one row each."""
    spreads = []
    for (check, unit), column in zip(UNITS.items(), rows.T, strict=True):
        worst = int(np.argmin(column))
        finite = bool(np.isfinite(column).all())
        low, middle = (float(np.percentile(column, p)) if finite else math.inf for p in (1.0, 50.0))
        failed = int((column < 0.0).sum())
        spreads.append(Spread(check, unit, float(column[worst]), low, middle, failed, worst))
    return Robustness(len(rows), int((rows < 0.0).any(axis=1).sum()), tuple(spreads), seed)


def _collect(
    rows: Floats, numbers: list[list[int]], results: Iterator[list[list[float]]], tell: Callable[[int], object]
) -> None:
    for which, found in zip(numbers, results, strict=True):
        rows[which] = found
        tell(len(which))


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Processes that are started here never hear of Ctrl-C: it is for the one that waits for them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


_trials: list[Trials] = []  # of this process


def _begin(case: Case) -> None:
    _trials[:] = [case.trials()]


def _some(numbers: list[int]) -> list[list[float]]:
    return [_trials[0].margins(number) for number in numbers]
