"""Distances along a whole path, between samples too: where they are too small, and the smallest.

Two solids that are d apart cannot be nearer than x before a point has moved by d - x, as seen by the other; how far
points can move is bounded by how far joints move (station/collision/passage.py). So one goes on by the distance beyond
the least that was found so far, and looks again: most samples are never looked at, and none that matters is missed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from station.collision import Surroundings
from station.collision.pairs import Candidate
from station.collision.passage import Exact, reaches
from station.collision.results import Pair
from station.tasks.task.model import Floats

TOLERANCE = 1e-3  # to which the least distance is found [m]
FIRST_LOOKS = 24  # at every pair
PAST = 1e-6  # a stretch that is left out [samples]


class Touch(NamedTuple):
    """A stretch of a path with too small a distance."""

    pair: Pair
    first: float  # sample, may be a fraction
    last: float
    worst: float
    distance: float  # the least in it [m]


class Nearest(NamedTuple):
    """The least distance of a path, found to within TOLERANCE."""

    distance: float  # [m]; infinite: there is nothing to touch
    pair: Pair | None
    sample: float


class Survey(NamedTuple):
    """What was found along a path."""

    touches: list[Touch]
    nearest: Nearest
    queries: int


class Way:
    """How far points of a pair may have moved along a path: a bound that grows with every sample."""

    def __init__(self, steps: Floats, reach: Floats) -> None:
        self.moved = np.concatenate([[0.0], np.cumsum(steps @ reach)])
        self.last = len(self.moved) - 1

    def after(self, at: float, distance: float) -> float:
        """Where a point may have moved by a distance since `at`; infinite: not before the end."""
        segment = min(int(at), self.last - 1)
        here = self.moved[segment] + (self.moved[segment + 1] - self.moved[segment]) * (at - segment)
        wanted = here + distance
        if wanted >= self.moved[-1]:
            return math.inf
        after = max(int(np.searchsorted(self.moved, wanted, side="left")), 1)
        span = self.moved[after] - self.moved[after - 1]
        return float(after - 1 + ((wanted - self.moved[after - 1]) / span if span > 0.0 else 0.0))


def place_at(path: Floats, at: float) -> Floats:
    """Joints at a sample, or between two."""
    segment = min(int(at), len(path) - 2)
    share = at - segment
    return np.array(path[segment]) if share <= 0.0 else (1.0 - share) * path[segment] + share * path[segment + 1]


class Pairs(NamedTuple):
    """Pairs that are looked at, with bounds of their motion for a path."""

    names: Sequence[Pair]
    pairs: Sequence[Candidate]
    reach: Floats  # how far points may move per joint motion, see `reaches`
    exact: Exact

    @classmethod
    def around(
        cls, around: Surroundings, path: Floats, with_itself: bool, ignored: frozenset[int] = frozenset()
    ) -> Pairs:
        """Those of a robot with obstacles or with itself; `ignored` are frames that may touch each other."""
        chosen = [
            k
            for k, name in enumerate(around.pairs)
            if name.with_itself == with_itself
            and not (with_itself and {around.solids[number].frame or 0 for number in around._pairs[k]} <= ignored)
        ]
        pairs = [around._pairs[k] for k in chosen]
        reach = reaches(around.mechanism, around.solids, pairs, np.abs(path).max(axis=0))
        return cls([around.pairs[k] for k in chosen], pairs, reach, around._exact)


def survey(
    pairs: Pairs, path: Floats, clearance: float, skipped: Sequence[tuple[float, float]] = (), skip: Sequence[bool] = ()
) -> Survey:
    """Touches of all pairs, and the least distance.

    Args:
        pairs: that are looked at.
        path: n×joints [rad | m].
        clearance: distance that is too small [m].
        skipped: stretches in which some pairs may touch.
        skip: which pairs these are.
    """
    steps = np.abs(np.diff(path, axis=0))
    before = pairs.exact.count
    touches: list[Touch] = []
    # A first look here and there: the smaller the least distance is known to be, the further one can go each time.
    best = Nearest(math.inf, None, 0.0)
    for at in np.linspace(0.0, len(path) - 1, FIRST_LOOKS):
        for number in range(len(pairs.pairs)):
            if not (skip and skip[number] and any(first <= at <= last for first, last in skipped)):
                best = looked(pairs, number, path, float(at), best)
    for number, pair in enumerate(pairs.pairs):
        way = Way(steps, pairs.reach[number])
        over = skipped if skip and skip[number] else ()
        found, best = _one(pairs.exact, path, pair, pairs.names[number], way, clearance, best, over)
        touches += found
    return Survey(sorted(touches, key=lambda touch: touch.first), best, pairs.exact.count - before)


def _one(
    exact: Exact,
    path: Floats,
    pair: Candidate,
    name: Pair,
    way: Way,
    clearance: float,
    best: Nearest,
    over: Sequence[tuple[float, float]],
    tolerance: float = TOLERANCE,
) -> tuple[list[Touch], Nearest]:
    touches: list[Touch] = []
    current: Touch | None = None
    at = _beyond(0.0, over)
    while at <= way.last:
        exact.put(place_at(path, at))
        distance = exact.measure(*pair)
        if distance < best.distance:
            best = Nearest(distance, name, at)
        if distance <= clearance:
            current = _widened(current, name, at, distance)
            ahead = clearance - distance
        else:
            if current is not None:
                touches.append(current)
                current = None
            ahead = distance - max(min(best.distance, distance), clearance)
        following = way.after(at, ahead + tolerance)
        if following > way.last and at < way.last and current is not None:
            following = float(way.last)  # to see how it ends
        resumed = _beyond(following, over)
        if resumed != following and current is not None:
            touches.append(current)
            current = None
        at = resumed
    if current is not None:
        touches.append(current)
    return touches, best


def looked(pairs: Pairs, number: int, path: Floats, at: float, best: Nearest) -> Nearest:
    """The distance of one pair at one place, if it is less than the best so far; else that."""
    pairs.exact.put(place_at(path, at))
    distance = pairs.exact.measure(*pairs.pairs[number])
    return Nearest(distance, pairs.names[number], at) if distance < best.distance else best


def least_along(
    exact: Exact,
    path: Floats,
    pair: Candidate,
    name: Pair,
    way: Way,
    best: Nearest,
    over: Sequence[tuple[float, float]],
    tolerance: float = TOLERANCE,
) -> Nearest:
    """The least distance of one pair along a path, if it is less than the best so far; else that."""
    return _one(exact, path, pair, name, way, -math.inf, best, over, tolerance)[1]


def _widened(current: Touch | None, name: Pair, at: float, distance: float) -> Touch:
    if current is None:
        return Touch(name, at, at, at, distance)
    if distance < current.distance:
        return current._replace(last=at, worst=at, distance=distance)
    return current._replace(last=at)


def _beyond(at: float, over: Sequence[tuple[float, float]]) -> float:
    """The next place that is not within a stretch that is left out."""
    for first, last in over:
        if first <= at <= last:
            return last + PAST
    return at
