"""What is wrong with a URDF: all of it, each with line, column and what to do."""

from __future__ import annotations

import time

import pytest

from station.errors import MadError, Severity
from station.mad.urdf import scene_from_urdf

LINKS = '<link name="a"/><link name="b"/>'
ENDS = '<parent link="a"/><child link="b"/>'
LIMIT = '<limit lower="0" upper="1" velocity="1" effort="1"/>'
TREE = "a URDF is a tree; close loops in the MAD file, by 'constraint'"
XACRO = "this is xacro, a template of a URDF; run 'xacro in.urdf.xacro > out.urdf' first and load out.urdf"


def errors_of(text: str) -> list[str]:
    with pytest.raises(MadError) as caught:
        scene_from_urdf(text, "arm.urdf")
    assert all(problem.file == "arm.urdf" for problem in caught.value.problems)
    assert str(caught.value).startswith(f"arm.urdf:{caught.value.line}:{caught.value.column}: ")
    found = [problem for problem in caught.value.problems if problem.severity is Severity.ERROR]
    return [f"{problem.line}:{problem.column} {problem.text}" for problem in found]


def in_robot(inside: str) -> list[str]:
    """Errors of what starts at line 2, column 1 of a robot."""
    return errors_of(f'<robot name="r">\n{inside}</robot>')


def in_joint(inside: str, kind: str = "revolute") -> list[str]:
    """Errors of what starts at line 3, column 1 of a joint."""
    return in_robot(f'{LINKS}<joint name="j" type="{kind}">{ENDS}\n{inside}</joint>')


def in_link(inside: str) -> list[str]:
    """Errors of what starts at line 3, column 1 of a link."""
    return in_robot(f'<link name="a">\n{inside}</link>')


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "1:1 the file is empty; a URDF starts with <robot name=…>"),
        (" \n ", "2:2 the file is empty; a URDF starts with <robot name=…>"),
        ("RAFF v2.0 arm", "1:1 not XML: syntax error; a URDF starts with <robot name=…>"),
        ('<robot name="r">\n<link', "2:1 the file ends inside a tag or comment"),
        ('<robot name="r">\n<!-- a', "2:1 the file ends inside a tag or comment"),
        ('<robot name="r">\n <link name="a">', "2:17 the file ends inside <link> of line 2"),
        ('<robot name="r">\n <link name="a">\n</robot>', "3:3 <link> of line 2 is not closed before this"),
        ('<robot name="r">\n <link name=a/></robot>', "2:13 not XML: not well-formed (invalid token)"),
        ('<robot name="r"/>\n<robot/>', "2:1 not XML: junk after document element"),
        ('<robot name="\ud800"/>', "1:14 not XML: not well-formed (invalid token)"),
        ('<robot name="r">&nothing;</robot>', "1:17 not XML: undefined entity"),
    ],
)
def test_not_xml(text: str, error: str) -> None:
    (found,) = errors_of(text)
    assert found.startswith(error)


def test_cut_off_anywhere_is_an_error() -> None:
    text = f'<robot name="r">{LINKS}<joint name="j" type="revolute">{ENDS}{LIMIT}</joint></robot>'
    scene_from_urdf(text)
    for end in range(len(text)):
        assert len(errors_of(text[:end])) == 1


def test_the_root_is_a_robot() -> None:
    assert errors_of('<?xml version="1.0"?>\n <sdf/>') == ["2:2 a URDF starts with <robot name=…>, not <sdf>"]


@pytest.mark.parametrize(
    "text",
    [
        '<robot name="r" xmlns:xacro="x">\n<xacro:property name="p" value="1"/></robot>',
        '<robot name="r">\n<link name="${prefix}base"/></robot>',
        '<robot name="r">\n<mesh filename="$(find arm)/a.stl"/></robot>',
    ],
)
def test_xacro(text: str) -> None:
    assert errors_of(text) == [f"2:1 {XACRO}"]


def test_a_trace_of_xacro_is_no_harm() -> None:
    scene_from_urdf('<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="a"/></robot>')


