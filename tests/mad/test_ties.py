"""Constraints between robots, and robots that stand on others: read, checked, written."""

from __future__ import annotations

import re

import pytest

import station
from station.mad.joined import groups, join
from station.mad.scene import Axis, ClosureKind, Target
from station.mad.scene.ties import Part

ARM = """
  link 1 { name "turn" parameters { 0 0 0 0 } type revolute pred 0 limits { -90 90 } }
  link 2 { parameters { 30 0 0 100 } type revolute pred 1 }
  frame 3 { name "tip" pos { 100 0 0 } pred 2 }
"""


def scene(more: str, right_base: str = "pos { 300 0 0 }", left_base: str = "") -> str:
    return f"""RAFF v2.0 Two
robot left {{
  base {{ {left_base} }}{ARM}}}
robot right {{
  base {{ {right_base} }}{ARM}}}
{more}
"""


def problems(text: str) -> list[str]:
    with pytest.raises(station.MadError) as caught:
        station.loads(text)
    return [re.sub(r"^<text>:", "", line) for line in str(caught.value).splitlines() if ":" in line]


def test_a_constraint_names_a_robot_before_each_part() -> None:
    found = station.loads(scene("constraint { robot left frame 3 robot right link 2 type ball }"))
    (tie,) = found.ties
    assert tie.parts == (Part("left", Target("frame", 3)), Part("right", Target("link", 2)))
    assert tie.kind is ClosureKind.BALL
    assert tie.rows == 3


def test_ball_and_axes_are_those_of_a_robots_own_constraints() -> None:
    found = station.loads(
        scene(
            "ball { robot left frame 3 robot right frame 0 }"
            "constraint { robot right link 1 robot left link 1 axes ( z rz ) }"
        )
    )
    assert [tie.kind for tie in found.ties] == [ClosureKind.BALL, ClosureKind.WELD]
    assert found.ties[1].axes == (Axis.Z, Axis.RZ)


def test_a_base_stands_on_a_part_of_another_robot() -> None:
    found = station.loads(scene("", right_base="on { robot left frame 3 } pos { 0 0 50 } ori { 0 0 90 }"))
    mount = found.robot("right").base.on
    assert mount is not None
    assert mount.part == Part("left", Target("frame", 3))


@pytest.mark.parametrize(
    "text",
    [
        scene("constraint { robot left frame 3 robot right link 2 }"),
        scene("ball { robot left frame 3 robot right link 2 }"),
        scene("constraint { robot left frame 3 robot right link 2 axes ( x rx ) }"),
        scene("", right_base="on { robot left frame 3 } pos { 0 0 50 }"),
    ],
)
def test_the_writer_gives_it_back(text: str) -> None:
    found = station.loads(text)
    assert station.loads(station.dumps(found)) == found


def test_what_joins_robots_can_itself_be_written() -> None:
    found = station.loads(scene("constraint { robot left frame 3 robot right link 2 axes ( x y ) }"))
    joined = join(found, ("left", "right"))
    text = station.dumps(station.Scene(name="One", version=(2, 0), robots=(joined,)))
    (again,) = station.loads(text).robots
    assert again.links == joined.links
    assert again.frames == joined.frames
    assert again.constraints == joined.constraints


# Bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "place", "said"),
    [
        ("constraint { robot left frame 3 robot rigt frame 3 }", "14:33", "not declared; did you mean 'right'"),
        ("constraint { robot left frame 8 robot right frame 3 }", "14:25", "frame 8 is not declared in robot left"),
        ("constraint { robot left link 3 robot right frame 3 }", "14:25", "3 is a frame in robot left, not a link"),
        ("constraint { robot left frame 3 robot left link 1 }", "14:33", "between robot left and itself"),
        ("constraint { robot left frame 3 }", "14:1", "each robot and its part in turn"),
        ("constraint { frame 3 device ( 1 ) }", "14:1", "what follows a device stands inside its robot"),
        ("constraint { frame 3 robot left frame 3 robot right }", "14:1", "each robot and its part in turn"),
        ("constraint { robot left robot right frame 3 frame 3 }", "14:1", "each robot and its part in turn"),
        ("constraint { robot left { } frame 3 robot right frame 3 }", "14:14", "'robot' takes a name alone"),
        ("constraint { robot left frame 3 robot right frame 3 axes ( ) }", "14:53", "'axes' needs at least one"),
        ("constraint { robot left frame 3 robot right frame 3 axes ( x ) type ball }", "14:53", "'axes' replaces"),
        ("constraint { robot left frame 3 robot right frame 3 sensor ( 1 ) }", "14:53", "unknown keyword 'sensor'"),
    ],
)  # fmt: skip
def test_a_wrong_constraint_is_told_with_its_place(more: str, place: str, said: str) -> None:
    found = problems(scene(more))
    assert any(line.startswith(f"{place}:") and said in line for line in found), found


