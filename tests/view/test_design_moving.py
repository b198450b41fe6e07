"""A design that is moved: by joints, postures, mouse and the on-screen device; all without a window."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import robots
import station
from station.mad.scene import ReferenceFrame
from station.view.design.errors import DesignError
from station.view.design.grab import Grab
from station.view.design.leading import led_frame
from station.view.design.model import Design
from station.view.design.redraw import Redraw
from station.view.design.steering import Steering
from station.view.scene_view import SceneView
from tests.view.designing import delta_file, design_of, longer

LOOKING = np.eye(4)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return delta_file(tmp_path)


@pytest.mark.parametrize("name", robots.names())
def test_every_joint_of_every_robot_moves_and_its_loops_stay_closed(name: str) -> None:
    design = design_of(robots.path(name))
    for robot in design.bench.robots:
        mechanism = design.bench[robot.name]
        for joint in mechanism.joints:
            design.set_joint(robot.name, joint.id, design.joint_value(robot.name, joint.id) + 0.01)
        assert mechanism.closure_error.metres < 1e-6
        assert mechanism.closure_error.radians < 1e-6


def test_postures_and_the_start_are_taken() -> None:
    design = design_of(robots.path("panda"))
    names = [posture.name for posture in design.robot("panda").postures]
    start = design.joint_values("panda")
    design.take_posture("panda", names[0])
    for link, value in design.robot("panda").postures[0].joints:
        assert design.joint_value("panda", link) == pytest.approx(value, abs=1e-9)
    design.take_posture("panda", None)
    assert design.joint_values("panda") == pytest.approx(start, abs=1e-9)
    with pytest.raises(DesignError, match="has no posture nowhere; there are: "):
        design.take_posture("panda", "nowhere")


@pytest.mark.parametrize("name", ["puma560", "delta", "stewart", "macdac", "five-bar"])
def test_a_grabbed_point_follows_the_mouse_with_loops_closed_and_stops_kept(name: str) -> None:
    design = design_of(robots.path(name))
    robot = design.bench.robots[0].name
    frame, _ = led_frame(design.robot(robot))
    mechanism = design.bench[robot]
    point = mechanism.pose(frame)[:3, 3] + [0.0, 0.01, 0.0]
    grab = Grab(design, robot, frame, point)
    assert grab.place == pytest.approx(point)
    free = mechanism.jacobian(frame)[:3]
    way = np.array([0.0, 0.0, 0.01]) if np.linalg.norm(free[2]) > 0.01 else np.array([0.01, 0.0, 0.0])
    grab.wanted = point + way
    for _ in range(40):
        grab.follow(0.04)
    assert np.linalg.norm(grab.place - grab.wanted) < 1e-4
    assert mechanism.closure_error.metres < 1e-6
    grab.wanted = point + 100.0 * way  # far outside
    for _ in range(40):
        grab.follow(0.04)
    assert mechanism.closure_error.metres < 1e-6
    for joint, value in zip(mechanism.joints, mechanism.q, strict=True):
        if joint.limits is not None:
            assert joint.limits[0] - 1e-9 <= value <= joint.limits[1] + 1e-9


def test_speed_limits_hold_while_dragging() -> None:
    design = design_of(robots.path("puma560"))
    mechanism = design.bench["puma560"]
    grab = Grab(design, "puma560", 6, mechanism.pose(6)[:3, 3])
    grab.wanted += np.array([0.5, 0.5, 0.0])
    before = mechanism.q
    grab.follow(0.04)
    for joint, way in zip(mechanism.joints, mechanism.q - before, strict=True):
        assert joint.speed is None or abs(way) <= 0.04 * joint.speed + 1e-9


def test_the_geometry_may_change_while_a_point_is_held(path: Path) -> None:
    design = design_of(path)
    frame, _ = led_frame(design.robot("delta"))
    grab = Grab(design, "delta", frame, design.bench["delta"].pose(frame)[:3, 3])
    grab.wanted += np.array([0.01, 0.0, 0.0])
    grab.follow(0.04)
    longer(design)
    for _ in range(40):
        grab.follow(0.04)
    assert np.linalg.norm(grab.place - grab.wanted) < 1e-4


def test_a_part_keeps_its_orientation_if_wanted() -> None:
    design = design_of(robots.path("puma560"))
    mechanism = design.bench["puma560"]
    turn = mechanism.pose(6)[:3, :3]
    grab = Grab(design, "puma560", 6, mechanism.pose(6)[:3, 3])
    grab.keep_turn(True)
    grab.wanted += np.array([0.0, 0.0, -0.1])
    for _ in range(50):
        grab.follow(0.04)
    assert np.linalg.norm(grab.place - grab.wanted) < 1e-4
    assert mechanism.pose(6)[:3, :3] == pytest.approx(turn, abs=1e-3)


def test_the_base_cannot_be_dragged() -> None:
    with pytest.raises(DesignError, match="stands still"):
        Grab(design_of(robots.path("puma560")), "puma560", 0, np.zeros(3))


def test_the_device_on_the_screen_moves_the_robot_along_the_axes_of_the_world() -> None:
    design = design_of(robots.path("ur5e"))
    steering = Steering(design)
    before = design.bench["ur5e"].pose(steering.frame)
    assert steering.follow(0.04, LOOKING) is None  # it has to be at rest once
    for _ in range(20):
        steering.deflect((1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        steering.follow(0.04, LOOKING)
    moved = design.bench["ur5e"].pose(steering.frame) @ np.linalg.inv(before)
    way = design.bench["ur5e"].pose(steering.frame)[:3, 3] - before[:3, 3]
    assert way[0] > 0.05
    assert np.abs(way[1:]).max() < 0.1 * way[0]
    assert moved[:3, :3] == pytest.approx(np.eye(3), abs=0.02)
    steering.deflect((0.0,) * 6)
    assert steering.follow(0.04, LOOKING) is None


def test_a_push_of_a_button_is_one_step_in_the_chosen_frame() -> None:
    design = design_of(robots.path("ur5e"))
    steering = Steering(design)
    mechanism = design.bench["ur5e"]
    for reference, sensitivity, expected in (
        (ReferenceFrame.WORLD, 1.0, np.array([0.0, 0.0, 0.005])),
        (ReferenceFrame.TOOL, 2.0, 0.01 * mechanism.pose(steering.frame)[:3, 2]),
    ):
        steering.set(reference, sensitivity)
        before = mechanism.pose(steering.frame)[:3, 3]
        steering.push(2, 1)
        for _ in range(14):
            steering.follow(0.04, LOOKING)
        assert mechanism.pose(steering.frame)[:3, 3] - before == pytest.approx(expected, abs=1e-4)


def test_pushes_that_come_fast_add_up() -> None:
    design = design_of(robots.path("ur5e"))
    steering, mechanism = Steering(design), design.bench["ur5e"]
    before = mechanism.pose(steering.frame)[:3, 3]
    for _ in range(6):
        steering.push(0, -1)
        steering.follow(0.01, LOOKING)
    for _ in range(20):
        steering.follow(0.04, LOOKING)
    assert mechanism.pose(steering.frame)[:3, 3] - before == pytest.approx([-0.03, 0.0, 0.0], abs=5e-4)


def test_what_moves_the_robot_meanwhile_is_not_undone_by_the_device() -> None:
    design = design_of(robots.path("ur5e"))
    steering, mechanism = Steering(design), design.bench["ur5e"]
    steering.follow(0.04, LOOKING)
    design.set_joint("ur5e", 1, design.joint_value("ur5e", 1) + 0.5)
    steering.follow(0.04, LOOKING)
    before = mechanism.pose(steering.frame)[:3, 3]
    steering.deflect((0.0, 0.0, 0.3, 0.0, 0.0, 0.0))
    steering.follow(0.04, LOOKING)
    assert np.linalg.norm(mechanism.pose(steering.frame)[:3, 3] - before) < 0.005


def test_a_frame_that_is_not_there_cannot_be_led() -> None:
    design = design_of(robots.path("ur5e"))
    with pytest.raises(DesignError, match="has no part 77; there are: "):
        Steering(design).lead("ur5e", 77)


def test_obstacles_are_not_entered_while_dragging(tmp_path: Path) -> None:
    text = robots.path("scara").read_text()
    frame, _ = led_frame(station.load(robots.path("scara")).robots[0])
    tip = station.load(robots.path("scara"))["scara"].pose(frame)[:3, 3]
    wall = f"pos {{ {1000 * tip[0]:.1f} {1000 * tip[1] + 300.0:.1f} 200 }}  box {{ 2000 100 1000 }}"
    path = tmp_path / "walled.mad"
    path.write_text(f"{text}\nobstacle wall {{ {wall} }}\n")
    ways = []
    for file in (path, robots.path("scara")):
        design = design_of(file)
        grab = Grab(design, "scara", frame, tip)
        grab.wanted += np.array([0.0, 0.25, 0.0])
        for _ in range(80):
            grab.follow(0.04)
        ways.append(float(grab.place[1] - tip[1]))
    assert ways[0] < ways[1] - 0.02
    assert ways[1] > 0.1


@pytest.mark.parametrize("name", ["delta", "stewart", "five-bar", "3-rpr"])
def test_a_driven_joint_moves_alone_and_passive_ones_follow(name: str) -> None:
    design = design_of(robots.path(name))
    robot = design.bench.robots[0].name
    mechanism = design.bench[robot]
    driven = [joint for joint in mechanism.joints if joint.active]
    before = dict(zip((joint.id for joint in mechanism.joints), mechanism.q, strict=True))
    moved = design.set_joint(robot, driven[0].id, before[driven[0].id] + 0.01)
    assert moved == pytest.approx(before[driven[0].id] + 0.01, abs=1e-6)
    for joint in driven[1:]:
        assert design.joint_value(robot, joint.id) == pytest.approx(before[joint.id], abs=1e-5)
    assert mechanism.closure_error.metres < 1e-9


def test_a_robot_that_is_dragged_keeps_its_speed_from_frame_to_frame() -> None:
    """It would never get fast if it started from rest with every frame: its acceleration is limited."""
    design = design_of(robots.path("puma560"))
    grab = Grab(design, "puma560", 6, design.bench["puma560"].pose(6)[:3, 3])
    grab.wanted += np.array([0.0, 0.2, -0.1])
    for _ in range(25):
        grab.follow(0.04)
    assert np.linalg.norm(grab.place - grab.wanted) < 1e-3


# Robots that move as one -------------------------------------------------------------------------------------------


def test_a_joint_of_one_arm_takes_the_other_along_and_the_bar_stays_closed() -> None:
    design = design_of(robots.path("two_arms_bar"))
    before = design.joint_values("right")
    design.set_joint("left", 1, 0.1)
    assert design.joint_value("left", 1) == pytest.approx(0.1, abs=1e-6)
    assert design.moved == {"left", "right"}
    assert np.abs(design.joint_values("right") - before).max() > 0.01
    gap = design.bench["left"].pose(9) - design.bench["right"].pose(7)
    assert np.abs(gap).max() < 1e-9


def test_a_grabbed_arm_and_a_steered_one_take_what_is_held_along() -> None:
    design = design_of(robots.path("two_arms_bar"))
    point = design.bench["left"].pose(7)[:3, 3]
    grab = Grab(design, "left", 7, point)
    grab.wanted = point + np.array([0.02, 0.0, 0.03])
    for _ in range(60):
        grab.follow(0.02)
    assert grab.place == pytest.approx(grab.wanted, abs=1e-4)
    steering = Steering(design)
    steering.lead("right", 7)
    steering.follow(0.04, LOOKING)  # it has to be at rest once
    start = design.bench["right"].pose(7)[:3, 3]
    for _ in range(50):
        steering.deflect([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        steering.follow(0.02, LOOKING)
    assert np.linalg.norm(design.bench["right"].pose(7)[:3, 3] - start) > 0.01
    gap = design.bench["left"].pose(9) - design.bench["right"].pose(7)
    assert np.abs(gap).max() < 1e-9


def test_what_a_gantry_carries_moves_with_it_and_stays_there_after_an_edit() -> None:
    design = design_of(robots.path("arm_on_gantry"))
    before = design.bench["arm"].pose(7)
    design.put("gantry", [0.1, -0.2, 0.25])
    assert design.bench["arm"].pose(7)[:3, 3] - before[:3, 3] == pytest.approx([0.1, -0.2, -0.05], abs=1e-9)
    np.testing.assert_allclose(design.bench["arm"].pose(7)[:3, :3], before[:3, :3], atol=1e-12)
    there = design.bench["arm"].pose(7)
    assert design.edit(lambda source: source.text.replace("mass 40", "mass 41"), "heavier")
    assert design.rebuilt == {"gantry", "arm"}
    np.testing.assert_allclose(design.bench["arm"].pose(7), there, atol=1e-9)
    again = design.bench["arm"]
    assert design.edit(lambda source: source.text + "obstacle it { sphere 10 }\n", "more")
    assert design.bench["arm"] is again  # nothing of these robots has changed


def test_drawn_is_what_another_robot_carries_where_that_one_is() -> None:
    design = design_of(robots.path("arm_on_gantry"))
    view = SceneView(design.bench)
    redraw = Redraw(view, design)
    np.testing.assert_allclose(view.robots["arm"].pose(0), view.robots["gantry"].pose(4), atol=1e-9)
    design.put("gantry", [0.3, 0.1, 0.1])
    redraw.update()
    np.testing.assert_allclose(view.robots["arm"].pose(0), view.robots["gantry"].pose(4), atol=1e-9)
    np.testing.assert_allclose(view.robots["arm"].pose(7), design.bench["arm"].pose(7), atol=1e-9)


def test_a_dragged_robot_stops_at_another_one() -> None:
    slide = "parameters { theta 0  r 0  alpha 90  d 0  gamma 90 } type prismatic pred 0 limits { -900 900 } speed 999"
    arms = " ".join(
        f"robot {name} {{ base {{ pos {{ {x} 0 0 }} }} link 1 {{ {slide} collision {{ sphere 50 }} }} }}"
        for name, x in (("left", -200), ("right", 200))
    )
    design = Design(station.loads(f"RAFF v2.0 Rail {arms}"))
    grab = Grab(design, "left", 1, [-0.2, 0.0, 0.0])
    grab.wanted = np.array([0.3, 0.0, 0.0])
    for _ in range(100):
        grab.follow(0.03)
    assert design.joint_value("left", 1) == pytest.approx(0.3 - 0.001, abs=1e-4)  # a millimetre is kept
    assert design.joint_value("right", 1) == 0.0
