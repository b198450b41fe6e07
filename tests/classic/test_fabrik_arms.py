"""FABRIK on robots: points ⇄ joint values, stops, targets out of reach."""

from __future__ import annotations

import math

import numpy as np
import pytest

from station.mad.scene import Robot
from station.mechanism.classic import Chain, Status, solve
from station.mechanism.classic.fabrik import fabrik_points, rods
from station.mechanism.classic.fabrik.planar import admissible
from tests.classic.arms import TIP, at, link, planar, random_postures, robot, two_link, universal
from tests.classic.test_chain import load


def staggered() -> Robot:
    """A planar arm with offsets along and beside the axes, axes that point down, and two axes in one place."""
    links = [
        link(1, 0, r=0.3, d=0.1, gamma=0.4),
        link(2, 1, r=-0.2, d=0.5, alpha=math.pi),
        link(3, 2, r=0.1, d=0.0),
        link(4, 3, r=0.4, d=0.4, gamma=0.7, alpha=math.pi),
    ]
    return robot(links, (0.3, -0.2, 0.1))


ARMS = {
    "ten links": (planar([1.0] * 10), TIP),
    "staggered": (staggered(), TIP),
    "stops": (planar([1.0, 0.8, 0.6, 0.5], [(-1.0, 1.2), (0.0, 2.0), (-2.0, 0.5), (-1.5, 1.5)]), TIP),
    "turntable": (load("redundant"), 7),
    "universal joints": (universal(4), TIP),
    "universal joints with stops": (universal(5, (-1.2, 1.2)), TIP),
}


@pytest.mark.parametrize("name", ARMS)
def test_points_give_back_the_joint_values(name: str) -> None:
    arm, frame = ARMS[name]
    chain = Chain.to(arm, frame)
    for q, near in zip(random_postures(chain, 30, 1), random_postures(chain, 30, 2), strict=True):
        chosen = rods(chain, held=q)
        points = chosen.points(q)
        recovered = chosen.angles(points, near)
        assert chosen.points(recovered) == pytest.approx(points, abs=1e-9)
        assert chain.pose(recovered)[:3, 3] == pytest.approx(chain.pose(q)[:3, 3], abs=1e-9)
        assert chain.pose(chosen.angles(points, q)) == pytest.approx(chain.pose(q), abs=1e-9)


@pytest.mark.parametrize("name", ["ten links", "universal joints"])
def test_joint_values_of_points_that_bare_fabrik_found(name: str) -> None:
    arm, frame = ARMS[name]
    chain = Chain.to(arm, frame)
    chosen = rods(chain)
    for q, start in zip(random_postures(chain, 20, 3), random_postures(chain, 20, 4), strict=True):
        found = fabrik_points(chosen.points(start), chain.pose(q)[:3, 3], 1e-6, 2000)
        recovered = chosen.angles(found.points, start)
        assert chosen.points(recovered) == pytest.approx(found.points, abs=1e-9)


@pytest.mark.parametrize("name", ARMS)
def test_random_targets_are_reached_within_stops(name: str) -> None:
    arm, frame = ARMS[name]
    chain = Chain.to(arm, frame)
    solved = 0
    for q, start in zip(random_postures(chain, 40, 5), random_postures(chain, 40, 6), strict=True):
        found = solve(arm, frame, chain.pose(q), "fabrik", start, position_only=True, tolerance=1e-5)
        assert np.all((found.q >= chain.low) & (found.q <= chain.high))
        assert found.position_error == chain.errors(found.q, chain.pose(q)).position
        solved += found.status is Status.SOLVED
    assert solved >= (26 if "stops" in name else 40)  # stops can lock the method up


@pytest.mark.parametrize("name", ["ten links", "staggered"])
def test_heading_of_a_planar_arm(name: str) -> None:
    arm, frame = ARMS[name]
    chain = Chain.to(arm, frame)
    solved = 0
    for q in random_postures(chain, 20, 7):
        start = q + 0.3
        found = solve(arm, frame, chain.pose(q), "fabrik", start, tolerance=1e-4)
        assert found.rotation_error <= 1e-4
        solved += found.status is Status.SOLVED
    assert solved >= 18  # slow where the rest of the arm is stretched or folded


def test_heading_alone() -> None:
    """The tip on the last axis: that joint only turns it."""
    arm = robot([link(1, 0), link(2, 1, d=1.0), link(3, 2, d=1.0)], (0.0, 0.0, 0.2))
    chain = Chain.to(arm, TIP)
    q = np.array([0.3, 0.8, -0.5])
    found = solve(arm, TIP, chain.pose(q), "fabrik", [0.1, 0.2, 0.0])
    assert found.status is Status.SOLVED
    assert found.q == pytest.approx(q, abs=1e-5)
    only = solve(arm, TIP, chain.pose(q), "fabrik", [0.1, 0.2, 0.0], position_only=True)
    assert only.q[2] == 0.0  # it moves no point, so it stays
    one = planar([1.0])
    assert solve(one, TIP, Chain.to(one, TIP).pose(np.array([0.7])), "fabrik").q == pytest.approx([0.7])


