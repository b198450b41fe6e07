"""`Trials`: the checks of one task in many variants, one after the other.

All checks are the same as those of the task itself, but against the limits and not a share of them: what a task leaves
free is there for this. A pair of solids is looked at only where its distance in the task itself, less what the variant
can change of it, is not more than what another pair has shown already.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from station.collision.passage import reaches
from station.tasks.task import Kind, Segment, Task, changed, limits_for
from station.tasks.task.joints import close_path, dependent_joints, driven_joints, independent_joints, whole_path
from station.tasks.task.model import Floats
from station.tasks.verify.checks import Workbench
from station.tasks.verify.clearance import Nearest, Pairs, Way, least_along, looked
from station.tasks.verify.joints import check_position, efforts_along, why_no_effort
from station.tasks.verify.masses import Masses
from station.tasks.verify.motion import Motion
from station.tasks.verify.results import Check
from station.tasks.verify.settings import RobustSettings
from station.tasks.verify.shape import check_singularity
from station.tasks.verify.touching import expected_contacts, made_up_frames, tool_frames
from station.tasks.verify.variants import Drawing, Variant

THIN = 5  # one of so many samples is looked at for distances; between them the motion bound holds
ROUGH = 0.01  # to which the least distance of each pair is found beforehand [m]
NOTHING = Nearest(math.inf, None, 0.0)
UNITS = {
    Check.POSITION: "rad | m",
    Check.SPEED: "of the limit",
    Check.ACCELERATION: "of the limit",
    Check.JERK: "of the limit",
    Check.EFFORT: "of the limit",
    Check.SINGULARITY: "gain ratio",
    Check.CLOSURE: "m",
    Check.COLLISION: "m",
    Check.SELF_COLLISION: "m",
}


class Trials:
    """Checks variants of one task, one after the other, in one process."""

    def __init__(self, task: Task, bench: Workbench, settings: RobustSettings) -> None:
        self._task, self._bench, self._settings = task, bench, settings
        mechanism = bench.mechanism
        self._drawing = Drawing(task, bench.scene, mechanism, settings)
        self._limits = limits_for(mechanism, None if bench.arm is None else bench.arm.joints, share=1.0)
        self._driven, self._loops = driven_joints(mechanism), bool(len(mechanism.memory.residual))
        self._skip = expected_contacts(task)
        self._nominal = whole_path(mechanism, task.q).q
        self._free = [number for number in independent_joints(mechanism) if number in self._driven]
        self._carried = dependent_joints(mechanism)
        self._thin = np.ascontiguousarray(self._nominal[_thinned(len(self._nominal))])
        self._places: dict[bool, list[float]] = {}
        self._least = {flag: self._least_of_pairs(flag) for flag in (False, True)}

    def margins(self, number: int) -> list[float]:
        """Of the checks in UNITS, in that order, for one variant."""
        variant = self._drawing.variant(number)
        with self._built(variant):
            motion = self._motion(variant)
            found = {
                Check.POSITION: check_position(motion, self._limits).margin.room,
                **self._rates(variant),
                Check.EFFORT: self._effort(motion, variant),
                Check.SINGULARITY: check_singularity(motion, self._bench.settings).margin.room,
                Check.CLOSURE: self._settings.play - float(motion.gaps.max()) if self._loops else math.inf,
            }
            path = np.ascontiguousarray(motion.whole[_thinned(len(motion.whole))])
            for check, with_itself in ((Check.COLLISION, False), (Check.SELF_COLLISION, True)):
                found[check] = self._nearest(path, variant, with_itself)
        return [found[check] for check in UNITS]

    @contextmanager
    def _built(self, variant: Variant) -> Iterator[None]:
        """The robot and its surroundings as they truly are in a variant."""
        around, mechanism = self._bench.around, self._bench.mechanism
        mechanism.memory.before[:] = variant.seats
        for name, pose in variant.obstacles.items():
            around.move(name, pose)
        try:
            yield
        finally:
            mechanism.memory.before[:] = self._drawing.seats
            mechanism._refresh()
            for name, pose in self._drawing.obstacles.items():
                around.move(name, pose)

    def _motion(self, variant: Variant) -> Motion:
        """The path of all joints; loops are closed from where they are in the task, and may be strained."""
        mechanism, task = self._bench.mechanism, _with_path(self._task, variant.q)
        whole, gaps = self._nominal.copy(), np.zeros(len(variant.q))
        if not self._loops:
            whole[:, self._driven] = variant.q
            return Motion(task, mechanism, whole, gaps)
        whole[:, self._free] = variant.q[:, [self._driven.index(number) for number in self._free]]
        close_path(mechanism.memory, self._carried, whole, gaps)
        return Motion(task, mechanism, whole, gaps)

    def _rates(self, variant: Variant) -> dict[Check, float]:
        """What is left of speed, acceleration and jerk; at both ends the arm need not stand quite still."""
        limits, period = self._limits, self._task.period
        rooms = {}
        for order, check, limit in (
            (1, Check.SPEED, limits.speed),
            (2, Check.ACCELERATION, limits.acceleration),
            (3, Check.JERK, limits.jerk),
        ):
            share = np.abs(np.diff(variant.q, order, axis=0)) / period**order / limit
            rooms[check] = 1.0 - float(share.max(initial=0.0))
        return rooms

    def _effort(self, motion: Motion, variant: Variant) -> float:
        masses = self._bench.masses
        if why_no_effort(self._limits, masses):
            return math.inf
        bodies = masses.bodies.copy()
        bodies.mass *= variant.masses
        bodies.inertia *= variant.masses[:, None]
        efforts = efforts_along(motion, Masses(bodies, masses.notes))
        return 1.0 - float((np.abs(efforts[1:-1]) / self._limits.effort).max(initial=0.0))

    # Distances -------------------------------------------------------------------------------------------------

    def _pairs(self, path: Floats, with_itself: bool) -> Pairs:
        mechanism, settings = self._bench.mechanism, self._bench.settings
        ignored = frozenset() if settings.made_up else made_up_frames(mechanism)
        return Pairs.around(self._bench.around, path, with_itself, ignored)

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
        change = pairs.reach @ np.abs(path - self._thin).max(axis=0)
        change += self._other_seats(pairs, path, variant) + self._moved(pairs, variant)
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

    def _other_seats(self, pairs: Pairs, path: Floats, variant: Variant) -> Floats:
        """How far points of each pair may be elsewhere since joints do not sit where they are thought to [m]."""
        around = self._bench.around
        longest = np.abs(path).max(axis=0)
        far = reaches(self._bench.mechanism, around.solids, pairs.pairs, longest, turned=True)
        moved: Floats = far @ variant.turned + (far > 0.0) @ variant.moved
        return moved

    def _moved(self, pairs: Pairs, variant: Variant) -> Floats:
        """How far points of each pair's obstacle may have moved [m]."""
        around = self._bench.around
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


def _thinned(count: int) -> Floats:
    """Numbers of the samples that are kept, the last among them."""
    return np.unique(np.append(np.arange(0, count, THIN), count - 1))


def _with_path(task: Task, q: Floats) -> Task:
    """The task with other samples, in which nothing stands quite still any more."""
    parts = tuple(Segment(s.begin, s.end, Kind.CONTACT if s.kind is Kind.CONTACT else Kind.FREE) for s in task.segments)
    return changed(task, q=q, segments=parts, marks=())
