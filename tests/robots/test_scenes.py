"""Shipped scenes of several robots: load clean, explain themselves, survive the writer, stand in the README."""

from __future__ import annotations

import re

import pytest

import robots
import station
from station.mad.joined import groups
from station.mad.units import JointType

every_scene = pytest.mark.parametrize("name", robots.scenes())
ROW = re.compile(
    r"\| \[(?P<name>\w+)\]\((?P=name)\.mad\) \| .+? \| (?P<robots>[\w, ]+) \| (?P<numbers>\d+ \| \d+) \|.*"
)


def test_names_and_scenes_are_all_files_there_are() -> None:
    assert sorted([*robots.names(), *robots.scenes()]) == sorted(path.stem for path in robots.FOLDER.glob("*.mad"))


@every_scene
def test_loads_without_warnings_and_survives_the_writer(name: str) -> None:
    scene = station.load(name)
    assert scene.warnings == ()
    assert len(scene.robots) > 1
    assert station.loads(station.dumps(scene)) == scene


@every_scene
def test_begins_with_what_it_is(name: str) -> None:
    text = robots.path(name).read_text(encoding="utf-8")
    assert text.startswith(f"/* {name}: ")
    assert "OUR OWN" in text[: text.index("*/")]
    assert max(len(line) for line in text.splitlines()) <= 120


@every_scene
def test_every_robot_starts_at_home_and_its_driven_joints_are_limited(name: str) -> None:
    for robot in station.load(name).robots:
        joints = [link for link in robot.links if link.joint is not JointType.FIXED]
        (home,) = [posture for posture in robot.postures if posture.name == "home"]
        assert [(value.link, value.value) for value in home.joints] == [(link.id, link.initial) for link in joints]
        assert all(link.speed and link.acceleration and link.stops for link in joints)
        assert any(constraint.devices for constraint in robot.constraints)


def test_the_readme_agrees_with_the_files() -> None:
    text = (robots.FOLDER / "README.md").read_text(encoding="utf-8")
    lines = text[text.index("## Scenes of several robots") :].splitlines()
    rows = {row["name"]: row for row in map(ROW.fullmatch, lines) if row is not None}
    assert list(rows) == robots.scenes()
    for name, row in rows.items():
        bench = station.load(name)
        assert row["robots"] == ", ".join(robot.name for robot in bench.robots)
        assert len(groups(bench)) == 1
        (system,) = bench.systems()
        assert row["numbers"] == f"{len(system.mechanism.joints)} | {system.mechanism.mobility}"
