"""The frame that a hand leads: chosen so that it is of use, told everywhere, and refused if it cannot move."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import robots
import station
from station.clock import VirtualClock
from station.errors import StationError
from station.mad.leading import frame_text, led_frame, movable_frames
from station.mad.scene import Robot
from station.mad.urdf import scene_from_urdf
from station.monitor import Collector, Dashboard, Summary
from station.monitor.screen import Screen
from station.run.launch import ReadyPart
from station.servo.facts import facts_of
from station.servo.rig import Rig, RigError, Wanted, put_together
from station.servo.shared import StateReader, StateWriter
from tests.servo.rigs import IdealDevice

FIXED, TURNS = "fixed", "revolute"


def urdf(*joints: tuple[str, str, str]) -> str:
    """Links by `(parent, child, type)`; the first parent is the root."""
    limit = '<limit lower="-1" upper="1" velocity="1" effort="1"/>'
    links = dict.fromkeys(name for parent, child, _ in joints for name in (parent, child))
    parts = [f'<link name="{name}"/>' for name in links]
    parts += [
        f'<joint name="j{n}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0 0 0.1"/><axis xyz="0 {n % 2} {1 - n % 2}"/>{limit}</joint>'
        for n, (parent, child, kind) in enumerate(joints)
    ]
    return f'<robot name="r">{"".join(parts)}</robot>'


def robot_of(*joints: tuple[str, str, str]) -> Robot:
    return scene_from_urdf(urdf(*joints)).robots[0]


ARM = (("world", "upper", TURNS), ("upper", "lower", TURNS), ("lower", "wrist_3_link", TURNS))
UR5 = (
    *ARM,
    ("wrist_3_link", "ee_link", FIXED),
    ("wrist_3_link", "tool0", FIXED),
    ("world", "base", FIXED),
)
CASES = {
    "a leg": ((*ARM, ("wrist_3_link", "FOOT", FIXED), ("FOOT", "FOOT_IMU", FIXED)), "FOOT"),
    "a knee": ((*ARM, ("world", "knee", TURNS)), "wrist_3_link"),
    "capitals": ((*ARM, ("wrist_3_link", "LeftSakePalmLink", FIXED)), "LeftSakePalmLink"),
    "a tool that stands still": ((*ARM, ("world", "tool0", FIXED)), "wrist_3_link"),
    "a finger": ((*ARM, ("wrist_3_link", "hand", FIXED), ("hand", "hand_finger", TURNS)), "hand"),
}
PUBLIC = Path(__file__).parents[1] / "urdf" / "public_trees.txt"
MANUAL = Path(__file__).parents[2] / "docs" / "mad.md"
TABLE = dict(re.findall(r"^\| ([\w -]+) \| `\S+` \| `(\S+)` \|$", MANUAL.read_text(encoding="utf8"), re.MULTILINE))


def public_robots() -> dict[str, Robot]:
    """The trees of public URDFs, with the names of their links."""
    found = {}
    for line in PUBLIC.read_text(encoding="utf8").splitlines()[1:]:
        name, rest = line.split(": ")
        links, joints = (part.split() for part in rest.split(" | "))
        ends = [re.fullmatch(r"(\d+)([+-])(\d+)", joint) for joint in joints]
        found[name] = robot_of(
            *((links[int(end[1])], links[int(end[3])], TURNS if end[2] == "+" else FIXED) for end in ends if end)
        )
    return found


@pytest.mark.parametrize("name", CASES)
def test_a_urdf_leads_its_hand(name: str) -> None:
    joints, wanted = CASES[name]
    assert led_name(robot_of(*joints)) == wanted


def test_public_urdfs_lead_what_the_manual_says() -> None:
    led = {name: led_name(robot) for name, robot in public_robots().items()}
    assert len(led) == 20
    assert led == TABLE


def led_name(robot: Robot) -> str:
    led = led_frame(robot)
    assert led is not None
    return frame_text(robot, led.id).split()[0]


def test_why_is_told() -> None:
    for joints, why in ((UR5, "by its name"), (ARM, "the end of the longest chain (3 joints)")):
        led = led_frame(robot_of(*joints))
        assert led is not None
        assert led.why.startswith(why)


@pytest.mark.parametrize("name", robots.names())
def test_shipped_robots_lead_what_their_files_say(name: str) -> None:
    bench = station.load(robots.path(name))
    rig = put_together(bench, IdealDevice(VirtualClock()), Wanted())
    said = [item.targets[0].id for item in bench.robots[0].constraints if not item.closes_loop]
    assert rig.followed.id == said[0]
    assert ", as the file says" in rig.followed.told


def rig_of(text: str, folder: Path, **wanted: str) -> Rig:
    file = folder / "robot.urdf"
    file.write_text(text, encoding="utf8")
    return put_together(station.load(file), IdealDevice(VirtualClock()), Wanted(**wanted))  # type: ignore[arg-type]


def test_a_frame_that_cannot_move_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RigError, match=r"base \(frame \d+\) of robot r cannot move; choose with --frame one of: tool0"):
        rig_of(urdf(*UR5), tmp_path, frame="base")
    assert rig_of(urdf(*UR5), tmp_path, frame="ee_link").followed.told.endswith(
        ", as asked; follows rx ry rz, not x y z"
    )


def test_a_robot_without_joints_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(RigError, match="robot r has no joint that moves, so there is nothing to lead"):
        rig_of(urdf(("world", "tool0", FIXED)), tmp_path)
    rover = "RAFF v2.0 A robot rover { base { mobile { type differential track 400 } } }"
    with pytest.raises(StationError, match="robot rover has no joint that moves"):
        put_together(station.loads(rover), IdealDevice(VirtualClock()), Wanted())


def test_which_frame_is_led_is_told_at_the_start_on_the_dashboard_and_in_the_summary(tmp_path: Path) -> None:
    rig = rig_of(urdf(*UR5), tmp_path)
    facts = facts_of(rig, 1000.0)
    number = rig.followed.id
    told = f"tool0 (frame {number}), by its name; follows rx ry rz, not x y z"
    assert (facts["frame"], facts["led"]) == (number, told)
    assert f"the hand leads {told}" in ReadyPart("1", "ur5e", None, told, "", leads=True, nobody=False).lines
    with StateWriter(3, facts, folder=tmp_path) as writer, StateReader(writer.path) as reader:
        collector = Collector(reader)
        writer.shared.tick = 1
        writer.publish()
        collector.poll()
        for width in (60, 100, 160):
            lines = Screen(Dashboard(collector).moment()).lines(width, 50)
            assert any(f"leads tool0 (frame {number})" in line.plain for line in lines), width
        summary = Summary.of(collector.run())
    assert json.loads(json.dumps(summary.data))["led"] == told
    assert f"hand led   {told}" in summary.text


def test_what_may_be_led_is_listed_best_first() -> None:
    names = movable_frames(robot_of(*UR5))
    assert names[:2] == ["tool0", "ee_link"]
    assert "base" not in names
