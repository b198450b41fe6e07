"""Generated geometry: solids that are closed and look outwards, robots that hang together."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

import robots
import station
from station.mad.scene import BASE_ID
from station.view.drawing.arrows import Arrow, arrows_mesh, axes_of
from station.view.geometry.auto import drawn_links
from station.view.geometry.mesh import edges, joined, placed
from station.view.geometry.primitives import JOINT_SIDES, bar, box, capsule, cylinder, plate, sphere
from station.view.geometry.robot import RobotBody, robot_body
from station.view.poses import Poses
from tests.view.test_mesh_files import volume

length = st.floats(0.01, 10.0)


def body_of(name: str) -> RobotBody:
    bench = station.load(robots.path(name))
    robot = bench.robots[0]
    return robot_body(bench, robot, Poses(robot).by_id(bench[robot.name].q))


@given(x=length, y=length, z=length)
def test_a_box_has_its_volume(x: float, y: float, z: float) -> None:
    assert volume(box((x, y, z), (3.0, 2.0, 1.0))) == pytest.approx(x * y * z, rel=1e-3)


@given(radius=length, height=length)
def test_round_solids_have_nearly_their_volume(radius: float, height: float) -> None:
    disc = math.pi * radius**2
    assert volume(cylinder(radius, height)) == pytest.approx(disc * height, rel=0.03)
    assert volume(sphere(radius)) == pytest.approx(4.0 / 3.0 * disc * radius, rel=0.06)
    assert volume(capsule(radius, height)) == pytest.approx(disc * (height + 4.0 / 3.0 * radius), rel=0.06)


@given(start=st.tuples(length, length, length), end=st.tuples(length, length, length))
def test_a_bar_reaches_from_end_to_end(start: tuple[float, ...], end: tuple[float, ...]) -> None:
    mesh = bar(start, end, 0.02, 0.01)
    assert volume(mesh) > 0.0
    low, high = np.minimum(start, end), np.maximum(start, end)
    np.testing.assert_array_less(mesh.points.max(axis=0), high + 0.021)
    np.testing.assert_array_less(low - 0.021, mesh.points.min(axis=0))


def test_normals_look_outwards() -> None:
    for mesh in (box((1, 2, 3)), sphere(1.0), cylinder(1.0, 2.0, 0.1), capsule(1.0, 2.0, 0.5)):
        assert (np.einsum("ij,ij->i", mesh.normals, mesh.points) > 0.0).all()
        np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-5)


def test_a_plate_turns_the_right_way_whichever_way_its_outline_goes() -> None:
    outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0)]
    assert volume(plate(outline, 0.5)) == pytest.approx(1.0)
    assert volume(plate(outline[::-1], 0.5)) == pytest.approx(1.0)


def test_a_mirrored_mesh_still_looks_outwards() -> None:
    assert volume(placed(box((1, 1, 1)), np.eye(4), (1.0, -2.0, 1.0))) == pytest.approx(2.0)


def test_a_wireframe_of_a_box_has_twelve_edges() -> None:
    assert len(edges(box((1, 2, 3)), 0.1)) == 12


def test_nothing_joined_is_nothing() -> None:
    assert len(joined([]).faces) == 0


def test_arrows_point_where_they_should_and_those_without_length_are_left_out() -> None:
    tip = np.array([0.0, 0.0, 2.0])
    mesh = arrows_mesh(
        [Arrow(np.zeros(3), tip, (1, 0, 0, 1), 0.05), Arrow(np.zeros(3), np.zeros(3), (1, 0, 0, 1), 0.05)]
    )
    assert volume(mesh) > 0.0
    np.testing.assert_allclose(mesh.points[:, 2].max(), 2.0)
    assert len(arrows_mesh([]).faces) == 0
    assert len(axes_of(np.eye(4), 1.0)) == 3


@pytest.mark.parametrize("name", robots.names())
def test_every_drawn_link_has_a_body_and_every_joint_a_cylinder_or_a_box(name: str) -> None:
    bench = station.load(robots.path(name))
    body = body_of(name)
    owners = {body.ids[owner] for owner in set(body.owners.tolist())}
    wanted = drawn_links(bench.robots[0])
    assert BASE_ID in owners
    assert wanted <= owners | {link.id for link in bench.robots[0].links if link.joint.name == "FIXED"}
    assert np.isfinite(body.mesh.points).all()
    assert not body.problems


def test_auto_of_the_base_does_not_hide_the_links() -> None:
    """The planar hybrid of the manual, which says `auto` of its base only."""
    manual = (Path(__file__).parents[2] / "docs" / "mad.md").read_text(encoding="utf8")
    example = next(text for text in re.findall(r"```mad\n(.*?)```", manual, re.DOTALL) if "PlanarHybrid" in text)
    bench = station.loads(example)
    robot = bench.robots[0]
    body = robot_body(bench, robot, Poses(robot).by_id(bench[robot.name].q))
    assert drawn_links(robot) == {BASE_ID, 1, 2, 3, 4, 5, 6, 7}
    owners = {body.ids[owner] for owner in set(body.owners.tolist())}
    assert {BASE_ID, 1, 2, 3, 4, 5, 6, 7} <= owners
    seen = station.loads(example.replace("pred 0  range", "pred 0  filename ( auto )  range")).robots[0]
    assert drawn_links(seen) == {BASE_ID, 1}  # a link that says so is the only one


@pytest.mark.parametrize("name", ["panda", "ur5e", "puma560", "macdac", "hobby-arm", "redundant"])
def test_the_bodies_of_a_serial_arm_touch_one_another(name: str) -> None:
    """From the base to the tool there is no gap in the drawing wider than a link is thick."""
    bench = station.load(robots.path(name))
    robot = bench.robots[0]
    poses = Poses(robot).at(bench[robot.name].q)
    body = body_of(name)
    points = body.points_at(poses)
    for link in robot.links:
        here, there = (points[body.owners == body.ids.index(part)] for part in (link.id, link.pred))
        gaps = np.linalg.norm(here[::7, None] - there[None, ::7], axis=2)
        assert gaps.min() < body.size


def test_joints_turn_about_their_axes() -> None:
    """Turning one joint leaves the ring of its cylinder where it is."""
    bench = station.load(robots.path("panda"))
    robot = bench.robots[0]
    body, kinematics = body_of("panda"), Poses(robot)
    q = bench["panda"].q
    for number, link in enumerate(robot.links):
        mine = body.owners == body.ids.index(link.id)
        dark = mine & np.isclose(body.mesh.colours, (0.25, 0.28, 0.33, 1.0)).all(axis=1)
        turned = q.copy()
        turned[number] += 2.0 * math.pi / JOINT_SIDES  # the same again
        before = body.points_at(kinematics.at(q))[dark]
        after = body.points_at(kinematics.at(turned))[dark]
        gaps = np.linalg.norm(before[:, None] - after[None], axis=2).min(axis=1)
        assert dark.any()
        assert gaps.max() < 1e-5


def test_meshes_are_in_the_unit_of_the_file_or_in_their_own_scale_and_stand_where_they_are_put(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    trimesh.creation.box((100.0, 200.0, 300.0)).export(tmp_path / "parts" / "brick.stl")
    (tmp_path / "brick.mad").write_text(
        """RAFF v2.0 Brick
        robot brick { path "parts"
          base { filename ( "brick.stl" ) }
          link 1 { type revolute  pred 0  parameters { theta 0 r 0 alpha 0 d 0 }
            visual { mesh "brick.stl"  scale { 10 10 -10 }  pos { 0 0 5000 }  colour { 0 1 0 } } }
          obstacle load { pred 1  box { 10 10 10 }  pos { 0 0 9000 } }
        }"""
    )
    bench = station.load(tmp_path / "brick.mad")
    robot = bench.robots[0]
    body = robot_body(bench, robot, Poses(robot).by_id([0.0]))
    assert not body.problems
    assert not body.closed
    base, link = (body.mesh.points[body.owners == row] for row in (0, 1))
    np.testing.assert_allclose(np.ptp(base, axis=0), (0.1, 0.2, 0.3), rtol=1e-5)
    brick = link[link[:, 2] < 8.0]
    np.testing.assert_allclose(brick.min(axis=0), (-0.5, -1.0, 3.5), rtol=1e-5)
    np.testing.assert_allclose(brick.max(axis=0), (0.5, 1.0, 6.5), rtol=1e-5)
    np.testing.assert_allclose(link[:, 2].max(), 9.005, rtol=1e-5)
    assert volume(body.mesh) == pytest.approx(0.006 + 6.0 + 1e-6, rel=1e-3)
