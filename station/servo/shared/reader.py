"""`StateReader`: the side of a view or a recorder. It never slows the servo, and notices when that is gone."""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from station.json_reader import parse_json
from station.servo.shared.errors import NoServoError, SharedStateError
from station.servo.shared.kernels import publish as kernels
from station.servo.shared.layout import (
    H_EPOCH,
    H_PROCESS,
    H_TEXT,
    HEADER_WORDS,
    Layout,
    Words,
    check_header,
)
from station.servo.shared.runtime import OpenedFile, running
from station.servo.shared.table import FIELDS

TRIES = 100  # to copy between two publications; each takes less than a microsecond
PAUSES = 50  # of PAUSE, for a servo that was interrupted while it published
PAUSE = 0.001  # [s]
NANO = 1e-9  # [s/ns]


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
        self.process, self.epoch = int(self._shared[H_PROCESS]), int(self._shared[H_EPOCH])

    @property
    def path(self) -> Path:
        """The servo's file."""
        return self._file.path

    @property
    def text(self) -> dict[str, Any]:
        """Names and the like, as the servo wrote them at its start."""
        start, size = 8 * HEADER_WORDS, int(self._shared[H_TEXT])
        answer: dict[str, Any] = parse_json(self._file.memory[start : start + size], f"{self.path}: its text")
        return answer

    @property
    def alive(self) -> bool:
        """Whether this servo still runs; one that was started again is another one, to be opened anew."""
        return self._file.alive

    @property
    def heartbeat_age(self) -> float:
        """Since the servo published last [s]; infinite if it never did."""
        beat = kernels.heartbeat(self.address)
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
            if number != kernels.TORN:
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
        return kernels.read_snapshot(self.address, start, size, numbers.ctypes.data, TRIES)
