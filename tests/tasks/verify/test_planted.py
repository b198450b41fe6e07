"""Each kind of violation, planted in a task, is found at its place; a clean task passes with margins."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import station
from station.controllers.controller import Capabilities
from station.controllers.order import scene_joints
from station.tasks.task import Device, Kind, Task, changed, joint_limits
from station.tasks.task.clips import move_between
from station.tasks.task.edit import labelled
from station.tasks.task.joints import closed_path, driven_names
from station.tasks.task.model import Floats, Segment
from station.tasks.verify import Check, Finding, Verdict, VerifySettings, Workbench, make_workbench, verify
from tests.tasks.making import HOME, scene_of, start_of, task_of, through, wandering


@cache
def bench(name: str = "bench", **settings: Any) -> Workbench:
    scene = scene_of(name)
    return make_workbench(scene, scene[scene.robots[0].name], VerifySettings(**settings), frame=7)


def only(verdict: Verdict, check: Check) -> Finding:
    """The first finding of one kind; there must be one, and its margin must say so."""
    found = [finding for finding in verdict.findings if finding.check is check]
    assert found, [finding.text for finding in verdict.findings]
    assert verdict.margin(check).room < 0.0 or verdict.margin(check).note
    assert "\n" not in found[0].text
    return found[0]


def at(degrees: list[float]) -> np.ndarray:
    return np.radians(degrees)


CLEAN = [HOME, HOME + np.array([0.4, 0.1, -0.2, 0.1, 0.2, 0.5]), HOME + np.array([0.5, 0.0, 0.1, 0.0, 0.0, -0.4])]


def test_a_clean_task_passes_with_a_margin_for_every_check() -> None:
    verdict = verify(through(CLEAN), bench())
    assert verdict.passed, [finding.text for finding in verdict.findings]
    checked = {margin.check for margin in verdict.margins if not margin.note}
    assert {Check.POSITION, Check.SPEED, Check.EFFORT, Check.SINGULARITY, Check.COLLISION} <= checked
    assert all(margin.room > 0.0 for margin in verdict.margins)
    assert verdict.data["passed"] is True


def test_a_stop_that_is_passed() -> None:
    start = start_of("panda")
    beyond = start.copy()
    beyond[3] = -3.2  # its stop is at -3.0718 rad
    task = through([start, beyond + np.array([0, 0, 0, 0.4, 0, 0, 0])], "panda")
    q = np.array(task.q)
    bump = np.exp(-(((np.arange(len(q)) - 500) / 60.0) ** 2))
    q[:, 3] += bump * (-3.09 - q[500, 3])
    finding = only(verify(task_of(q, "panda"), bench("panda")), Check.POSITION)
    assert finding.at is not None
    assert finding.at.time == pytest.approx(0.5, abs=0.01)
    assert finding.value == pytest.approx(-3.09, abs=1e-3)
    assert "joint 4" in finding.text


def planted(size: float, order: int, sample: int = 700) -> Task:
    """A clean motion with a step in one derivative of one joint, at a sample; it ends at rest."""
    q = np.array(through(CLEAN).q)
    extra = np.zeros(len(q))
    extra[sample] = size
    for _ in range(order):
        extra = np.cumsum(extra)
    extra[sample + 20 :] = extra[sample + 20]  # constant afterwards
    q[:, 2] += extra
    return task_of(q)


@pytest.mark.parametrize(
    ("check", "task", "earliest", "latest"),
    [
        (Check.SPEED, planted(0.0035, 2), 0.699, 0.721),  # 3.5 rad/s for 20 ms
        (Check.ACCELERATION, planted(1.5e-5, 3), 0.699, 0.722),
        (Check.JERK, planted(4e-7, 3), 0.697, 0.723),
    ],
)
def test_a_rate_that_is_too_large(check: Check, task: Task, earliest: float, latest: float) -> None:
    verdict = verify(task, bench())
    finding = only(verdict, check)
    assert finding.at is not None
    assert earliest <= finding.begin <= finding.at.time <= finding.end <= latest
    assert "elbow" in finding.text
    assert finding.at.segment == 0


def test_an_effort_that_is_too_large_is_found_where_the_arm_is_stretched() -> None:
    stretched = at([30, -10, 15, -90, -90, 0])
    task = through([HOME + np.array([0.5, 0, 0, 0, 0, 0]), stretched, HOME + np.array([0.5, 0, 0, 0, 0, 0])])
    assert not [f for f in verify(task, bench()).findings if f.check is Check.EFFORT]
    finding = only(verify(task, bench(payload=10.0)), Check.EFFORT)
    assert finding.at is not None
    assert abs(finding.at.time - 0.5 * task.duration) < 0.25 * task.duration
    assert "shoulder" in finding.text


def test_a_singularity_on_the_way_is_found_where_it_is() -> None:
    over = HOME.copy()
    over[[0, 4]] = 0.5, np.radians(10.0)
    task = through([HOME, over])  # wrist 2 goes through zero
    crossing = int(np.argmin(np.abs(task.q[:, 4])))
    finding = only(verify(task, bench()), Check.SINGULARITY)
    assert finding.at is not None
    assert abs(finding.at.time - crossing * task.period) < 0.02
    assert finding.begin < finding.at.time < finding.end


def test_loops_that_cannot_close_are_found_where_they_open() -> None:
    scene = scene_of("cross-delta")
    mechanism, start = scene[scene.robots[0].name], start_of("cross-delta")
    clip = move_between(mechanism, start, moved_sliders(start), joint_limits(mechanism), 0.001, "there")
    q = np.array(clip.q)
    made = make_workbench(scene, mechanism, VerifySettings(made_up=False))
    assert verify(task_of(q, "cross-delta"), made).margin(Check.CLOSURE).room > 0.0
    q[400:600, 5] += 1e-4 * np.sin(np.linspace(0.0, np.pi, 200)) ** 4
    finding = only(verify(task_of(q, "cross-delta"), made), Check.CLOSURE)
    assert 0.4 <= finding.begin < finding.end <= 0.6


def moved_sliders(start: Floats) -> Floats:
    """Where all joints of the cross-delta are when its sliders have moved by 0.1 m."""
    there = start.copy()
    there[[0, 5, 10]] += [0.1, -0.05, 0.05]
    mechanism = scene_of("cross-delta")[scene_of("cross-delta").robots[0].name]
    path = closed_path(mechanism, start + np.linspace(0.0, 1.0, 100)[:, None] * (there - start))
    return np.array(path[-1])


def test_an_obstacle_in_the_way_is_found_and_a_contact_that_is_expected_is_not() -> None:
    mechanism, aside = scene_of()["ur5e"], HOME + np.array([0.6, 0, 0, 0, 0, 0])
    mechanism.q = aside
    pose = mechanism.pose(7)
    pose[2, 3] = 0.06
    down = mechanism.reach(7, pose).q
    pose[2, 3] = 0.015
    inside = mechanism.reach(7, pose).q
    task = through([aside, down, inside, down, aside])
    finding = only(verify(task, bench()), Check.COLLISION)
    assert finding.at is not None
    borders = [segment.begin * task.period for segment in task.segments]
    assert borders[1] <= finding.begin <= finding.at.time <= finding.end <= borders[3]
    assert "table" in finding.text
    told = labelled(task, task.segments[1].begin, task.segments[2].end, Kind.CONTACT, name="press", force=20.0)
    verdict = verify(told, bench())
    assert not [f for f in verdict.findings if f.check is Check.COLLISION], [f.text for f in verdict.findings]


THIN = """RAFF v2.0 Thin
obstacle plate { pos { 0 1000 0 }  box { 1 300 300 } }
robot rod { base { collision { sphere 10 } }
  link 1 { type revolute pred 0 parameters { theta 0 r 0 alpha 0 d 0 } limits { -360 360 } speed 400 acceleration 4000
    collision { box { 1000 1 1 } pos { 500 0 0 } } }
  tool 2 { pos { 1000 0 0 } pred 1 } }
