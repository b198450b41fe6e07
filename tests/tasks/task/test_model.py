"""A task is what its hash says, and makes sense or is refused."""

from __future__ import annotations

import numpy as np
import pytest

from station.tasks.task import Action, Kind, Mark, Segment, TaskError, changed, content_hash
from tests.tasks.making import HOME, task_of, through, wandering

REST = np.tile(HOME, (11, 1))


def test_the_hash_changes_with_anything_that_the_task_is() -> None:
    task = wandering(seconds=0.5)
    q = np.array(task.q)
    q[100, 3] += 1e-12
    others = [
        changed(task, q=q),
        changed(task, name="other"),
        changed(task, calibration="c2"),
        changed(task, scene_hash="0" * 64),
        changed(task, marks=(Mark(3, "a"),)),
        changed(task, segments=(Segment(0, 500, Kind.CONTACT, force=20.0),)),
    ]
    assert len({content_hash(one) for one in [task, *others]}) == 7
    assert content_hash(changed(task, scene_file="/elsewhere/bench.mad")) == content_hash(task)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"q": np.full((11, 6), np.nan)}, "no finite number"),
        ({"q": REST[:1]}, "shape"),
        ({"q": REST[:, :5]}, "shape"),
        ({"period": 1.0}, "period"),
        ({"schema": 99}, "schema version 99"),
        ({"segments": ()}, "the last one"),
        ({"segments": (Segment(0, 4), Segment(5, 10))}, "segment 1"),
        ({"segments": (Segment(0, 10, force=-1.0),)}, "negative"),
        ({"segments": (Segment(0, 10, Kind.FREE, action=Action("grip")),)}, "belongs to an action"),
        ({"marks": (Mark(11, "late"),)}, "mark 'late'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(fields: dict[str, object], said: str) -> None:
    with pytest.raises(TaskError, match=said) as caught:
        changed(task_of(REST), **{"segments": (Segment(0, 10),), **fields})
    assert "\n" not in str(caught.value)


def test_a_wait_in_which_the_joints_move_is_refused() -> None:
    moving = wandering(seconds=0.5)
    with pytest.raises(TaskError, match="the joints move in it"):
        changed(moving, segments=(Segment(0, 500, Kind.WAIT),))


def test_a_place_in_time_belongs_to_a_segment() -> None:
    task = through([HOME, HOME + 0.1, HOME])
    border = task.segments[1].begin
    assert task.segment_at(border - 1) == 0
    assert task.segment_at(border) == 1
    assert task.segment_at(1e9) == 1
    assert task.sample_at(0.0105) in (10, 11)
    with pytest.raises(TaskError, match="there are: none"):
        task.mark("grasp")
