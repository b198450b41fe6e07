"""CCD: each joint's own best against brute force, wraps, slides, and arms that are reached."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from station.mechanism.classic import METHODS, Chain, Goal, Status, solve
from station.mechanism.classic.ccd import best_turn, ccd, cycle, turn_gains
from tests.classic.arms import TIP, at, link, planar, random_postures, robot, two_link
from tests.classic.test_chain import load

GAINS = st.floats(-10.0, 10.0)


def merit(phi: float, k1: float, k2: float, k3: float) -> float:
    return k1 * (1.0 - math.cos(phi)) + k2 * math.cos(phi) + k3 * math.sin(phi)


@given(GAINS, GAINS, GAINS, st.floats(-7.0, 0.0), st.floats(0.0, 7.0))
@settings(max_examples=200, deadline=None)
def test_turn_is_the_best_of_721(k1: float, k2: float, k3: float, low: float, high: float) -> None:
    phi = best_turn(k1, k2, k3, low, high)
    assert low <= phi <= high
    tried = max(merit(float(other), k1, k2, k3) for other in np.linspace(low, high, 721))
    assert merit(phi, k1, k2, k3) >= tried - 1e-9


def test_gains_are_those_of_the_weighted_sum() -> None:
    """G(φ) from K1, K2, K3 against turning the tip and measuring."""
    random = np.random.default_rng(1)
    chain = Chain.to(load("puma560"), 7)
    for q, other in zip(random_postures(chain, 20, 1), random_postures(chain, 20, 2), strict=True):
        poses, target = chain.frames(q), chain.pose(other)
        weights = random.uniform(0.0, 2.0, 4)
        for i in range(6):
            gains = turn_gains(poses[i], poses[-1], target, weights)
            phi = random.uniform(-3.0, 3.0)
            turned = q.copy()
            turned[i] += phi
            tip, origin = chain.pose(turned), poses[i, :3, 3]
            direct = weights[0] * (target[:3, 3] - origin) @ (tip[:3, 3] - origin)
            direct += sum(weights[j + 1] * target[:3, j] @ tip[:3, j] for j in range(3))
            assert merit(phi, *gains) == pytest.approx(direct, abs=1e-10)


def test_wrap_takes_the_better_stop() -> None:
    """Best at 170°, allowed -170° … 10°: clamping would give 10°, the best is -170°."""
    phi, low, high = (math.radians(value) for value in (170.0, -170.0, 10.0))
    assert best_turn(0.0, math.cos(phi), math.sin(phi), low, high) == low
    assert best_turn(0.0, math.cos(phi), math.sin(phi), math.radians(-200.0), high) == pytest.approx(math.radians(-190))


@pytest.mark.parametrize(("wanted", "reached"), [(0.3, 0.3), (0.9, 0.5), (-0.9, -0.2)])
def test_slide_goes_to_target_or_stop(wanted: float, reached: float) -> None:
    slide = robot([link(1, 0, slides=True, limits=(-0.2, 0.5))], (0.0, 0.0, 0.0))
    found = solve(slide, TIP, at(0.0, 0.0, wanted), "ccd")
    assert found.q[0] == pytest.approx(reached)
    assert found.status is (Status.SOLVED if wanted == reached else Status.STALLED)


def test_no_joint_step_lets_the_error_grow() -> None:
    """Each joint alone, on an arm with a slide and stops."""
    chain = Chain.to(load("scara"), 5)
    weights = np.array([1.0, 0.0, 0.0, 0.0])
    for q, other in zip(random_postures(chain, 30, 3), random_postures(chain, 30, 4), strict=True):
        values, target = q.copy(), chain.pose(other)
        for i in range(3, -1, -1):
            before = chain.errors(values, target).position
            low, high = values.copy(), values.copy()
            low[i], high[i] = chain.low[i], chain.high[i]  # all others stand still
            cycle(chain.frames(values), chain.revolute, low, high, values, target, weights)
            assert chain.errors(values, target).position <= before + 1e-12
            assert np.all((values >= chain.low) & (values <= chain.high))


def test_a_cycle_keeps_track_of_the_tip() -> None:
    chain = Chain.to(load("puma560"), 7)
    for q, other in zip(random_postures(chain, 10, 5), random_postures(chain, 10, 6), strict=True):
        poses, values = chain.frames(q), q.copy()
        cycle(poses, chain.revolute, chain.low, chain.high, values, chain.pose(other), np.array([1.0, 0.1, 0.1, 0.1]))
        assert poses[-1] == pytest.approx(chain.pose(values), abs=1e-12)


def test_stop_gives_the_same_answer_as_the_other_methods() -> None:
    found = solve(two_link((0.0, 0.5)), TIP, at(0.5, 1.0), "ccd", q0=[0.3, 0.2], position_only=True)
    assert found.status is Status.STALLED
    assert found.q == pytest.approx([0.857149, 0.5], abs=1e-6)
    assert found.position_error == pytest.approx(0.819791, abs=1e-6)


def test_positions_of_a_six_joint_arm() -> None:
    arm = load("puma560")
    chain = Chain.to(arm, 7)
    for q in random_postures(chain, 30, seed=12):
        found = solve(arm, 7, chain.pose(q), "ccd", q0=q + 0.3, position_only=True, tolerance=1e-4, max_iterations=3000)
        assert found.status is Status.SOLVED, found
        assert found.position_error <= 1e-4


def test_orientation_counts_by_its_weight() -> None:
    chain = Chain.to(load("redundant"), 7)
    for q in random_postures(chain, 10, seed=13):
        goal = Goal(chain.pose(q), False, 1e-4, 1e-4, 3000)
        start = chain.start(q + 0.2)
        found = METHODS["ccd"](chain, goal, start)
        assert found.status is Status.SOLVED, found
        assert found.rotation_error <= 1e-4
        free = ccd(chain, goal._replace(position_only=True), start)
        assert free.iterations <= found.iterations


def test_one_axis_can_be_asked_for() -> None:
    """σ = (0, 0, 1): only the z axis of the tip counts, as for a tool that may turn about it."""
    chain = Chain.to(load("puma560"), 7)
    q, target = chain.initial.copy(), chain.pose(chain.initial + 0.3)
    for _ in range(500):
        cycle(chain.frames(q), chain.revolute, chain.low, chain.high, q, target, np.array([1.0, 0.0, 0.0, 0.05]))
    assert chain.errors(q, target).position < 1e-5
    assert chain.pose(q)[:3, 2] @ target[:3, 2] > 1.0 - 1e-9


def test_singular_start_is_left() -> None:
    """Straight arm, target sideways: the Jacobian is singular, CCD does not mind."""
    found = solve(planar([1.0] * 5), TIP, at(2.0, 1.0), "ccd", position_only=True, tolerance=1e-5)
    assert found.status is Status.SOLVED
