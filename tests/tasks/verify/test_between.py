"""What is between the robots of a task: distances at every instant and between samples, and ties that must hold."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robots
import station
from station.bench import Bench
from station.collision import Surroundings
from station.tasks.task import Kind, Segment, Task, TaskError, changed, joint_limits, load_together, save, save_together
from station.tasks.task.clips import bridge, glued
from station.tasks.task.hashing import scene_text, text_hash
from station.tasks.task.joints import closed_path, driven_joints, driven_names
from station.tasks.task.model import Floats
from station.tasks.verify import Check, Verdict, VerifySettings, make_between, make_workbench, verify, verify_between
from station.tasks.verify.between import Approach, ease_in_together
from tests.tasks.test_commands import run

HOME = np.radians([0.0, -90.0, 90.0, -90.0, -90.0, 0.0])
BAR = robots.path("two_arms_bar")
# A plate of 1 mm on a slide of 2 m, across the way of another.
SLIDES = """RAFF v2.0 Slides
robot left { base { collision { sphere 1 pos { 0 0 -3000 } } }
  link 1 { parameters { 0 0 0 0 } type prismatic pred 0 limits { -2000 2000 } speed 9000
           collision { box { 200 200 1 } } } }
robot right { base { pos { 0 0 1000 } collision { sphere 1 pos { 0 0 4000 } } }
  link 1 { parameters { 0 0 0 0 } type prismatic pred 0 limits { -2000 2000 } speed 9000
           collision { box { 200 200 1 } } } }
