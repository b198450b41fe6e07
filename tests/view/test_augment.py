"""What stands beside the robots: quantities with marks, forces, stops, the hand, words; and what cannot be known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from station.servo.shared import Acting, Cause, ControllerCode, Event, ReferenceFrame, ServoState
from station.view.augment.ellipsoid import ellipsoid_of
from station.view.augment.gauge import tube
from station.view.errors import ViewRequestError
from station.view.geometry.mesh import EMPTY
from station.view.moment import Link, Moment
from station.view.robot import DrawnRobot
from station.view.scene_view import SceneView
from station.view.staged import staged
from station.view.theme import DARK, LIGHT
from tests.view.pictures import picture, scene


def panda(**fields: Any) -> tuple[SceneView, DrawnRobot]:
    """A robot that a station moves."""
    view = scene("panda")
    robot = view.robots["panda"]
    robot.measure(robot.q, 0.1)
    view.augment.put(robot, staged(robot, **fields))
    return view, robot


def words(view: SceneView) -> list[str]:
    return [label.text for label in view.augment.additions().labels]


def test_speed_is_shown_by_spheres_that_grow_with_it() -> None:
    view, robot = panda(measured_v=(0.0, 2.17, -0.5, 0.0, 0.0, 0.0, 0.0))
    view.augment.layers.cursor = False
    view.augment.show("speed", mark="sphere")
    points = view.augment.additions().mesh.points
    assert len(points) % 2 == 0
    ends = points.reshape(2, -1, 3)  # a sphere each for the two joints that move
    sizes = np.ptp(ends, axis=1).max(axis=1)
    joint = robot.body.joints[2]
    assert sizes[0] == pytest.approx(2.0 * 2.8 * joint.radius, rel=0.05)
    assert sizes[1] < 0.6 * sizes[0]
    assert words(view) == ["joint 2: 2.17 rad/s"]


def test_every_quantity_has_every_mark() -> None:
    view, robot = panda(measured_v=np.linspace(-1.0, 1.0, 7), measured_wrench=(5.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    view.augment.tell("temperature", np.linspace(30.0, 80.0, 7))
    view.augment.tell("effort", np.linspace(-50.0, 50.0, 7))
    view.augment.layers.cursor = view.augment.layers.tool_force = False
    for quantity in ("speed", "effort", "load", "temperature"):
        view.augment.hide()
        view.augment.show(quantity, "sphere")
        assert len(view.augment.additions().mesh.points), quantity
        view.augment.hide(quantity, "sphere")
        view.augment.show(quantity, "arrow")
        assert view.augment.additions().arrows, quantity
        view.augment.hide()
        view.augment.show(quantity, "colour")
        assert view.augment.additions().tints
        assert robot.tints
        view.augment.hide()
        view.augment.show(quantity, "transparency")
        assert min(view.augment.additions().opacities.values()) < 1.0
        assert robot.predicted.states.faded
        assert not view.augment.notes
    view.augment.hide()
    view.augment.additions()
    assert not robot.tints
    assert not robot.predicted.states.faded


def test_arrows_point_along_the_axis_of_the_joint_by_the_sign() -> None:
    view, _robot = panda(measured_v=(-2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    view.augment.show("speed", "arrow")
    (arrow,) = view.augment.additions().arrows
    assert arrow.vector[2] < 0.0  # the first axis is upright


def test_what_cannot_be_known_is_said_and_never_drawn() -> None:
    view, _robot = panda()
    view.augment.layers.cursor = False
    for quantity in ("effort", "temperature"):
        view.augment.show(quantity, "colour")
        view.augment.show(quantity, "sphere")
    added = view.augment.additions()
    assert view.augment.notes == [
        "joint effort: not known (no effort is measured)",
        "temperature: not known (no temperature is measured)",
    ]
    assert not added.tints
    assert not len(added.mesh.points)
    picture(view)


def test_one_joint_that_is_not_known_has_no_mark_beside_those_that_are() -> None:
    view, _ = panda()
    view.augment.tell("temperature", [50.0, np.nan, 60.0, np.inf, 50.0, 50.0, 50.0])
    view.augment.show("temperature", "colour")
    assert set(view.augment.additions().tints) == {1, 3, 5, 6, 7}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"controller_status": ControllerCode.NONE}, "there is no controller"),
        ({"measured_age": 1e9}, "nothing has been measured yet"),
        ({"measured_q": np.full(7, np.nan)}, "nothing has been measured yet"),
        ({"commanded_age": 1e9}, "nothing has been commanded yet"),
    ],
)
def test_a_tracking_error_without_measurement_is_not_known(fields: dict[str, Any], why: str) -> None:
    view, _ = panda(**fields)
    view.augment.show("tracking", "sphere")
    view.augment.additions()
    assert view.augment.notes == [f"tracking error: not known ({why})"]


def test_a_stale_measurement_is_no_measurement() -> None:
    view, robot = panda(measured_v=np.ones(7))
    robot.measure(robot.q, age=3.0)
    view.augment.show("tracking")
    view.augment.additions()
    assert view.augment.notes == ["tracking error: not known (the measurement is too old)"]


def test_the_tracking_error_is_the_gap_between_commanded_and_measured() -> None:
    view, robot = panda()
    view.augment.put(robot, staged(robot, 2, measured_q=robot.q - [0.0, 0.0, 0.03, 0.0, 0.0, 0.0, 0.0]))
    view.augment.show("tracking", "arrow", full=0.06)
    (arrow,) = view.augment.additions().arrows
    assert words(view) == ["joint 3: 0.03 rad"]
    assert np.linalg.norm(arrow.vector) == pytest.approx(0.5 * 9.0 * robot.body.joints[3].radius)


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


def test_a_station_that_does_not_tell_its_travel_shows_no_workspace() -> None:
    view, _ = panda()
    view.augment.layers.cursor, view.augment.layers.device_workspace = False, True
    assert not view.augment.additions().lines


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


def test_the_state_is_said_in_words() -> None:
    parts, acting = np.zeros((12, 6)), np.zeros(7)
    parts[Cause.STOPS, :3] = 0.0, 6.2, 0.0
    acting[2], acting[4] = 1, 2
    view, _ = panda(
        wrench_parts=parts, joint_acting=acting, acting=Acting.JOINT_STOP | Acting.JOINT_SPEED | Acting.REACH
    )
    assert view.status == [
        "engaged",
        "joint 3 at its upper stop, 6.2 N",
        "joint 5 at its speed limit",
        "limits: reach",
    ]
    view.augment.additions()
    assert set(view.robots["panda"].tints) == {3, 5}


def test_a_fault_is_said_with_its_cause_and_an_end_as_well() -> None:
    view, robot = panda()
    moment = staged(robot, 2, {"measures_wrench": False}, state=ServoState.FAULT, fault=Event.ARM_LOST)
    view.augment.put(robot, Moment(moment.snapshot, link=Link.ENDED, text=moment.text, fresh=True, joints=7))
    assert view.status == ["fault, cause: arm lost", "force at the tool: not measured", Link.ENDED.value]


FIELDS = (
    *("predicted_q", "predicted_v", "measured_q", "measured_v", "measured_wrench", "wrench", "wrench_parts"),
    *("target_pose", "hand_pose", "measured_pose", "predicted_pose", "commanded_q", "scale", "measured_age"),
)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_no_number_in_a_snapshot_is_survived_and_draws_nothing_senseless(value: float) -> None:
    view, robot = panda()
    layers = view.augment.layers
    layers.ellipsoid = layers.device_workspace = True
    for quantity in ("speed", "load", "tracking", "nearness"):
        for mark in ("sphere", "colour", "arrow", "transparency"):
            view.augment.show(quantity, mark)
    for number, wrong in enumerate([*((field,) for field in FIELDS), FIELDS], 2):
        text = {"travel": [[-0.1, 0.1]] * 3}
        view.augment.put(robot, staged(robot, number, text, **dict.fromkeys(wrong, value)))
        added = view.augment.additions()
        assert np.isfinite(added.mesh.points).all(), wrong
        assert all(np.isfinite(lines.ends).all() for lines in added.lines), wrong
        assert all(np.isfinite(arrow.vector).all() for arrow in added.arrows), wrong
        assert not {"nan", "inf"} & set(" ".join([*words(view), *view.status]).split()), wrong
    picture(view)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda a: a.show("charm"), "no quantity 'charm'; there are: speed, effort, load, nearness"),
        (lambda a: a.show("speed", "smell"), "no mark 'smell'; there are: sphere, colour, transparency, arrow"),
        (lambda a: a.show("speed", robot="hal"), "no robot 'hal' in this scene; there are: panda"),
        (lambda a: a.show("speed", full=-1.0), "speed is full at -1; allowed: more than 0"),
        (lambda a: a.hide("charm"), "no quantity 'charm'"),
        (lambda a: a.tell("speed", [0.0] * 7), "'speed' cannot be told; what can: effort, temperature"),
        (lambda a: a.tell("effort", [0.0] * 6), "robot panda takes 7 values, one per joint"),
    ],
)
def test_what_there_is_not_is_one_clear_line(ask: Any, said: str) -> None:
    with pytest.raises(ViewRequestError, match=said):
        ask(scene("panda").augment)


def test_stops_that_cannot_be_shown_so_are_refused_in_the_picture() -> None:
    view = scene("panda")
    view.augment.layers.stops = "some"
    with pytest.raises(ViewRequestError, match="stops cannot be shown as 'some'; there are: off, near, all"):
        view.augment.additions()


def test_what_was_told_can_be_taken_back() -> None:
    view, _ = panda()
    view.augment.tell("temperature", [50.0] * 7)
    view.augment.show("temperature")
    view.augment.additions()
    assert not view.augment.notes
    view.augment.tell("temperature", None)
    view.augment.additions()
    assert view.augment.notes == ["temperature: not known (no temperature is measured)"]


def test_nothing_is_made_anew_while_nothing_has_changed() -> None:
    view, robot = panda(measured_v=np.ones(7))
    view.augment.show("speed")
    first = view.augment.additions()
    assert view.augment.additions() is first
    robot.predict(robot.q + 0.01)
    assert view.augment.additions() is not first
    again = view.augment.additions()
    view.use_theme(DARK if view.theme is LIGHT else LIGHT)
    assert view.augment.additions() is not again


def test_commanded_and_measured_paths_are_drawn_beside_the_predicted_one() -> None:
    view, _ = panda()
    assert set(view.trails) == {"predicted", "commanded", "measured"}
    light = view.trails["commanded"].colour
    view.use_theme(DARK)
    assert view.trails["commanded"].colour != light
