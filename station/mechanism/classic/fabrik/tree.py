"""FABRIK on a tree of points with several end effectors (sheet 7.2).

The book does not say where a shared sub-base goes in stage 1; here it is the centroid of what its branches propose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from station.mechanism.classic.errors import ClassicError
from station.mechanism.classic.fabrik.points import STALL, at_distance
from station.mechanism.classic.results import Floats, Status

ROOT = -1


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