def test_two_links_as_all_methods() -> None:
    found = solve(two_link(), TIP, at(0.5, 1.0), "fabrik", [0.3, 0.5], position_only=True, tolerance=1e-9)
    assert found.q == pytest.approx([0.1295522, 1.9551931], abs=1e-6)


@pytest.mark.parametrize(
    ("target", "text", "error"),
    [
        ((4.0, 3.0, 0.0), "2 m beyond the stretched chain", 2.0),
        ((1.0, 1.0, 0.5), "0.5 m off the plane", 0.5),
        ((3.0, 0.0, 4.0), "4 m off the plane", 4.0),
    ],
)
def test_out_of_reach_is_said(target: tuple[float, float, float], text: str, error: float) -> None:
    found = solve(planar([1.0] * 3), TIP, at(*target), "fabrik", position_only=True)
    assert found.status is Status.UNREACHABLE
    assert text in found.message
    assert found.position_error == pytest.approx(error, abs=1e-5)


def test_hole_and_tilt_are_said() -> None:
    found = solve(planar([3.0, 0.51]), TIP, at(0.5, 0.3), "fabrik", [0.0, 0.2], position_only=True)
    assert found.status is Status.UNREACHABLE
    assert "inside the hole" in found.message
    assert found.position_error == pytest.approx(1.907, abs=1e-3)
    tilted = at(1.0, 1.0)
    tilted[1:3, 1:3] = [[math.cos(0.1), -math.sin(0.1)], [math.sin(0.1), math.cos(0.1)]]
    found = solve(planar([1.0] * 4), TIP, tilted, "fabrik", [0.1] * 4)
    assert found.status is Status.UNREACHABLE
    assert "tilted by 0.1 rad" in found.message
    assert found.rotation_error == pytest.approx(0.1, abs=1e-5)


def test_straight_arm_in_line_with_its_target_is_bent() -> None:
    for name in ("ten links", "universal joints"):
        arm, frame = ARMS[name]
        found = solve(arm, frame, at(2.5, 0.0), "fabrik", position_only=True, tolerance=1e-5)
        assert found.status is Status.SOLVED, found
    stay = solve(planar([1.0] * 3), TIP, at(3.0, 0.0), "fabrik", position_only=True)
    assert (stay.iterations, stay.q.tolist()) == (0, [0.0, 0.0, 0.0])


def test_stops_hold_and_let_go() -> None:
    arm = two_link((0.0, 0.5))
    found = solve(arm, TIP, at(0.5, 1.0), "fabrik", [0.3, 0.2], position_only=True)
    assert found.status is Status.STALLED
    assert "at a stop: link 2" in found.message
    inside = Chain.to(arm, TIP).pose(np.array([0.8, 0.3]))
    back = solve(arm, TIP, inside, "fabrik", found.q, position_only=True)
    assert back.q == pytest.approx([0.8, 0.3], abs=1e-4)


def test_turntable_turns_the_way_its_stops_allow() -> None:
    links = [
        link(1, 0, limits=(-1.0, 1.0)),
        link(2, 1, alpha=math.pi / 2),
        link(3, 2, d=1.0),
        link(4, 3, d=1.0),
    ]
    arm = robot(links, (0.5, 0.0, 0.0))
    found = solve(arm, TIP, at(-1.5, 0.2, 0.7), "fabrik", [0.0, 0.5, 0.3, 0.3], position_only=True)
    assert found.status is Status.SOLVED  # over its head
    assert abs(found.q[0]) <= 1.0
    beyond = solve(arm, TIP, at(0.0, 1.5, 0.7), "fabrik", [0.0, 0.5, 0.3, 0.3], position_only=True)
    assert beyond.status is Status.UNREACHABLE
    assert "off the plane" in beyond.message
    above = solve(arm, TIP, at(0.0, 0.0, 2.0), "fabrik", [0.3, 0.5, 0.3, 0.3], position_only=True)
    assert above.status is Status.SOLVED
    assert above.q[0] == pytest.approx(0.3)
    bounded = solve(arm, TIP, at(0.5, 0.2, 1.2), "fabrik", [0.0, 0.5, 0.3, 0.3], True, 1e-15, max_iterations=30)
    assert bounded.iterations <= 30
    assert f"after {bounded.iterations} iterations" in bounded.message


@pytest.mark.parametrize(
    ("angle", "near", "low", "high", "expected"),
    [
        (0.5, 0.0, -math.inf, math.inf, 0.5),
        (0.5, 6.0, -math.inf, math.inf, 0.5 + 2 * math.pi),
        (-3.0, 3.0, -3.1, 3.1, -3.0),
        (math.radians(170), 0.0, math.radians(-170), math.radians(10), math.radians(-170)),
        (math.radians(40), 0.0, math.radians(-170), math.radians(10), math.radians(10)),
    ],
)
def test_admissible_angles(angle: float, near: float, low: float, high: float, expected: float) -> None:
    assert admissible(angle, near, low, high) == pytest.approx(expected)
