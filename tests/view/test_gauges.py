"""Stops as arcs and bars, forces at the hand, the hand itself, manipulability."""

from __future__ import annotations

import math

import numpy as np
import pytest

from station.devices.falcon.geometry import TRAVEL
from station.servo.shared import Cause, ReferenceFrame
from station.view.augment.ellipsoid import ellipsoid_of
from station.view.augment.gauge import tube
from station.view.geometry.mesh import EMPTY
from tests.view.pictures import picture, scene
from tests.view.staging import panda, words


def test_nearness_to_stops_needs_no_station() -> None:
    view = scene("panda")
    robot = view.robots["panda"]
    stops = robot.robot.links[0].stops
    assert stops is not None
    view.augment.show("nearness", "colour")
    q = robot.q.copy()
    q[0] = stops.hi - 0.01
    robot.predict(q)
    assert words(view) == ["joint 1: 0.01 rad", "joint 1: 0.6° left"]
    robot.predict(robot.q * [0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    assert words(view) != ["joint 1: 0.01 rad", "joint 1: 0.6° left"]


def test_a_joint_near_its_stop_gets_an_arc_and_all_do_if_wanted() -> None:
    view = scene("panda")
    robot = view.robots["panda"]
    q = np.array([0.0, 0.0, 0.0, -1.5, 0.0, 1.8, 0.0])
    robot.predict(q)
    assert not len(view.augment.additions().mesh.points)
    stops = robot.robot.links[1].stops
    assert stops is not None
    q[1] = stops.hi - 0.05
    robot.predict(q)
    near = view.augment.additions().mesh
    assert len(near.points)
    centre = robot.pose(2)[:3, 3] + robot.body.joints[2].centre * robot.pose(2)[:3, 2]
    away = np.linalg.norm(near.points - centre, axis=1)
    assert away.max() < 2.2 * robot.body.joints[2].radius
    view.augment.layers.stops = "all"
    assert len(view.augment.additions().mesh.points) > 4 * len(near.points)
    view.augment.layers.stops = "off"
    assert not len(view.augment.additions().mesh.points)


def test_the_filled_part_of_an_arc_ends_where_the_joint_is() -> None:
    view = scene("panda")
    view.augment.layers.stops = "all"
    robot = view.robots["panda"]
    mesh = view.augment.additions().mesh
    link, shape = robot.pose(1), robot.body.joints[1]
    end = link[:3, 3] + shape.centre * link[:3, 2] + 1.75 * shape.radius * link[:3, 0]
    assert np.linalg.norm(mesh.points - end, axis=1).min() < 0.3 * shape.radius


def test_sliders_have_bars_along_their_way() -> None:
    view = scene("scara")
    view.augment.layers.stops = "all"
    robot = view.robots["scara"]
    slider = next(link for link in robot.robot.links if link.joint.name == "PRISMATIC")
    assert slider.stops is not None
    mesh = view.augment.additions().mesh
    axis = robot.pose(slider.id)[:3, 2]
    assert np.ptp(mesh.points @ axis) >= slider.stops.hi - slider.stops.lo


def test_a_tube_without_length_is_nothing() -> None:
    assert tube(np.zeros((4, 3)), 0.01, (1.0, 0.0, 0.0, 1.0)) is EMPTY


def test_forces_on_the_hand_are_arrows_by_cause_in_the_axes_of_the_world() -> None:
    parts = np.zeros((12, 6))
    parts[Cause.STOPS, :3] = 0.0, 4.0, 0.0  # to the right of the operator: x of the world
    parts[Cause.COUPLING, :3] = 0.0, 0.0, 2.0
    parts[Cause.GUIDES, :3] = 0.0, 0.0, 0.05  # too small
    view, _robot = panda(wrench_parts=parts)
    arrows = view.augment.additions().arrows
    assert words(view) == ["coupling 2.0 N", "stops 4.0 N"]
    np.testing.assert_allclose(arrows[0].vector / np.linalg.norm(arrows[0].vector), (0.0, 0.0, 1.0), atol=1e-9)
    np.testing.assert_allclose(arrows[1].vector / np.linalg.norm(arrows[1].vector), (1.0, 0.0, 0.0), atol=1e-9)
    assert arrows[0].colour == view.theme.causes[Cause.COUPLING]
    view.augment.layers.hand_forces = False
    assert not view.augment.additions().arrows


def test_in_the_axes_of_the_view_forces_turn_with_the_camera() -> None:
    parts = np.zeros((12, 6))
    parts[Cause.STOPS, :3] = 0.0, 4.0, 0.0
    view, _robot = panda(wrench_parts=parts, reference_frame=ReferenceFrame.VIEW)
    view.camera.azimuth = math.radians(-90.0)
    first = view.augment.additions().arrows[0].vector
    np.testing.assert_allclose(first[1:], 0.0, atol=1e-9)
    view.camera.azimuth = 0.0
    second = view.augment.additions().arrows[0].vector
    assert second[1] > 0.9 * np.linalg.norm(second)


def test_the_cursor_stands_where_the_hand_wants_the_tool() -> None:
    target = np.eye(4)
    target[:3, 3] = 0.4, 0.3, 0.2
    view, robot = panda(target_pose=target)
    added = view.augment.additions()
    np.testing.assert_allclose(added.mesh.points.mean(axis=0), target[:3, 3], atol=0.01)
    np.testing.assert_allclose(added.lines[0].starts[0], robot.pose(9)[:3, 3])
    np.testing.assert_allclose(added.lines[0].ends[0], target[:3, 3])


@pytest.mark.parametrize(("model", "corners"), [("syntaxer", 6), ("falcon", 1)])
def test_the_workspace_of_the_device_is_where_the_hand_can_bring_the_tool(model: str, corners: int) -> None:
    target, hand = np.eye(4), np.eye(4)
    hand[:3, 3] = 0.17, 0.0, 0.0  # at the near edge: x of the device is towards the operator, -y of the world
    text = {"travel": [[-0.17, 0.17], [-0.17, 0.17], [-0.075, 0.075]], "device_model": model}
    view, _robot = panda(target_pose=target, hand_pose=hand, scale=2.0, text=text)
    view.augment.layers.cursor = False
    assert not view.augment.additions().lines
    view.augment.layers.device_workspace = True
    lines = view.augment.additions().lines
    assert len(lines) == corners
    ends = np.concatenate([part.ends for part in lines])
    np.testing.assert_allclose(ends.min(axis=0), (-0.34, 0.0, -0.15), atol=0.01)
    np.testing.assert_allclose(ends.max(axis=0), (0.34, 0.68, 0.15), atol=0.01)


@pytest.mark.parametrize(("model", "size"), [("syntaxer", (0.34, 0.15, 0.34)), ("Novint Falcon", (2 * TRAVEL,) * 3)])
def test_known_devices_need_not_tell_their_travel(model: str, size: tuple[float, ...]) -> None:
    view, _ = panda(text={"device_model": model})
    view.augment.layers.cursor, view.augment.layers.device_workspace = False, True
    ends = np.concatenate([part.ends for part in view.augment.additions().lines])
    np.testing.assert_allclose(np.ptp(ends, axis=0), size, atol=0.005)


def test_a_device_whose_travel_nobody_knows_shows_no_workspace() -> None:
    view, _ = panda(text={"device_model": "a glove"})
    view.augment.layers.cursor, view.augment.layers.device_workspace = False, True
    assert not view.augment.additions().lines


@pytest.mark.parametrize("travel", [[1.0], [[0.0, np.nan]] * 3, "far", [[0.0, 1.0], [0.0]]])
def test_a_travel_that_is_none_is_said(travel: object) -> None:
    view, _ = panda(text={"travel": travel})
    view.augment.layers.cursor, view.augment.layers.device_workspace = False, True
    assert not view.augment.additions().lines
    assert view.augment.notes[0].startswith("workspace of the device: not drawn (")


def test_the_ellipsoid_has_the_singular_values_of_the_jacobian() -> None:
    view = scene("panda")
    robot, mechanism = view.robots["panda"], view.bench["panda"]
    poses = dict(zip(robot.body.ids, robot.predicted.poses, strict=True))
    found = ellipsoid_of(mechanism, 9, robot.q, poses, robot.body.reach)
    np.testing.assert_allclose(found.sizes, np.linalg.svd(mechanism.jacobian(9)[:3], compute_uv=False))
    view.augment.layers.ellipsoid = True
    assert words(view) == [f"slowest over fastest direction {found.roundness:.2f}"]
    picture(view)


def test_in_a_robot_with_loops_the_ellipsoid_counts_motions_that_keep_them_closed() -> None:
    view = scene("delta")
    robot, mechanism = view.robots["delta"], view.bench["delta"]
    tool = robot.robot.tools[0].id if robot.robot.tools else robot.robot.constraints[-1].targets[0].id
    poses = dict(zip(robot.body.ids, robot.predicted.poses, strict=True))
    found = ellipsoid_of(mechanism, tool, robot.q, poses, robot.body.reach)
    # By moving each motor a little, with the solver closing the loops; others may move along.
    motors = [mechanism.joint_number(joint.id) for joint in mechanism.joints if joint.active]
    start, place = mechanism.q, mechanism.pose(tool)[:3, 3].copy()
    turned, moved = [], []
    for number in motors:
        mechanism.q = start
        mechanism.set_joint(mechanism.joints[number].id, start[number] + 1e-4)
        turned.append(mechanism.q[motors] - start[motors])
        moved.append(mechanism.pose(tool)[:3, 3] - place)
    mechanism.q = start
    felt = np.array(moved).T @ np.linalg.inv(np.array(turned).T)
    np.testing.assert_allclose(found.sizes, np.linalg.svd(felt, compute_uv=False), rtol=1e-2)


def test_the_ellipsoid_of_what_a_cam_moves_goes_by_its_slope() -> None:
    view = scene("cam-lifter")
    robot, mechanism = view.robots["cam-lifter"], view.bench["cam-lifter"]
    mechanism.set_joint(1, np.radians(80.0))
    q, place = mechanism.q, mechanism.pose(4)[:3, 3].copy()
    poses = {number: mechanism.pose(number) for number in robot.body.ids}
    found = ellipsoid_of(mechanism, 4, q, poses, robot.body.reach)
    mechanism.set_joint(1, q[0] + 1e-5)
    moved = np.linalg.norm(mechanism.pose(4)[:3, 3] - place) / (mechanism.q[0] - q[0])
    np.testing.assert_allclose(found.sizes, [moved, 0.0, 0.0], rtol=1e-3, atol=1e-9)
