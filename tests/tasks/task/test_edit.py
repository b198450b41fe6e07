"""Edits: what is kept, what is joined, and what is undone."""

from __future__ import annotations

import numpy as np
import pytest

from station.tasks.task import Action, EditError, History, Kind, LinkLoss, joint_limits
from station.tasks.task.edit import (
    acting,
    inserted,
    labelled,
    marked,
    on_link_loss,
    repeated,
    smoothed,
    trimmed,
    waiting,
    without,
)
from tests.tasks.making import HOME, scene_of, task_of, through, wandering

LIMITS = joint_limits(scene_of()["ur5e"])
AWAY = HOME + np.array([0.3, 0.1, -0.1, 0.0, 0.2, 0.5])


def steps(q: np.ndarray) -> float:
    """Largest speed [rad/s]."""
    return float(np.abs(np.diff(q, axis=0)).max() / 0.001)


def test_trimming_keeps_marks_and_segments_where_they_were() -> None:
    task = marked(through([HOME, AWAY, HOME]), 400, "here")
    border = task.segments[1].begin
    short = trimmed(task, 300, border + 100)
    assert np.array_equal(short.q, task.q[300 : border + 101])
    assert short.marks[0].sample == 100
    assert [segment.end for segment in short.segments] == [border - 300, border - 200]
    with pytest.raises(EditError, match="allowed: upwards"):
        trimmed(task, 10, 10)


def test_leaving_out_a_stretch_bridges_the_gap_within_limits() -> None:
    task = wandering(seconds=2.0)
    shorter = without(task, 500, 1200, LIMITS)
    assert steps(shorter.q) < max(joint.speed for joint in LIMITS)
    assert np.array_equal(shorter.q[:501], task.q[:501])
    assert np.array_equal(shorter.q[-801:], task.q[-801:])
    assert any(segment.name == "bridge" for segment in shorter.segments)


def test_another_task_is_inserted_with_bridges_there_and_back() -> None:
    first, second = through([HOME, AWAY]), through([HOME + 0.2, HOME + 0.3])
    middle = inserted(first, 300, second, LIMITS)
    joints = np.abs(np.diff(middle.q, axis=0)).max()
    assert joints < 0.01
    assert np.array_equal(middle.q[-1], AWAY)
    after = inserted(first, len(first.q) - 1, second, LIMITS)
    assert np.allclose(after.q[-1], HOME + 0.3)
    with pytest.raises(EditError, match="another robot"):
        inserted(first, 300, task_of(first.q, period=0.002), LIMITS)


def test_repeating_goes_back_to_the_begin_in_between() -> None:
    task = through([HOME, AWAY])
    three = repeated(task, 3, LIMITS)
    assert sum(segment.name == "back to the begin" for segment in three.segments) == 2
    assert np.array_equal(three.q[-1], AWAY)
    assert np.abs(np.diff(three.q, axis=0)).max() < 0.01
    for times in (0, 1001):
        with pytest.raises(EditError, match="1 to 1000"):
            repeated(task, times, LIMITS)


def test_waits_and_tool_actions_stand_still() -> None:
    task = through([HOME, AWAY, HOME])
    border = task.segments[1].begin
    held = acting(waiting(task, border, 0.5, "settle"), border, Action("grip", 0.02), 0.8)
    kinds = [segment.kind for segment in held.segments]
    assert kinds == [Kind.FREE, Kind.ACTION, Kind.WAIT, Kind.FREE]
    assert held.duration == pytest.approx(task.duration + 1.3)
    assert held.segments[1].action == Action("grip", 0.02)
    with pytest.raises(EditError, match="stand still"):
        waiting(task, border, -1.0)


def test_contact_is_expected_only_where_it_is_said() -> None:
    task = wandering(seconds=1.0)
    told = labelled(task, 300, 600, Kind.CONTACT, name="insert", force=25.0, on_link_loss=LinkLoss.RETREAT)
    assert [(s.begin, s.end, s.kind) for s in told.segments] == [
        (0, 300, Kind.FREE),
        (300, 600, Kind.CONTACT),
        (600, 1000, Kind.FREE),
    ]
    assert told.segments[1].on_link_loss is LinkLoss.RETREAT
    assert all(s.on_link_loss is LinkLoss.FINISH for s in on_link_loss(told, LinkLoss.FINISH).segments)
    with pytest.raises(EditError, match="is inserted"):
        labelled(task, 300, 600, Kind.WAIT)


def test_smoothing_takes_tremor_away_and_keeps_the_ends() -> None:
    clean = wandering(seconds=2.0)
    shaky = task_of(clean.q + 1e-4 * np.random.default_rng(3).normal(size=clean.q.shape))
    smooth = smoothed(shaky, 0.05)
    assert np.array_equal(smooth.q[[0, -1]], shaky.q[[0, -1]])
    assert np.abs(np.diff(smooth.q, 2, axis=0)).max() < 0.05 * np.abs(np.diff(shaky.q, 2, axis=0)).max()
    assert np.abs(smooth.q - clean.q).max() < 2e-3


def test_undo_goes_back_to_a_mark_and_redo_brings_it_again() -> None:
    history = History(through([HOME, AWAY, HOME]))
    whole = history.do(marked(history.task, 300, "a"))
    assert len(history.undo_to_mark("a").q) == 301
    assert history.redo() is whole
    history.undo_to_mark("a")
    history.do(waiting(history.task, 300, 0.1))
    with pytest.raises(EditError, match="nothing to do again"):
        history.redo()
    history.undo()
    assert len(history.task.q) == 301
    history.undo()
    history.undo()
    with pytest.raises(EditError, match="nothing to undo"):
        history.undo()
