"""Where every field is: offsets for some number of joints, and a header that tells whether both sides agree.

All numbers are 64 bits wide, so places are counted in words. Recorded fields come first, so that a record of the ring
is the beginning of a snapshot.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.servo.shared.errors import LayoutError
from station.servo.shared.table import FIELDS, LAYOUT_VERSION, Field

Words = NDArray[np.int64]

MAGIC = int.from_bytes(b"HAPTSRV1", "little")
MOST_JOINTS = 256
RECORDS = 8192  # in the ring: a power of two; eight seconds at 1 kHz
TEXT_WORDS = 2048  # for names, as JSON
LINE = 8  # words of a cache line: what the servo writes often has lines of its own

# Places in the header. The first part never changes while the servo lives.
H_MAGIC, H_VERSION, H_HASH, H_JOINTS, H_SNAPSHOT, H_RECORD, H_RECORDS, H_PROCESS, H_EPOCH = range(9)
H_TEXT = 9  # bytes of text that are used
H_HEARTBEAT = 16  # monotonic time of the last publication [ns]
H_SEQUENCE = 24  # of the snapshot: odd while it is being written
H_HEAD = 32  # records written so far
HEADER_WORDS = 40


class Place(NamedTuple):
    """Where a field is in a snapshot."""

    name: str
    field: Field
    start: int  # [words]
    end: int  # [words]
    shape: tuple[int, ...]

    def view(self, numbers: Words) -> NDArray[np.generic]:
        """The field in a snapshot or record."""
        part = numbers[self.start : self.end]
        return (part if self.field.whole else part.view(np.float64)).reshape(self.shape)


class Layout(NamedTuple):
    """All places for one number of joints."""

    joints: int
    by_name: Mapping[str, Place]  # in the order of memory
    snapshot: int  # size [words]
    record: int  # size of the recorded part, without its sequence number [words]

    @property
    def text_start(self) -> int:
        """Where the text begins [words]."""
        return HEADER_WORDS

    @property
    def snapshot_start(self) -> int:
        """Where the snapshot begins [words]."""
        return HEADER_WORDS + TEXT_WORDS

    @property
    def ring_start(self) -> int:
        """Where the ring begins [words]; every record has its sequence number before it."""
        return -(-(self.snapshot_start + self.snapshot) // LINE) * LINE

    @property
    def words(self) -> int:
        """Size of everything [words]."""
        return self.ring_start + RECORDS * (1 + self.record)


@cache
def layout_of(joints: int) -> Layout:
    """The layout for a number of joints."""
    if not 0 <= joints <= MOST_JOINTS:
        raise LayoutError(f"{joints} joints: from 0 to {MOST_JOINTS} is allowed")
    places: dict[str, Place] = {}
    start, record = 0, 0
    for recorded in (True, False):
        for name, field in FIELDS.items():
            if field.recorded is recorded:
                shape = tuple(joints if size == "n" else int(size) for size in field.shape)
                places[name] = Place(name, field, start, start + prod(shape), shape)
                start = places[name].end
        record = record or start
    return Layout(joints, places, start, record)


@cache
def table_hash() -> int:
    """Another number for any other table."""
    text = repr([(name, field.whole, field.shape, field.unit, field.recorded) for name, field in FIELDS.items()])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little", signed=True)


def check_header(numbers: Words, place: str) -> Layout:
    """The layout that a file speaks of; raises LayoutError with one line if it is not ours."""
    header = numbers[:HEADER_WORDS]
    if header.size < HEADER_WORDS or header[H_MAGIC] != MAGIC:
        raise LayoutError(f"{place}: not the shared state of a servo")
    if header[H_VERSION] != LAYOUT_VERSION or header[H_HASH] != table_hash():
        theirs, ours = int(header[H_VERSION]), LAYOUT_VERSION
        raise LayoutError(f"{place}: layout {theirs}, this program knows another {ours}; use the same release for both")
    layout = layout_of(int(header[H_JOINTS]))
    sizes = layout.snapshot, layout.record, RECORDS
    if tuple(header[[H_SNAPSHOT, H_RECORD, H_RECORDS]]) != sizes:
        raise LayoutError(f"{place}: sizes do not fit {layout.joints} joints; start the servo again")
    if numbers.size < layout.words:
        raise LayoutError(f"{place}: too short for {layout.joints} joints; start the servo again")
    return layout
