"""Assembly modes: all ways in which the loops of a robot close while something of it is held.

Held are the driven joints (how can this robot stand, its motors where they are?) or the pose of a frame (with which
joint values is its tool here?). Other joints begin anywhere, within their stops and without in turns, the solver of the
loops does the rest, and what it finds is told apart by the poses of some frames, or by the driven joints: the joints
of a rod's ends can be counted in many ways that all look alike. Random starts find nothing for certain; so the search
ends when it has found everything several times, or when its starts are used up, and says which.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from station.kernel import Bools, Floats, Ints
from station.kernel.se3 import difference
from station.mechanism.assembly import CLOSED, Gap, close_loops, come_nearer, gap_of, squared_gap
from station.mechanism.closures import is_lost
from station.mechanism.mechanism import ALL_AXES, SEARCH_TURNS, Mechanism
from station.mechanism.memory import JointKind, MechanismMemory
from station.mechanism.reach import search
from station.mechanism.results import MechanismError

SEED = 1998
STARTS = 3000  # most of them
LEAST_STARTS = 400
OFTEN = 8  # times each one is found before the search ends early
STRANGE = 1e-3  # how far a frame is out of where it ever moves, at least [m, rad]
SAME = 1e-5  # bodies this near, in lengths of the robot and radians, are in the same place
INSIDE = 1e-9  # by which a joint may be beyond a stop [rad | m]


class Assembly(NamedTuple):
    """One way of being assembled."""

    q: Floats  # joint values [rad | m]
    times: int  # it was found
    ways: int  # of counting its other joints, that were found; all look alike
    gap: Gap  # what stays open of any loop [m], [rad]
    beyond: tuple[int, ...]  # ids of links that are beyond their stops there
    strange: bool  # it is where the robot never moves to, such as a Delta with its platform turned
    side: int  # +1 or -1: a singularity lies on every way between two that differ in it; 0: none to speak of, or at one


class Assemblies(NamedTuple):
    """All that were found, where the robot is first, then by how far they are from there; strange ones last."""

    found: tuple[Assembly, ...]
    starts: int  # that were tried
    closed: int  # of them, that ended with closed loops
    enough: bool  # every one was found several times; False: the starts were used up before that
    loose: int  # motions that are left though all is held: there are infinitely many ways then, of which some are told


Tell = Callable[[int, int], object]  # starts so far, assemblies so far


def of_joints(
    arm: Mechanism,
    held: Sequence[int],
    frames: Sequence[int | str] = (),
    *,
    starts: int = STARTS,
    seed: int = SEED,
    tell: Tell | None = None,
) -> Assemblies:
    """Assemblies with some joints (by number) held where they are, told apart by the poses of frames; none: of all."""
    mem, q = arm.memory, arm.q
    if not len(mem.residual):
        raise MechanismError(f"robot {arm.robot.name} has no loop, and so a single assembly")
    others = np.array([number for number in range(len(q)) if number not in set(held)], dtype=np.int64)

    def close(start: Floats) -> bool:
        if mem.strained:
            close_loops(mem, start)
            return come_nearer(mem, start.copy(), start) and not is_lost(mem)
        return close_loops(mem, start) <= CLOSED

    def look(_: Floats) -> Floats:
        if not frames:
            return _placed(mem.position, mem.rotation, mem.length)
        poses = np.array([arm.pose(frame) for frame in frames])
        return _placed(poses[:, :3, 3], poses[:, :3, :3], mem.length)

    still = [_still_axes(arm, frame) for frame in frames]
    here = [arm.pose(frame) for frame in frames]

    def is_strange() -> bool:
        return any(
            np.abs(difference(begin, arm.pose(frame))[axes]).max(initial=0.0) > STRANGE
            for frame, begin, axes in zip(frames, here, still, strict=True)
        )

    with _as_before(mem):
        hunt = _Hunt(arm, others, close, look, _loose(mem, q, others), is_strange)
        return hunt.run(starts, np.random.default_rng(seed), tell)


def _still_axes(arm: Mechanism, frame: int | str) -> Bools:
    """Along and about which of the six axes of the world a frame hardly ever moves."""
    return np.array([arm.rank(frame, axis) == 0 for axis in ALL_AXES.split()])


def of_pose(
    arm: Mechanism, frame: int | str, *, starts: int = STARTS, seed: int = SEED, tell: Tell | None = None
) -> Assemblies:
    """Assemblies with a frame held at the pose where it is, told apart by the driven joints."""
    mem, q, number = arm.memory, arm.q, arm.frame_number(frame)
    target, nowhere = arm.pose(frame), np.zeros((0, len(q)))
    driven = [place for place, joint in enumerate(arm.joints) if joint.active] or list(range(len(q)))
    turns = mem.joint_kind[driven] == JointKind.REVOLUTE
    loose = arm.mobility - arm.rank(frame)

    def close(start: Floats) -> bool:
        if len(mem.residual):
            close_loops(mem, start)
        found = start.copy()
        reached, _, _ = search(mem, number, target, 63, nowhere, 3 * SEARCH_TURNS, 1e-9, 1e-9, start, found)
        start[:] = found
        return bool(reached)

    def look(values: Floats) -> Floats:
        ours = values[driven]
        return np.concatenate([np.cos(ours[turns]), np.sin(ours[turns]), ours[~turns] / mem.length])

    with _as_before(mem):
        return _Hunt(arm, np.arange(len(q)), close, look, loose).run(starts, np.random.default_rng(seed), tell)


def _placed(position: Floats, rotation: Floats, length: float) -> Floats:
    return np.concatenate([(position / length).ravel(), rotation.ravel()])


def _loose(mem: MechanismMemory, q: Floats, others: Ints) -> int:
    """How many motions the other joints have left while the held ones stand still."""
    squared_gap(mem, q, True)
    values = np.linalg.svd(mem.matrix[:, others], compute_uv=False)
    strong = int((values > 0.01 * values.max(initial=0.0)).sum()) if mem.strained else int((values > 1e-9).sum())
    return len(others) - min(strong, int(mem.closure_rank))


@contextmanager
def _as_before(mem: MechanismMemory) -> Iterator[None]:
    """Stops and joint values are what they were afterwards."""
    low, high, values = mem.q_min.copy(), mem.q_max.copy(), mem.q.copy()
    try:
        yield
    finally:
        mem.q_min[:], mem.q_max[:], mem.q[:] = low, high, values
        mem.followed = 0
        squared_gap(mem, mem.q, False)


class _Kind:
    """Configurations that look alike."""

    def __init__(self, look: Floats, strange: bool) -> None:
        self.look, self.strange, self.times = look, strange, 0
        self.ways: list[Floats] = []  # bodies, of each way of counting the other joints
        self.best: Floats | None = None  # joint values, within the stops if any are
        self.rank = (math.inf, math.inf)  # links beyond their stops, and how far from where the robot was


class _Hunt:
    """Starts, what they led to, and what of it is new."""

    def __init__(
        self,
        arm: Mechanism,
        others: Ints,
        close: Callable[[Floats], bool],
        look: Callable[[Floats], Floats],
        loose: int,
        is_strange: Callable[[], bool] = lambda: False,
    ) -> None:
        self._arm, self._mem, self._others, self._close, self._look = arm, arm.memory, others, close, look
        self._loose, self._here, self._kinds, self._is_strange = loose, arm.q, list[_Kind](), is_strange
        mem = self._mem
        self._stops = mem.q_min.copy(), mem.q_max.copy()
        widest = np.where(mem.joint_kind == JointKind.REVOLUTE, math.pi, 4.0 * mem.length)
        low, high = self._stops
        self._low = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2.0 * widest, -widest))
        self._high = np.where(np.isfinite(high), high, self._low + 2.0 * widest)
        self._widest = widest

    def run(self, starts: int, generator: np.random.Generator, tell: Tell | None) -> Assemblies:
        closed, tried, enough = 0, 0, False
        self._add(self._here.copy())
        while tried < starts and not enough:
            q = self._begin(generator, within_stops=tried % 2 == 0)
            tried += 1
            if self._close(q) and np.isfinite(q).all():
                if self._loose:  # one of infinitely many: the one nearest to where the robot is
                    come_nearer(self._mem, self._here, q)
                closed += 1
                self._add(q)
            if tell is not None and tried % 20 == 0:
                tell(tried, len(self._kinds))
            enough = tried >= LEAST_STARTS and min(kind.times for kind in self._kinds if not kind.strange) >= OFTEN
        return Assemblies(self._sorted(), tried, closed, enough, self._loose)

    def _begin(self, generator: np.random.Generator, *, within_stops: bool) -> Floats:
        """Somewhere; and the stops that count on the way from there. Held joints have no room at all."""
        mem, q, others = self._mem, self._here.copy(), self._others
        mem.q_min[:] = mem.q_max[:] = self._here
        share = generator.uniform(size=len(q))
        if within_stops:
            low, high = self._low, self._high
            mem.q_min[others], mem.q_max[others] = self._stops[0][others], self._stops[1][others]
        else:
            turns = mem.joint_kind == JointKind.REVOLUTE  # sliding joints mostly are where their stops let them be
            low, high = np.where(turns, -self._widest, self._low), np.where(turns, self._widest, self._high)
            mem.q_min[others], mem.q_max[others] = -math.inf, math.inf
        q[others] = (low + share * (high - low))[others]
        return q

    def _add(self, q: Floats) -> None:
        mem = self._mem
        squared_gap(mem, q, False)
        look, bodies = self._look(q), _placed(mem.position, mem.rotation, mem.length)
        kind = next((known for known in self._kinds if np.abs(known.look - look).max() < SAME), None)
        if kind is None:
            kind = _Kind(look, self._is_strange())
            self._kinds.append(kind)
        kind.times += 1
        if any(np.abs(known - bodies).max() < SAME for known in kind.ways):
            return
        kind.ways.append(bodies)
        counted = self._counted(q)
        away = counted - self._here
        rank = (float(len(self._beyond(counted))), round(float(np.linalg.norm(away)), 6))
        if rank < kind.rank:
            kind.best, kind.rank = counted, rank

    def _counted(self, q: Floats) -> Floats:
        """The same angles, counted so that joints are within their stops if they can be, else nearest to 0."""
        q = q.copy()
        for number, joint in enumerate(self._arm.joints):
            if self._mem.joint_kind[number] == JointKind.REVOLUTE and number in self._others:
                low, high = joint.limits or (-math.pi, math.pi)
                q[number] -= 2.0 * math.pi * round((q[number] - 0.5 * (low + high)) / (2.0 * math.pi))
        return q

    def _sorted(self) -> tuple[Assembly, ...]:
        here = self._kinds[0].look
        order = sorted(self._kinds, key=lambda kind: (kind.strange, round(float(np.linalg.norm(kind.look - here)), 6)))
        values = [self._here if kind is self._kinds[0] or kind.best is None else kind.best for kind in order]
        made = []
        for kind, q, side in zip(order, values, self._sides(values), strict=True):
            squared_gap(self._mem, q, False)
            gap, beyond = gap_of(self._mem), self._beyond(q)
            made.append(Assembly(q.copy(), kind.times, len(kind.ways), gap, beyond, kind.strange, side))
        return tuple(made)

    def _beyond(self, q: Floats) -> tuple[int, ...]:
        joints = zip(self._arm.joints, q, strict=True)
        return tuple(
            joint.id
            for joint, value in joints
            if joint.limits is not None and not joint.limits[0] - INSIDE <= value <= joint.limits[1] + INSIDE
        )

    def _sides(self, values: Sequence[Floats]) -> list[int]:
        """The sign of the determinant of the loops against the joints that are not held, by the same rows for all."""
        others, mem = self._others, self._mem
        # Joints that can be counted in several ways change the sign with each.
        counted_once = all(len(kind.ways) == 1 for kind in self._kinds)
        if self._loose or not counted_once or len(others) != mem.closure_rank:
            return [0] * len(values)
        squared_gap(mem, self._here, True)
        chosen = _independent_rows(mem.matrix[:, others], int(mem.closure_rank))
        sides = []
        for q in values:
            squared_gap(mem, q, True)
            sign, _ = np.linalg.slogdet(mem.matrix[np.ix_(chosen, others)])
            sides.append(int(sign))
        return sides


def _independent_rows(rows: Floats, rank: int) -> Ints:
    """As many rows as the rank is, that say something of their own."""
    left, chosen = rows.copy(), list[int]()
    for _ in range(rank):
        row = int(np.argmax(np.linalg.norm(left, axis=1)))
        way = left[row] / np.linalg.norm(left[row])
        left -= np.outer(left @ way, way)
        chosen.append(row)
    return np.array(sorted(chosen), dtype=np.int64)
