"""`Changes`: what happened, found by comparing each tick with the one before."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from station.servo.shared import ControllerCode, DeviceCode, Edit, EditState, Event, Mode, ServoState
from station.servo.shared.memory import Layout, Words

_EDITS: dict[int, str] = {
    Edit.OBSTACLE: "place of obstacle",
    Edit.LOCK: "lock of joint",
    Edit.GEOMETRY: "geometry of part",
    Edit.CONSTRAINT: "constraint",
}
MOST = 50  # events in one batch: a status that flutters must not flood the file


class Happened(NamedTuple):
    """One event."""

    row: int  # of the batch
    kind: str
    text: str
    code: int


class Changes:
    """Follows the statuses of a servo through batches of its records."""

    def __init__(self, layout: Layout) -> None:
        self._columns = {
            name: layout.by_name[name].start
            for name in (
                *("state", "cause", "device_status", "controller_status", "mode", "clutched"),
                *("edit", "edit_kind", "edit_of", "edit_state", "edit_numbers"),
            )
        }
        self._last: Words | None = None  # one number for each of them
        self.left_out = 0

    def of(self, rows: Words) -> list[Happened]:
        """What happened in these records; the first record of all counts as a change of everything."""
        seen = rows[:, list(self._columns.values())]
        before = np.full(len(self._columns), -1, np.int64) if self._last is None else self._last
        changed = np.diff(seen, axis=0, prepend=before[None]) != 0
        self._last = seen[-1].copy()
        found: list[Happened] = []
        for row in np.flatnonzero(changed.any(axis=1)).tolist():
            found += self._at(row, dict(zip(self._columns, seen[row].tolist(), strict=True)), changed[row])
        self.left_out += max(len(found) - MOST, 0)
        return found[:MOST]

    def _at(
        self, row: int, now: dict[str, int], changed: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    ) -> list[Happened]:
        new = {name for name, is_new in zip(self._columns, changed, strict=True) if is_new}
        told = []
        if new & {"state", "cause"}:
            cause = _event(now["cause"])
            text = _word(ServoState, now["state"]) + (f": {cause}" if cause else "")
            told.append(Happened(row, "state", text, now["state"]))
        for name, kind, words in (
            ("device_status", "device", DeviceCode),
            ("controller_status", "controller", ControllerCode),
            ("mode", "mode", Mode),
        ):
            if name in new:
                told.append(Happened(row, kind, _word(words, now[name]), now[name]))
        if "clutched" in new:
            told.append(Happened(row, "clutch", "clutched" if now["clutched"] else "coupled", now["clutched"]))
        if "edit" in new and now["edit"] > 0:
            what = _EDITS.get(now["edit_kind"], "something of")
            how = (" on" if now["edit_numbers"] else " off") if now["edit_kind"] == Edit.CONSTRAINT else ""
            told.append(Happened(row, "change", f"{what} {now['edit_of']}{how}", now["edit_kind"]))
        if "edit_state" in new and now["edit_state"] == EditState.STOPPED:
            told.append(Happened(row, "change", "stopped on the way: loops would not close", now["edit_kind"]))
        return told


def _word(words: type[IntEnum], code: int) -> str:
    return words(code).name if code in words._value2member_map_ else f"{words.__name__} {code}"


def _event(code: int) -> str:
    return Event(code).words if code in Event._value2member_map_ and code else ""
