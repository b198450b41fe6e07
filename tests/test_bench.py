"""Robots of a scene that move as one: two arms on a bar, an arm on a gantry."""

from __future__ import annotations

import numpy as np
import pytest

import robots
import station
from station.check import compile_reports, describe, report
from station.kinematics import InputError, forward, inverse
from station.mechanism import AssemblyError, Mechanism, MechanismError

DT = 1e-3


def led(pose: np.ndarray, tick: int) -> np.ndarray:
    """A target that starts at rest and wanders about where a frame is, slowly enough for every limit."""
    target = pose.copy()
    target[:3, 3] += np.array([0.03, 0.02, -0.025]) * (1.0 - np.cos(np.array([0.004, 0.003, 0.005]) * tick))
    turn = 0.1 * (1.0 - np.cos(0.002 * tick))
    c, s = np.cos(turn), np.sin(turn)
    target[:3, :3] = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ target[:3, :3]
    return target


def hand_written() -> Mechanism:
    """Two arms on a bar as one robot, as one would have had to write it: all ids of the right arm 20 more."""
    text = robots.path("two_arms_bar").read_text(encoding="utf8")
    left, right = text.split("robot left ")[1].split("robot right ")
    right = right.split("constraint { robot")[0]
    parts = []
    for body, shift, name in ((left, 0, "l"), (right, 20, "r")):
        inside = body[body.index("link 1 {") : body.rindex("}")]
        for number in range(9, 0, -1):
            for word in ("link", "frame", "tool", "pred"):
                inside = inside.replace(f"{word} {number} ", f"{word} {number + shift} ")
        inside = inside.replace('name "', f'name "{name} ').replace("pred 0 ", f"pred {50 + shift} ")
        parts.append("\n".join(line for line in inside.splitlines() if "posture" not in line))
    return station.loads(
        "RAFF v2.0 One device 1 { type spaceball } device 2 { type spaceball } robot both { base { }"
        "frame 50 { pos { 0 300 0 } pred 0 } frame 70 { pos { 0 -300 0 } pred 0 }"
        + "\n".join(parts)
        + "constraint { frame 9 tool 27 } }"
    )["both"]


@pytest.mark.parametrize(("robot", "other"), [("left", "right"), ("right", "left")])
def test_leading_one_tool_takes_the_other_along_and_the_bar_stays_closed(robot: str, other: str) -> None:
    (system,) = station.load("two_arms_bar").systems()
    arm, tool = system.mechanism, system.frame_id(robot, "flange")
    away = system.frame_id(other, "flange")
    start, held = arm.pose(tool), np.linalg.inv(arm.pose(tool)) @ arm.pose(away)
    error = 0.0
    for tick in range(1500):
        step = arm.step({tool: led(start, tick)}, DT)
        error = max(error, *arm.closure_error)
        np.testing.assert_allclose(np.linalg.inv(arm.pose(tool)) @ arm.pose(away), held, atol=1e-9)
    assert error < 1e-9
    assert step.tracking_error.metres < 1e-6
    assert np.abs(system.q_of(other) - station.load("two_arms_bar")[other].q).max() > 0.05


def test_it_is_the_same_as_the_robot_written_by_hand() -> None:
    (system,) = station.load("two_arms_bar").systems()
    arm, tool, twin = system.mechanism, system.frame_id("left", 7), hand_written()
    np.testing.assert_allclose(arm.pose(tool), twin.pose(7), atol=1e-12)
    assert arm.report.mobility == twin.report.mobility == 6
    start = arm.pose(tool)
    for tick in range(1000):
        target = led(start, tick)
        one, other = arm.step({tool: target}, DT), twin.step({7: target}, DT)
        assert one.status == other.status
        np.testing.assert_allclose(one.q, other.q, atol=1e-9)


def test_a_system_knows_whose_joints_and_frames_are_whose() -> None:
    bench = station.load("arm_on_gantry")
    (system,) = bench.systems()
    assert system.robots == ("gantry", "arm")
    assert system.joints_of("gantry") == range(3)
    assert system.joints_of("arm") == range(3, 9)
    assert system.frame_id("arm", "gripper") == system.frame_id("arm", 7)
    assert system.owner(system.frame_id("gantry", "flange")) == "gantry"
    np.testing.assert_array_equal(system.q_of("arm"), bench["arm"].q)
    with pytest.raises(MechanismError, match="robot arm has no frame 9; there are: 0, 1, 2, 3, 4, 5, 6, 7"):
        system.frame_id("arm", 9)
    with pytest.raises(KeyError, match="no robot 'leg'"):
        system.joints_of("leg")
    with pytest.raises(KeyError, match="no robot 'leg'"):
        bench.system("leg")


