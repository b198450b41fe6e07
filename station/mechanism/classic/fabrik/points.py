"""FABRIK on bare points (Aristidou and Lasenby 2011; sheet 7.1): a chain of rods with free ball joints, or a tree.

It works alike in two and in three dimensions. 'Forward' reaching runs from the tip to the base, as in the book.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from station.kernel import Floats1, Floats2, entry, kernel
from station.mechanism.classic.results import ClassicError, Floats, Status

STALL = 1e-12  # the tip moves less than this in one iteration: no progress any more [m]
SAME = 1e-100  # nearer than this, squares of distances are no numbers to count on [m]
ROOT = -1  # parent of the first point of a tree
BEND = 0.01  # part of its length by which a straight chain is bent to leave a line it could not leave by itself


class PointSolution(NamedTuple):
    """Where the points ended up; lengths between them are those of the start."""

    status: Status
    points: Floats  # (n, 3) or (n, 2) [m]
    iterations: int
    error: float  # distance of the last point to the target [m]


@kernel
def _pull(points: Floats2, moved: int, fixed: int, length: float) -> None:
    """Put one point at `length` from another, on the line between them."""
    distance = _distance(points[moved], points[fixed])
    if distance < SAME:  # two points in one place have no line between them: take the x axis
        _put(points, moved, points[fixed])
        points[moved, 0], distance = points[moved, 0] + 1.0, 1.0
    for k in range(points.shape[1]):
        points[moved, k] = points[fixed, k] + length / distance * (points[moved, k] - points[fixed, k])


@kernel
def _put(points: Floats2, i: int, place: Floats1) -> None:
    for k in range(points.shape[1]):
        points[i, k] = place[k]


@kernel
def _distance(a: Floats1, b: Floats1) -> float:
    square = 0.0
    for k in range(a.size):
        square += (a[k] - b[k]) ** 2
    return math.sqrt(square)


@entry(inline=True)
def forward_reach(points: Floats2, lengths: Floats1, target: Floats1) -> None:
    """Stage 1, from the tip to the base, in place: the last point on the target, the others drawn along."""
    last = len(points) - 1
    _put(points, last, target)
    for i in range(last - 1, -1, -1):
        _pull(points, i, i + 1, lengths[i])


@kernel
def backward_reach(points: Floats2, lengths: Floats1, base: Floats1) -> None:
    """Stage 2, from the base to the tip, in place: the first point back on the base, the others drawn along."""
    _put(points, 0, base)
    for i in range(len(points) - 1):
        _pull(points, i + 1, i, lengths[i])


@entry
def _iterate(
    points: Floats2, lengths: Floats1, base: Floats1, target: Floats1, tolerance: float, max_iterations: int
) -> tuple[int, bool]:
    """Both stages, in place, again and again; says how often, and whether the tip stood still at the end."""
    tip = np.empty((1, base.size))
    for iteration in range(max_iterations):
        if _distance(points[-1], target) <= tolerance:
            return iteration, False
        _put(tip, 0, points[-1])
        forward_reach(points, lengths, target)
        backward_reach(points, lengths, base)
        if _distance(points[-1], tip[0]) < STALL:
            return iteration + 1, True
    return max_iterations, False


@entry
def arrange(points: Floats2, lengths: Floats1, target: Floats1, bend: bool) -> float:
    """Treat what iterating cannot, in place; returns how far the target is out of reach [m].

    A target that is too far (> 0) or too near (< 0) gets the nearest pose: all points on the line to it, stretched or
    folded. With `bend`, a chain that lies in one line with its target is bent a little, so that it can leave that line.
    """
    size, links = points.shape[1], lengths.size
    distance, reach, longest = _distance(points[0], target), 0.0, 0
    for i in range(links):
        reach += lengths[i]
        longest = i if lengths[i] > lengths[longest] else longest
    hole = 2.0 * lengths[longest] - reach
    along = np.zeros(size)
    _direct(along, points[0], target if distance >= SAME else points[links])
    if distance > reach or distance < hole:
        for i in range(links):
            step = -lengths[i] if distance < hole and i != longest else lengths[i]
            for k in range(size):
                points[i + 1, k] = points[i, k] + step * along[k]
        return float(distance - reach if distance > reach else distance - hole)
    if bend and links > 1 and _beside(points, along) < 1e-9 * reach:
        least = 0
        for k in range(size):
            least = k if abs(along[k]) < abs(along[least]) else least
        for i in range(1, links):
            for k in range(size):
                across = (1.0 if k == least else 0.0) - along[least] * along[k]
                points[i, k] += BEND * reach * across
        for i in range(links):
            _pull(points, i + 1, i, lengths[i])
    return 0.0


@kernel
def _direct(along: Floats1, start: Floats1, end: Floats1) -> None:
    """Unit vector from one point to another, into `along`; the x axis if they are in one place."""
    distance = _distance(start, end)
    for k in range(along.size):
        along[k] = (end[k] - start[k]) / distance if distance >= SAME else (1.0 if k == 0 else 0.0)


@kernel
def _beside(points: Floats2, along: Floats1) -> float:
    """Largest distance of any point from the line through the first [m]."""
    largest = 0.0
    for i in range(1, len(points)):
        forth, square = 0.0, 0.0
        for k in range(along.size):
            forth += (points[i, k] - points[0, k]) * along[k]
        for k in range(along.size):
            square += (points[i, k] - points[0, k] - forth * along[k]) ** 2
        largest = max(largest, square)
    return math.sqrt(largest)


def out_of_reach(excess: float) -> str:
    """The answer of `arrange` in words; empty where the target is within reach."""
    if excess > 0.0:
        return f"the target is {excess:.6g} m beyond the stretched chain"
    if excess < 0.0:
        return f"the target is {-excess:.6g} m inside the hole that the longest link leaves around the base"
    return ""


def at_distance(point: Floats, centre: Floats, distance: float) -> Floats:
    """The point at `distance` from `centre` towards `point` (along x if they are in one place)."""
    way = point - centre
    size = np.linalg.norm(way)
    direction = way / size if size > 0.0 else np.eye(len(way))[0]
    placed: Floats = centre + distance * direction
    return placed


def fabrik_points(
    points: ArrayLike, target: ArrayLike, tolerance: float = 1e-3, max_iterations: int = 100, bend: bool = False
) -> PointSolution:
    """Move a chain of points, the first fixed, until the last is at the target.

    Args:
        points: start, (n, 3) or (n, 2) [m].
        target: where the last point shall go [m].
        tolerance: largest distance between them at the end [m].
        max_iterations: hard bound.
        bend: bend a chain that lies in one line with the target; the plain method of the book stays on that line.
    """
    chain, goal = (np.array(given, dtype=float, order="C") for given in (points, target))
    if chain.ndim != 2 or len(chain) < 2 or goal.shape != chain.shape[1:]:
        raise ClassicError(f"needs points (n, 3) and a target (3), not {chain.shape} and {goal.shape}")
    if not (np.isfinite(chain).all() and np.isfinite(goal).all()):
        raise ClassicError("points and target must be finite")
    if math.dist(chain[-1], goal) <= tolerance:
        return PointSolution(Status.SOLVED, chain, 0, math.dist(chain[-1], goal))
    lengths = np.sqrt((np.diff(chain, axis=0) ** 2).sum(axis=1))
    iterations, still = 0, False
    excess = arrange(chain, lengths, goal, bend)
    if excess == 0.0:
        iterations, still = _iterate(chain, lengths, chain[0].copy(), goal, tolerance, max_iterations)
    error = math.dist(chain[-1], goal)
    if error <= tolerance:
        return PointSolution(Status.SOLVED, chain, iterations, error)
    if excess != 0.0:
        return PointSolution(Status.UNREACHABLE, chain, iterations, error)
    return PointSolution(Status.STALLED if still else Status.CAPPED, chain, iterations, error)


# A tree of points with several end effectors (sheet 7.2). The book does not say where a shared sub-base goes in stage
# 1; here it is the centroid of what its branches propose.


class TreeSolution(NamedTuple):
    """Where the points ended up; lengths between them are those of the start."""

    status: Status
    points: Floats  # (n, 3) [m]
    iterations: int
    errors: dict[int, float]  # distance of each end effector to its target, by point [m]


def fabrik_tree(
    parents: Sequence[int],
    points: ArrayLike,
    targets: Mapping[int, ArrayLike],
    tolerance: float = 1e-3,
    max_iterations: int = 200,
) -> TreeSolution:
    """Move a tree of points, the root fixed, until each end effector is at its target.

    Args:
        parents: of each point the one nearer to the root, which comes before it; -1 for the root, the first.
        points: start, (n, 3) [m].
        targets: where points shall go, by number [m]. Targets that contradict each other are met as far as the
            method comes, within `max_iterations`.
        tolerance: largest distance of any end effector at the end [m].
        max_iterations: hard bound.
    """
    tree = np.array(points, dtype=float)
    goals = {node: np.array(target, dtype=float) for node, target in targets.items()}
    _check(parents, tree, goals)
    lengths = [float(np.linalg.norm(tree[i] - tree[parent])) if i else 0.0 for i, parent in enumerate(parents)]
    root = tree[0].copy()
    iterations, moved = 0, np.inf
    while True:
        errors = {node: float(np.linalg.norm(tree[node] - goal)) for node, goal in goals.items()}
        if max(errors.values()) <= tolerance:
            return TreeSolution(Status.SOLVED, tree, iterations, errors)
        if moved < STALL or iterations >= max_iterations:
            return TreeSolution(Status.STALLED if moved < STALL else Status.CAPPED, tree, iterations, errors)
        before = tree.copy()
        _to_root(parents, tree, lengths, goals)
        tree[0] = root
        for i in range(1, len(tree)):
            tree[i] = at_distance(tree[i], tree[parents[i]], lengths[i])
        moved = float(np.abs(tree - before).max())
        iterations += 1


def _to_root(parents: Sequence[int], tree: Floats, lengths: Sequence[float], goals: Mapping[int, Floats]) -> None:
    """Stage 1, in place; branches without a target propose nothing and follow in stage 2."""
    proposals: list[list[Floats]] = [[] for _ in parents]
    for i in range(len(tree) - 1, 0, -1):
        if i in goals:
            tree[i] = goals[i]
        elif proposals[i]:
            tree[i] = np.mean(proposals[i], axis=0)
        else:
            continue
        proposals[parents[i]].append(at_distance(tree[parents[i]], tree[i], lengths[i]))


def _check(parents: Sequence[int], tree: Floats, goals: Mapping[int, Floats]) -> None:
    if tree.ndim != 2 or len(tree) != len(parents) or not np.isfinite(tree).all():
        raise ClassicError(f"needs one finite point (n, 3) for each of {len(parents)} parents, not {tree.shape}")
    if not parents or parents[0] != ROOT or not all(0 <= parents[i] < i for i in range(1, len(parents))):
        raise ClassicError(f"the first point is the root (parent -1), each other follows its parent: {list(parents)}")
    wrong = [node for node in goals if not 0 < node < len(parents)]
    if wrong or not goals:
        raise ClassicError(f"targets name points 1 to {len(parents) - 1}, at least one, not {wrong or 'none'}")
    if any(goal.shape != tree.shape[1:] or not np.isfinite(goal).all() for goal in goals.values()):
        raise ClassicError("each target is one finite point")
