"""The one entry point: all methods alike, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.classic import reaching
from station.errors import StationError
from station.mechanism.classic import METHODS, Chain, ClassicError, Goal, Status, solve
from station.mechanism.classic.fabrik import fabrik_points
from tests.classic.arms import TIP, at, figure_eight, planar, random_postures, two_link


def test_names() -> None:
    assert list(METHODS) == ["pinv", "dls", "transpose", "ccd", "fabrik"]


@pytest.mark.parametrize("method", METHODS)
def test_all_methods_agree_on_two_links(method: str) -> None:
    """Against the closed form of the sheet, both branches."""
    x, y = 0.5, 1.0
    second = math.pi - math.acos((2.0 - x * x - y * y) / 2.0)
    for theta2 in (second, -second):
        theta1 = math.atan2(y, x) - math.atan2(math.sin(theta2), 1.0 + math.cos(theta2))
        start = [theta1 + 0.3, theta2 * 0.7]
        found = solve(two_link(), TIP, at(x, y), method, start, position_only=True, tolerance=1e-8)
        assert found.status is Status.SOLVED
        assert found.q == pytest.approx([theta1, theta2], abs=1e-6)
    assert (second, abs(theta1)) == pytest.approx((1.9551931, 2.0847453), abs=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_random_targets_of_planar_chains(method: str) -> None:
    for links in (2, 4, 7):
        arm = planar([1.0] * links)
        chain = Chain.to(arm, TIP)
        for q, start in zip(random_postures(chain, 10, links), random_postures(chain, 10, 50), strict=True):
            target = chain.pose(0.8 * q)
            found = solve(arm, TIP, target, method, 0.2 * start, True, tolerance=1e-3, max_iterations=5000)
            assert found.status is Status.SOLVED, found
            assert found.position_error <= 1e-3
            assert found.position_error == chain.errors(found.q, target).position


@pytest.mark.parametrize("method", METHODS)
def test_out_of_reach_ends_with_a_stretched_arm(method: str) -> None:
    found = solve(planar([1.0] * 3), TIP, at(4.0, 3.0), method, [0.2, 0.3, 0.1], position_only=True)
    assert found.status is not Status.SOLVED
    assert found.iterations <= 1000
    assert found.position_error == pytest.approx(2.0, abs=0.02)


@pytest.mark.parametrize("method", METHODS)
def test_no_iterations_and_no_need_for_any(method: str) -> None:
    arm = two_link()
    none = solve(arm, TIP, at(0.5, 1.0), method, [0.3, 0.5], position_only=True, max_iterations=0)
    assert (none.status, none.iterations, none.q.tolist()) == (Status.CAPPED, 0, [0.3, 0.5])
    there = solve(arm, TIP, Chain.to(arm, TIP).pose(np.array([0.3, 0.5])), method, [0.3, 0.5])
    assert (there.status, there.iterations, there.q.tolist()) == (Status.SOLVED, 0, [0.3, 0.5])


def test_tolerances_are_true_errors() -> None:
    """Each answer is within its tolerance, and not a square root better."""
    arm = planar([1.0] * 4)
    for tolerance in (1e-2, 1e-4, 1e-6):
        found = solve(arm, TIP, at(1.0, 2.0), "transpose", [0.4] * 4, position_only=True, tolerance=tolerance)
        assert 1e-2 * tolerance < found.position_error <= tolerance
    turned = solve(arm, TIP, at(1.0, 2.0), "dls", [0.4] * 4, tolerance=1e-8, rotation_tolerance=1e-3)
    assert turned.position_error <= 1e-8
    assert turned.rotation_error <= 1e-3


def test_mistakes_say_what_is_allowed() -> None:
    arm = two_link()
    with pytest.raises(
        ClassicError, match="no method 'newton'; there are: pinv, dls, transpose, ccd, fabrik"
    ) as caught:
        solve(arm, TIP, at(1.0, 0.0), "newton")
    assert isinstance(caught.value, StationError)
    assert isinstance(caught.value, ValueError)
    with pytest.raises(ClassicError, match="there are: 1, 2, 99"):
        solve(arm, 7, at(1.0, 0.0), "dls")
    with pytest.raises(ClassicError, match="4×4 pose"):
        solve(arm, TIP, [1.0, 0.0, 0.0], "dls")
    with pytest.raises(ClassicError, match="a rotation, a position"):
        solve(arm, TIP, 2.0 * np.eye(4), "dls")
    with pytest.raises(ClassicError, match="tolerances are positive"):
        solve(arm, TIP, at(1.0, 0.0), "dls", tolerance=0.0)
    with pytest.raises(ClassicError, match="q0 needs 2 values"):
        solve(arm, TIP, at(1.0, 0.0), "dls", q0=[1.0])


def laps(method: str, tolerance: float) -> tuple[float, float, float]:
    """Mean iterations, and largest and mean (RMS) second difference of link directions, over the second lap."""
    chain = Chain.to(planar([1.0] * 9), TIP)
    q, directions, iterations = np.full(9, 0.2), [], []
    for target in [*figure_eight(100), *figure_eight(100)]:
        found = METHODS[method](chain, Goal(target, True, tolerance, 1.0, 1000), q)
        assert found.status is Status.SOLVED
        q = found.q
        directions.append(np.diff(chain.positions(q), axis=0))
        iterations.append(found.iterations)
    bends = np.linalg.norm(np.diff(np.array(directions[100:]), n=2, axis=0), axis=2)
    return float(np.mean(iterations[100:])), float(bends.max()), float(np.sqrt((bends**2).mean()))


@pytest.mark.parametrize("tolerance", [1e-1, 1e-2, 1e-3])
def test_fabrik_is_smoother_than_ccd_and_needs_fewer_iterations(tolerance: float) -> None:
    """Figure-eight of nine links; the order is the thesis's finding, its absolute figures depend on the set-up."""
    fabrik, ccd = laps("fabrik", tolerance), laps("ccd", tolerance)
    assert all(ours < theirs for ours, theirs in zip(fabrik, ccd, strict=True)), (fabrik, ccd)


def test_bare_points_and_joints_take_the_same_way() -> None:
    """FABRIK on joints without stops is FABRIK on points."""
    chain = Chain.to(planar([1.0] * 9), TIP)
    q = np.full(9, 0.2)
    points = chain.positions(q)
    for target in figure_eight(20):
        on_points = fabrik_points(points, target[:3, 3], 1e-4, 100)
        on_joints = METHODS["fabrik"](chain, Goal(target, True, 1e-4, 1.0, 100), q)
        assert on_joints.iterations == on_points.iterations
        assert chain.positions(on_joints.q) == pytest.approx(on_points.points, abs=1e-9)
        points, q = on_points.points, on_joints.q


def test_the_benchmark_gives_figures_for_every_method() -> None:
    rows = reaching(targets=3)
    for method in METHODS:
        assert rows[f"10 links, {method}: % reached"] == 100.0
        assert rows[f"10 links, {method}: mean iterations"] > 0.0
        assert rows[f"10 links, {method}: µs per target"] > 0.0
