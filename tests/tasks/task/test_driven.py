"""As driven: the hand's own timing, within every limit; rounded within a tolerance, slower only where it must be."""

from __future__ import annotations

import numpy as np
import pytest

from station.tasks.task import Kind, RetimeError, Task, limits_for
from station.tasks.task.driven import TOLERANCE, as_driven
from station.tasks.task.edit import labelled, marked, trimmed, waiting
from station.tasks.task.joints import tool_path, whole_path
from station.tasks.task.model import Floats, changed
from tests.tasks.making import scene_of, task_of, wandering
from tests.tasks.task.test_retime import worst


def tools(task: Task, name: str = "bench") -> Floats:
    mechanism = scene_of(name)[task.robot]
    return tool_path(mechanism, task.frame, whole_path(mechanism, task.q).q)[:, :3, 3]


def off_the_path(new: Task, old: Task, name: str = "bench") -> float:
    """Largest distance of the new path from the old one [m], whenever it was there."""
    path = tools(old, name)
    return float(max(np.linalg.norm(path - place, axis=1).min() for place in tools(new, name)[::10]))


def trembling(seconds: float = 3.0, name: str = "bench") -> Task:
    """A smooth motion with a hand's tremor: small, and with far more jerk than allowed."""
    task = wandering(name, seconds=seconds)
    t = task.period * np.arange(len(task.q))
    return changed(task, q=task.q + 2e-4 * np.sin(2.0 * np.pi * 9.0 * t + np.arange(task.q.shape[1])[:, None]).T)


@pytest.mark.parametrize("name", ["bench", "panda"])
def test_tremor_is_rounded_and_the_timing_stays(name: str) -> None:
    mechanism = scene_of(name)[scene_of(name).robots[0].name]
    task, limits = trembling(name=name), limits_for(mechanism)
    assert worst(np.array(task.q), limits)[2] > 1.0
    made = as_driven(task, mechanism, limits)
    assert max(worst(np.array(made.task.q), limits)) <= 1.0
    assert made.before == task.duration
    assert made.task.duration == pytest.approx(task.duration, rel=0.05)
    assert made.deviation < TOLERANCE
    assert off_the_path(made.task, task, name) < TOLERANCE


def test_a_robot_with_loops_keeps_them_closed() -> None:
    mechanism = scene_of("cross-delta")[scene_of("cross-delta").robots[0].name]
    task, limits = trimmed(wandering("cross-delta", seconds=3.0, size=0.02), 400, 2600), limits_for(mechanism)
    made = as_driven(task, mechanism, limits)
    assert max(worst(np.array(made.task.q), limits)) <= 1.0
    assert whole_path(mechanism, made.task.q).gaps.max() < 1e-6


def test_what_keeps_the_limits_stays_as_it_is() -> None:
    mechanism, task = scene_of()["ur5e"], wandering(seconds=4.0)
    made = as_driven(task, mechanism, limits_for(mechanism))
    assert np.array_equal(made.task.q, task.q)
    assert made.deviation == 0.0


def test_time_is_stretched_only_where_a_limit_demands_it() -> None:
    """In the middle it is faster than allowed; before and after that, every instant stays."""
    mechanism, start = scene_of()["ur5e"], wandering().q[0]
    limits = limits_for(mechanism)
    t = np.arange(0.0, 6.0005, 0.001)
    slow = (
        0.1 * np.sin(np.pi * np.clip(t, 0.0, 2.0) / 2.0) ** 4
        + 0.1 * np.sin(np.pi * np.clip(t - 4.0, 0.0, 2.0) / 2.0) ** 4
    )
    fast = 0.5 * np.sin(np.pi * np.clip(t - 2.5, 0.0, 0.5) / 0.5) ** 4
    q = np.tile(start, (len(t), 1))
    q[:, 0] += slow + fast
    task = task_of(q)
    assert worst(q, limits)[0] > 1.4
    made = as_driven(task, mechanism, limits)
    new = np.array(made.task.q)
    assert max(worst(new, limits)) <= 1.0
    longer = len(new) - len(q)
    assert longer > 200  # the fast part takes its time
    assert np.abs(new[:2300, 0] - q[:2300, 0]).max() < 2e-3
    assert np.abs(new[3300 + longer :, 0] - q[3300:, 0]).max() < 2e-3
    assert np.ptp(new[:, 0]) > 0.49  # and goes as far


