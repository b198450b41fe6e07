"""`StateReader` and `RecordReader`: the side of a view or a recorder; neither ever slows the servo.

A reader notices when the servo is gone. One of records that is too slow learns how much it lost; nobody waits for it.
"""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np

from station.json_reader import parse_json
from station.servo.shared.errors import NoServoError, SharedStateError
from station.servo.shared.memory import (
    HEADER_WORDS,
    RECORDS,
    TORN,
    Header,
    Layout,
    Words,
    check_header,
    heartbeat,
    read_records,
    read_snapshot,
    records_written,
)
from station.servo.shared.runtime import OpenedFile, running
from station.servo.shared.state import FIELDS

TRIES = 100  # to copy between two publications; each takes less than a microsecond
PAUSES = 50  # of PAUSE, for a servo that was interrupted while it published
PAUSE = 0.001  # [s]
NANO = 1e-9  # [s/ns]
MARGIN = 64  # records by which an overtaken reader jumps ahead of the writer, or it would be overtaken at once again
MOST = 1024  # records in one batch


class Snapshot:
    """One moment of the servo, copied; every field of the table is an attribute. A record lacks some."""

    def __init__(self, layout: Layout, numbers: Words, number: int) -> None:
        self.number = number  # of the publication, from 1; of a record, from 0
        self.numbers = numbers
        self.layout = layout
        numbers.flags.writeable = False

    @property
    def reason_text(self) -> str:
        """Why device or controller are not ready; empty if they are."""
        return _text(self.reason)

    @property
    def task_text(self) -> str:
        """What the newest episode is about; empty if nobody said."""
        return _text(self.episode_task)

    def __getattr__(self, name: str) -> Any:
        """A field as an array; made when it is first asked for, as few readers want all."""
        place = self.layout.by_name.get(name) if not name.startswith("_") else None
        if place is None:
            raise AttributeError(f"no field {name!r}; there are: {', '.join(FIELDS)}")
        if place.end > self.numbers.size:
            raise AttributeError(f"field {name!r} is only in snapshots, not in records")
        view = place.view(self.numbers)
        setattr(self, name, view)
        return view


def _text(words: Words) -> str:
    return bytes(words.tobytes()).partition(b"\0")[0].decode("utf-8", "replace")


class StateReader:
    """Reads what a servo shows.

    Args:
        path: the servo's file; if not given, that of the servo which was started last.
        folder: where to look for it; that of this user if not given.
    """

    def __init__(self, path: Path | None = None, folder: Path | None = None) -> None:
        if path is None:
            found = running(folder)
            if not found:
                raise NoServoError("no servo runs; start one with: station run")
            path = found[0]
        self._file = OpenedFile(path, writable=False)
        self._shared = self._file.words()
        try:
            self.layout = check_header(self._shared, str(path))
        except ValueError:
            self._file.close()
            raise
        self.address: int = self._shared.ctypes.data
        self._header = Header(self._shared[:HEADER_WORDS].view(np.uint8))
        self.process, self.epoch = self._header.process, self._header.epoch

    @property
    def path(self) -> Path:
        """The servo's file."""
        return self._file.path

    @property
    def text(self) -> dict[str, Any]:
        """Names and the like, as the servo wrote them at its start."""
        start, size = 8 * HEADER_WORDS, self._header.text
        answer: dict[str, Any] = parse_json(self._file.memory[start : start + size], f"{self.path}: its text")
        return answer

    @property
    def alive(self) -> bool:
        """Whether this servo still runs; one that was started again is another one, to be opened anew."""
        return self._file.alive

    @property
    def heartbeat_age(self) -> float:
        """Since the servo published last [s]; infinite if it never did."""
        beat = heartbeat(self.address)
        return max(time.monotonic_ns() - beat, 0) * NANO if beat else float("inf")

    def read(self) -> Snapshot | None:
        """The newest snapshot, whole; None if there is none yet.

        Raises:
            NoServoError: the servo ended while it was publishing.
            SharedStateError: it has been stopped there for longer than a reader waits.
        """
        numbers = np.empty(self.layout.snapshot, np.int64)
        for _ in range(PAUSES):
            number = self._copy(numbers)
            if number != TORN:
                return Snapshot(self.layout, numbers, number) if number else None
            time.sleep(PAUSE)
        if not self.alive:
            raise NoServoError(f"{self.path}: the servo ended while it was publishing")
        raise SharedStateError(f"{self.path}: the servo has been stopped in the middle of publishing")

    def close(self) -> None:
        """Let it go; may be called twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _copy(self, numbers: Words) -> int:
        size, start = self.layout.snapshot, self.layout.snapshot_start
        return read_snapshot(self.address, start, size, numbers.ctypes.data, TRIES)


class Batch(NamedTuple):
    """Records in order, without a gap among them."""

    first: int  # number of the first, from 0
    records: Words  # one row each
    lost: int  # records missing before the first, as this reader came too late


class RecordReader:
    """Reads the ring of one servo from some place on; there may be many, each with a place of its own.

    Args:
        state: the servo's shared state.
        from_start: begin with the oldest record that is there; else with the next that comes.
    """

    def __init__(self, state: StateReader, from_start: bool = False) -> None:
        self._state = state
        written = records_written(state.address)
        self.next = max(0, written - RECORDS + MARGIN) if from_start else written
        self.lost = 0  # in all

    def read(self, most: int = MOST) -> Batch:
        """All that is new, up to `most` records."""
        layout, address = self._state.layout, self._state.address
        lost = 0
        for _ in range(2):  # once more if it was overtaken between looking and copying
            written = records_written(address)
            oldest = written - RECORDS
            if self.next < oldest:
                lost += oldest + MARGIN - self.next
                self.next = oldest + MARGIN
            count = min(written - self.next, most)
            records = np.empty((count, layout.record), np.int64)
            target, start = records.ctypes.data, layout.ring_start
            done = read_records(address, start, layout.record, self.next, count, target)
            if done or not count:
                break
        batch = Batch(self.next, records[:done], lost)
        self.next += done
        self.lost += lost
        return batch

    def snapshots(self, batch: Batch) -> list[Snapshot]:
        """The records of a batch with their fields by name."""
        return [Snapshot(self._state.layout, row, batch.first + i) for i, row in enumerate(batch.records)]