def test_what_stands_on_another_robot_is_moved_by_it() -> None:
    bench = station.load("arm_on_gantry")
    system = bench.system("arm")
    tool, before = system.frame_id("arm", 7), system.mechanism.pose(system.frame_id("arm", 7))
    system.put("gantry", np.array([0.1, -0.2, 0.25]))
    # From 0, 0, 200 mm: along x and y, and down.
    np.testing.assert_allclose(system.mechanism.pose(tool)[:3, 3] - before[:3, 3], [0.1, -0.2, -0.05], atol=1e-12)
    foot = system.mechanism.pose(system.frame_id("arm", 0))
    np.testing.assert_allclose(foot, system.mechanism.pose(system.frame_id("gantry", 4)), atol=1e-12)


def test_alone_a_robot_is_as_its_controller_knows_it_and_stands_where_all_fit() -> None:
    bench = station.load("arm_on_gantry")
    alone, system = bench["arm"], bench.system("arm")
    assert len(alone.joints) == 6
    assert [joint.id for joint in alone.joints] == [1, 2, 3, 4, 5, 6]
    np.testing.assert_allclose(alone.pose(7), system.mechanism.pose(system.frame_id("arm", 7)), atol=1e-12)
    open_file = robots.path("two_arms_bar").read_text(encoding="utf8").replace("pos { -600 0 0 }", "pos { -580 10 0 }")
    bench = station.loads(open_file)
    both = bench.system("left")
    assert both.mechanism.report.opened > 0.01
    assert both.mechanism.report.left < 1e-9
    np.testing.assert_array_equal(bench["right"].q, both.q_of("right"))


def test_a_robot_that_nothing_holds_is_its_own_system() -> None:
    bench = station.load("ur5e")
    (system,) = bench.systems()
    assert system.mechanism is bench["ur5e"]
    assert not system.is_joined
    assert system.frame_id("ur5e", "flange") == 7
    assert system.joints_of("ur5e") == range(6)


def test_arms_that_cannot_reach_each_other_are_named() -> None:
    far = robots.path("two_arms_bar").read_text(encoding="utf8").replace("pos { 0 -300 0 }", "pos { 0 -5000 0 }")
    with pytest.raises(AssemblyError, match="left frame 9 and right tool 7"):
        station.loads(far).systems()


def test_check_says_what_moves_as_one() -> None:
    scene = station.load("two_arms_bar")
    reports = compile_reports(scene)
    told = describe(scene, reports)
    assert "robot left: 6 joints, no loops, mobility 6" in told
    assert "left and right move as one: 12 joints, 1 loop between them, mobility 6" in told
    assert "loop      left frame 9 – right tool 7: weld, 6 rows" in told
    (data,) = report(scene, reports)["together"]
    assert data["robots"] == ["left", "right"]
    assert data["mobility"] == 6
    assert data["closures"] == [{"between": [["left", 9], ["right", 7]], "kind": "weld", "rows": 6, "off": False}]
    hung = station.load("arm_on_gantry")
    assert "carried   arm by gantry tool 4" in describe(hung, compile_reports(hung))
    assert report(hung, {})["robots"][1]["on"] == ["gantry", 4]


def test_fk_and_ik_move_all_that_is_held_together() -> None:
    path = robots.path("two_arms_bar")
    everything = forward(path, None, None, None)
    assert list(everything.data["poses"])[:2] == ["left.0", "left.1"]
    one = forward(path, "right", "flange", "5,-90,90,-90,-90,0")
    assert len(one.data["q"]) == 12
    assert np.degrees(one.data["q"][6]) == pytest.approx(5.0, abs=1e-6)
    assert abs(one.data["q"][0]) > 0.01  # the left arm went along
    found = inverse(path, None, "left.flange", "-450,200,500", None, "station")
    assert found.reached
    assert found.data["joints"][6] == "right.1"
    with pytest.raises(InputError, match=r"--frame left\.7, or --robot with one of: left, right"):
        forward(path, None, "7", None)
    with pytest.raises(InputError, match="--joints takes 6 values for right, not 2"):
        forward(path, "right", None, "1,2")
    hung = forward(robots.path("arm_on_gantry"), "gantry", "4", "100,0,200")
    assert hung.data["poses"]["4"][0][3] == pytest.approx(0.1)
