"""Turns: laws of the group, the same turn as vector, quaternion and matrix, and rates by finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from station.kernel import so3
from station.kernel.vectors import Vector, length, shortened

Array = NDArray[np.float64]
NONE = (1.0, 0.0, 0.0, 0.0)  # the turn that leaves all as it is

parts = st.floats(-3.0, 3.0)
vectors = st.tuples(parts, parts, parts)
quaternions = st.builds(so3.turn_by, vectors)


def matrix(q: so3.Quaternion) -> Array:
    """3×3 of a quaternion."""
    pose = np.zeros((4, 4))
    so3.write_rotation(q, pose)
    return pose[:3, :3]


def pose_of(q: so3.Quaternion, place: Vector = (0.0, 0.0, 0.0)) -> Array:
    """4×4 of a quaternion and a place."""
    pose = np.eye(4)
    so3.write_rotation(q, pose)
    pose[:3, 3] = place
    return pose


def same_turn(p: so3.Quaternion, q: so3.Quaternion) -> bool:
    """Whether two quaternions are one turn; q and -q are."""
    return abs(abs(float(np.dot(p, q))) - 1.0) < 1e-12


def turned_back(q: so3.Quaternion) -> so3.Quaternion:
    """The turn back."""
    return so3.difference(NONE, q)


@given(quaternions, quaternions, quaternions)
def test_turns_are_a_group(p: so3.Quaternion, q: so3.Quaternion, r: so3.Quaternion) -> None:
    together = so3.product(so3.product(p, q), r)
    assert together == pytest.approx(so3.product(p, so3.product(q, r)), abs=1e-14)
    assert so3.product(p, NONE) == pytest.approx(p, abs=0.0)
    assert so3.product(NONE, p) == pytest.approx(p, abs=0.0)
    assert so3.product(p, turned_back(p)) == pytest.approx(NONE, abs=1e-14)
    assert so3.product(so3.difference(p, q), q) == pytest.approx(p, abs=1e-14)
    assert sum(part * part for part in together) == pytest.approx(1.0, abs=1e-14)


@given(quaternions, quaternions)
def test_a_product_of_quaternions_is_that_of_matrices(p: so3.Quaternion, q: so3.Quaternion) -> None:
    np.testing.assert_allclose(matrix(so3.product(p, q)), matrix(p) @ matrix(q), atol=1e-14)
    np.testing.assert_allclose(matrix(so3.difference(p, q)), matrix(p) @ matrix(q).T, atol=1e-14)


@given(quaternions, vectors)
def test_a_matrix_turns_a_vector_and_turns_it_back(q: so3.Quaternion, vector: Vector) -> None:
    pose = pose_of(q)
    there = so3.applied(pose, vector)
    np.testing.assert_allclose(there, matrix(q) @ vector, atol=1e-14)
    assert so3.applied_back(pose, there) == pytest.approx(vector, abs=1e-14)
    assert length(there) == pytest.approx(length(vector), abs=1e-14)


@given(quaternions)
def test_a_matrix_is_right_handed_and_orthonormal(q: so3.Quaternion) -> None:
    turn = matrix(q)
    np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(turn) == pytest.approx(1.0)
    for k in range(3):
        np.testing.assert_array_equal(turn[:, k], so3.axis_of(q, k))


@given(vectors)
def test_vector_quaternion_and_matrix_are_one_turn(vector: Vector) -> None:
    q = so3.turn_by(vector)
    known = Rotation.from_rotvec(vector)
    np.testing.assert_allclose(matrix(q), known.as_matrix(), atol=1e-14)
    np.testing.assert_allclose(so3.rotation(np.array(vector)), known.as_matrix(), atol=1e-14)
    np.testing.assert_allclose(Rotation.from_rotvec(so3.vector_of(q)).as_matrix(), known.as_matrix(), atol=1e-14)
    assert length(so3.vector_of(q)) <= math.pi + 1e-14
    assert same_turn(so3.quaternion_of(pose_of(q)), q)


@given(vectors)
def test_the_logarithm_undoes_the_exponential(vector: Vector) -> None:
    short = shortened(vector, 3.0)  # below half a turn there is only one way
    assert so3.vector_of(so3.turn_by(short)) == pytest.approx(short, abs=1e-13)
    w, x, y, z = so3.turn_by(short)
    assert so3.vector_of((-w, -x, -y, -z)) == pytest.approx(short, abs=1e-13)


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-12, 1e-9, 1.0000001e-9, 1e-8, 1e-6])
def test_tiny_turns_keep_their_digits(angle: float) -> None:
    vector = (0.6 * angle, 0.0, -0.8 * angle)
    assert so3.vector_of(so3.turn_by(vector)) == pytest.approx(vector, rel=1e-14, abs=0.0)


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.6, -0.64, 0.48)])
@pytest.mark.parametrize("short_of", [0.0, 1e-9, 1e-4])
def test_a_matrix_near_half_a_turn_has_its_quaternion(axis: Vector, short_of: float) -> None:
    x, y, z = (part * (math.pi - short_of) for part in axis)
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_rotvec((x, y, z)).as_matrix()
    np.testing.assert_allclose(matrix(so3.quaternion_of(pose)), pose[:3, :3], atol=1e-15)


@given(quaternions, vectors)
def test_a_small_turn_moves_axes_by_the_vector_product(q: so3.Quaternion, w: Vector) -> None:
    step = 1e-6
    x, y, z = (step * part for part in w)
    after = so3.product(so3.turn_by((x, y, z)), q)
    before = so3.product(so3.turn_by((-x, -y, -z)), q)
    for k in range(3):
        rate = (np.array(so3.axis_of(after, k)) - so3.axis_of(before, k)) / (2.0 * step)
        np.testing.assert_allclose(rate, np.cross(w, so3.axis_of(q, k)), atol=1e-8)
    spin = np.array(so3.vector_of(so3.difference(after, before))) / (2.0 * step)
    np.testing.assert_allclose(spin, w, atol=1e-8)


def test_a_quarter_turn_about_z_takes_x_to_y() -> None:
    np.testing.assert_allclose(
        so3.rotation(np.array([0.0, 0.0, math.pi / 2])) @ [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], atol=1e-15
    )
    np.testing.assert_array_equal(so3.rotation(np.zeros(3)), np.eye(3))


@given(vectors, st.just(0.0) | st.floats(1e-100, 10.0))  # squares of less have few digits
def test_a_vector_is_shortened_along_itself(vector: Vector, longest: float) -> None:
    short = shortened(vector, longest)
    assert length(short) <= longest * (1.0 + 1e-12)
    np.testing.assert_allclose(np.cross(vector, short), 0.0, atol=1e-12)
    if length(vector) <= longest:
        assert short == vector


@given(quaternions, vectors)
def test_what_is_a_pose(q: so3.Quaternion, place: Vector) -> None:
    pose = pose_of(q, place)
    assert so3.is_pose(pose)
    mirrored = pose.copy()
    mirrored[:3, 0] *= -1.0
    assert not so3.is_pose(mirrored)
    for wrong in (math.nan, math.inf, 1e7):
        away = pose.copy()
        away[1, 3] = wrong
        assert not so3.is_pose(away)
    stretched = pose.copy()
    stretched[:3, :3] *= 1.1
    assert not so3.is_pose(stretched)
    assert not so3.is_pose(np.zeros((4, 4)))


# The logarithm of matrices, compiled and for Python -----------------------------------------------------------------

AXES = [(1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (0.6, -0.64, 0.48), (-0.48, 0.6, 0.64)]
ANGLES = [0.0, 1e-300, 1e-12, 1e-8, 1e-4, 0.0099, 0.0101, 1.0, 1.5707963, 2.6, 2.7, 3.0]
NEAR_HALF = [math.pi - short for short in (1e-2, 1e-5, 1e-7, 1e-9, 1e-12)]


def logarithm(turn: Array) -> Array:
    """By the kernel."""
    vector = np.zeros(3)
    so3.write_vector(np.ascontiguousarray(turn), vector)
    return vector


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("angle", ANGLES + NEAR_HALF)
def test_the_logarithm_of_a_matrix_undoes_the_exponential(axis: Vector, angle: float) -> None:
    vector = angle * np.array(axis)
    turn = so3.rotation(vector)
    np.testing.assert_allclose(logarithm(turn), vector, rtol=1e-14, atol=4e-15)
    np.testing.assert_allclose(so3.rotation_vector(turn), vector, rtol=1e-14, atol=4e-15)


@pytest.mark.parametrize("axis", AXES)
def test_half_a_turn_is_half_a_turn_either_way(axis: Vector) -> None:
    turn = 2.0 * np.outer(axis, axis) - np.eye(3)
    for vector in (logarithm(turn), so3.rotation_vector(turn)):
        assert np.linalg.norm(vector) == pytest.approx(math.pi)
        np.testing.assert_allclose(np.cross(vector, axis), 0.0, atol=1e-14)


def test_the_logarithm_of_what_is_no_rotation_is_a_number() -> None:
    assert np.isfinite(logarithm(np.zeros((3, 3)))).all()


@given(vectors, vectors)
def test_turning_further_is_a_product_from_the_left(start: Vector, vector: Vector) -> None:
    turn = np.ascontiguousarray(so3.rotation(np.array(start)))
    further = so3.rotation(np.array(vector)) @ turn
    so3.turn_further(turn, vector)
    np.testing.assert_allclose(turn, further, atol=1e-14)
    so3.write_identity(turn)
    np.testing.assert_array_equal(turn, np.eye(3))


@given(quaternions, vectors)
def test_a_quaternion_turns_a_vector_as_its_matrix_does(q: so3.Quaternion, vector: Vector) -> None:
    np.testing.assert_allclose(so3.turned(q, vector), matrix(q) @ vector, atol=1e-14)


@pytest.mark.parametrize("size", [1e-6, 1e-3, 0.5, 2.0, 3.0])
@pytest.mark.parametrize("axis", AXES)
def test_the_rate_of_the_logarithm_by_finite_differences(axis: Vector, size: float) -> None:
    vector, h = size * np.array(axis), 1e-6
    turn, left, right = so3.rotation(vector), np.zeros((3, 3)), so3.right_rate(vector)
    for k in range(3):
        so3.write_log_rate(vector, k, left[k])
    for k in range(3):
        small = h * np.eye(3)[k]
        ahead, behind = so3.rotation(small), so3.rotation(-small)
        by_left = (logarithm(ahead @ turn) - logarithm(behind @ turn)) / (2.0 * h)
        by_right = (logarithm(turn @ ahead) - logarithm(turn @ behind)) / (2.0 * h)
        np.testing.assert_allclose(left[:, k], by_left, atol=1e-8)
        np.testing.assert_allclose(right[:, k], by_right, atol=1e-8)


@given(vectors, vectors)
def test_angles_between_turns(start: Vector, vector: Vector) -> None:
    short = np.array(shortened(vector, 3.0))
    a = so3.rotation(np.array(start))
    assert so3.angle_between(a, a @ so3.rotation(short)) == pytest.approx(np.linalg.norm(short), abs=1e-13)


def test_many_turns_at_once() -> None:
    many = np.random.default_rng(3).normal(size=(4, 5, 3))
    turns = so3.rotation(many)
    for i in range(4):
        for j in range(5):
            np.testing.assert_array_equal(turns[i, j], so3.rotation(many[i, j]))
            crossed = so3.cross_matrix(many[i, j]) @ [1.0, 2.0, 3.0]
            np.testing.assert_allclose(crossed, np.cross(many[i, j], [1.0, 2.0, 3.0]), atol=1e-14)
    np.testing.assert_array_equal(so3.rotation_vector(turns)[2, 3], so3.rotation_vector(turns[2, 3]))
    noisy = turns + 1e-4 * np.random.default_rng(4).normal(size=turns.shape)
    near = so3.nearest_rotation(noisy[0, 0])
    np.testing.assert_allclose(near @ near.T, np.eye(3), atol=1e-14)
    assert np.abs(near - turns[0, 0]).max() < 1e-3
