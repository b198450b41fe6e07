"""What of a hand's motion a robot follows: what it can do, what a file says, and the table of the docs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import robots
import station
from benchmarks import following_robots
from benchmarks.following import MARKED, lead, led, table
from station.kernel import Floats
from station.mad.scene import Priority
from station.mechanism.following import ORIENTATION, PLACE, axis_names, choose
from tests.mechanism.mechanisms import SHIPPED, made

CHOICES = {
    "3-rpr": ("x y rz", ""),
    "cross-delta": ("x y z", ""),
    "delta": ("x y z", ""),
    "five-bar": ("x y", ""),
    "hitachi-hpr": ("x y z", "rx ry rz"),
    "macdac": ("x y z", "rx ry rz"),
    "planar-hybrid": ("x y rz", ""),
    "scara": ("x y z rz", ""),
    "ur5e": ("x y z rx ry rz", ""),
    "panda": ("x y z rx ry rz", ""),
    "stewart": ("x y z rx ry rz", ""),
}
MADE = {
    "platform": (following_robots.prs(), "z rx ry"),
    "wrist": (following_robots.wrist(), "rx ry rz"),
    "wrist without a tool": (following_robots.wrist(0.0), "rx ry rz"),
    "planar": (following_robots.planar(), "x y rz"),
    "planar with two joints": (following_robots.planar(2), "x y"),
    "arm without wrist": (following_robots.elbow(), "x y z"),
}


def along(axis: str, amount: float) -> Floats:
    twist = np.zeros(6)
    twist[["x", "y", "z", "rx", "ry", "rz"].index(axis)] = amount
    return twist


@pytest.mark.parametrize("name", CHOICES)
def test_shipped_robots_follow_what_they_can(name: str) -> None:
    robot, frame = led(station.load(robots.path(name)))
    choice = choose(robot, frame)
    assert (axis_names(choice.first), axis_names(choice.second)) == CHOICES[name]
    assert (choice.said == "") == (choice.rank == 6)


@pytest.mark.parametrize("name", MADE)
def test_robots_follow_what_they_can(name: str) -> None:
    text, axes = MADE[name]
    robot, frame = led(station.loads(text))
    choice = choose(robot, frame)
    assert axis_names(choice.first) == axes
    assert choice.first_rank == choice.rank
    assert choice.axes is None


def test_choosing_moves_nothing() -> None:
    robot, frame = led(station.loads(following_robots.prs()))
    before, pose = robot.q, robot.pose(frame)
    choose(robot, frame)
    np.testing.assert_array_equal(robot.q, before)
    np.testing.assert_array_equal(robot.pose(frame), pose)


def test_a_hand_that_moves_sideways_does_not_tip_a_platform() -> None:
    robot, frame = led(station.loads(following_robots.prs()))
    choice = choose(robot, frame)
    assert np.abs(lead(robot, frame, choice, along("x", 0.03))).max() < 1e-6
    moved = lead(robot, frame, choice, along("ry", 0.2))
    assert moved[4] == pytest.approx(0.2, abs=1e-6)
    placed = choose(robot, frame, first=Priority.PLACE)  # what it was like before
    assert np.linalg.norm(lead(robot, frame, placed, along("x", 0.03))[3:]) > np.radians(30)


def test_a_platform_that_stands_askew_follows_along_its_own_axes() -> None:
    tilt = np.radians(35.0)
    robot, frame = led(station.loads(following_robots.prs(35.0)))
    choice = choose(robot, frame)
    assert axis_names(choice.first) == "z rx ry"
    assert choice.axes is not None
    up, across = np.array([0.0, -np.sin(tilt), np.cos(tilt)]), np.array([0.0, np.cos(tilt), np.sin(tilt)])
    np.testing.assert_allclose(choice.axes[:, 2], up, atol=1e-9)
    moved = lead(robot, frame, choice, np.concatenate([0.03 * up, np.zeros(3)]))
    np.testing.assert_allclose(moved, [*(0.03 * up), 0, 0, 0], atol=1e-6)
    assert np.abs(lead(robot, frame, choice, np.concatenate([0.03 * across, np.zeros(3)]))).max() < 1e-6
    turned = lead(robot, frame, choice, np.concatenate([np.zeros(3), 0.2 * across]))
    np.testing.assert_allclose(turned[3:], 0.2 * across, atol=1e-6)


def test_a_wrist_follows_the_wrist_unless_its_file_says_otherwise() -> None:
    robot, frame = led(station.loads(following_robots.wrist()))
    assert lead(robot, frame, choose(robot, frame), along("rz", 0.2))[5] == pytest.approx(0.2, abs=1e-6)
    choice = choose(robot, frame, first=Priority.PLACE)
    assert (choice.first, choice.second, choice.first_rank) == (PLACE, ORIENTATION, 2)
    assert "x y z first, then rx ry rz, as the file says" in choice.said


def test_axes_count_alone_and_in_the_order_of_the_priority() -> None:
    robot, frame = led(station.loads(following_robots.elbow()))
    assert choose(robot, frame, axes=0b000011)[:2] == (0b000011, 0)
    assert choose(robot, frame, axes=0b100011, first=Priority.ORIENTATION)[:2] == (0b100000, 0b000011)
    assert choose(robot, frame, axes=PLACE, first=Priority.PLACE)[:2] == (PLACE, 0)


def test_every_shipped_robot_has_a_choice() -> None:
    for name in SHIPPED:
        choice = choose(*led(station.load(robots.path(name))))
        assert 0 < choice.first_rank <= choice.rank
        assert choice.first & choice.second == 0


def test_the_table_of_the_docs_is_what_robots_do() -> None:
    page = Path(__file__).parents[2] / "docs" / "solver.md"
    found = MARKED.search(page.read_text(encoding="utf8"))
    assert found is not None
    assert found[0] == found[1] + table() + found[2]


# In files --------------------------------------------------------------------------------------------------------


def tied(more: str) -> str:
    return following_robots.elbow(more)


def test_a_priority_is_read_kept_and_written() -> None:
    scene = station.loads(tied("priority orientation priority 2"))
    constraint = scene.robots[0].constraints[0]
    assert (constraint.first, constraint.rank) == (Priority.ORIENTATION, 2)
    again = station.loads(station.dumps(scene))
    assert again.robots[0].constraints[0].priority == (Priority.ORIENTATION, 2)
    plain = station.loads(tied("")).robots[0].constraints[0]
    assert (plain.first, plain.rank, plain.priority) == (None, 0, ())


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("priority sideways", "'sideways' is no value for 'priority'"),
        ("priority 1.5", "whole numbers"),
        ("priority 1 priority 2", "one number and one of place, orientation at most"),
        ("priority place priority orientation", "one number and one of place, orientation at most"),
        ("axes ( x y ) priority orientation", "'axes' has none of rx ry rz"),
    ],
)
def test_a_priority_that_makes_no_sense_is_named(more: str, said: str) -> None:
    with pytest.raises(station.MadError, match=said):
        station.loads(tied(more))


def test_a_loop_has_no_priority() -> None:
    frames = "frame 3 { pred 1 } frame 4 { pred 2 }"
    links = (
        "link 1 { parameters { 0 0 0 0 } type revolute pred 0 } link 2 { parameters { 0 0 0 0 } type revolute pred 0 }"
    )
    with pytest.raises(station.MadError, match="a loop is always kept"):
        made(f"robot test {{ base {{ }} {links} {frames} constraint {{ frame 3 frame 4 priority place }} }}")