"""


def two_arms(folder: Path, apart: int = 1200) -> Path:
    """Two UR5e beside each other [mm]."""
    head, _, robot = robots.path("ur5e").read_text(encoding="utf8").partition("robot ur5e {")
    made = head
    for name, y in (("left", 0), ("right", apart)):
        made += f"robot {name} {{" + robot.replace("base { ", f"base {{ pos {{ 0 {y} 0 }} ", 1)
    path = folder / "two.mad"
    path.write_text(made, encoding="utf8")
    return path


def task_of(file: Path, robot: str, q: Floats, period: float = 0.001, **more: Any) -> Task:
    text, scene = scene_text(file), station.load(file)
    return Task(
        name="both", robot=robot, joints=driven_names(scene[robot]), frame=scene.robot(robot).links[-1].id,
        period=period, q=np.ascontiguousarray(q), scene_hash=text_hash(text), scene_file=str(file), scene_text=text,
        **{"segments": (Segment(0, len(q) - 1, Kind.FREE),), **more},
    )  # fmt: skip


def through(file: Path, robot: str, places: list[Floats]) -> Task:
    limits = joint_limits(station.load(file)[robot], share=0.5)
    clips = [bridge(a, b, limits, 0.001) for a, b in itertools.pairwise(places)]
    return glued(task_of(file, robot, clips[0].q), clips)


def checked(file: Path, *tasks: Task, **settings: Any) -> Verdict:
    between = make_between(station.load(file), [task.robot for task in tasks], VerifySettings(**settings))
    assert between is not None
    return verify_between(tasks, between)


def brute(file: Path, left: Task, right: Task, every: int = 10) -> Floats:
    """Least distance between the two at samples, one by one [m]."""
    scene = station.load(file)
    around = Surroundings(scene, scene["left"], others=[scene["right"]])
    found = []
    for a, b in zip(left.q[::every], right.q[::every], strict=True):
        scene["left"].q, scene["right"].q = a, b
        rows = [row for row in around.distances() if row.pair.obstacle.startswith("right ")]
        found.append(min(row.distance for row in rows))
    return np.array(found)


def test_robots_that_meet_are_found_where_they_do(tmp_path: Path) -> None:
    """Each is free alone; both turn towards each other, one later than the other."""
    file = two_arms(tmp_path, 900)
    turns = {"left": -1.835, "right": 1.309}  # each flange points at the other robot
    left, right = (through(file, name, [HOME, HOME + turn * np.eye(6)[0], HOME]) for name, turn in turns.items())
    more = len(left.q) - len(right.q)
    right = changed(
        right, q=np.vstack([right.q, np.tile(HOME, (more, 1))]), segments=(Segment(0, len(left.q) - 1, Kind.FREE),)
    )
    assert len(left.q) == len(right.q)
    for task in (left, right):
        scene = station.load(file)
        settings = VerifySettings(singularity=0.0, made_up=False, clearance=0.0)
        assert verify(task, make_workbench(scene, scene[task.robot], settings)).passed
    verdict = checked(file, left, right)
    assert not verdict.passed
    distances = brute(file, left, right)
    finding = min(verdict.findings, key=lambda one: one.begin)
    first = 0.01 * int(np.argmax(distances <= 0.0005))
    assert finding.check is Check.COLLISION
    assert first - 0.011 <= finding.begin <= first + 0.001
    assert finding.text.startswith("left ")
    assert " right " in finding.text
    assert verdict.margin(Check.COLLISION).room < 0.0
    # The same with the second too late to be there.
    late = changed(
        right, q=np.vstack([np.tile(HOME, (len(left.q), 1)), right.q]),
        segments=(Segment(0, 2 * len(left.q) - 1, Kind.FREE),),
    )  # fmt: skip
    early = changed(
        left, q=np.vstack([left.q, np.tile(HOME, (len(left.q), 1))]),
        segments=(Segment(0, 2 * len(left.q) - 1, Kind.FREE),),
    )  # fmt: skip
    apart = checked(file, early, late)
    assert apart.passed, apart.findings
    margin = apart.margin(Check.COLLISION)
    least = brute(file, early, late).min()
    assert margin.room == pytest.approx(least - 0.0005, abs=2e-3)
    assert margin.what.startswith("left ")


def test_plates_that_cross_between_two_samples_are_found(tmp_path: Path) -> None:
    file = tmp_path / "slides.mad"
    file.write_text(SLIDES, encoding="utf8")
    up, down = np.linspace(0.0, 1.0, 12)[:, None], np.linspace(0.0, -1.0, 12)[:, None]
    left, right = task_of(file, "left", up, 0.02), task_of(file, "right", down, 0.02)
    assert brute(file, left, right, 1).min() > 0.08  # at the samples nothing is near
    verdict = checked(file, left, right)
    assert [finding.check for finding in verdict.findings] == [Check.COLLISION]
    assert verdict.findings[0].begin == pytest.approx(0.11, abs=0.001)  # in the middle
    passed = checked(file, left, task_of(file, "right", np.tile([0.3], (12, 1)), 0.02))
    assert passed.passed
    assert passed.margin(Check.COLLISION).room == pytest.approx(0.3 - 0.001 - 0.0005, abs=1e-3)


def test_tools_may_touch_where_both_tasks_expect_it(tmp_path: Path) -> None:
    file = tmp_path / "slides.mad"
    file.write_text(SLIDES, encoding="utf8")
    up, still = np.linspace(0.0, 1.0, 101)[:, None], np.zeros((101, 1))
    touching = {"segments": (Segment(0, 90, Kind.FREE), Segment(90, 100, Kind.CONTACT))}
    left, right = task_of(file, "left", up, 0.02, **touching), task_of(file, "right", still, 0.02, **touching)
    assert checked(file, left, right).passed
    alone = changed(right, segments=(Segment(0, 100, Kind.FREE),))
    verdict = checked(file, left, alone)
    assert not verdict.passed
    assert verdict.findings[0].begin == pytest.approx(1.998, abs=0.02)


def test_a_robot_that_is_not_in_the_task_stands_where_the_file_puts_it(tmp_path: Path) -> None:
    file = tmp_path / "slides.mad"
    file.write_text(SLIDES, encoding="utf8")
    left = task_of(file, "left", np.linspace(0.0, 1.5, 301)[:, None], 0.005)
    verdict = checked(file, left)
    assert not verdict.passed
    assert any("right is not in the task" in note for note in verdict.notes)
    save(left, tmp_path / "left.mcap")
    told = run("verify", str(tmp_path / "left.mcap"), "--singularity", "0")
    assert told.exit_code == 1
    assert "between left and right:" in told.output
    assert load_together(tmp_path / "left.mcap")[0].verified["passed"] == "no"


def test_the_command_says_notes_and_remembers_what_is_between(tmp_path: Path) -> None:
    file = tmp_path / "slides.mad"
    file.write_text(SLIDES, encoding="utf8")
    s = np.linspace(0.0, 1.0, 501)
    way = 0.2 * (10 * s**3 - 15 * s**4 + 6 * s**5)[:, None]
    path = tmp_path / "both.mcap"
    save_together([task_of(file, "left", way), task_of(file, "right", -way)], path)
    told = run("verify", str(path), "--singularity", "0", "--json")
    data = json.loads(told.output)
    (margin,) = (one for one in data["between"]["margins"] if one["check"] == "collision")
    assert data["passed"], data
    assert margin["room"] == pytest.approx(1.0 - 0.4 - 0.001 - 0.0005, abs=1e-3)
    notes = [one.verified for one in load_together(path)]
    assert all(note["passed"] == "yes" and note["between"] == data["between"]["hash"] for note in notes)
    assert run("verify", str(path), "--singularity", "0", "--clearance", "700").exit_code == 1
    assert {one.verified["passed"] for one in load_together(path)} == {"no"}


# Ties -------------------------------------------------------------------------------------------------------------


def lifted(size: float = 0.15, count: int = 1500) -> dict[str, Floats]:
    """Driven joints of two arms that carry a bar up and back, loop closed at every sample."""
    scene: Bench = station.load(BAR)
    system = scene.system("left")
    mechanism, driven = system.mechanism, driven_joints(system.mechanism)
    s = np.linspace(0.0, 1.0, count + 1)
    bump = np.sin(np.pi * (10 * s**3 - 15 * s**4 + 6 * s**5)) ** 2
    way = np.array([0.6, 0.4, -0.8, 0.4, 0.3, 0.5, -0.4, 0.2, 0.3, 0.1, 0.6, -0.2])
    q = mechanism.q[driven] + size * bump[:, None] * way
    closed = closed_path(mechanism, q)
    return {name: closed[:, list(system.joints_of(name))] for name in system.robots}


def bar_tasks(paths: dict[str, Floats], period: float = 0.001) -> list[Task]:
    return [task_of(BAR, name, q, period) for name, q in paths.items()]


def test_a_bar_that_two_arms_carry_stays_whole() -> None:
    verdict = checked(BAR, *bar_tasks(lifted()))
    assert verdict.passed, verdict.findings
    margin = verdict.margin(Check.CLOSURE)
    assert margin.what == "left frame 9 and right tool 7"
    assert 0.5e-4 < margin.room < 1e-4  # what a tie may be open less what is proven between samples


def test_an_arm_that_is_late_tears_it_and_it_is_said_where() -> None:
    paths = lifted()
    late = 40
    paths["right"] = np.vstack([np.tile(paths["right"][0], (late, 1)), paths["right"][:-late]])
    verdict = checked(BAR, *bar_tasks(paths))
    (finding,) = (one for one in verdict.findings if one.check is Check.CLOSURE and one.begin < 0.5)
    assert finding.text.startswith("what ties left frame 9 and right tool 7 is torn: ")
    assert verdict.margin(Check.CLOSURE).room < 0.0
    scene = station.load(BAR)
    system = scene.system("left")
    open_by = []
    for a, b in zip(paths["left"], paths["right"], strict=True):
        here, there = (scene[name].pose_at(frame, q) for name, frame, q in (("left", 9, a), ("right", 7, b)))
        open_by.append(float(np.linalg.norm(here[:3, 3] - there[:3, 3])))
    first = int(np.argmax(np.array(open_by) > 1e-4))
    assert finding.begin == pytest.approx(1e-3 * first, abs=0.02)  # turned apart before
    assert finding.value == pytest.approx(max(open_by[: len(open_by) // 2]), rel=0.5)
    assert system.robots == ("left", "right")


def test_a_tie_is_held_between_samples_too() -> None:
    """At few samples the loop is closed at each, and open on the straight way of the joints from one to the next."""
    coarse = lifted(0.15, 16)
    system = station.load(BAR).system("left")
    verdict = checked(BAR, *bar_tasks(coarse, 0.02))
    assert any(one.check is Check.CLOSURE for one in verdict.findings)
    for row in zip(*coarse.values(), strict=True):
        system.mechanism.q = np.concatenate(row)
        assert max(system.mechanism.closure_error) < 1e-7
    assert checked(BAR, *bar_tasks(coarse, 0.02), tie=0.1).passed


def test_one_arm_alone_tears_what_it_holds_together_with_another() -> None:
    (left, _) = bar_tasks(lifted())
    verdict = checked(BAR, left)
    assert any(one.check is Check.CLOSURE and "right tool 7" in one.text for one in verdict.findings)


def test_the_way_in_is_checked_against_a_robot_that_stands(tmp_path: Path) -> None:
    file = tmp_path / "slides.mad"
    file.write_text(SLIDES, encoding="utf8")
    left = task_of(file, "left", np.full((11, 1), 0.5))
    scene = station.load(file)
    between, workbench = make_between(scene, ["left"], VerifySettings()), make_workbench(scene, scene["left"])
    free = Approach(left, workbench, np.array([0.2]), np.array([0.5]), moves=True)
    (way,) = ease_in_together([free], between)
    assert way is not None
    assert way.q[-1, 0] == pytest.approx(0.5)
    beyond = free._replace(measured=np.array([1.5]))  # the plate of the other is in between
    with pytest.raises(TaskError, match=r"not free: left link 1 is .* right link 1"):
        ease_in_together([beyond], between)


def test_a_robot_on_another_meets_obstacles_where_that_carries_it(tmp_path: Path) -> None:
    scene = station.load(robots.path("arm_on_gantry"))
    tool = scene.system("arm").mechanism.pose(scene.system("arm").frame_id("arm", scene.robot("arm").links[-1].id))
    x, y, z = (1e3 * tool[:3, 3] + [400.0, 0.0, 0.0]).tolist()
    file = tmp_path / "gantry.mad"
    post = f"obstacle post {{ box {{ 40 40 40 }} pos {{ {x:.1f} {y:.1f} {z:.1f} }} }}\n"
    file.write_text(robots.path("arm_on_gantry").read_text(encoding="utf8") + post, encoding="utf8")
    scene = station.load(file)
    mechanism = scene["gantry"]
    before = mechanism.pose(4)
    steps = []
    for joint in range(len(mechanism.joints)):  # the axis that goes along x
        q = mechanism.q
        q[joint] += 0.01
        steps.append(mechanism.pose_at(4, q)[0, 3] - before[0, 3])
    along = np.sign(steps) * (np.abs(steps) > 0.005)
    path = mechanism.q + np.linspace(0.0, 0.6, 601)[:, None] * along
    gantry = task_of(file, "gantry", path)
    arm = task_of(file, "arm", np.tile(scene["arm"].q, (601, 1)))
    verdict = checked(file, gantry, arm)
    assert any(
        one.check is Check.COLLISION and "post" in one.text and one.text.startswith("arm ") for one in verdict.findings
    )
    assert any("arm stands on another robot" in note for note in verdict.notes)
    still = checked(file, changed(gantry, q=np.tile(path[0], (601, 1))), arm)
    assert not any("post" in one.text for one in still.findings)


def test_what_is_never_apart_is_not_looked_at_and_said(tmp_path: Path) -> None:
    file = tmp_path / "slides.mad"
    base = "base { pos { 0 0 1000 } collision { sphere 1 pos { 0 0 4000 } } }"
    assert base in SLIDES
    file.write_text(SLIDES.replace(base, "base { collision { sphere 9000 } }"), encoding="utf8")
    left, right = (task_of(file, name, np.full((11, 1), place)) for name, place in (("left", 0.0), ("right", 1.0)))
    verdict = checked(file, left, right)
    assert verdict.passed
    assert any(note.startswith("not looked at: left link 1 and right base (never apart") for note in verdict.notes)
