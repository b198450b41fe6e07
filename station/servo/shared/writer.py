"""`StateWriter`: the servo's side. Fields are filled at leisure in memory of its own, then published at one stroke."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from station.servo.shared.errors import LayoutError
from station.servo.shared.memory import (
    HEADER_WORDS,
    MAGIC,
    RECORDS,
    TEXT_WORDS,
    Header,
    Link,
    Words,
    layout_of,
    publish,
)
from station.servo.shared.runtime import STATE, OwnedFile, swept_folder
from station.servo.shared.state import LAYOUT_VERSION, SharedState, table_hash


class StateWriter:
    """What a servo with some joints shows: `shared` has the fields, for Python and kernels; `link` is for `publish`.

    Args:
        joints: how many joints the robot has.
        text: names and the like, which do not change: anything that JSON can hold.
        name: of this servo among those that run; its process number if not given.
        folder: where to leave the file; that of this user if not given.
    """

    def __init__(
        self, joints: int, text: Mapping[str, Any] | None = None, name: str | None = None, folder: Path | None = None
    ) -> None:
        self.layout = layout_of(joints)
        self.shared = SharedState(n=joints)
        folder = swept_folder(folder)
        self.name = name or f"servo-{os.getpid()}"
        packed = json.dumps(text or {}).encode()
        if len(packed) > 8 * TEXT_WORDS:
            raise LayoutError(f"text of {len(packed)} bytes: at most {8 * TEXT_WORDS} fit")
        self._file = OwnedFile(folder / f"{self.name}{STATE}", 8 * self.layout.words)
        words = np.frombuffer(self._file.memory, np.int64)
        words[:] = 0  # also takes all pages into memory
        self._file.memory[8 * HEADER_WORDS : 8 * HEADER_WORDS + len(packed)] = packed
        self.epoch = time.time_ns()
        self.header = Header(words[:HEADER_WORDS].view(np.uint8))
        self._write_header(len(packed))
        self.link = Link.of(self.shared, words.ctypes.data, self.layout)
        self._pieces: list[tuple[int, int, int]] = self.link.pieces.tolist()
        self._file.show()

    @property
    def path(self) -> Path:
        """Where others find it."""
        return self._file.path

    def write_reason(self, text: str) -> None:
        """Fill `reason`; a longer text is cut."""
        _write(text, self.shared.reason)

    def write_task(self, text: str) -> None:
        """Fill `episode_task`; a longer text is cut."""
        _write(text, self.shared.episode_task)

    def take(self, numbers: Words) -> None:
        """Fill the fields from a snapshot of another servo, or from a record: what that lacks stays as it is."""
        own = self.shared.words
        for start, place, size in self._pieces:
            part = numbers[place : place + size]
            own[start : start + part.size] = part

    def publish(self) -> None:
        """Show all fields as they are now, and add them to the ring of records."""
        publish(self.link)

    def forget(self) -> None:
        """As if nothing had been published yet; for a servo that has warmed up, before anybody reads."""
        self.header.sequence = self.header.head = self.header.heartbeat = 0

    def close(self) -> None:
        """Remove it; may be called twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write_header(self, text: int) -> None:
        header, layout = self.header, self.layout
        header.magic, header.version, header.table = MAGIC, LAYOUT_VERSION, table_hash()
        header.joints, header.snapshot = layout.joints, layout.snapshot
        header.record, header.records = layout.record, RECORDS
        header.process, header.epoch, header.text = os.getpid(), self.epoch, text


def _write(text: str, words: Words) -> None:
    packed = text.encode()[: 8 * words.size - 1]
    words[:] = np.frombuffer(packed.ljust(8 * words.size, b"\0"), np.int64)
