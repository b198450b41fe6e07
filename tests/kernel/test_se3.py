"""Poses: laws of the group, points there and back, differences; and vectors of three."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from station.kernel import se3, so3, vectors
from station.kernel.vectors import Vector

Array = NDArray[np.float64]

parts = st.floats(-3.0, 3.0)
triples = st.tuples(parts, parts, parts)


def pose_of(turn: Vector, place: Vector) -> Array:
    """4×4 of a rotation vector [rad] and a place [m]."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = so3.rotation(np.array(turn)), place
    return pose


poses = st.builds(pose_of, triples, triples)


@given(poses, poses)
def test_inverses(a: Array, b: Array) -> None:
    np.testing.assert_allclose(a @ se3.inverse(a), np.eye(4), atol=1e-14)
    np.testing.assert_allclose(se3.inverse(se3.inverse(a)), a, atol=1e-14)
    np.testing.assert_allclose(se3.inverse(a @ b), se3.inverse(b) @ se3.inverse(a), atol=1e-13)
    np.testing.assert_array_equal(se3.inverse(np.array([a, b]))[1], se3.inverse(b))


@given(poses, poses)
def test_one_pose_in_another(a: Array, b: Array) -> None:
    turn, place = np.zeros((3, 3)), np.zeros(3)
    se3.relative(a, b, turn, place)
    known = se3.inverse(b) @ a
    np.testing.assert_allclose(turn, known[:3, :3], atol=1e-14)
    np.testing.assert_allclose(place, known[:3, 3], atol=1e-14)


@given(poses, triples)
def test_points_there_and_back(pose: Array, point: Vector) -> None:
    there = se3.placed(pose, point)
    np.testing.assert_allclose(there, (pose @ [*point, 1.0])[:3], atol=1e-14)
    assert se3.placed_back(pose, there) == pytest.approx(point, abs=1e-13)


@given(poses, triples, triples)
def test_a_difference_leads_from_one_pose_to_the_other(start: Array, way: Vector, turn: Vector) -> None:
    short = np.array(vectors.shortened(turn, 3.0))
    end = start.copy()
    end[:3, 3] += way
    end[:3, :3] = so3.rotation(short) @ start[:3, :3]
    np.testing.assert_allclose(se3.difference(start, end), [*way, *short], atol=1e-13)


@given(triples, triples, triples)
def test_vectors(a: Vector, b: Vector, c: Vector) -> None:
    assert vectors.dot(a, b) == pytest.approx(float(np.dot(a, b)), abs=1e-14)
    np.testing.assert_allclose(vectors.cross(a, b), np.cross(a, b), atol=1e-14)
    assert vectors.dot(vectors.cross(a, b), c) == pytest.approx(vectors.dot(a, vectors.cross(b, c)), abs=1e-13)
    np.testing.assert_allclose(vectors.plus(a, b, 2.0), np.array(a) + 2.0 * np.array(b), atol=1e-15)
    assert vectors.minus(a, a) == (0.0, 0.0, 0.0)
    assert vectors.length(vectors.direction(a)) == pytest.approx(1.0 if vectors.length(a) > 1e-12 else 0.0)


@given(triples, triples, triples, triples)
def test_three_equations(a: Vector, b: Vector, c: Vector, right: Vector) -> None:
    matrix = np.array([a, b, c])
    assume(abs(np.linalg.det(matrix)) > 1e-2)
    np.testing.assert_allclose(matrix @ vectors.solve(matrix, right), right, atol=1e-11)
    np.testing.assert_allclose(matrix.T @ vectors.solve_transposed(matrix, right), right, atol=1e-11)


def test_pieces_of_arrays() -> None:
    numbers = np.arange(12.0).reshape(3, 4)
    assert vectors.row(numbers, 1) == (4.0, 5.0, 6.0)
    assert vectors.column(numbers, 3) == (3.0, 7.0, 11.0)
    assert vectors.three(numbers[0], 1) == (1.0, 2.0, 3.0)
    assert vectors.as_vector(numbers[2]) == (8.0, 9.0, 10.0)