def test_an_entity_bomb_is_refused_at_once() -> None:
    bomb = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    text = f'<?xml version="1.0"?>\n<!DOCTYPE r [<!ENTITY a0 "ha">{bomb}]>\n<robot name="r">&a9;</robot>'
    before = time.perf_counter()
    assert errors_of(text) == ["2:13 a URDF has no <!DOCTYPE …>; remove it"]
    assert time.perf_counter() - before < 1.0


def test_deep_nesting_is_no_harm() -> None:
    scene_from_urdf(f'<robot name="r"><link name="a"/>{"<gazebo>" * 50_000}{"</gazebo>" * 50_000}</robot>')


@pytest.mark.parametrize(
    ("inside", "error"),
    [
        ("", "1:1 this robot has no <link>"),
        ("<link/>", "2:1 <link> needs the attribute 'name'"),
        ('<link name=" "/>', "2:1 <link> needs the attribute 'name'"),
        ('<link name="a"/>\n<link name="a"/>', "3:1 link 'a' is declared twice; the first is at line 2"),
        (
            f'{LINKS}<link name="c"/>\n<joint name="j" type="fixed">{ENDS}</joint>\n'
            '<joint name="j" type="fixed"><parent link="a"/><child link="c"/></joint>',
            "4:1 joint 'j' is declared twice; the first is at line 3",
        ),
        (
            f'{LINKS}\n<joint name="j" type="fixed"><parent link="a"/><child link="bb"/></joint>',
            "3:1 joint 'j': no child link 'bb'; did you mean 'b'? there are: a, b",
        ),
        (
            f'{LINKS}\n<joint name="j" type="fixed"><parent link="zzz"/><child link="b"/></joint>',
            "3:1 joint 'j': no parent link 'zzz'; there are: a, b",
        ),
        (
            f'{LINKS}\n<joint name="j" type="fixed">{ENDS}</joint>\n<joint name="k" type="fixed">{ENDS}</joint>',
            f"4:1 link 'b' has two parents, by joints 'j' (line 3) and 'k'; {TREE}",
        ),
        (
            '<link name="a"/>\n<link name="b"/>\n<link name="c"/>',
            "3:1 3 links have no parent: a, b, c; join them by <joint> to one root",
        ),
        (
            f'{LINKS}\n<joint name="j" type="fixed">{ENDS}</joint>'
            '\n<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>',
            f"3:1 links run in a circle: b → a → b; {TREE}",
        ),
        (
            f'{LINKS}<link name="c"/>\n<joint name="j" type="fixed"><parent link="b"/><child link="c"/></joint>'
            '\n<joint name="k" type="fixed"><parent link="c"/><child link="b"/></joint>',
            f"3:1 links run in a circle: c → b → c; {TREE}",
        ),
        (
            '<link name="a"/>\n<joint name="j" type="fixed"><parent link="a"/><child link="a"/></joint>',
            f"3:1 links run in a circle: a → a; {TREE}",
        ),
    ],
)
def test_the_tree(inside: str, error: str) -> None:
    assert in_robot(inside) == [error]


def test_a_robot_needs_a_name() -> None:
    assert errors_of('<robot>\n<link name="a"/></robot>') == ["1:1 <robot> needs the attribute 'name'"]


