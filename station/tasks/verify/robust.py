"""Robustness: the same task in many variants, in parallel processes; a margin per check over all of them.

What is compared in a variant: ranges of joints, speed, singularity, and distances from obstacles and itself. A pair of
solids is looked at only where its distance in the task itself, less what the variant can change of it, is not more than
what another pair has shown already.
"""

from __future__ import annotations

import math
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from station.bench import load
from station.collision import Surroundings
from station.tasks.task import Kind, Segment, Task, changed
from station.tasks.task.joints import driven_joints, whole_path
from station.tasks.task.model import Floats
from station.tasks.verify.checks import Workbench, make_workbench
from station.tasks.verify.clearance import Nearest, Pairs, Way, least_along, looked
from station.tasks.verify.joints import check_position, check_rates
from station.tasks.verify.motion import Motion
from station.tasks.verify.results import Check
from station.tasks.verify.settings import RobustSettings, VerifySettings
from station.tasks.verify.shape import check_singularity
from station.tasks.verify.touching import expected_contacts, made_up_frames, tool_frames
from station.tasks.verify.variants import Drawing, Variant

THIN = 5  # one of so many samples is looked at for distances; between them the motion bound holds
AT_ONCE = 4  # variants that a process does before it tells
ROUGH = 0.01  # to which the least distance of each pair is found beforehand [m]
NOTHING = Nearest(math.inf, None, 0.0)
CHECKS = (Check.POSITION, Check.SPEED, Check.SINGULARITY, Check.COLLISION, Check.SELF_COLLISION)


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


class Trials:
    """Checks variants of one task, one after the other, in one process."""

    def __init__(self, task: Task, bench: Workbench, settings: RobustSettings) -> None:
        self._task, self._bench = task, bench
        self._drawing = Drawing(task, bench.scene, bench.mechanism, settings)
        self._limits = bench.limits
        self._driven = driven_joints(bench.mechanism)
        self._skip = expected_contacts(task)
        whole = whole_path(bench.mechanism, task.q).q
        self._thin = np.ascontiguousarray(whole[_thinned(len(whole))])
        self._places: dict[bool, list[float]] = {}
        self._least = {flag: self._least_of_pairs(flag) for flag in (False, True)}

    def margins(self, number: int) -> list[float]:
        """Of the checks in CHECKS, for one variant."""
        variant = self._drawing.variant(number)
        task = _with_path(self._task, variant.q)
        motion = Motion.of(task, self._bench.mechanism)
        speed = check_rates(motion, self._limits)[0].margin.room
        outcomes = [
            check_position(motion, self._limits).margin.room,
            speed,
            check_singularity(motion, self._bench.settings).margin.room,
        ]
        around = self._bench.around
        for name, pose in variant.obstacles.items():
            around.move(name, pose)
        try:
            path = np.ascontiguousarray(motion.whole[_thinned(len(motion.whole))])
            outcomes += [self._nearest(path, variant, flag) for flag in (False, True)]
        finally:
            for name, pose in self._drawing.obstacles.items():
                around.move(name, pose)
        return outcomes

    def _pairs(self, path: Floats, with_itself: bool) -> Pairs:
        mechanism, settings = self._bench.mechanism, self._bench.settings
        ignored = frozenset() if settings.made_up else made_up_frames(mechanism)
        return Pairs(self._bench.around, path, with_itself, ignored)

    def _over(self, pairs: Pairs) -> list[Sequence[tuple[float, float]]]:
        """Stretches that are left out, pair by pair, in thinned samples."""
        tools = tool_frames(self._bench.mechanism, self._task.frame)
        thin = [(first / THIN, last / THIN) for first, last in self._skip]
        return [thin if not name.with_itself and name.frame in tools else [] for name in pairs.names]

    def _least_of_pairs(self, with_itself: bool) -> Floats:
        """Least distance of each pair along the task itself [m]."""
        pairs = self._pairs(self._thin, with_itself)
        steps, over = np.abs(np.diff(self._thin, axis=0)), self._over(pairs)
        found, places = [], []
        for number, pair in enumerate(pairs.pairs):
            way = Way(steps, pairs.reach[number])
            name = pairs.names[number]
            near = least_along(pairs.exact, self._thin, pair, name, way, NOTHING, over[number], ROUGH)
            found.append(near.distance - ROUGH)
            places.append(near.sample)
        self._places[with_itself] = places
        return np.array(found)

    def _nearest(self, path: Floats, variant: Variant, with_itself: bool) -> float:
        """Least distance of all pairs in a variant, beyond the clearance [m]."""
        pairs = self._pairs(path, with_itself)
        if not len(pairs.pairs):
            return math.inf
        steps, over = np.abs(np.diff(path, axis=0)), self._over(pairs)
        shift = np.zeros(path.shape[1])
        shift[self._driven] = variant.shift
        if len(self._driven) < path.shape[1]:  # passive joints follow: see how far they went
            shift = np.abs(path - self._thin).max(axis=0)
        change = pairs.reach @ shift + self._moved(pairs, variant)
        bounds = self._least[with_itself] - change
        best = NOTHING
        for number in map(int, np.argsort(bounds)):
            if bounds[number] > best.distance:
                break
            if math.isfinite(self._least[with_itself][number]):
                best = looked(pairs, number, path, self._places[with_itself][number], best)
        for number in map(int, np.argsort(bounds)):
            if bounds[number] > best.distance:
                break
            way = Way(steps, pairs.reach[number])
            name = pairs.names[number]
            best = least_along(pairs.exact, path, pairs.pairs[number], name, way, best, over[number])
        return best.distance - self._bench.settings.clearance

    def _moved(self, pairs: Pairs, variant: Variant) -> Floats:
        """How far points of each pair's obstacle may have moved [m]."""
        around: Surroundings = self._bench.around
        moved = []
        for pair in pairs.pairs:
            solid = around.solids[pair.b]
            if not solid.obstacle:
                moved.append(0.0)
                continue
            before, after = self._drawing.obstacles[solid.name], variant.obstacles[solid.name]
            far = math.inf if not math.isfinite(solid.ball) else solid.ball + float(np.linalg.norm(solid.centre))
            turned = float(np.linalg.norm(after[:3, :3] - before[:3, :3]))
            straight = float(np.linalg.norm(after[:3, 3] - before[:3, 3]))
            moved.append(straight + (turned * far if turned else 0.0))
        return np.array(moved)