"""


def test_a_thin_plate_between_two_samples_is_found() -> None:
    scene = station.loads(THIN)
    mechanism = scene["rod"]
    turn = np.linspace(-0.03, np.pi + 0.031, 60)[:, None]  # 54 mm of the tip from sample to sample
    task = Task(
        name="sweep",
        robot="rod",
        joints=driven_names(mechanism),
        frame=2,
        period=0.02,
        q=turn,
        segments=(Segment(0, 59),),
    )
    made = make_workbench(scene, mechanism, VerifySettings())
    finding = next(f for f in verify(task, made).findings if f.check is Check.COLLISION)
    assert finding.at is not None
    assert finding.at.time / task.period == pytest.approx((0.5 * np.pi + 0.03) / (turn[1, 0] - turn[0, 0]), abs=0.2)
    for q in turn:  # no sample is inside the plate
        assert all(row.distance > 0.001 for row in made.around.distances(q) if row.pair.obstacle == "plate")


def test_the_arm_against_itself() -> None:
    folded = HOME + np.array([0.5, 0, 0, 0, 0, 0])
    folded[3] = np.radians(60.0)
    task = through([HOME + np.array([0.5, 0, 0, 0, 0, 0]), folded, HOME + np.array([0.5, 0, 0, 0, 0, 0])])
    finding = only(verify(task, bench()), Check.SELF_COLLISION)
    assert finding.at is not None
    assert abs(finding.at.time - 0.5 * task.duration) < 0.3
    assert finding.value < 0.0005


def arm(rate: float = 1000.0, watchdog: float = 0.05) -> Capabilities:
    joints = scene_joints(scene_of()["ur5e"].joints)
    return Capabilities(model="try", joints=joints, rate=rate, watchdog=watchdog)


def test_rates_of_device_and_controller() -> None:
    task = changed(through(CLEAN), device=Device("sim:syntaxer", 1000.0, 0.2))
    assert "silent for 200 ms" in only(verify(task, bench()), Check.RATE).text
    slow = replace(bench(), arm=arm(rate=25.0))
    assert "25 setpoints per second" in " ".join(f.text for f in verify(through(CLEAN), slow).findings)
    hasty = replace(bench(), arm=arm(rate=500.0, watchdog=0.003))
    assert "without one" in only(verify(through(CLEAN), hasty), Check.RATE).text


def test_limits_of_the_connected_arm_count_too() -> None:
    joints = tuple(replace(joint, speed=0.3) for joint in scene_joints(scene_of()["ur5e"].joints))
    weak = replace(bench(), arm=replace(arm(), joints=joints))
    assert only(verify(through(CLEAN), weak), Check.SPEED).limit == pytest.approx(0.27)


def test_the_start_pose_of_the_connected_arm() -> None:
    task, connected = through(CLEAN), replace(bench(), arm=arm())
    assert verify(task, connected, HOME + 0.01).margin(Check.START).room > 0.0
    away = verify(task, connected, HOME + np.array([0.3, 0, 0, 0, 0, 0]))
    assert away.passed, [finding.text for finding in away.findings]
    assert "a free way there" in away.margin(Check.START).note
    finding = only(
        verify(task, connected, HOME - np.array([0.7, 0, 0, 0, 0, 0])), Check.START
    )  # the wall is in between
    assert "the way there is not free" in finding.text


def test_what_is_found_says_where() -> None:
    verdict = verify(planted(0.0035, 2), bench())
    data = verdict.data["findings"][0]
    assert {"check", "text", "begin", "end", "value", "limit", "at"} == set(data)
    assert {"time", "way", "segment", "tool"} == set(data["at"])
    assert verdict.data["hash"] == verdict.hash


def test_a_task_of_segments_of_all_kinds_is_checked_to_its_end() -> None:
    task = wandering(seconds=1.0)
    parts = (Segment(0, 300), Segment(300, 700, Kind.CONTACT), Segment(700, 1000))
    assert verify(changed(task, segments=parts), bench()).duration == pytest.approx(1.0)
