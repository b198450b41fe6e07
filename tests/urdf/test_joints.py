"""Joints: types, stops, speeds, mimics, initial values, names, ids."""

from __future__ import annotations

import math

import pytest

from station.errors import MadError, Severity
from station.mad import dumps, loads
from station.mad.scene import Coupling, Friction, Interval, JointValue, Link, Scene
from station.mad.units import FARTHEST, JointType, LengthUnit
from station.mad.urdf import scene_from_urdf

LIMIT = '<limit lower="-1" upper="2" velocity="3" effort="40"/>'


def joint(name: str, inside: str = LIMIT, kind: str = "revolute", ends: str = "") -> str:
    parent, child = ends.split() if ends else ("base", f"{name}_body")
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'
        f'<link name="{child}"/>\n'
    )


def scene_of(*joints: str) -> Scene:
    return scene_from_urdf(f'<robot name="r">\n<link name="base"/>\n{"".join(joints)}</robot>')


def link_of(*joints: str) -> Link:
    """The last joint as a MAD link."""
    return scene_of(*joints).robots[0].links[-1]


def warnings_of(*joints: str) -> list[str]:
    return [f"{p.line}:{p.column} {p.text}" for p in scene_of(*joints).warnings if p.severity is Severity.WARNING]


def test_a_revolute_joint_is_carried_over_in_si() -> None:
    link = link_of(joint("a", LIMIT + '<dynamics damping="0.7" friction="0.2"/>'))
    assert (link.name, link.joint, link.limits) == ("a", JointType.REVOLUTE, Interval(-1.0, 2.0))
    assert (link.speed, link.effort, link.friction) == (3.0, 40.0, Friction(0.7, 0.2))
    assert not link.passive


def test_a_prismatic_joint_is_carried_over_in_si() -> None:
    link = link_of(joint("a", kind="prismatic"))
    assert (link.joint, link.limits, link.speed, link.effort) == (JointType.PRISMATIC, Interval(-1, 2), 3.0, 40.0)


def test_a_continuous_joint_has_no_stops_but_a_largest_speed() -> None:
    link = link_of(joint("a", kind="continuous"))
    assert (link.joint, link.limits, link.speed, link.effort) == (JointType.REVOLUTE, None, 3.0, 40.0)
    assert warnings_of(joint("a", "", kind="continuous")) == []


def test_limits_of_urdf_1_2() -> None:
    more = '<limit lower="-1" upper="2" velocity="3" effort="40" acceleration="5" deceleration="4" jerk="60"/>'
    assert (link_of(joint("a", more)).acceleration, link_of(joint("a", more)).jerk) == (4.0, 60.0)


def test_friction_of_zero_is_none() -> None:
    assert link_of(joint("a", LIMIT + '<dynamics damping="0" friction="0.0"/>')).friction is None


def test_stops_and_speeds_beyond_all_machines_are_none() -> None:
    none = link_of(joint("a", '<limit lower="-1e16" upper="1.7976931348623157e308" velocity="1e308" effort="1e308"/>'))
    assert (none.limits, none.speed, none.effort) == (None, None, None)
    one = link_of(joint("a", '<limit lower="-1e16" upper="2" velocity="1" effort="1"/>'))
    assert one.limits == Interval(-FARTHEST, 2.0)
    for scene in (scene_of(joint("a", LIMIT)), scene_of(joint("a", LIMIT.replace("-1", "-1e300")))):
        assert loads(dumps(scene)) == scene
    with pytest.raises(MadError, match="no joint comes to its stops"):
        scene_of(joint("a", '<limit lower="1e308" upper="1.7e308" velocity="1" effort="1"/>'))


def test_places_are_those_of_the_xml_elements() -> None:
    inside = f'\n<origin xyz="0 0 1"/>\n {LIMIT}\n<mimic joint="b"/>'
    scene = scene_of(joint("b"), joint("a", inside))
    link = scene.robots[0].links[-1]
    assert link.source.place == (4, 1)
    assert [link.source.of(name) for name in ("parameters", "limits", "friction")] == [(5, 1), (6, 2), (4, 1)]
    assert scene.robots[0].couplings[0].source.place == (7, 1)
    assert scene.robots[0].source.place == (1, 1)


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("", "3:1 joint 'a' has no <limit>; it is imported without stops"),
        (
            '<limit lower="0" upper="0" velocity="1" effort="1"/>',
            "3:76 joint 'a': 'lower' and 'upper' are both 0; it is imported without stops",
        ),
        (
            '<limit lower="0" upper="1" velocity="0" effort="1"/>',
            "3:76 joint 'a' has no 'velocity' in <limit>; it is imported without that bound",
        ),
        (
            '<limit lower="0" upper="1" velocity="1"/>',
            "3:76 joint 'a' has no 'effort' in <limit>; it is imported without that bound",
        ),
    ],
)
def test_what_nobody_entered_is_a_warning_and_no_bound(inside: str, text: str) -> None:
    assert warnings_of(joint("a", inside)) == [text]
    link = link_of(joint("a", inside))
    assert None in (link.limits, link.speed, link.effort)