@pytest.mark.parametrize(
    ("base", "place", "said"),
    [
        ("on { robot up link 1 }", "9:15", "robot up is not declared; there are: left, right"),
        ("on { robot left link 9 }", "9:26", "link 9 is not declared in robot left"),
        ("on { robot right link 1 }", "9:15", "robot right stands on itself"),
        ("on { robot left }", "9:10", "'on' takes a robot and one part of it"),
        ("on { robot left link 1 } on { robot left link 2 }", "9:35", "'on' is given twice"),
        ("on { robot left link 1 } mobile { type omnidirectional }", "9:10", "has wheels and stands on a robot"),
    ],
)
def test_a_wrong_mount_is_told_with_its_place(base: str, place: str, said: str) -> None:
    found = problems(scene("", right_base=base))
    assert any(line.startswith(f"{place}:") and said in line for line in found), found


def test_a_second_base_is_refused() -> None:
    text = scene("").replace("base { pos { 300 0 0 } }", "base { } base { on { robot left link 1 } }")
    assert any("'base' is given twice" in line for line in problems(text))


def test_robots_that_stand_on_each_other_are_told_once() -> None:
    found = problems(scene("", "on { robot left link 1 }", "on { robot right link 1 }"))
    assert len(found) == 1
    assert found[0].startswith("3:15:")
    assert "stand on each other in a circle: left, right" in found[0]


def test_a_file_of_version_1_is_told_what_it_needs() -> None:
    text = (
        scene("constraint { robot left frame 3 robot right link 2 }").replace("v2.0", "v1.0").replace('name "turn"', "")
    )
    assert any("'constraint' needs MAD 2.0" in line for line in problems(text.replace('name "tip"', "")))


def test_a_robots_name_may_be_given_once() -> None:
    text = scene("constraint { robot left frame 3 robot left link 1 }").replace("robot right {", "robot left {")
    assert any("robot left is declared twice" in line for line in problems(text))


def test_robots_that_are_too_large_together_are_refused() -> None:
    links = "\n".join(f"link {n} {{ parameters {{ 0 0 0 10 }} type revolute pred {n - 1} }}" for n in range(1, 300))
    text = f"RAFF v2.0 Long robot a {{ base {{ }} {links} }} robot b {{ base {{ on {{ robot a link 5 }} }} {links} }}"
    assert any("robot a with b has 598 joints; at most 500" in line for line in problems(text))


# Who belongs together ---------------------------------------------------------------------------------------------


def test_robots_that_nothing_holds_together_are_alone() -> None:
    assert groups(station.loads(scene(""))) == (("left",), ("right",))


def test_what_is_held_by_way_of_another_belongs_to_the_same() -> None:
    third = f"robot third {{ base {{ on {{ robot left link 1 }} }} {ARM} }} robot alone {{ base {{ }} {ARM} }}"
    found = station.loads(scene(third + "constraint { robot right link 2 robot left link 2 axes ( x ) }"))
    assert groups(found) == (("left", "right", "third"), ("alone",))


def test_everything_that_a_robot_has_is_kept_under_other_ids() -> None:
    text = """RAFF v2.0 Rich
device 1 { type spaceball }
robot a {
  path "meshes/"
  base { name "foot" pos { 10 20 30 } mass 3 filename ( "foot.stl" auto ) }
  link 1 { name "one" parameters { 0 0 0 0 } type revolute pred 0 filename ( "arm.stl" ) visual { mesh "v.stl" } }
  link 2 { parameters { 0 10 0 0 } type prismatic pred 1 }
  link 12 { parameters { 0 0 0 0 } type revolute pred 2 passive }
  tool 5 { name "grip" pred 12 }
  camera 6 { name "eye" resolution { 640 480 } pred 5 }
  coupling { link 12 equals ( link 1 2 ) offset 3 }
  posture home { joints ( link 1 10 link 2 20 ) }
  controller { address "sim:arm" }
  obstacle box { box { 1 1 1 } pred 5 }
  constraint { tool 5 device ( 0 1 ) }
}
robot b { base { on { robot a tool 5 } pos { 1 2 3 } } link 1 { parameters { 0 0 0 0 } type revolute pred 0 } }
"""
    joined = join(station.loads(text), ("a", "b"))
    assert joined.name == "a+b"
    assert [link.id for link in joined.links] == [101, 102, 112, 201]
    assert [link.pred for link in joined.links] == [100, 101, 102, 200]
    assert joined.links[0].name == "a.one"
    assert joined.links[0].filename == ("meshes/arm.stl",)
    assert joined.links[0].visual[0].mesh == "meshes/v.stl"
    foot, stand = joined.frames
    assert (foot.id, foot.pred, foot.name, foot.mass, foot.filename[0]) == (100, 0, "a.foot", 3, "meshes/foot.stl")
    assert (stand.id, stand.pred, stand.pos) == (200, 105, (0.001, 0.002, 0.003))
    assert [(tool.id, tool.pred, tool.name) for tool in joined.tools] == [(105, 112, "a.grip")]
    assert [(camera.id, camera.pred) for camera in joined.cameras] == [(106, 105)]
    (coupling,) = joined.couplings
    assert (coupling.link, coupling.equals[0].link) == (112, 101)
    assert joined.postures[0].name == "a.home"
    assert [value.link for value in joined.postures[0].joints] == [101, 102]
    assert joined.controllers[0].joints == (101, 102)  # all active ones, which are no longer all
    assert (joined.obstacles[0].name, joined.obstacles[0].pred) == ("a.box", 105)
    assert joined.constraints[0].targets == (Target("tool", 105),)
