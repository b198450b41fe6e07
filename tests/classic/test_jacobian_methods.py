"""Pseudo-inverse, damped least squares, transpose: the figures of the sheet and the laws they obey."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from station.kernel.se3 import difference
from station.mechanism.classic import METHODS, Chain, Goal, Status, solve
from station.mechanism.classic.jacobian_methods import dls_step, limited_step, pinv_step, transpose_step
from tests.classic.arms import TIP, at, planar, random_postures, two_link
from tests.classic.test_chain import load

JACOBIAN_METHODS = ("pinv", "dls", "transpose")


def matrix_of(rule: str, jacobian: np.ndarray) -> np.ndarray:
    step = {"pinv": pinv_step, "dls": dls_step}[rule]
    return np.array([step(jacobian, unit) for unit in np.eye(len(jacobian))]).T


def test_pseudo_inverse_obeys_its_laws() -> None:
    chain = Chain.to(load("panda"), 9)
    for q in random_postures(chain, 10):
        jacobian = chain.jacobian(q)
        inverse = matrix_of("pinv", jacobian)
        assert jacobian @ inverse @ jacobian == pytest.approx(jacobian, abs=1e-10)
        assert inverse @ jacobian @ inverse == pytest.approx(inverse, abs=1e-8)
        assert inverse == pytest.approx(np.linalg.pinv(jacobian), abs=1e-8)


def test_pseudo_inverse_inverts_nothing_at_a_singularity() -> None:
    jacobian = Chain.to(two_link(), TIP).jacobian(np.zeros(2))[:2]
    assert np.abs(pinv_step(jacobian, np.array([-0.1, 0.0]))).max() < 1e-12
    assert np.abs(pinv_step(np.zeros((3, 2)), np.ones(3))).max() == 0.0


def test_damping_goes_to_the_pseudo_inverse() -> None:
    chain = Chain.to(load("puma560"), 7)
    jacobian, error = chain.jacobian(chain.initial), np.array([0.1, -0.2, 0.05, 0.1, 0.0, 0.3])
    exact = pinv_step(jacobian, error)
    gaps = [np.linalg.norm(dls_step(jacobian, error, damping) - exact) for damping in (1e-1, 1e-2, 1e-3, 1e-4)]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 1e-5


def test_damping_bounds_the_step_at_full_extension() -> None:
    jacobian = Chain.to(two_link(), TIP).jacobian(np.array([0.0, 1e-6]))[:2]
    inwards = np.array([-0.1, 0.0])
    assert np.linalg.norm(pinv_step(jacobian, inwards, 0.0)) == pytest.approx(2.236e5, rel=1e-3)
    assert np.linalg.norm(dls_step(jacobian, inwards, 0.1)) == pytest.approx(4.46e-6, rel=1e-2)
    random = np.random.default_rng(2)
    for damping in (0.01, 0.1, 1.0):
        for _ in range(50):
            jacobian, error = random.normal(size=(3, 5)), random.normal(size=3)
            assert np.linalg.norm(dls_step(jacobian, error, damping)) <= np.linalg.norm(error) / (2 * damping)


def test_transpose_goes_down_the_gradient() -> None:
    chain = Chain.to(load("puma560"), 7)
    q = chain.initial
    target = chain.pose(q + 0.3)

    def half_square(values: np.ndarray) -> float:
        error = difference(chain.pose(values), target)
        return 0.5 * float(error @ error)

    gradient = np.array([(half_square(q + step) - half_square(q - step)) / 2e-6 for step in 1e-6 * np.eye(len(q))])
    step = transpose_step(chain.jacobian(q), difference(chain.pose(q), target))
    ratios = step / -gradient
    assert ratios == pytest.approx(np.full(6, ratios[0]), rel=1e-5)
    assert ratios[0] > 0.0


def test_transpose_never_lets_the_error_grow() -> None:
    chain = Chain.to(planar([1.0] * 4), TIP)
    for q in random_postures(chain, 5, seed=7):
        target = chain.pose(q)
        errors = [
            METHODS["transpose"](chain, Goal(target, True, 1e-9, 1.0, cap), np.full(4, 0.3)).position_error
            for cap in range(30)
        ]
        assert all(after <= before + 1e-15 for before, after in itertools.pairwise(errors))


@pytest.mark.parametrize("method", JACOBIAN_METHODS)
def test_stop_by_column_removal(method: str) -> None:
    """θ₂ in [0, 0.5] and a target that needs more: the sheet's figures."""
    arm = two_link((0.0, 0.5))
    found = solve(arm, TIP, at(0.5, 1.0), method, q0=[0.3, 0.2], position_only=True)
    assert found.status is Status.STALLED
    assert found.q == pytest.approx([0.857149, 0.5], abs=1e-6)
    assert found.position_error == pytest.approx(0.819791, abs=1e-6)
    assert found.position_error == pytest.approx(math.sqrt(2 + 2 * math.cos(0.5)) - math.sqrt(1.25))
    assert "at a stop: link 2" in found.message
    inside = Chain.to(arm, TIP).pose(np.array([0.8, 0.3]))
    back = solve(arm, TIP, inside, method, q0=found.q, position_only=True, tolerance=1e-5)
    assert back.status is Status.SOLVED
    assert back.q == pytest.approx([0.8, 0.3], abs=1e-4)


