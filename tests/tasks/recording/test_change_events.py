"""Changes of a run are events of its recording."""

from __future__ import annotations

import numpy as np

from station.servo.shared import Edit, EditState
from station.servo.shared.memory import layout_of
from station.tasks.recording.events import Changes


def test_each_change_is_an_event_and_so_is_one_that_stopped() -> None:
    layout = layout_of(3)
    rows = np.zeros((5, layout.record), np.int64)
    column = {name: layout.by_name[name].start for name in ("edit", "edit_kind", "edit_of", "edit_state")}
    for row, kind, of in ((1, Edit.LOCK, 2), (2, Edit.OBSTACLE, 0), (3, Edit.GEOMETRY, 7)):
        rows[row:, column["edit"]] = row
        rows[row:, column["edit_kind"]], rows[row:, column["edit_of"]] = kind, of
        rows[row:, column["edit_state"]] = EditState.GOING
    rows[4, column["edit_state"]] = EditState.STOPPED
    told = [(event.row, event.text, event.code) for event in Changes(layout).of(rows) if event.kind == "change"]
    assert told == [
        (1, "lock of joint 2", Edit.LOCK),
        (2, "place of obstacle 0", Edit.OBSTACLE),
        (3, "geometry of part 7", Edit.GEOMETRY),
        (4, "stopped on the way: loops would not close", Edit.GEOMETRY),
    ]


def test_constraints_are_told_on_and_off() -> None:
    layout = layout_of(3)
    rows = np.zeros((3, layout.record), np.int64)
    column = {name: layout.by_name[name].start for name in ("edit", "edit_kind", "edit_of", "edit_numbers")}
    for row, on in ((1, 1.0), (2, 0.0)):
        rows[row:, column["edit"]], rows[row:, column["edit_kind"]] = row, Edit.CONSTRAINT
        rows[row:, column["edit_of"]] = 4
        rows[row:, column["edit_numbers"]] = np.float64(on).view(np.int64)
    told = [(event.row, event.text) for event in Changes(layout).of(rows) if event.kind == "change"]
    assert told == [(1, "constraint 4 on"), (2, "constraint 4 off")]