@pytest.mark.parametrize(
    ("limits", "initial"), [((-1, 1), 0.0), ((0, 1), 0.0), ((-1, 0), 0.0), ((1, 2), 1.5), ((-3, -1), -2.0)]
)
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_the_initial_value_is_0_or_the_middle(limits: tuple[float, float], initial: float, kind: str) -> None:
    given = f'<limit lower="{limits[0]}" upper="{limits[1]}" velocity="1" effort="1"/>'
    assert link_of(joint("a", given, kind)).initial == initial


def test_a_mimic_is_a_coupling() -> None:
    mimic = LIMIT + '<mimic joint="a" multiplier="-0.5" offset="0.25"/>'
    robot = scene_of(joint("b", mimic, "prismatic"), joint("a")).robots[0]
    follower, leader = robot.links
    assert robot.couplings == (Coupling(link=follower.id, equals=(JointValue(leader.id, -0.5),), offset=0.25),)
    assert not follower.passive


def test_a_mimic_without_numbers_copies_its_leader() -> None:
    robot = scene_of(joint("a"), joint("b", LIMIT + '<mimic joint="a"/>')).robots[0]
    assert robot.couplings == (Coupling(link=3, equals=(JointValue(1, 1.0),)),)


def test_a_mimic_starts_where_its_leader_puts_it() -> None:
    leader = joint("a", '<limit lower="1" upper="2" velocity="1" effort="1"/>')
    follower = joint("b", '<mimic joint="a" multiplier="2" offset="0.5"/>', "continuous")
    last = joint("c", LIMIT + '<mimic joint="b"/>')  # 3.5 is beyond its stops
    starts = {link.name: link.initial for link in scene_of(last, follower, leader).robots[0].links}
    assert starts == {"a": 1.5, "b": 3.5, "c": 0.0}


def test_the_axis_is_x_where_none_is_given_and_of_any_length() -> None:
    bare, stated = link_of(joint("a")), link_of(joint("a", LIMIT + '<axis xyz="1e-300 0 0"/>'))
    assert bare.parameters == stated.parameters
    assert bare.parameters.alpha == math.pi / 2


def test_ids_run_depth_first_in_file_order() -> None:
    robot = scene_of(
        joint("a", ends="base a1"),
        joint("b", ends="base b1"),
        joint("c", "", "fixed", "a1 c1"),
        joint("d", ends="c1 d1"),
    ).robots[0]
    assert [(link.id, link.name, link.pred) for link in robot.links] == [(1, "a", 0), (4, "d", 1), (6, "b", 0)]
    frames = [(frame.id, frame.name, frame.pred) for frame in robot.frames]
    assert frames == [(2, "a1", 1), (3, "c1", 2), (5, "d1", 4), (7, "b1", 6)]


def test_a_link_that_has_the_name_of_a_joint() -> None:
    both = joint("wrist", ends="base wrist"), joint("wrist_link", ends="wrist hand")
    robot = scene_of(*both).robots[0]
    assert [item.name for item in robot.placed()] == ["wrist", "wrist_link", "wrist_link2", "hand"]
    assert warnings_of(*both)[0].endswith("link 'wrist' cannot keep its name; it is called 'wrist_link2'")


def test_names_are_made_to_fit() -> None:
    text = '<robot name="-my arm (2)/&#xe9;"><link name="ba&quot;se&#10;1"/></robot>'
    scene = scene_from_urdf(text)
    assert (scene.name, scene.robots[0].name) == ("_-my_arm_2_é",) * 2
    assert scene.robots[0].base.name == "ba_se_1"
    assert (scene.version, scene.unit, scene.file) == ((2, 0), LengthUnit.M, None)


def test_a_joint_name_that_mad_cannot_quote() -> None:
    (told,) = warnings_of(joint("a&quot;", ends="base a"))
    assert told == "3:1 joint 'a\"' cannot keep its name; it is called 'a_'"


def test_unknown_elements_are_ignored() -> None:
    extra = '<gazebo reference="a"><sensor/></gazebo><transmission name="t"/><sensor/><ros2_control/>'
    assert scene_of(joint("a"), extra) == scene_of(joint("a"))


def chain(count: int, more: str = LIMIT, kind: str = "revolute") -> list[str]:
    return [joint(f"{kind}{n}", more, kind=kind, ends=f"{f'l{n - 1}' if n else 'base'} l{n}") for n in range(count)]


def test_a_chain_of_hundreds_of_joints_or_thousands_of_links() -> None:
    assert len(scene_of(*chain(500)).robots[0].links) == 500
    assert len(scene_of(*chain(2900, "", "fixed")).robots[0].frames) == 2900


def test_more_joints_or_links_than_a_computer_can_move_are_refused_before_anything_is_built() -> None:
    with pytest.raises(MadError, match="robot r has 501 joints; at most 500 are possible"):
        scene_of(*chain(501))
    with pytest.raises(MadError, match="links; at most 3000 are possible"):
        scene_of(*chain(10_000, "", "fixed"))