def test_step_is_clamped_and_within_stops() -> None:
    chain = Chain.to(planar([1.0] * 3, [(-0.1, 0.1)] * 3), TIP)
    q = np.array([0.05, 0.0, -0.1])
    jacobian, error = chain.jacobian(q)[:2], np.array([-1.0, 2.0])
    new = limited_step(chain, q, jacobian, error, dls_step, max_step=0.02)
    assert np.abs(new - q).max() <= 0.02 + 1e-15
    new = limited_step(chain, q, jacobian, error, dls_step, max_step=None)
    assert np.all((new >= chain.low) & (new <= chain.high))


def test_puma_reaches_full_poses_with_damping() -> None:
    arm = load("puma560")
    chain = Chain.to(arm, 7)
    random = np.random.default_rng(4)
    reached = 0
    for q in random_postures(chain, 60, seed=4):
        if np.linalg.svd(chain.jacobian(q), compute_uv=False)[-1] < 0.01:
            continue  # near a singularity constant damping is slow
        reached += 1
        start = q + random.uniform(-0.4, 0.4, 6)
        found = solve(arm, 7, chain.pose(q), "dls", q0=start, tolerance=1e-7, rotation_tolerance=1e-7)
        assert found.status is Status.SOLVED, found
        assert found.position_error <= 1e-7
        assert found.rotation_error <= 1e-7
        assert chain.pose(found.q) == pytest.approx(chain.pose(q), abs=1e-6)
    assert reached > 40


def test_scara_slides_and_turns() -> None:
    arm = load("scara")
    chain = Chain.to(arm, 5)
    for method in ("pinv", "dls"):
        for q in random_postures(chain, 20, seed=8):
            start = q + np.array([0.2, -0.3, 0.02, 0.4])
            found = solve(arm, 5, chain.pose(q), method, q0=start)
            assert found.status is Status.SOLVED, found
            assert 0.0 <= found.q[2] <= 0.21


def test_damping_is_faster_than_the_transpose() -> None:
    chain = Chain.to(load("puma560"), 7)
    for q in random_postures(chain, 5, seed=9):
        goal = Goal(chain.pose(q), True, 1e-4, 1.0, 5000)
        start = chain.start(q + 0.2)
        assert METHODS["dls"](chain, goal, start).iterations < METHODS["transpose"](chain, goal, start).iterations


def test_straight_arm_does_not_jump() -> None:
    """The target runs beyond full extension and back, one damped step of at most 0.01 rad per tick."""
    chain = Chain.to(two_link(), TIP)
    q, largest = np.array([0.4, -0.8]), 0.0
    for tick in range(2001):
        target = at(1.85 + 0.3 * math.sin(2 * math.pi * tick / 1000), 0.05)
        error = difference(chain.pose(q), target)[:2]
        new = limited_step(chain, q, chain.jacobian(q)[:2], error, dls_step, max_step=0.01)
        largest, q = max(largest, float(np.abs(new - q).max())), new
    assert largest <= 0.01 + 1e-15
    assert np.linalg.norm(error) < 5e-3  # it is with the target again
