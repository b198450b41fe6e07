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
from station.servo.shared.kernels import publish as kernels
from station.servo.shared.layout import (
    H_EPOCH,
    H_HASH,
    H_HEAD,
    H_HEARTBEAT,
    H_JOINTS,
    H_MAGIC,
    H_PROCESS,
    H_RECORD,
    H_RECORDS,
    H_SEQUENCE,
    H_SNAPSHOT,
    H_TEXT,
    H_VERSION,
    HEADER_WORDS,
    MAGIC,
    RECORDS,
    TEXT_WORDS,
    Words,
    layout_of,
    table_hash,
)
from station.servo.shared.runtime import STATE, OwnedFile, swept_folder
from station.servo.shared.table import FIELDS, LAYOUT_VERSION

_ENTRY = 4  # words per field in the header of a memory block: see `station.mechanism.kernels.memory`


class StateWriter:
    """What a servo with some joints shows; every field of the table is an attribute, an array to be filled.

    `mem` is the address that kernels use with `at.field(mem)`, `link` the one for `kernels.publish.publish`.

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
        self._own = np.zeros(self.layout.snapshot, np.int64)
        self._fill_table()
        folder = swept_folder(folder)
        self.name = name or f"servo-{os.getpid()}"
        packed = json.dumps(text or {}).encode()
        if len(packed) > 8 * TEXT_WORDS:
            raise LayoutError(f"text of {len(packed)} bytes: at most {8 * TEXT_WORDS} fit")
        self._file = OwnedFile(folder / f"{self.name}{STATE}", 8 * self.layout.words)
        self._shared = np.frombuffer(self._file.memory, np.int64)
        self._shared[:] = 0  # also takes all pages into memory
        self._file.memory[8 * HEADER_WORDS : 8 * HEADER_WORDS + len(packed)] = packed
        self.epoch = time.time_ns()
        self._write_header(len(packed))
        self._write_link()
        self._file.show()

    def __getattr__(self, name: str) -> Any:  # only for type checkers: fields are set in the constructor
        raise AttributeError(f"no field {name!r}; there are: {', '.join(FIELDS)}")

    @property
    def path(self) -> Path:
        """Where others find it."""
        return self._file.path

    def write_reason(self, text: str) -> None:
        """Fill `reason`; a longer text is cut."""
        _write(text, self.reason)

    def write_task(self, text: str) -> None:
        """Fill `episode_task`; a longer text is cut."""
        _write(text, self.episode_task)

    def publish(self) -> None:
        """Show all fields as they are now, and add them to the ring of records."""
        kernels.publish(self.link)

    def forget(self) -> None:
        """As if nothing had been published yet; for a servo that has warmed up, before anybody reads."""
        self._shared[[H_SEQUENCE, H_HEAD, H_HEARTBEAT]] = 0

    def close(self) -> None:
        """Remove it; may be called twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _fill_table(self) -> None:
        self._table = np.ones((len(FIELDS), _ENTRY), np.int64)
        numbers = {name: number for number, name in enumerate(FIELDS)}
        for name, place in self.layout.by_name.items():
            entry = self._table[numbers[name]]
            entry[0], entry[1 : 1 + len(place.shape)] = self._own.ctypes.data + 8 * place.start, place.shape
            setattr(self, name, place.view(self._own))
        self.mem: int = self._table.ctypes.data

    def _write_header(self, text: int) -> None:
        header = self._shared[:HEADER_WORDS]
        header[H_MAGIC], header[H_VERSION], header[H_HASH] = MAGIC, LAYOUT_VERSION, table_hash()
        header[H_JOINTS], header[H_SNAPSHOT] = self.layout.joints, self.layout.snapshot
        header[H_RECORD], header[H_RECORDS] = self.layout.record, RECORDS
        header[H_PROCESS], header[H_EPOCH], header[H_TEXT] = os.getpid(), self.epoch, text

    def _write_link(self) -> None:
        self._link = np.zeros(kernels.LINK_WORDS, np.int64)
        self._link[kernels.L_SOURCE], self._link[kernels.L_SHARED] = self._own.ctypes.data, self._shared.ctypes.data
        self._link[kernels.L_SNAPSHOT_START] = self.layout.snapshot_start
        self._link[kernels.L_SNAPSHOT] = self.layout.snapshot
        self._link[kernels.L_RING_START] = self.layout.ring_start
        self._link[kernels.L_RECORD] = self.layout.record
        self.link: int = self._link.ctypes.data


def _write(text: str, words: Words) -> None:
    packed = text.encode()[: 8 * words.size - 1]
    words[:] = np.frombuffer(packed.ljust(8 * words.size, b"\0"), np.int64)
