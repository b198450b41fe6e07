"""A design: edited, undone, saved, reloaded, moved; all without a window."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import numpy as np
import pytest

import robots
import station
from station.bench import loads
from station.errors import MadError, StationError
from station.mad.scene import ReferenceFrame
from station.view.design.errors import DesignError, one_line
from station.view.design.grab import Grab
from station.view.design.history import MOST, History
from station.view.design.leading import led_frame
from station.view.design.model import Design
from station.view.design.rewriting import with_numbers
from station.view.design.steering import Steering
from tests.view.test_rewriting import degrees, remarks

LOOKING = np.eye(4)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    copy = tmp_path / "delta.mad"
    shutil.copy(robots.path("delta"), copy)
    copy.chmod(0o640)
    return copy


def design_of(path: Path) -> Design:
    return Design(station.load(path))


def longer(design: Design, part: int = 2, by: float = 0.002, gesture: str | None = None) -> bool:
    """An edit that changes the geometry."""
    name = design.bench.robots[0].name
    link = design.link(name, part)
    assert link is not None
    value = link.parameters.d + by
    return design.edit(lambda source: with_numbers(source, name, part, "parameters", {"d": value}), "d", gesture)


# Edits -----------------------------------------------------------------------------------------------------


def test_an_edit_changes_the_robot_and_it_stands_where_it_stood(path: Path) -> None:
    design = design_of(path)
    design.set_joint("delta", 1, design.joint_value("delta", 1) + 0.2)
    before = design.joint_values("delta")
    assert longer(design)
    assert np.abs(design.joint_values("delta") - before).max() < 0.1
    assert design.bench["delta"].closure_error.metres < 1e-9
    assert design.rebuilt == {"delta"}
    assert design.dirty


def test_an_edit_that_cannot_be_leaves_everything_as_it_was(path: Path) -> None:
    design = design_of(path)
    bench, text = design.bench, design.text
    with pytest.raises(StationError, match="cannot be assembled"):
        longer(design, by=5.0)
    with pytest.raises(MadError, match="is outside its stops"):
        design.edit(lambda s: with_numbers(s, "delta", 1, "limits", {"lo": degrees("40")}), "stops")
    assert design.bench is bench
    assert design.text == text
    assert design.history.undoes is None


def test_edits_are_undone_and_done_again(path: Path) -> None:
    design = design_of(path)
    texts = [design.text]
    for part in (2, 4):
        longer(design, part, by=0.0)
        longer(design, part, by=0.001)
        texts.append(design.text)
    assert design.undo() == "d"
    assert design.text == texts[1]
    assert design.undo() == "d"
    assert not design.dirty
    assert design.undo() is None
    assert design.redo() == "d"
    assert design.text == texts[1]
    longer(design, 7)
    assert design.redo() is None


def test_edits_of_one_gesture_are_undone_at_once(path: Path) -> None:
    design = design_of(path)
    for _ in range(5):
        longer(design, by=0.001, gesture="slider")
    design.history.end_gesture()
    longer(design, by=0.001, gesture="slider")
    design.undo()
    assert design.dirty
    design.undo()
    assert not design.dirty


def test_only_so_many_edits_are_remembered() -> None:
    history = History("0")
    for number in range(MOST + 50):
        history.add(str(number + 1), "edit")
    count = 0
    while history.peek(-1) is not None:
        history.go(-1)
        count += 1
    assert count == MOST - 1


def test_robots_that_an_edit_does_not_touch_are_kept(tmp_path: Path) -> None:
    text = robots.path("scara").read_text()
    second = text[text.index("robot ") :].replace("robot scara", "robot other", 1)
    both = tmp_path / "two.mad"
    both.write_text(text + second)
    design = design_of(both)
    names = [robot.name for robot in design.bench.robots]
    kept, changed = design.bench[names[0]], design.bench[names[1]]
    link = design.robot(names[1]).links[1]
    design.edit(lambda s: with_numbers(s, names[1], link.id, "parameters", {"d": link.parameters.d + 0.1}), "d")
    assert design.bench[names[0]] is kept
    assert design.bench[names[1]] is not changed


# The file --------------------------------------------------------------------------------------------------


def test_what_is_saved_keeps_remarks_and_mode_and_reads_back(path: Path) -> None:
    design, before = design_of(path), path.read_text()
    longer(design)
    assert design.save() == path
    assert not design.dirty
    assert remarks(path.read_text()) == remarks(before)
    changed = [new for old, new in zip(before.splitlines(), path.read_text().splitlines(), strict=True) if old != new]
    assert len(changed) == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert station.load(path) == design.bench
    assert [item.name for item in path.parent.iterdir()] == ["delta.mad"]


def test_a_mark_before_the_text_and_line_ends_are_kept(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    before = path.read_bytes()
    design = design_of(path)
    longer(design)
    design.save()
    after = path.read_bytes()
    assert after.startswith((b"\xef\xbb\xbfRAFF", b"\xef\xbb\xbf/*"))
    assert after.count(b"\r\n") == before.count(b"\r\n") == after.count(b"\n")


def test_a_file_that_others_changed_is_not_overwritten(path: Path) -> None:
    design = design_of(path)
    longer(design)
    path.write_text(path.read_text() + "\n// from elsewhere\n")
    assert design.outdated
    with pytest.raises(DesignError, match="was changed by another program; reload it, or save under another name"):
        design.save()
    assert path.read_text().endswith("// from elsewhere\n")
    other = path.with_name("other.mad")
    assert design.save(other) == other
    assert not design.outdated


def test_a_folder_that_cannot_be_written_is_told_in_one_line(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    design, before = design_of(path), path.read_text()
    longer(design)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(DesignError, match="cannot be written: Permission denied"):
        design.save()
    assert path.read_text() == before
    assert [item.name for item in path.parent.iterdir()] == ["delta.mad"]


def test_a_link_to_a_file_stays_a_link(path: Path) -> None:
    link = path.with_name("link.mad")
    link.symlink_to(path)
    design = design_of(link)
    longer(design)
    design.save()
    assert link.is_symlink()
    assert path.read_text() == design.text


def test_a_broken_file_is_told_and_a_mended_one_taken(path: Path) -> None:
    design, good = design_of(path), path.read_text()
    path.write_text(good.replace("parameters", "paramters", 1))
    assert design.outdated
    bench = design.bench
    with pytest.raises(MadError, match="unknown keyword 'paramters'"):
        design.reload()
    assert design.bench is bench
    file = design.file
    assert file is not None
    assert not bool(file.changed)
    path.write_text(good.replace("theta", "theta  ", 1) + "\n")
    assert file.changed
    assert design.reload()
    assert not design.dirty
    design.undo()
    assert design.text == good


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"RAFF v2.0 Nothing\n", b"<robot name='x'/>"])
def test_whatever_a_file_turns_into_the_robot_stays(path: Path, content: bytes) -> None:
    design = design_of(path)
    path.write_bytes(content)
    with pytest.raises(StationError) as caught:
        design.reload()
    assert "\n" not in one_line(caught.value)
    assert design.bench.robots


def test_a_file_that_vanished_is_no_change(path: Path) -> None:
    design = design_of(path)
    path.unlink()
    assert not design.outdated
    with pytest.raises(MadError, match="there is no such file"):
        design.reload()


def test_what_is_no_mad_file_is_saved_under_another_name(tmp_path: Path) -> None:
    design = Design(loads(robots.path("scara").read_text()))
    with pytest.raises(DesignError, match=r"save it under a name that ends in \.mad"):
        design.save()
    with pytest.raises(DesignError, match=r"a MAD file has a name that ends in \.mad"):
        design.save(tmp_path / "scara.txt")
    assert station.load(design.save(tmp_path / "scara.mad")).robots == design.bench.robots


# Motion ----------------------------------------------------------------------------------------------------


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
