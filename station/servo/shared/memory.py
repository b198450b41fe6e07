"""The file of shared state: a header, names as text, the newest snapshot, and a ring of records, all in memory.

All numbers are 64 bits wide, so places are counted in words. Recorded fields come first, so that a record of the ring
is the beginning of a snapshot.

Seqlocks: the writer never waits, and a reader knows whether what it copied was whole. The number before the data is odd
while it is written. A reader takes a copy for good only if that number was even and the same before and after. In the
ring every record has such a number, 2·k + 2 for record k, so that a reader also learns that its record has been
replaced. Copies go word by word and are atomic, too, so that a torn word or an invented one is impossible.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.kernel import (
    CFunction,
    Ints1,
    Ints2,
    Record,
    address_of_array,
    address_of_record,
    entry,
    fence_acquire,
    fence_release,
    field,
    kernel,
    load_acquire,
    load_relaxed,
    reference,
    store_relaxed,
    store_release,
)
from station.kernel.record import WORD
from station.servo.shared.errors import LayoutError
from station.servo.shared.state import FIELDS, LAYOUT_VERSION, Field, SharedState, table_hash

Words = NDArray[np.int64]
Address = int  # in bytes; a multiple of 8

MAGIC = int.from_bytes(b"HAPTSRV1", "little")
MOST_JOINTS = 256
RECORDS = 8192  # in the ring: a power of two; eight seconds at 1 kHz
MASK = RECORDS - 1
TEXT_WORDS = 2048  # for names, as JSON
LINE = 8  # words of a cache line: what the servo writes often has lines of its own
TORN, REPLACED = -1, -2  # answers of readers

_MONOTONIC = 1
_SECOND = 1_000_000_000  # [ns]
_clock_gettime = CFunction("i4", "i4", "i8", symbol="clock_gettime")


class Header(Record):
    """How a file begins: whether both sides agree, and what the servo counts. The first part never changes."""

    magic: int = field("", "says that it is such a file")
    version: int = field("", "of the layout")
    table: int = field("", "hash of the table of fields")
    joints: int
    snapshot: int = field("words", "size of a snapshot")
    record: int = field("words", "size of a record, without its sequence number")
    records: int = field("", "in the ring")
    process: int = field("", "number of the servo's process")
    epoch: int = field("ns", "when it was made, since 1970")
    text: int = field("bytes", "of text that are used")
    rest_of_constants: Ints1 = field(shape=6)
    heartbeat: int = field("ns", "monotonic time of the last publication")
    rest_of_heartbeat: Ints1 = field(shape=7)
    sequence: int = field("", "of the snapshot: odd while it is being written")
    rest_of_sequence: Ints1 = field(shape=7)
    head: int = field("", "records written so far")
    rest_of_head: Ints1 = field(shape=7)


HEADER_WORDS = Header.fixed_size // WORD
_HEARTBEAT, _SEQUENCE, _HEAD = (Header.fields[name].offset for name in ("heartbeat", "sequence", "head"))


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
        for name, one in FIELDS.items():
            if one.recorded is recorded:
                shape = tuple(joints if size == "n" else int(size) for size in one.shape)
                places[name] = Place(name, one, start, start + prod(shape), shape)
                start = places[name].end
        record = record or start
    return Layout(joints, places, start, record)


def check_header(numbers: Words, place: str) -> Layout:
    """The layout that a file speaks of; raises LayoutError with one line if it is not ours."""
    header = Header(numbers[:HEADER_WORDS].view(np.uint8)) if numbers.size >= HEADER_WORDS else None
    if header is None or header.magic != MAGIC:
        raise LayoutError(f"{place}: not the shared state of a servo")
    if header.version != LAYOUT_VERSION or header.table != table_hash():
        theirs, ours = header.version, LAYOUT_VERSION
        raise LayoutError(f"{place}: layout {theirs}, this program knows another {ours}; use the same release for both")
    layout = layout_of(header.joints)
    if (header.snapshot, header.record, header.records) != (layout.snapshot, layout.record, RECORDS):
        raise LayoutError(f"{place}: sizes do not fit {layout.joints} joints; start the servo again")
    if numbers.size < layout.words:
        raise LayoutError(f"{place}: too short for {layout.joints} joints; start the servo again")
    return layout


class Link(Record):
    """What `publish` must know; kept by the writer."""

    own: SharedState = reference("the writer's own fields")
    shared: int = field("", "address of the file in memory")
    snapshot_start: int = field("words", "where the snapshot begins in it")
    ring_start: int = field("words", "where the ring begins in it")
    record: int = field("words", "size of a record")
    recorded: int = field("", "pieces that a record has: the first")
    clock: Ints1 = field("s, ns", "the C library's answer to 'what time is it'", shape=2)
    pieces: Ints2 = field("words", "from where among own fields, to where in a snapshot, how many", shape=("pieces", 3))

    @classmethod
    def of(cls, own: SharedState, shared: Address, layout: Layout) -> Link:
        """From the writer's fields to the file at an address."""
        pieces = _pieces(own, layout)
        return cls(
            own=own,
            shared=shared,
            snapshot_start=layout.snapshot_start,
            ring_start=layout.ring_start,
            record=layout.record,
            recorded=sum(place < layout.record for _, place, _ in pieces),
            pieces=pieces,
        )


