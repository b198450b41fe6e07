"""A take: marks, contacts, waits, actions, undo and redo, by words."""

from __future__ import annotations

import numpy as np
import pytest

from station.tasks.rehearse import Take, obey, read_script
from station.tasks.task import Action, EditError, Kind, LinkLoss
from tests.tasks.making import HOME, task_of, wandering

Q = np.array(wandering(seconds=1.0).q)


def take() -> Take:
    return Take(task_of(np.stack([HOME, HOME])))


def drive(made: Take, first: int, last: int) -> None:
    for row in Q[first:last]:
        made.see(row)


def test_what_was_said_is_where_it_was_said() -> None:
    made = take()
    drive(made, 1, 201)
    obey(made, "mark grasp: from above")
    obey(made, "grip 10 0.5")
    drive(made, 201, 401)
    obey(made, "contact 25")
    obey(made, "lost retreat")
    drive(made, 401, 601)
    obey(made, "wait 0.3")
    obey(made, "free")
    drive(made, 601, 1001)
    task = made.task()
    kinds = [(segment.kind, segment.end - segment.begin) for segment in task.segments]
    assert kinds == [
        (Kind.FREE, 200),
        (Kind.ACTION, 500),
        (Kind.FREE, 200),
        (Kind.CONTACT, 200),
        (Kind.WAIT, 300),
        (Kind.FREE, 400),
    ]
    assert task.segments[1].action == Action("grip", 0.01)
    assert task.segments[3].force == 25.0
    assert task.segments[3].on_link_loss is LinkLoss.RETREAT
    assert task.marks[0].name == "grasp"
    assert task.marks[0].comment == "from above"
    assert np.array_equal(task.q[task.marks[0].sample], Q[200])
    assert np.array_equal(task.q[-1], Q[-1])


def test_undo_goes_back_to_a_mark_and_redo_brings_all_again() -> None:
    made = take()
    drive(made, 1, 301)
    obey(made, "mark a")
    drive(made, 301, 501)
    obey(made, "mark b")
    obey(made, "contact")
    drive(made, 501, 801)
    where = obey(made, "undo a").back_to
    assert where is not None
    assert np.array_equal(where, Q[300])
    assert [mark.name for mark in made.marks] == ["a"]
    assert len(made.task().segments) == 1
    obey(made, "redo")
    assert [mark.name for mark in made.marks] == ["a", "b"]
    assert len(made.task().q) == 801
    obey(made, "undo b")
    obey(made, "undo a")
    drive(made, 301, 401)
    with pytest.raises(EditError, match="nothing to do again"):
        obey(made, "redo")
    assert len(made.task().q) == 401


def test_orders_that_make_no_sense_are_one_line() -> None:
    made = take()
    for text in ("dance", "wait -1", "wait soon", "lost forever", "undo nowhere", "undo", "redo", "grip x"):
        with pytest.raises(EditError) as caught:
            obey(made, text)
        assert "\n" not in str(caught.value)
    with pytest.raises(EditError, match="nothing was rehearsed"):
        made.task()


def test_a_script_is_sorted_and_checked() -> None:
    script = read_script("2 mark b\n\n# a comment\n1.5 mark a  # here\n3 end\n")
    assert [(order.time, order.text) for order in script] == [(1.5, "mark a"), (2.0, "mark b"), (3.0, "end")]
    for bad in ("soon mark", "1 dance", "-1 mark"):
        with pytest.raises(EditError, match="line 1"):
            read_script(bad)
