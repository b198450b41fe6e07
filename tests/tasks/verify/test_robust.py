"""Variants of a task: seeded, the same in any number of processes, and never better than they are."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import station
from station.devices.parameter import SettingsError
from station.tasks.task import Task
from station.tasks.task.joints import tool_path
from station.tasks.verify import Check, RobustSettings, VerifySettings, make_workbench, verify
from station.tasks.verify.clearance import Pairs, survey
from station.tasks.verify.joints import check_effort
from station.tasks.verify.motion import Motion
from station.tasks.verify.robust import Case, robustness
from station.tasks.verify.trials import UNITS, Trials
from station.tasks.verify.variants import Drawing
from tests.tasks.making import HOME, robot_file, scene_of, through, wandering

TASK = through([HOME + np.array([0.3, 0, 0, 0, 0, 0]), HOME + np.array([0.6, 0.1, -0.2, 0.1, 0.2, 0.5])])
FEW = RobustSettings(variants=8, seed=3)
TRUE = RobustSettings(zero=0, length=0, axis=0, mass=0, place=0, turn=0, lag=0, wobble=0)


def trials(settings: RobustSettings | None = None, task: Task = TASK, name: str = "bench") -> Trials:
    scene = station.load(robot_file(name))
    made_up = VerifySettings(made_up=name == "bench")
    bench = make_workbench(scene, scene[task.robot], made_up, frame=task.frame)
    return Trials(task, bench, settings or RobustSettings())


def rooms_of(made: Trials, number: int) -> dict[Check, float]:
    return dict(zip(UNITS, made.margins(number), strict=True))


@pytest.mark.parametrize("name", ["bench", "delta"])
def test_the_first_variant_is_the_task_itself(name: str) -> None:
    task = TASK if name == "bench" else wandering(name, 1.0, 0.02)
    made = trials(None, task, name)
    rooms = rooms_of(made, 0)
    # against the limits themselves: the share that a task leaves free is for variants
    bench = replace(made._bench, settings=replace(made._bench.settings, share=1.0, effort_share=1.0))
    verdict = verify(task, bench)
    for check in set(UNITS) - {Check.CLOSURE}:
        near = 3e-3 if check in (Check.SPEED, Check.EFFORT, Check.SINGULARITY) else 1e-3
        assert rooms[check] == pytest.approx(verdict.margin(check).room, abs=near), check
    assert rooms[Check.CLOSURE] == (pytest.approx(0.001, abs=1e-6) if name == "delta" else math.inf)


def test_the_same_seed_gives_the_same_variants_and_another_gives_others() -> None:
    scene = scene_of()
    first, again, other = (
        Drawing(TASK, scene, scene["ur5e"], RobustSettings(seed=seed)).variant(5) for seed in (1, 1, 2)
    )
    assert np.array_equal(first.q, again.q)
    assert not np.array_equal(first.q, other.q)
    assert (first.obstacles["wall"] == again.obstacles["wall"]).all()
    assert np.abs(first.q - TASK.q).max() < 0.05


def test_distances_of_a_variant_are_those_that_looking_at_everything_finds() -> None:
    made = trials(RobustSettings(zero=0.02, place=0.02, length=0.005, axis=0.01))
    for number in (1, 2, 3):
        rooms, variant = rooms_of(made, number), made._drawing.variant(number)
        with made._built(variant):
            for check, with_itself in ((Check.COLLISION, False), (Check.SELF_COLLISION, True)):
                pairs = Pairs.around(made._bench.around, variant.q, with_itself)
                least = survey(pairs, variant.q, 0.0).nearest.distance
                assert rooms[check] == pytest.approx(least - 0.0005, abs=1.2e-3)


def test_links_of_other_lengths_are_those_of_another_robot_and_are_put_back() -> None:
    made = trials(replace(TRUE, length=0.003, axis=0.01))
    mechanism = made._bench.mechanism
    before = tool_path(mechanism, TASK.frame, TASK.q)
    variant = made._drawing.variant(4)
    assert np.array_equal(variant.q, TASK.q)
    expected = np.tile(np.eye(4), (len(TASK.q), 1, 1))  # the same robot, by hand: seat after seat, turned by its joint
    for seat, joint in zip(variant.seats, TASK.q.T, strict=True):
        turn = np.tile(np.eye(4), (len(joint), 1, 1))
        turn[:, 0, 0] = turn[:, 1, 1] = np.cos(joint)
        turn[:, 1, 0], turn[:, 0, 1] = np.sin(joint), -np.sin(joint)
        expected = expected @ np.vstack([seat, (0.0, 0.0, 0.0, 1.0)]) @ turn
    with made._built(variant):
        wrist = tool_path(mechanism, mechanism.robot.links[-1].id, TASK.q)
        tool = tool_path(mechanism, TASK.frame, TASK.q)
    assert np.allclose(wrist, expected, atol=1e-12)
    assert 0.001 < np.abs(tool - before)[:, :3, 3].max() < 0.1
    assert np.array_equal(tool_path(mechanism, TASK.frame, TASK.q), before)
    assert variant.moved.max() > 0.001


def test_masses_that_are_wrong_change_the_effort_and_nothing_else() -> None:
    made = trials(replace(TRUE, mass=0.2))
    rooms, nominal = rooms_of(made, 5), rooms_of(made, 0)
    for check in set(UNITS) - {Check.EFFORT}:
        assert rooms[check] == pytest.approx(nominal[check], abs=1e-9), check
    heavier = [rooms_of(made, number)[Check.EFFORT] < nominal[Check.EFFORT] for number in range(1, 9)]
    assert any(heavier)
    assert not all(heavier)
    bodies = made._bench.masses.bodies.copy()
    bodies.mass *= made._drawing.variant(5).masses
    bodies.inertia *= made._drawing.variant(5).masses[:, None]
    motion = Motion.of(TASK, made._bench.mechanism)
    settings = VerifySettings(share=1.0, effort_share=1.0)
    expected = check_effort(motion, made._bench.limits, made._bench.masses._replace(bodies=bodies), settings)
    assert rooms[Check.EFFORT] == pytest.approx(expected.margin.room, abs=1e-3)


def test_loops_of_links_of_other_lengths_are_closed_again() -> None:
    task = wandering("delta", 1.0, 0.02)
    made = trials(replace(TRUE, length=0.002), task, "delta")
    variant = made._drawing.variant(1)
    with made._built(variant):
        motion = made._motion(variant)
        assert motion.gaps.max() < 1e-7
    assert np.array_equal(motion.whole[:, made._free], made._nominal[:, made._free])
    assert np.abs(motion.whole - made._nominal).max() > 1e-3  # passive joints took it up
    assert rooms_of(made, 1)[Check.CLOSURE] == pytest.approx(0.001, abs=1e-6)


def test_processes_make_no_difference() -> None:
    told: list[int] = []
    case = Case(TASK, str(robot_file("bench")), VerifySettings(), FEW)
    alone = robustness(case, workers=1, tell=told.append)
    together = robustness(case, workers=2)
    assert alone == together
    assert sum(told) == 8
    assert alone.variants == 8
    assert alone.failed == 0
    assert {spread.check for spread in alone.spreads} == set(UNITS)
    assert all(spread.least <= spread.median for spread in alone.spreads)


def test_a_task_that_goes_close_fails_in_some_variants() -> None:
    loose = RobustSettings(variants=12, seed=1, zero=0.08, place=0.1)
    found = robustness(Case(TASK, str(robot_file("bench")), VerifySettings(), loose), workers=1)
    spread = {spread.check: spread for spread in found.spreads}
    assert 0 < found.failed <= 12
    assert spread[Check.COLLISION].least < spread[Check.COLLISION].median
    assert found.data["spreads"][0]["check"] == "position"


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(SettingsError, match="variants"):
        RobustSettings(variants=0)
