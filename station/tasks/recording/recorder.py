"""`Recorder`: follows the rings of a servo, one for each part, into a file, until it ends or somebody asks.

Two threads: one takes records out of the rings and never waits; the other packs and writes them, and waits for the
disk. Between them are queues of some megabytes, then the eight seconds of the rings. What does not fit is lost, counted
and told; the servo knows nothing of all this.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from station.servo.shared import RecordReader, SharedStateError, Snapshot, StateReader
from station.servo.shared.memory import Words
from station.servo.shared.parts import part_names
from station.tasks.recording.errors import RecordingFileError
from station.tasks.recording.parts import METADATA, PartPlace, places_of, told
from station.tasks.recording.tape import DayTime, Tape
from station.tasks.recording.writing import LARGEST_CHUNK, Writer

LOOK_EVERY = 0.02  # between two looks at the ring [s]
CHUNK_TIME = 0.2  # [s]: with what waits in memory, less than half a second is lost when this process is killed
SYNC_EVERY = 1.0  # how often the disk is waited for: what a power cut may cost [s]
MOST_WAITING = 64 << 20  # bytes of records of each part between the two threads: half a minute at 1 kHz
BATCH = 2048  # records at once


class Ending(StrEnum):
    """Why a recording ended."""

    SERVO_ENDED = "the servo ended"
    ASKED = "asked to end"


class Recorded(NamedTuple):
    """What is in the file at the end."""

    records: int  # ticks
    lost: int  # ticks that are missing in any part: too slow, or no room on the disk
    samples: int  # of the device
    size: int  # [bytes]
    ending: str
    trouble: str  # the last thing that went wrong; empty if nothing did
    episodes: dict[str, int]  # by outcome


@dataclass
class _Queue:
    """Records that wait for the disk."""

    batches: deque[tuple[Words, int]] = field(default_factory=deque)
    waiting: int = 0  # [bytes]
    lock: threading.Lock = field(default_factory=threading.Lock)

    def put(self, rows: Words, lost: int) -> None:
        with self.lock:
            self.batches.append((rows, lost))
            self.waiting += rows.nbytes

    def take_all(self) -> list[tuple[Words, int]]:
        with self.lock:
            taken = list(self.batches)
            self.batches.clear()
            self.waiting = 0
        return taken


class _Track:
    """The ring of one part, and its channels in the file."""

    def __init__(self, state: StateReader, writer: Writer, place: PartPlace, day: DayTime) -> None:
        self.state, self.place = state, place
        self.reader = RecordReader(state, from_start=True)
        self.missed = self.reader.next  # records that were overwritten before it came
        self.tape = Tape(writer, state.layout, state.text, place, day)
        self.queue = _Queue()
        self.pending = 0  # records that were handed to the writer since its last flush
        self.told = 0  # records lost, of which it was told since then
        self.owed = self.missed  # records lost, of which the file does not know yet

    @property
    def lost(self) -> int:
        """Records that are not in the file, and will not be."""
        return self.missed + self.reader.lost + self.tape.taken - self.tape.written - self.pending

    def take(self, most_waiting: int) -> bool:
        """All that is new in the ring, as far as there is room for it; returns whether it was all. Never waits."""
        while self.queue.waiting < most_waiting:
            batch = self.reader.read(BATCH)
            if not len(batch.records):
                return True
            self.queue.put(batch.records, batch.lost)
        return False

    def snapshot(self) -> Snapshot | None:
        """The newest, if it can be had."""
        with contextlib.suppress(SharedStateError):
            return self.state.read()
        return None

    def add(self, rows: Words, lost: int) -> None:
        """To the writer, which keeps it in memory until its next flush."""
        before, owed = self.tape.taken, self.owed + lost
        self.owed, self.told = 0, self.told + owed
        self.tape.add(rows, owed)
        self.pending += self.tape.taken - before


class Recorder:
    """Records one servo.

    Args:
        states: the servo's shared state; of several parts those of all, the first of them first.
        writer: of the file, with `chunk=math.inf`: when to write is decided here. It is closed at the end.
        tell: called with one line when something goes wrong, once for each kind.
        most_waiting: bytes of records of a part that may wait for the disk.
    """

    def __init__(
        self,
        states: StateReader | Sequence[StateReader],
        writer: Writer,
        tell: Callable[[str], object] = lambda _text: None,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        states = (states,) if isinstance(states, StateReader) else tuple(states)
        self._writer, self._tell = writer, tell
        self._most_waiting = most_waiting
        places = places_of(part_names([state.text for state in states]))
        if len(places) > 1:
            writer.metadata(METADATA, told(places))
        day = DayTime()
        self._tracks = [_Track(state, writer, place, day) for state, place in zip(states, places, strict=True)]
        self._stop, self._drained = threading.Event(), threading.Event()
        self._trouble = ""
        self._ending = Ending.ASKED

    @property
    def records(self) -> int:
        """Records of the first part that are in the file: ticks."""
        return self._tracks[0].tape.written

    @property
    def lost(self) -> int:
        """Records of all parts that are not in the file, and will not be."""
        return sum(track.lost for track in self._tracks)

    def stop(self) -> None:
        """Ask it to end, with all that is in the rings now; from any thread."""
        self._stop.set()

    def run(self) -> Recorded:
        """Record until the end; the file is whole then, whatever happened."""
        taking = threading.Thread(target=self._take_until_end, name="ring", daemon=True)
        taking.start()
        synced = time.monotonic()
        while not self._drained.wait(CHUNK_TIME):
            sync = time.monotonic() - synced >= SYNC_EVERY
            self.write(sync)
            synced = time.monotonic() if sync else synced
        taking.join()
        self.write()
        return self.close()

    def take(self) -> bool:
        """All that is new in the rings, as far as there is room for it; returns whether it was all. Never waits."""
        all_taken = [track.take(self._most_waiting) for track in self._tracks]  # from each, also if one has no room
        return all(all_taken)

    def write(self, sync: bool = False) -> None:
        """All that was taken, to the disk; with `sync` wait until it is there."""
        for track in self._tracks:
            taken, snapshot = track.queue.take_all(), track.snapshot()
            if snapshot is not None:
                track.tape.foresee(snapshot)
            for rows, lost in _joined(taken):
                track.add(rows, lost)
                if self._writer.waiting > LARGEST_CHUNK:
                    self._attempt(self._writer.flush)
            if snapshot is not None:
                track.tape.add_settings(snapshot)
        self._attempt(lambda: self._writer.flush(sync))

    def close(self) -> Recorded:
        """Complete the file."""
        self._attempt(lambda: self._writer.close(self._last_words))
        return Recorded(
            self.records,
            self.lost,
            sum(track.tape.samples for track in self._tracks),
            self._writer.size,
            str(self._ending),
            self._trouble,
            self._tracks[0].tape.episodes.counts,
        )

    def _take_until_end(self) -> None:
        """Everything from the rings, until the servo or the caller ends it."""
        try:
            while True:
                # Asked first: then all it wrote is there.
                ended, asked = not any(track.state.alive for track in self._tracks), self._stop.is_set()
                all_taken = self.take()
                if (ended or asked) and all_taken:  # else the disk is behind: it gets its time
                    self._ending = Ending.SERVO_ENDED if ended else Ending.ASKED
                    return
                time.sleep(LOOK_EVERY)
        finally:
            self._drained.set()

    def _attempt(self, act: Callable[[], object]) -> None:
        """What the disk refuses is lost; the next may find room again."""
        try:
            act()
        except RecordingFileError as error:
            for track in self._tracks:
                track.owed += track.pending + track.told
            if str(error) != self._trouble:
                self._trouble = str(error)
                self._tell(self._trouble)
        for track in self._tracks:
            track.pending = track.told = 0

    def _last_words(self) -> tuple[str, Mapping[str, str]]:
        further = self._tracks[1:]
        return "end", {
            "records": str(self.records),
            "lost": str(self.lost),
            "events_left_out": str(sum(track.tape.events_left_out for track in self._tracks)),
            "samples": str(sum(track.tape.samples for track in self._tracks)),
            **{f"records of {track.place.name}": str(track.tape.written) for track in further},
            **{f"lost of {track.place.name}": str(track.lost) for track in further},
            "ending": str(self._ending),
            "trouble": self._trouble,
        }


def _joined(batches: list[tuple[Words, int]]) -> Iterator[tuple[Words, int]]:
    """The same with fewer and larger batches: each costs a millisecond, however small it is."""
    parts: list[Words] = []
    lost_before, size = 0, 0
    for rows, lost in batches:
        if parts and (lost or size + rows.nbytes > LARGEST_CHUNK):
            yield np.concatenate(parts), lost_before
            parts, size = [], 0
        lost_before = lost_before if parts else lost
        parts.append(rows)
        size += rows.nbytes
    if parts:
        yield np.concatenate(parts), lost_before
