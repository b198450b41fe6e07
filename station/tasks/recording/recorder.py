"""`Recorder`: follows the ring of a servo into a file, until the servo ends or somebody asks.

Two threads: one takes records out of the ring and never waits; the other packs and writes them, and waits for the disk.
Between them is a queue of some megabytes, then the eight seconds of the ring. What does not fit is lost, counted and
told; the servo knows nothing of all this.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from station.servo.shared import RecordReader, SharedStateError, StateReader
from station.servo.shared.layout import Words
from station.tasks.recording.errors import RecordingFileError
from station.tasks.recording.tape import Tape
from station.tasks.recording.writing import LARGEST_CHUNK, Writer

LOOK_EVERY = 0.02  # between two looks at the ring [s]
CHUNK_TIME = 0.2  # [s]: with what waits in memory, less than half a second is lost when this process is killed
SYNC_EVERY = 1.0  # how often the disk is waited for: what a power cut may cost [s]
MOST_WAITING = 64 << 20  # bytes of records between the two threads: half a minute at 1 kHz
BATCH = 2048  # records at once


class Ending(StrEnum):
    """Why a recording ended."""

    SERVO_ENDED = "the servo ended"
    ASKED = "asked to end"


class Recorded(NamedTuple):
    """What is in the file at the end."""

    records: int  # ticks
    lost: int  # ticks that are missing: too slow, or no room on the disk
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


class Recorder:
    """Records one servo.

    Args:
        state: the servo's shared state.
        writer: of the file, with `chunk=math.inf`: when to write is decided here. It is closed at the end.
        tell: called with one line when something goes wrong, once for each kind.
        most_waiting: bytes of records that may wait for the disk.
    """

    def __init__(
        self,
        state: StateReader,
        writer: Writer,
        tell: Callable[[str], object] = lambda _text: None,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        self._state, self._writer, self._tell = state, writer, tell
        self._most_waiting = most_waiting
        self._reader = RecordReader(state, from_start=True)
        self._missed = self._reader.next  # records that were overwritten before it came
        self._tape = Tape(writer, state.layout, state.text)
        self._queue = _Queue()
        self._stop, self._drained = threading.Event(), threading.Event()
        self._pending = 0  # records that were handed to the writer since its last flush
        self._told = 0  # records lost, of which it was told since then
        self._owed = self._missed  # records lost, of which the file does not know yet
        self._trouble = ""
        self._ending = Ending.ASKED

    @property
    def records(self) -> int:
        """Records that are in the file."""
        return self._tape.written

    @property
    def lost(self) -> int:
        """Records that are not in the file, and will not be."""
        return self._missed + self._reader.lost + self._tape.taken - self._tape.written - self._pending

    def stop(self) -> None:
        """Ask it to end, with all that is in the ring now; from any thread."""
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
        """All that is new in the ring, as far as there is room for it; returns whether it was all. Never waits."""
        while self._queue.waiting < self._most_waiting:
            batch = self._reader.read(BATCH)
            if not len(batch.records):
                return True
            self._queue.put(batch.records, batch.lost)
        return False

    def write(self, sync: bool = False) -> None:
        """All that was taken, to the disk; with `sync` wait until it is there."""
        taken, snapshot = self._queue.take_all(), None
        with contextlib.suppress(SharedStateError):
            snapshot = self._state.read()
        if snapshot is not None:
            self._tape.foresee(snapshot)
        for rows, lost in _joined(taken):
            self._add(rows, lost)
            if self._writer.waiting > LARGEST_CHUNK:
                self._attempt(self._writer.flush)
        if snapshot is not None:
            self._tape.add_settings(snapshot)
        self._attempt(lambda: self._writer.flush(sync))

    def close(self) -> Recorded:
        """Complete the file."""
        self._attempt(lambda: self._writer.close(self._last_words))
        tape, size = self._tape, self._writer.size
        return Recorded(
            self.records, self.lost, tape.samples, size, str(self._ending), self._trouble, tape.episodes.counts
        )

    def _take_until_end(self) -> None:
        """Everything from the ring, until the servo or the caller ends it."""
        try:
            while True:
                ended, asked = not self._state.alive, self._stop.is_set()  # asked first: then all it wrote is there
                all_taken = self.take()
                if (ended or asked) and all_taken:  # else the disk is behind: it gets its time
                    self._ending = Ending.SERVO_ENDED if ended else Ending.ASKED
                    return
                time.sleep(LOOK_EVERY)
        finally:
            self._drained.set()

    def _add(self, rows: Words, lost: int) -> None:
        """To the writer, which keeps it in memory until its next flush."""
        before, owed = self._tape.taken, self._owed + lost
        self._owed, self._told = 0, self._told + owed
        self._tape.add(rows, owed)
        self._pending += self._tape.taken - before

    def _attempt(self, act: Callable[[], object]) -> None:
        """What the disk refuses is lost; the next may find room again."""
        try:
            act()
        except RecordingFileError as error:
            self._owed += self._pending + self._told
            if str(error) != self._trouble:
                self._trouble = str(error)
                self._tell(self._trouble)
        self._pending = self._told = 0

    def _last_words(self) -> tuple[str, Mapping[str, str]]:
        return "end", {
            "records": str(self.records),
            "lost": str(self.lost),
            "events_left_out": str(self._tape.events_left_out),
            "samples": str(self._tape.samples),
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