def _pieces(own: SharedState, layout: Layout) -> list[list[int]]:
    """What lies side by side in both is one piece; the last of a record ends with it."""
    pieces: list[list[int]] = []
    for place in layout.by_name.values():
        start, size = (own.view(place.name).ctypes.data - own.address) // WORD, place.end - place.start
        ends = [pieces[-1][0] + pieces[-1][2], pieces[-1][1] + pieces[-1][2]] if pieces else []
        if ends == [start, place.start] and place.start != layout.record:
            pieces[-1][2] += size
        elif size:
            pieces.append([start, place.start, size])
    return pieces


@kernel
def copy(source: Address, target: Address, words: int) -> None:
    """Copy whole words; in no order among themselves."""
    for place in range(words):
        store_relaxed(target + 8 * place, load_relaxed(source + 8 * place))


@kernel
def write_locked(link: Link, lock: Address, number: int, target: Address, pieces: int) -> None:
    """Copy own fields, so many pieces of them, to shared memory under a lock word: `number` (even) afterwards."""
    store_relaxed(lock, number - 1)
    fence_release()  # nobody sees new data under an old number
    own, plan = address_of_record(link.own), link.pieces
    for piece in range(pieces):
        copy(own + 8 * plan[piece, 0], target + 8 * plan[piece, 1], plan[piece, 2])
    store_release(lock, number)


@entry
def publish(link: Link) -> None:
    """Show the writer's own fields to the world: snapshot, record and heartbeat."""
    shared = link.shared
    lock = shared + _SEQUENCE
    write_locked(link, lock, load_relaxed(lock) + 2, shared + 8 * link.snapshot_start, link.pieces.shape[0])

    number = load_relaxed(shared + _HEAD)
    record = shared + 8 * (link.ring_start + (number & MASK) * (link.record + 1))
    write_locked(link, record, 2 * number + 2, record + 8, link.recorded)
    store_release(shared + _HEAD, number + 1)

    clock = link.clock
    _clock_gettime(_MONOTONIC, address_of_array(clock))
    store_relaxed(shared + _HEARTBEAT, clock[0] * _SECOND + clock[1])


@entry
def read_snapshot(shared: Address, start: int, words: int, target: Address, tries: int) -> int:
    """Copy the snapshot; returns how often one has been published, or TORN if each try met the writer at work."""
    lock = shared + _SEQUENCE
    for _ in range(tries):
        before = load_acquire(lock)
        if before & 1:
            continue
        copy(shared + 8 * start, target, words)
        fence_acquire()
        if load_relaxed(lock) == before:
            return int(before >> 1)
    return TORN


@kernel
def read_record(shared: Address, start: int, words: int, number: int, target: Address) -> int:
    """Copy record `number`; returns it, or REPLACED if a newer one took its place."""
    record = shared + 8 * (start + (number & MASK) * (words + 1))
    if load_acquire(record) != 2 * number + 2:
        return REPLACED
    copy(record + 8, target, words)
    fence_acquire()
    return number if load_relaxed(record) == 2 * number + 2 else REPLACED


@entry
def read_records(shared: Address, start: int, words: int, first: int, count: int, target: Address) -> int:
    """Copy records `first` and after, `count` at most; returns how many are whole, from the first on."""
    for done in range(count):
        if read_record(shared, start, words, first + done, target + 8 * words * done) < 0:
            return done
    return count


@entry
def records_written(shared: Address) -> int:
    """Records so far; all that is before is there to be read."""
    return int(load_acquire(shared + _HEAD))


@entry
def heartbeat(shared: Address) -> int:
    """Monotonic time of the last publication [ns]."""
    return int(load_acquire(shared + _HEARTBEAT))
