"""Variants of a task: seeded, the same in any number of processes, and never better than they are."""

from __future__ import annotations

import numpy as np
import pytest

from station.devices.parameter import SettingsError
from station.tasks.verify import Check, RobustSettings, VerifySettings, make_workbench, verify
from station.tasks.verify.clearance import Pairs, survey
from station.tasks.verify.robust import CHECKS, Trials, robustness
from station.tasks.verify.variants import Drawing
from tests.tasks.making import HOME, robot_file, scene_of, through

TASK = through([HOME + np.array([0.3, 0, 0, 0, 0, 0]), HOME + np.array([0.6, 0.1, -0.2, 0.1, 0.2, 0.5])])
FEW = RobustSettings(variants=8, seed=3)


def trials(**settings: float) -> Trials:
    scene = scene_of()
    bench = make_workbench(scene, scene["ur5e"], VerifySettings(), frame=7)
    return Trials(TASK, bench, RobustSettings(**settings))  # type: ignore[arg-type]


def test_the_first_variant_is_the_task_itself() -> None:
    made = trials()
    rooms = dict(zip(CHECKS, made.margins(0), strict=True))
    verdict = verify(TASK, made._bench)
    for check in (Check.POSITION, Check.SPEED, Check.SINGULARITY):
        assert rooms[check] == pytest.approx(verdict.margin(check).room, abs=3e-3)
    for check in (Check.COLLISION, Check.SELF_COLLISION):
        assert rooms[check] == pytest.approx(verdict.margin(check).room, abs=1e-3)


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
    made = trials(zero=0.02, place=0.02)
    around, scene = made._bench.around, scene_of()
    drawing = Drawing(TASK, scene, scene["ur5e"], RobustSettings(zero=0.02, place=0.02))
    for number in (1, 2, 3):
        rooms = made.margins(number)
        variant = drawing.variant(number)
        for name, pose in variant.obstacles.items():
            around.move(name, pose)
        least = survey(Pairs(around, variant.q, False), variant.q, 0.0).nearest.distance
        for name, pose in drawing.obstacles.items():
            around.move(name, pose)
        assert rooms[3] == pytest.approx(least - 0.0005, abs=1.2e-3)


def test_processes_make_no_difference() -> None:
    held_to = VerifySettings()
    told: list[int] = []
    alone = robustness(TASK, str(robot_file("bench")), held_to, FEW, workers=1, tell=told.append)
    together = robustness(TASK, str(robot_file("bench")), held_to, FEW, workers=2)
    assert alone == together
    assert sum(told) == 8
    assert alone.variants == 8
    assert alone.failed == 0
    assert {spread.check for spread in alone.spreads} == set(CHECKS)
    assert all(spread.least <= spread.median for spread in alone.spreads)


def test_a_task_that_goes_close_fails_in_some_variants() -> None:
    loose = RobustSettings(variants=12, seed=1, zero=0.08, place=0.1)
    found = robustness(TASK, str(robot_file("bench")), VerifySettings(), loose, workers=1)
    spread = {spread.check: spread for spread in found.spreads}
    assert 0 < found.failed <= 12
    assert spread[Check.COLLISION].least < spread[Check.COLLISION].median
    assert found.data["spreads"][0]["check"] == "position"


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(SettingsError, match="variants"):
        RobustSettings(variants=0)
