"""Every robot file loads clean, explains itself, survives the writer, and is what the README says it is."""

from __future__ import annotations

import re

import numpy as np
import pytest

import robots
import station
from station.mad.scene import Auto, Robot
from station.mad.units import JointType
from tests.robots.assembly import assemble, initial, movable, singular_values

PUBLISHED = ("macdac", "cross-delta", "redundant", "planar-hybrid")  # as printed in 1998: MAD 1
ASKED_FOR = {
    *PUBLISHED,
    *("3-rpr", "bennett", "cross-delta-driven", "delta", "five-bar", "hitachi-hpr", "hobby-arm", "panda", "puma560"),
    *("robuter-ulm", "scara", "stewart", "syntaxer", "ur5e"),
}
ROW = re.compile(r"\| \[(?P<name>[\w-]+)\]\((?P<file>\S+)\) \| .+? \| (?P<numbers>\d+ \| \d+ \| \d+) \| .+ \|")

every_robot = pytest.mark.parametrize("name", robots.names())
every_new_robot = pytest.mark.parametrize("name", [name for name in robots.names() if name not in PUBLISHED])


def robot_of(name: str) -> Robot:
    (robot,) = station.load(robots.path(name)).robots
    return robot


def test_all_robots_are_there() -> None:
    assert set(robots.names()) >= ASKED_FOR


@every_robot
def test_loads_without_warnings(name: str) -> None:
    scene = station.load(robots.path(name))
    assert scene.warnings == ()
    assert scene.major == (1 if name in PUBLISHED else 2)
    assert [robot.name for robot in scene.robots] == ["6dof" if name == "redundant" else name]


@every_robot
def test_begins_with_what_it_is_and_where_its_numbers_come_from(name: str) -> None:
    text = robots.path(name).read_text(encoding="utf-8")
    header = text[: text.index("*/")]
    assert header.startswith(f"/* {name}")
    assert re.search(r"\b(Source|Dimensions|Lengths|Geometry|OUR OWN|DIMENSIONS|[Nn]umbers are our own)\b", header)
    assert max(len(line) for line in text.splitlines()) <= 120


@every_robot
def test_survives_the_writer(name: str) -> None:
    scene = station.load(robots.path(name))
    assert station.loads(station.dumps(scene)) == scene


@every_robot
def test_something_follows_a_device_and_bodies_are_drawn(name: str) -> None:
    robot = robot_of(name)
    assert any(constraint.devices for constraint in robot.constraints)
    assert any(Auto.AUTO in link.filename for link in robot.links)
    assert Auto.AUTO in robot.base.filename


@every_new_robot
def test_driven_joints_are_limited_in_speed_and_acceleration(name: str) -> None:
    driven = [link for link in movable(robot_of(name)) if not link.passive]
    assert driven
    for link in driven:
        assert link.speed is not None
        assert link.acceleration is not None
        assert link.stops is not None


@every_new_robot
def test_home_is_given_for_every_joint(name: str) -> None:
    robot = robot_of(name)
    (home,) = [posture for posture in robot.postures if posture.name == "home"]
    assert [value.link for value in home.joints] == [link.id for link in movable(robot)]


@every_new_robot
def test_starts_at_home_unless_home_is_singular(name: str) -> None:
    robot = robot_of(name)
    (home,) = [posture for posture in robot.postures if posture.name == "home"]
    same = np.allclose([value.value for value in home.joints], initial(robot), rtol=0, atol=1e-12)
    assert same is (name != "robuter-ulm")


def test_loops_are_moved_by_as_many_joints_as_they_have_freedoms() -> None:
    for name in robots.names():
        robot = robot_of(name)
        if name not in PUBLISHED and any(constraint.closes_loop for constraint in robot.constraints):
            driven = [link for link in movable(robot) if not link.passive]
            assert len(driven) == mobility(robot), name


def test_readme_agrees_with_the_files() -> None:
    text = (robots.FOLDER / "README.md").read_text(encoding="utf-8")
    rows = {row["name"]: row for row in map(ROW.fullmatch, text.splitlines()) if row is not None}
    assert list(rows) == robots.names()
    for name, row in rows.items():
        robot = robot_of(name)
        loops = sum(constraint.closes_loop for constraint in robot.constraints)
        joints = sum(link.joint is not JointType.FIXED for link in robot.links)
        assert row["file"] == robots.path(name).name
        assert row["numbers"] == f"{joints} | {loops} | {mobility(robot)}", name


def mobility(robot: Robot) -> int:
    values = singular_values(robot, assemble(robot, initial(robot)))
    return len(movable(robot)) - int(np.sum(values > 1e-6))