def test_rests_of_the_hand_last_as_long_as_they_did() -> None:
    mechanism = scene_of()["ur5e"]
    first, second = np.array(trembling(2.0).q), np.array(trembling(2.0).q)
    second += first[-1] - second[0]
    q = np.concatenate([first, np.tile(first[-1], (1500, 1)), second])
    made = as_driven(task_of(q), mechanism, limits_for(mechanism))
    still = np.abs(np.diff(made.task.q, axis=0)).max(axis=1) < 1e-9
    assert 1300 < still.sum() < 1600


def test_a_robot_that_stands_stays_and_the_smallest_motion_passes() -> None:
    mechanism, start = scene_of()["ur5e"], wandering().q[0]
    limits = limits_for(mechanism)
    still = as_driven(task_of(np.tile(start, (300, 1))), mechanism, limits, smooth=0.05).task
    assert len(still.q) == 300
    for step in (1e-9, 1e-6, 1e-3):
        made = as_driven(task_of(np.stack([start, start + step])), mechanism, limits, smooth=0.05).task
        assert max(worst(np.array(made.q), limits)) <= 1.0


def test_marks_segments_and_waits_stay_where_they_were() -> None:
    mechanism = scene_of()["ur5e"]
    task = labelled(trembling(4.0), 2500, 3500, Kind.CONTACT, name="insert")
    task = waiting(marked(task, 1500, "grasp"), 1500, 0.7)  # in mid-motion: the hand did not stop there
    made = as_driven(task, mechanism, limits_for(mechanism)).task
    assert max(worst(np.array(made.q), limits_for(mechanism))) <= 1.0
    assert np.abs(made.q[made.mark("grasp").sample] - task.q[1500]).max() < 1e-9
    waits = [segment for segment in made.segments if segment.kind is Kind.WAIT]
    assert [(segment.end - segment.begin) * made.period for segment in waits] == [pytest.approx(0.7)]
    contact = next(segment for segment in made.segments if segment.kind is Kind.CONTACT)
    old = next(segment for segment in task.segments if segment.kind is Kind.CONTACT)
    assert np.abs(made.q[contact.begin] - task.q[old.begin]).max() < 2e-3
    assert np.abs(made.q[contact.end] - task.q[old.end]).max() < 2e-3


def test_a_smaller_tolerance_takes_more_time_and_is_kept() -> None:
    mechanism = scene_of()["ur5e"]
    corner = np.repeat([[0.0], [0.3], [0.0]], 2, axis=1)  # there and back without a pause, at the same speed
    t = np.array([0.0, 1.0, 2.0])
    q = np.tile(wandering().q[0], (2001, 1))
    q[:, :2] += np.stack([np.interp(0.001 * np.arange(2001), t, column) for column in corner.T], axis=1)
    task, limits = task_of(q), limits_for(mechanism)
    wide, narrow = (as_driven(task, mechanism, limits, tolerance=size) for size in (0.005, 0.0002))
    assert wide.deviation < 0.005
    assert narrow.deviation < 0.0002
    assert off_the_path(narrow.task, task) < 0.0002 + 1e-3 * 0.3  # samples of the old path are that far apart
    assert narrow.task.duration > wide.task.duration
    for made in (wide, narrow):
        assert max(worst(np.array(made.task.q), limits)) <= 1.0


def test_a_speed_of_the_tool_is_kept() -> None:
    mechanism, task = scene_of()["ur5e"], trembling()
    made = as_driven(task, mechanism, limits_for(mechanism), tool_speed=0.05).task
    fastest = np.linalg.norm(np.diff(tools(made), axis=0), axis=1).max() / made.period
    assert 0.04 < fastest <= 0.05 * 1.001
    assert made.duration > task.duration


@pytest.mark.parametrize(
    "options",
    [{"smooth": -1.0}, {"smooth": float("nan")}, {"tolerance": -1.0}, {"tolerance": 1.0}, {"tool_speed": 0.0}],
)
def test_options_out_of_range_are_one_line(options: dict[str, float]) -> None:
    mechanism = scene_of()["ur5e"]
    with pytest.raises(RetimeError, match="allowed") as caught:
        as_driven(wandering(seconds=1.0), mechanism, limits_for(mechanism), **options)
    assert "\n" not in str(caught.value)
