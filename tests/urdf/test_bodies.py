"""Bodies: shapes, colours, masses."""

from __future__ import annotations

import numpy as np
import pytest

from station.errors import Severity
from station.mad.placement import from_angles, world_poses
from station.mad.scene import Angles, Body, Colour, Inertia, Link, Robot, Round, Shape, Vector
from station.mad.units import JointType
from station.mad.urdf import scene_from_urdf
from tests.urdf.robots import Array, Judge, random_urdf


def base_of(inside: str, before: str = "") -> Body:
    return scene_from_urdf(f'<robot name="r">{before}<link name="base">{inside}</link></robot>').robots[0].base


def visual(geometry: str, more: str = "") -> str:
    return f"<visual>{more}<geometry>{geometry}</geometry></visual>"


def shape_of(geometry: str, more: str = "") -> Shape:
    return base_of(visual(geometry, more)).visual[0]


def warnings_of(inside: str) -> list[str]:
    scene = scene_from_urdf(f'<robot name="r"><link name="base">{inside}</link></robot>')
    return [problem.text for problem in scene.warnings if problem.severity is Severity.WARNING]


@pytest.mark.parametrize(
    ("geometry", "shape"),
    [
        ('<box size="1 2 3"/>', Shape(box=Vector(1, 2, 3))),
        ('<sphere radius="0.5"/>', Shape(sphere=0.5)),
        ('<cylinder radius="0.1" length="2"/>', Shape(cylinder=Round(0.1, 2))),
        ('<capsule radius="0.1" length="2"/>', Shape(capsule=Round(0.1, 2))),
        ('<mesh filename="a/b.stl"/>', Shape(mesh="a/b.stl", scale=Vector(1, 1, 1))),
        ('<mesh filename="b.dae"/>', Shape(mesh="b.dae")),
        ('<mesh filename="b.dae" scale="0.001 -0.001 1"/>', Shape(mesh="b.dae", scale=Vector(0.001, -0.001, 1))),
    ],
)
def test_solids(geometry: str, shape: Shape) -> None:
    assert base_of(visual(geometry)).visual == (shape,)
    assert base_of(visual(geometry).replace("visual", "collision")).collision == (shape,)


def test_solids_stay_where_the_urdf_has_them() -> None:
    shape = shape_of('<sphere radius="1"/>', '<origin xyz="1 -2 3" rpy="0.1 -0.2 1.5708"/>')
    assert (shape.pos, shape.ori) == (Vector(1, -2, 3), Angles(0.1, -0.2, 1.5708))


def test_a_solid_of_no_size_is_left_out() -> None:
    assert base_of(visual('<box size="0 1 1"/>')).visual == ()
    assert warnings_of(visual('<box size="0 1 1"/>')) == ["'size' of <box> is 0; this solid is left out"]


def test_quaternions_of_urdf_1_1() -> None:
    shape = shape_of('<sphere radius="1"/>', '<origin quat_xyzw="0 0 1 1"/>')
    assert shape.ori == Angles(0.0, 0.0, np.pi / 2)
    x, y, z, w = 0.1, 0.5, -0.3, 0.8
    turn = from_angles(shape_of('<sphere radius="1"/>', f'<origin quat_xyzw="{x} {y} {z} {w}"/>').ori)
    axis = np.array([x, y, z])
    assert turn @ axis == pytest.approx(axis)
    assert np.trace(turn) == pytest.approx(1 + 2 * np.cos(2 * np.arctan2(np.linalg.norm(axis), w)))


RED = '<material name="red"><color rgba="1 0 0 0.5"/></material>'
SPHERE = '<sphere radius="1"/>'


def test_colours_by_name_and_in_place() -> None:
    assert shape_of(SPHERE, RED).colour == Colour(1, 0, 0, 0.5)
    use = visual(SPHERE, '<material name="red"/>')
    assert base_of(use, RED).visual[0].colour == Colour(1, 0, 0, 0.5)
    assert base_of(use + visual(SPHERE, RED)).visual[0].colour == Colour(1, 0, 0, 0.5)  # defined by another visual
    own = visual(SPHERE, '<material name="red"><color rgba="0 1 0 1"/></material>')
    assert base_of(own, RED).visual[0].colour == Colour(0, 1, 0, 1)
    assert shape_of(SPHERE, '<material name="wood"><texture filename="wood.png"/></material>').colour is None
    assert shape_of(SPHERE, '<material name=""/>').colour is None