@pytest.mark.parametrize(
    ("joint", "error"),
    [
        (f'<joint type="fixed">{ENDS}</joint>', "2:1 <joint> needs the attribute 'name'"),
        (f'<joint name="j">{ENDS}</joint>', "2:1 <joint> needs the attribute 'type'"),
        ('<joint name="j" type="fixed"><parent link="a"/></joint>', '2:1 <joint> needs a <child link="…"/>'),
        (
            '<joint name="j" type="fixed">\n<parent/><child link="b"/></joint>',
            "3:1 <parent> needs the attribute 'link'",
        ),
        (
            f'<joint name="j" type="revolut">{ENDS}</joint>',
            "2:1 unknown joint type 'revolut'; did you mean 'revolute'? "
            "allowed: revolute, continuous, prismatic, fixed",
        ),
        (
            f'<joint name="j" type="floating">{ENDS}</joint>',
            "2:1 joint type 'floating' has several degrees of freedom; compose it of joints that have one; "
            "allowed: revolute, continuous, prismatic, fixed",
        ),
        (
            f'<joint name="j" type="planar">{ENDS}</joint>',
            "2:1 joint type 'planar' has several degrees of freedom; compose it of joints that have one; "
            "allowed: revolute, continuous, prismatic, fixed",
        ),
    ],
)
def test_joints(joint: str, error: str) -> None:
    assert in_robot(joint + LINKS) == [error]


@pytest.mark.parametrize(
    ("inside", "error"),
    [
        ('<axis xyz="0 0 0"/>', "the axis of a joint is zero; it has no direction"),
        ("<axis/>", "<axis> needs the attribute 'xyz'"),
        ('<axis xyz="0 1"/>', "'xyz' of <axis> takes 3 numbers, not 2: '0 1'"),
        ('<origin xyz="0 one 0"/>', "'xyz' of <origin>: 'one' is not a number"),
        ('<origin xyz="0 1_0 0"/>', "'xyz' of <origin>: '1_0' is not a number"),
        ('<origin xyz="0 ١ 0"/>', "'xyz' of <origin>: '١' is not a number"),
        ('<origin rpy="0 nan 0"/>', "'rpy' of <origin>: 'nan' is not a finite number"),
        ('<origin rpy="0 1e999 0"/>', "'rpy' of <origin>: '1e999' is not a finite number"),
        ('<origin xyz="0 1e300 0"/>', "'xyz' of <origin>: '1e300' is too large; allowed: up to 100000"),
        ('<origin quat_xyzw="0 0 0 0"/>', "'quat_xyzw' of <origin> is zero; it has no direction"),
        ('<origin quat_xyzw="0 0 0 1" rpy="0 0 0"/>', "<origin> has both 'rpy' and 'quat_xyzw'; keep one"),
        (
            '<limit lower="-inf" upper="1" velocity="1" effort="1"/>',
            "'lower' of <limit>: '-inf' is not a finite number",
        ),
        ('<limit lower="2" upper="1" velocity="1" effort="1"/>', "joint 'j': 'lower' 2 is above 'upper' 1"),
        ('<limit lower="0" upper="1" velocity="-1" effort="1"/>', "'velocity' of <limit> must be more than 0, not -1"),
        ('<dynamics damping="-1"/>', "'damping' of <dynamics> must be at least 0, not -1"),
        ('<mimic joint="j"/>', "joint 'j' mimics itself; name another joint"),
        ('<mimic joint="jj"/>', "no joint 'jj' that moves, to mimic; did you mean 'j'? there are: j"),
        ('<mimic multiplier="1"/>', "<mimic> needs the attribute 'joint'"),
        ('<mimic joint="j" offset="x"/>', "'offset' of <mimic>: 'x' is not a number"),
    ],
)
def test_parts_of_joints(inside: str, error: str) -> None:
    assert in_joint(inside) == [f"3:1 {error}"]


def test_a_mimic_of_a_fixed_joint() -> None:
    fixed = '<link name="c"/><joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint>'
    inside = f'{LINKS}{fixed}<joint name="j" type="continuous">{ENDS}\n<mimic joint="k"/></joint>'
    assert in_robot(inside) == ["3:1 no joint 'k' that moves, to mimic; there are: j"]


def test_mimics_in_a_circle() -> None:
    first = f'{LINKS}<joint name="j" type="continuous">{ENDS}\n<mimic joint="k"/></joint>'
    ends = '<parent link="b"/><child link="c"/>'
    second = f'<link name="c"/><joint name="k" type="continuous">{ends}<mimic joint="j"/></joint>'
    assert in_robot(first + second) == ["3:1 couplings that move each other in a circle: links 1, 3"]