def robustness(
    task: Task,
    scene_file: str,
    held_to: VerifySettings,
    settings: RobustSettings,
    workers: int | None = None,
    tell: Callable[[int], object] = lambda _: None,
) -> Robustness:
    """Check all variants in parallel processes; `tell` is called with how many more are done."""
    count = settings.variants
    workers = min(workers or os.cpu_count() or 1, count)
    rows = np.zeros((count, len(CHECKS)))
    numbers = [list(range(first, min(first + AT_ONCE, count))) for first in range(0, count, AT_ONCE)]
    if workers == 1:
        _begin(task, scene_file, held_to, settings)
        results: Iterator[list[list[float]]] = map(_some, numbers)
        _collect(rows, numbers, results, tell)
    else:
        context = multiprocessing.get_context("spawn")
        arguments = (task, scene_file, held_to, settings)
        with ProcessPoolExecutor(workers, context, _begin, arguments) as pool:
            _collect(rows, numbers, pool.map(_some, numbers), tell)
    return summary(rows, settings.seed)


def summary(rows: Floats, seed: int) -> Robustness:
    """From the margins of all variants, one row each."""
    units = ("rad | m", "of the limit", "gain ratio", "m", "m")
    spreads = []
    for check, unit, column in zip(CHECKS, units, rows.T, strict=True):
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


_trials: list[Trials] = []  # of this process


def _begin(task: Task, scene_file: str, held_to: VerifySettings, settings: RobustSettings) -> None:
    scene = load(scene_file)
    bench = make_workbench(scene, scene[task.robot], held_to, frame=task.frame)
    _trials[:] = [Trials(task, bench, settings)]


def _some(numbers: list[int]) -> list[list[float]]:
    return [_trials[0].margins(number) for number in numbers]


def _thinned(count: int) -> Floats:
    """Numbers of the samples that are kept, the last among them."""
    return np.unique(np.append(np.arange(0, count, THIN), count - 1))


def _with_path(task: Task, q: Floats) -> Task:
    """The task with other samples, in which nothing stands quite still any more."""
    parts = tuple(Segment(s.begin, s.end, Kind.CONTACT if s.kind is Kind.CONTACT else Kind.FREE) for s in task.segments)
    return changed(task, q=q, segments=parts, marks=())
