"""`Tape`: records of a servo into a recording, batch by batch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from station.servo.shared import Snapshot
from station.servo.shared.memory import Layout, Words
from station.servo.shared.state import LAYOUT_VERSION, table_hash
from station.tasks.recording.channels import (
    EVENT,
    EVENTS,
    SETTINGS,
    STATUS,
    recorded,
    schemas,
    settings_places,
    settings_schema,
    words,
)
from station.tasks.recording.chunk import Times
from station.tasks.recording.episodes import EPISODE, EPISODES, EpisodeChanges
from station.tasks.recording.events import Changes, Happened
from station.tasks.recording.frames import Frames
from station.tasks.recording.parts import ALONE, PartPlace
from station.tasks.recording.samples import Samples
from station.tasks.recording.writing import Writer

NANO = 1_000_000_000  # [ns/s]


class DayTime:
    """Time of the day by the servo's clock, from the first record on: one for all parts, whose ticks are the same."""

    def __init__(self) -> None:
        self.start: tuple[float, float] | None = None  # time and time of the day of the first record [s]

    def to_ns(self, seconds: np.ndarray[Any, np.dtype[np.float64]]) -> Times:
        """Since 1970 [ns]: that of the first record, and on from there by the servo's clock, which never jumps."""
        assert self.start is not None
        begin, day = self.start
        return np.int64(round(day * NANO)) + np.rint((seconds - begin) * NANO).astype(np.int64)


class Tape:
    """The channels of a run in a file, or of one part of it.

    Args:
        writer: of the file.
        layout: of the records.
        text: what the servo says of itself.
        place: where the part is in the file.
        day: time of the day, shared by all parts of a run.
    """

    def __init__(
        self,
        writer: Writer,
        layout: Layout,
        text: Mapping[str, Any],
        place: PartPlace = ALONE,
        day: DayTime | None = None,
    ) -> None:
        self.writer, self._layout = writer, layout
        self._day = day or DayTime()
        self._changes = Changes(layout)
        self._reason = ""
        self.episodes = EpisodeChanges(layout)
        self._task = ""  # of the newest episode that is known of
        self.taken = 0  # records that were handed to the writer
        self.last_ns = 0  # time of the newest of them
        writer.metadata(place.metadata("servo"), {key: _word(value) for key, value in text.items()})
        if not place.folder:
            writer.metadata("words", {name: json.dumps(numbers) for name, numbers in words().items()})
        writer.metadata(
            place.metadata("layout"),
            {
                "version": str(LAYOUT_VERSION),
                "table": f"{table_hash() & (2**64 - 1):016x}",
                "joints": str(layout.joints),
            },
        )
        self._channels = {
            name: writer.channel(place.channel(name), schema) for name, schema in schemas(layout.joints).items()
        }
        self._settings = writer.channel(place.channel(SETTINGS), settings_schema(layout.joints))
        self._events = writer.channel(place.channel(EVENTS), EVENT)
        self._episodes = writer.channel(place.channel(EPISODES), EPISODE)
        self._samples = Samples(writer, layout, text, place)
        self._frames = Frames(writer, layout, place)

    @property
    def written(self) -> int:
        """Records that are in the file."""
        return self.writer.count(self._channels[STATUS])

    @property
    def samples(self) -> int:
        """Samples of the device that are in the file."""
        return self._samples.written

    @property
    def events_left_out(self) -> int:
        """Events that were too many to be written one by one; the statuses themselves are all there."""
        return self._changes.left_out

    def add(self, rows: Words, lost: int = 0) -> None:
        """Records in order; `lost` are missing before the first."""
        rows = rows[rows[:, self._layout.by_name["tick"].start] > 0]  # what is shown before the first tick is no tick
        if not len(rows):
            return
        seconds = self._column(rows, "time")
        times = self._times(rows, seconds)
        publish = np.rint(seconds * NANO).astype(np.int64)
        for name, places in recorded(self._layout.joints).items():
            table = np.zeros(len(rows), schemas(self._layout.joints)[name].payload)
            for place in places:
                part = np.ascontiguousarray(rows[:, place.start : place.end])
                table[place.name] = (part if place.field.whole else part.view(np.float64)).reshape(
                    table[place.name].shape
                )
            self.writer.table(self._channels[name], times, table, publish)
        happened = self._changes.of(rows)
        if lost:
            happened.insert(0, Happened(0, "lost", f"{lost} records before this one were lost", lost))
        ticks = rows[:, self._layout.by_name["tick"].start]
        for row, kind, text, code in happened:
            self._tell(int(times[row]), kind, text, int(ticks[row]), code, float(seconds[row]))
        for row, kind, number in self.episodes.of(rows):
            fields = {"kind": kind, "episode": number, "task": self._task, "tick": ticks[row], "time": seconds[row]}
            self.writer.message(self._episodes, int(times[row]), fields, int(publish[row]))
        self._samples.add(rows, times)
        self._frames.add(rows, times)
        self.taken += len(rows)
        self.last_ns = int(times[-1])

    def foresee(self, snapshot: Snapshot) -> None:
        """A snapshot that is newer than the records that come next: it has the task of their episodes in words."""
        self._task = snapshot.task_text

    def add_settings(self, snapshot: Snapshot) -> None:
        """What is only in snapshots."""
        if self._day.start is None or int(snapshot.tick[0]) == 0:
            return
        seconds, tick = float(snapshot.time[0]), int(snapshot.tick[0])
        time_ns = int(self._day.to_ns(np.array([seconds]))[0])
        fields = {place.name: getattr(snapshot, place.name) for place in settings_places(self._layout.joints)}
        scalars = {name: value[0] if value.shape == (1,) else value for name, value in fields.items()}
        self.writer.message(self._settings, time_ns, scalars, max(round(seconds * NANO), 0))
        if snapshot.reason_text != self._reason:
            self._reason = snapshot.reason_text
            self._tell(time_ns, "reason", self._reason, tick, 0, seconds)

    def _tell(self, time_ns: int, kind: str, text: str, tick: int, code: int, seconds: float) -> None:
        fields = {"kind": kind, "text": text, "tick": tick, "code": code, "time": seconds}
        self.writer.message(self._events, time_ns, fields, max(round(seconds * NANO), 0))

    def _times(self, rows: Words, seconds: np.ndarray[Any, np.dtype[np.float64]]) -> Times:
        if self._day.start is None:
            self._day.start = float(seconds[0]), float(self._column(rows[:1], "wall_time")[0])
        return self._day.to_ns(seconds)

    def _column(self, rows: Words, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        place = self._layout.by_name[name]
        return np.ascontiguousarray(rows[:, place.start]).view(np.float64)


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
