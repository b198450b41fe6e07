"""New timing keeps every limit, follows the same path, and takes little time."""

from __future__ import annotations

import numpy as np
import pytest

from station.tasks.task import Kind, Limits, RetimeError, limits_for
from station.tasks.task.edit import labelled, marked, waiting
from station.tasks.task.joints import tool_path, whole_path
from station.tasks.task.retime import retimed
from tests.tasks.making import scene_of, start_of, task_of, wandering


def worst(q: np.ndarray, limits: Limits, period: float = 0.001) -> tuple[float, float, float]:
    """Largest speed, acceleration and jerk over their limits, from rest to rest."""
    padded = np.concatenate([q[:1], q[:1], q[:1], q, q[-1:], q[-1:], q[-1:]])
    ratios = []
    for order, limit in ((1, limits.speed), (2, limits.acceleration), (3, limits.jerk)):
        ratios.append(float((np.abs(np.diff(padded, order, axis=0)) / period**order / limit).max()))
    return ratios[0], ratios[1], ratios[2]


@pytest.mark.parametrize("name", ["bench", "panda", "cross-delta"])
def test_the_fastest_timing_uses_the_limits_and_keeps_them(name: str) -> None:
    mechanism = scene_of(name)[scene_of(name).robots[0].name]
    limits, task = limits_for(mechanism), wandering(name, seconds=6.0, size=0.1)
    new = retimed(task, mechanism, limits)
    ratios = worst(np.array(new.task.q), limits)
    assert max(ratios) <= 1.0
    assert max(ratios) > 0.9
    assert new.task.duration < 0.8 * task.duration
    assert new.deviation < 2e-3


def test_a_speed_of_the_tool_is_kept() -> None:
    mechanism = scene_of()["ur5e"]
    new = retimed(wandering(seconds=3.0), mechanism, limits_for(mechanism), tool_speed=0.05).task
    places = tool_path(mechanism, new.frame, whole_path(mechanism, new.q).q)[:, :3, 3]
    fastest = np.linalg.norm(np.diff(places, axis=0), axis=1).max() / new.period
    assert 0.04 < fastest <= 0.05 * 1.001
    with pytest.raises(RetimeError, match="allowed"):
        retimed(new, mechanism, limits_for(mechanism), tool_speed=0.0)


def test_marks_segments_and_waits_stay_where_they_were_on_the_path() -> None:
    mechanism = scene_of()["ur5e"]
    task = labelled(wandering(seconds=4.0), 2500, 3500, Kind.CONTACT, name="insert")
    task = waiting(marked(task, 1500, "grasp"), 1500, 0.7)
    new = retimed(task, mechanism, limits_for(mechanism)).task
    assert np.abs(new.q[new.mark("grasp").sample] - task.q[1500]).max() < 5e-3
    waits = [segment for segment in new.segments if segment.kind is Kind.WAIT]
    assert len(waits) == 1
    assert (waits[0].end - waits[0].begin) * new.period == pytest.approx(0.7)
    contact = next(segment for segment in new.segments if segment.kind is Kind.CONTACT)
    old = next(segment for segment in task.segments if segment.kind is Kind.CONTACT)
    assert np.abs(new.q[contact.begin] - task.q[old.begin]).max() < 0.02
    assert np.abs(new.q[contact.end] - task.q[old.end]).max() < 0.02


def test_a_motion_that_is_none_takes_no_time() -> None:
    mechanism = scene_of()["ur5e"]
    still = task_of(np.tile(start_of(), (1000, 1)))
    assert retimed(still, mechanism, limits_for(mechanism)).task.duration < 0.01


def test_a_corner_is_gone_through_slowly() -> None:
    mechanism = scene_of()["ur5e"]
    limits, start = limits_for(mechanism), start_of()
    t = np.linspace(0.0, 1.0, 500)[:, None]
    there = start + 0.3 * t * np.array([1.0, 0, 0, 0, 0, 0])
    q = np.concatenate([there, there[-1] + 0.3 * t[1:] * np.array([0.0, 0, 0, 1.0, 0, 0])])
    new = retimed(task_of(q), mechanism, limits)
    assert max(worst(np.array(new.task.q), limits)) <= 1.0
    assert new.deviation < 0.01