@pytest.mark.parametrize(
    ("inside", "error"),
    [
        ("<visual/>", "<visual> needs a <geometry> with one of <box>, <cylinder>, <sphere>, <capsule>, <mesh>"),
        ("<collision/>", "<collision> needs a <geometry> with one of <box>, <cylinder>, <sphere>, <capsule>, <mesh>"),
        ("<visual>\n<geometry/></visual>", None),
        ("<visual>\n<geometry><heightmap/></geometry></visual>", None),
        ('<inertial><inertia ixx="1" iyy="1" izz="1"/></inertial>', '<inertial> needs a <mass value="…"/>'),
    ],
)
def test_bodies(inside: str, error: str | None) -> None:
    shapes = "4:1 <visual> needs a <geometry> with one of <box>, <cylinder>, <sphere>, <capsule>, <mesh>"
    assert in_link(inside) == [f"3:1 {error}" if error else shapes]


@pytest.mark.parametrize(
    ("solid", "error"),
    [
        ("<box/>", "<box> needs the attribute 'size'"),
        ('<box size="1 1"/>', "'size' of <box> takes 3 numbers, not 2: '1 1'"),
        ('<box size="1 1 -1"/>', "'size' of <box> must be more than 0, not -1"),
        ('<sphere radius="-1"/>', "'radius' of <sphere> must be more than 0, not -1"),
        ('<sphere radius="1 1"/>', "'radius' of <sphere> takes 1 number, not 2: '1 1'"),
        ('<cylinder radius="1"/>', "<cylinder> needs the attribute 'length'"),
        ("<mesh/>", "<mesh> needs the attribute 'filename'"),
        ('<mesh filename="a.stl" scale="1"/>', "'scale' of <mesh> takes 3 numbers, not 1: '1'"),
    ],
)
def test_solids(solid: str, error: str) -> None:
    assert in_link(f"<visual><geometry>\n{solid}</geometry></visual>") == [f"4:1 {error}"]


@pytest.mark.parametrize(
    ("inside", "error"),
    [
        ('<mass value="-1"/><inertia ixx="1" iyy="1" izz="1"/>', "'value' of <mass> must be at least 0, not -1"),
        ('<mass/><inertia ixx="1" iyy="1" izz="1"/>', "<mass> needs the attribute 'value'"),
        ('<inertia iyy="1" izz="1"/><mass value="1"/>', "<inertia> needs the attribute 'ixx'"),
        ('<inertia ixx="x" iyy="1" izz="1"/><mass value="1"/>', "'ixx' of <inertia>: 'x' is not a number"),
    ],
)
def test_masses(inside: str, error: str) -> None:
    assert in_link(f"<inertial>\n{inside}</inertial>") == [f"4:1 {error}"]


def test_colours() -> None:
    assert in_robot('<material name="red">\n<color rgba="1 0 0"/></material><link name="a"/>') == [
        "3:1 'rgba' of <color> takes 4 numbers, not 3: '1 0 0'"
    ]


def test_all_problems_come_at_once_in_file_order() -> None:
    text = (
        f'<robot>\n{LINKS}\n<joint name="j" type="revolut">{ENDS}</joint>\n'
        '<joint name="k" type="prismatic"><parent link="x"/><child link="b"/>\n<axis xyz="0 0 0"/></joint>\n'
        '<link name="a"><inertial><mass value="-1"/></inertial></link></robot>'
    )
    assert [found.split()[0] for found in errors_of(text)] == ["1:1", "3:1", "4:1", "5:1", "6:1", "6:26"]


def test_thousands_of_problems_do_not_take_minutes() -> None:
    links = "".join(f'<link name="link{n}"/>' for n in range(2000))
    joints = "".join(
        f'<joint name="j{n}" type="fixed"><parent link="x"/><child link="y{n}"/></joint>' for n in range(2000)
    )
    before = time.perf_counter()
    assert len(in_robot(links + joints)) == 4000
    assert time.perf_counter() - before < 10.0
