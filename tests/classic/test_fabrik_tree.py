"""FABRIK on trees of points with several end effectors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from station.mechanism.classic import ClassicError, Status
from station.mechanism.classic.fabrik import fabrik_points, fabrik_tree
from station.mechanism.classic.results import Floats
from tests.classic.test_fabrik_points import STEPS

Y_TREE = [-1, 0, 1, 2, 3, 2, 5]  # a stem of two links, two branches of two
Y_POINTS = np.array([[0, 0, 0], [0, 1, 0], [0, 2, 0], [-0.7, 2.7, 0], [-1.4, 3.4, 0], [0.7, 2.7, 0], [1.4, 3.4, 0]])


def tree_lengths(points: object) -> Floats:
    array = np.asarray(points, dtype=float)
    return np.asarray(np.linalg.norm(array[1:] - array[Y_TREE[1:]], axis=1))


@pytest.mark.parametrize(
    ("left", "right"),
    [((-1.3, 3.0, -0.7), (0.7, 3.5, 0.2)), ((-1.5, 2.5, 0.0), (0.5, 3.5, 0.3)), ((-0.5, 2.8, 0.0), (1.0, 2.6, 0.0))],
)
def test_tree_with_two_effectors(left: tuple[float, ...], right: tuple[float, ...]) -> None:
    found = fabrik_tree(Y_TREE, Y_POINTS, {4: left, 6: right})
    assert found.status is Status.SOLVED
    assert 2 <= found.iterations <= 6
    assert max(found.errors.values()) <= 1e-3
    assert tree_lengths(found.points) == pytest.approx(tree_lengths(Y_POINTS), abs=1e-12)
    assert found.points[0].tolist() == [0.0, 0.0, 0.0]


def test_tree_with_conflicting_targets_ends() -> None:
    found = fabrik_tree(Y_TREE, Y_POINTS, {4: [-5.0, 0.0, 0.0], 6: [5.0, 0.0, 0.0]}, max_iterations=50)
    assert found.status in (Status.STALLED, Status.CAPPED)
    assert found.iterations <= 50
    assert all(math.isfinite(error) and error > 1.0 for error in found.errors.values())
    assert tree_lengths(found.points) == pytest.approx(tree_lengths(Y_POINTS), abs=1e-12)


def test_tree_with_one_branch_is_a_chain() -> None:
    chain = fabrik_points(STEPS, [0.5, 1.8, 0.4], 1e-6)
    tree = fabrik_tree([-1, 0, 1, 2], STEPS, {3: [0.5, 1.8, 0.4]}, 1e-6)
    assert (tree.status, tree.iterations) == (chain.status, chain.iterations)
    assert tree.points == pytest.approx(chain.points, abs=1e-12)


@pytest.mark.parametrize(
    ("parents", "targets", "text"),
    [
        ([0, 0, 1, 2], {3: [0, 0, 0]}, "the first point is the root"),
        ([-1, 0, 3, 2], {3: [0, 0, 0]}, "the first point is the root"),
        ([-1, 0, 1, 2], {}, "at least one"),
        ([-1, 0, 1, 2], {4: [0, 0, 0]}, "points 1 to 3"),
        ([-1, 0, 1, 2], {3: [0, 0]}, "one finite point"),
        ([-1, 0, 1], {2: [0, 0, 0]}, "one finite point"),
    ],
)
def test_what_is_not_a_tree_is_refused(parents: list[int], targets: dict[int, list[float]], text: str) -> None:
    with pytest.raises(ClassicError, match=text):
        fabrik_tree(parents, STEPS, targets)
