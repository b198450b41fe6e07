"""`Ticks`: the records of a run, as the ring had them, from a recording; read in pieces, so that hours fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from station.json_reader import parse_json
from station.servo.shared.memory import MOST_JOINTS, Layout, Place, Words, layout_of
from station.tasks.recording.channels import EVENTS, SETTINGS, STATUS, recorded, settings_places
from station.tasks.recording.chunk import Times
from station.tasks.recording.errors import MissingError, VersionError
from station.tasks.recording.reading import Recording
from station.tasks.recording.schema import Table

PART = 2_000_000_000  # of the run that is read at a time [ns]


class Ticks:
    """Records of a run, of its first part; `further` has those of further parts.

    Args:
        recording: of a run, or one part of it.

    Raises:
        MissingError: it is no recording of a run.
        VersionError: its fields are not those of this release.
    """

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        if STATUS not in recording.channels:
            what = f"a {recording.kind}" if recording.kind else "something else"
            raise MissingError(f"{recording.path}: {what}, not a recording of a run")
        joints = self._joints()
        self.layout: Layout = layout_of(joints)
        self._places = recorded(joints)
        self.missing: tuple[str, ...] = tuple(self._check())  # fields that an older release did not record
        self.start_ns, self.end_ns = self._span()
        self.further: tuple[Ticks, ...] = tuple(Ticks(recording.part(name)) for name in recording.parts[1:])

    @property
    def name(self) -> str:
        """Of the part."""
        return next(iter(self.recording.parts), "")

    @property
    def duration(self) -> float:
        """From the first tick to the last [s]."""
        return (self.end_ns - self.start_ns) * 1e-9

    @property
    def text(self) -> dict[str, Any]:
        """What the servo said of itself."""
        return {key: _value(value) for key, value in self.recording.metadata.get("servo", {}).items()}

    def read(self, start_ns: int, end_ns: int) -> tuple[Times, Words]:
        """Records from one time to another, both included [ns]."""
        there = [name for name in self._places if name in self.recording.channels]
        tables = self.recording.tables(there, start_ns, end_ns)
        times: Times = tables[STATUS]["log_time"]
        rows = np.zeros((len(times), self.layout.record), np.int64)
        for name in there:
            for place in self._places[name]:
                if place.name not in self.missing:
                    rows[:, place.start : place.end] = _words(tables[name][place.name], place)
        return times, rows

    def parts(self, start_ns: int | None = None) -> Iterator[tuple[Times, Words]]:
        """All records from some time on, a few seconds at a time."""
        at = self.start_ns if start_ns is None else max(start_ns, self.start_ns)
        while at <= self.end_ns:
            times, rows = self.read(at, at + PART - 1)
            if len(rows):
                yield times, rows
            at += PART

    def settings(self) -> tuple[Times, Mapping[str, np.ndarray[Any, Any]]]:
        """What is only in snapshots: when it was noted [ns], and its fields."""
        if SETTINGS not in self.recording.channels:
            return np.zeros(0, np.int64), {}
        table: Table = self.recording.messages(SETTINGS)
        names = {field.name for field in self.recording.schemas[SETTINGS].fields}
        places = [place for place in settings_places(self.layout.joints) if place.name in names]
        return table["log_time"], {place.name: table[place.name].reshape(-1, *place.shape) for place in places}

    def reasons(self) -> tuple[Times, list[str]]:
        """What device and controller said was wrong, and when [ns]."""
        if EVENTS not in self.recording.channels:
            return np.zeros(0, np.int64), []
        table = self.recording.messages(EVENTS)
        told = table[table["kind"] == "reason"]
        return told["log_time"], told["text"].tolist()

    def _joints(self) -> int:
        told = self.recording.metadata.get("layout", {}).get("joints", "")
        if not told.isdigit() or int(told) > MOST_JOINTS:
            raise VersionError(f"{self.recording.path}: does not say how many joints its robot has")
        return int(told)

    def _check(self) -> Iterator[str]:
        """Fields that are not there; a VersionError for those that are there in another form."""
        for name, places in self._places.items():
            schema = self.recording.schemas.get(name)
            there = {field.name: field for field in schema.fields} if schema else {}
            for place in places:
                field = there.get(place.name)
                if field is None:
                    yield place.name
                elif (field.kind == "int64") != place.field.whole or field.size != place.end - place.start:
                    raise VersionError(
                        f"{self.recording.path}: {place.name} has another form in this release; replay it with the one "
                        "that recorded it"
                    )

    def _span(self) -> tuple[int, int]:
        """Of the first and the last tick [ns]; settings and events may reach a little further."""
        start, end = self.recording.span
        first = self._first_in(range(start, end + 1, PART), 0)
        last = self._first_in(range(end - PART + 1, start - PART, -PART), -1)
        if first is None or last is None:
            raise MissingError(f"{self.recording.path}: no tick was recorded")
        return first, last

    def _first_in(self, starts: range, which: int) -> int | None:
        """Time of the first or last tick of the first part that has any [ns]."""
        for at in starts:
            times = self.recording.messages(STATUS, at, at + PART - 1)["log_time"]
            if len(times):
                return int(times[which])
        return None


def _words(column: np.ndarray[Any, Any], place: Place) -> Words:
    flat = np.ascontiguousarray(column).reshape(len(column), place.end - place.start)
    whole: Words = flat if place.field.whole else flat.view(np.int64)
    return whole


def _value(text: str) -> Any:
    """As the servo had it: what is no JSON was plain text."""
    try:
        return parse_json(text, "")
    except ValueError:
        return text
