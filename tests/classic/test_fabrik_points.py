"""FABRIK on bare points: the figures of the sheet and what must always hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from station.mechanism.classic import ClassicError, Status
from station.mechanism.classic.fabrik import fabrik_points
from station.mechanism.classic.results import Floats

STRAIGHT = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]]
STEPS = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [2.0, 1.0, 0.0]]
COORDINATES = st.floats(-5.0, 5.0)
POINTS = st.tuples(COORDINATES, COORDINATES, COORDINATES)


def lengths(points: object) -> Floats:
    return np.asarray(np.linalg.norm(np.diff(np.asarray(points), axis=0), axis=1))


def test_first_iteration_as_in_the_sheet() -> None:
    found = fabrik_points(STRAIGHT, [1.0, 1.5, 0.0], max_iterations=1)
    expected = [[0, 0], [0.993931, -0.110005], [1.578676, 0.701212], [0.992005, 1.511037]]
    assert found.status is Status.CAPPED
    assert found.points[:, :2] == pytest.approx(np.array(expected), abs=1e-6)


@pytest.mark.parametrize(("tolerance", "iterations"), [(1e-2, 2), (1e-3, 2), (1e-6, 4)])
def test_iterations_as_in_the_sheet(tolerance: float, iterations: int) -> None:
    found = fabrik_points(STRAIGHT, [1.0, 1.5, 0.0], tolerance)
    assert (found.status, found.iterations) == (Status.SOLVED, iterations)
    assert found.error <= tolerance
    assert lengths(found.points) == pytest.approx(np.ones(3), abs=1e-12)
    assert found.points[0].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(("part", "iterations"), [(0.90, 7), (0.95, 15), (0.99, 56), (1.00, 499)])
def test_it_slows_down_near_full_extension(part: float, iterations: int) -> None:
    found = fabrik_points(STEPS, [0.0, 3.0 * part, 0.0], 1e-3, 1000)
    assert (found.status, found.iterations) == (Status.SOLVED, iterations)


def test_out_of_reach_is_stretched_towards() -> None:
    found = fabrik_points(STRAIGHT, [4.0, 3.0, 0.0])
    assert found.status is Status.UNREACHABLE
    assert found.points[1:, :2] == pytest.approx(np.array([[0.8, 0.6], [1.6, 1.2], [2.4, 1.8]]))
    assert found.error == pytest.approx(2.0)


def test_in_line_with_the_target_the_plain_method_stalls() -> None:
    found = fabrik_points(STRAIGHT, [1.5, 0.0, 0.0])
    assert found.status is Status.STALLED
    assert found.points[-1] == pytest.approx([1.0, 0.0, 0.0])
    assert found.error == pytest.approx(0.5)
    bent = fabrik_points(STRAIGHT, [1.5, 0.0, 0.0], bend=True)
    assert bent.status is Status.SOLVED
    assert lengths(bent.points) == pytest.approx(np.ones(3), abs=1e-12)


def test_hole_around_the_base() -> None:
    found = fabrik_points([[0.0, 0.0], [3.0, 0.0], [3.5, 0.1]], [0.5, 0.3])
    assert found.status is Status.UNREACHABLE
    assert found.error == pytest.approx(1.907, abs=1e-3)


def test_target_on_the_base_and_points_in_one_place() -> None:
    assert fabrik_points(STRAIGHT, [0.0, 0.0, 0.0], bend=True).status is Status.SOLVED
    double = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    found = fabrik_points(double, [1.2, 0.5, 0.0], bend=True)
    assert found.status is Status.SOLVED
    assert lengths(found.points) == pytest.approx([0.0, 1.0, 1.0])
    assert fabrik_points(STEPS, [2.0, 1.0, 0.0]).iterations == 0


@given(st.lists(POINTS, min_size=2, max_size=8), POINTS)
@example([(0.0, 0.0, 0.0), (0.0, 2e-162, 1e-162), (1.0, 0.0, 0.0)], (0.0, 1e-161, 0.0))
@example([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)], (0.0, 2.2e-162, 1.1e-162))
@settings(max_examples=150, deadline=None)
def test_lengths_base_and_honesty_always(points: list[tuple[float, float, float]], target: tuple[float, ...]) -> None:
    before = lengths(points)
    found = fabrik_points(points, target, 1e-4, 60, bend=True)
    assert found.iterations <= 60
    assert found.points[0].tolist() == list(points[0])
    assert lengths(found.points) == pytest.approx(before, abs=1e-12)
    assert found.error == pytest.approx(math.dist(found.points[-1], target), abs=1e-15)
    assert (found.error <= 1e-4) == (found.status is Status.SOLVED)


def test_random_targets_within_reach_are_reached() -> None:
    random = np.random.default_rng(0)
    for _ in range(100):
        directions = random.normal(size=(6, 3))
        directions /= np.linalg.norm(directions, axis=1)[:, None]
        target = directions.sum(axis=0)
        start = np.concatenate([np.zeros((1, 3)), np.cumsum(random.normal(size=(6, 3)), axis=0)])
        size = lengths(start)
        target *= min(1.0, 0.95 * size.sum() / np.linalg.norm(target))
        if np.linalg.norm(target) < 2 * size.max() - size.sum():
            continue
        assert fabrik_points(start, target, 1e-4, 500).status is Status.SOLVED


def test_what_is_not_a_chain_is_refused() -> None:
    with pytest.raises(ClassicError, match="needs points"):
        fabrik_points([[0.0, 0.0, 0.0]], [1.0, 0.0, 0.0])
    with pytest.raises(ClassicError, match="finite"):
        fabrik_points(STRAIGHT, [math.nan, 0.0, 0.0])