def test_colours_that_are_none() -> None:
    assert warnings_of(visual(SPHERE, '<material name="red"/>')) == [
        "material 'red' is not defined; the body has no colour"
    ]
    loud = visual(SPHERE, '<material name="loud"><color rgba="255 -1 0 1"/></material>')
    assert warnings_of(loud) == ["the parts of a colour are numbers from 0 to 1; those beyond are cut off"]
    assert base_of(loud).visual[0].colour == Colour(1, 0, 0, 1)


def inertial(rpy: str) -> str:
    moments = '<inertia ixx="1" iyy="2" izz="3" ixy="0.1" ixz="0.2" iyz="0.3"/>'
    return f'<inertial><origin xyz="0.1 0.2 0.3" rpy="{rpy}"/><mass value="4"/>{moments}</inertial>'


def test_masses() -> None:
    base = base_of(inertial("0 0 0"))
    assert (base.mass, base.com) == (4.0, Vector(0.1, 0.2, 0.3))
    assert base.inertia == Inertia(1, 2, 3, 0.1, 0.2, 0.3)


def test_inertia_is_turned_into_the_axes_of_the_link() -> None:
    assert base_of(inertial("1.5707963267948966 0 0")).inertia == Inertia(1, 3, 2, -0.2, 0.1, -0.3)
    turned = base_of(inertial("0.3 -0.4 0.5")).inertia
    assert turned is not None
    turn = from_angles(Angles(0.3, -0.4, 0.5))
    expected = turn @ np.array([[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 3]]) @ turn.T
    assert _matrix(turned) == pytest.approx(expected, rel=1e-14)


def test_a_mass_without_inertia_is_a_point() -> None:
    text = '<inertial><mass value="4"/></inertial>'
    assert (base_of(text).mass, base_of(text).inertia) == (4.0, None)
    assert warnings_of(text) == ["<inertial> has no <inertia>; the mass is taken as a point"]


def test_an_impossible_inertia_is_told_at_its_place() -> None:
    text = (
        '<robot name="r"><link name="base">\n<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="9"/></inertial>'
    )
    (problem,) = scene_from_urdf(text + "</link></robot>").warnings
    assert (problem.line, problem.column) == (2, 1)
    assert problem.text.startswith("no real body has this inertia")


@pytest.mark.parametrize("seed", [0, 4, 7])
def test_the_whole_robot_weighs_what_pinocchio_says(seed: int) -> None:
    urdf = random_urdf(seed)
    judge, robot = Judge(urdf.text), scene_from_urdf(urdf.text).robots[0]
    mass = sum(body.mass or 0.0 for body in (robot.base, *robot.frames))
    assert mass == pytest.approx(sum(inertia.mass for inertia in judge.model.inertias), rel=1e-12)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        values = urdf.values(rng)
        mine, theirs = _mass_matrix(robot, values), judge.mass_matrix(values, [link.name or "" for link in robot.links])
        assert mine == pytest.approx(theirs, rel=1e-9, abs=1e-9 * float(np.abs(theirs).max()))


def _mass_matrix(robot: Robot, values: dict[str, float]) -> Array:
    """Σ m JᵥᵀJᵥ + JωᵀIJω over all bodies, in the order of the links."""
    poses = world_poses(robot, {link.id: values[link.name or ""] for link in robot.links})
    items = {item.id: item for item in robot.placed()}
    total = np.zeros((len(robot.links), len(robot.links)))
    for body in robot.frames:
        if body.mass is None or body.com is None or body.inertia is None:
            continue
        centre = poses[body.id][:3, :3] @ body.com + poses[body.id][:3, 3]
        linear, angular = np.zeros((3, len(robot.links))), np.zeros((3, len(robot.links)))
        at = body.pred
        while at:
            item = items[at]
            if isinstance(item, Link):
                axis, column = poses[at][:3, 2], robot.links.index(item)
                turns = item.joint is JointType.REVOLUTE
                linear[:, column] = np.cross(axis, centre - poses[at][:3, 3]) if turns else axis
                angular[:, column] = axis if turns else 0.0
            at = item.pred
        turned = poses[body.id][:3, :3].T @ angular
        total += body.mass * linear.T @ linear + turned.T @ _matrix(body.inertia) @ turned
    return total


def _matrix(inertia: Inertia) -> Array:
    xx, yy, zz, xy, xz, yz = inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
