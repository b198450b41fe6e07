"""Seqlocks: the writer never waits, and a reader knows whether what it copied was whole.

The number before the data is odd while it is written. A reader takes a copy for good only if that number was even and
the same before and after. In the ring every record has such a number, 2·k + 2 for record k, so that a reader also
learns that its record has been replaced.
"""

from __future__ import annotations

from numba import types

from station.servo.shared.kernels.atomic import (
    Address,
    copy,
    fence_acquire,
    fence_release,
    load_acquire,
    load_relaxed,
    store_relaxed,
    store_release,
)
from station.servo.shared.kernels.cache import kernel
from station.servo.shared.layout import H_HEAD, H_HEARTBEAT, H_SEQUENCE, RECORDS

MASK = RECORDS - 1
TORN, REPLACED = -1, -2  # answers of readers

# Words of a link: what `publish` must know, kept by the writer after the table of its fields.
L_SOURCE, L_SHARED, L_SNAPSHOT_START, L_SNAPSHOT, L_RING_START, L_RECORD, L_CLOCK = range(7)
LINK_WORDS = 9  # the clock's answer takes two

_MONOTONIC = 1
_SECOND = 1_000_000_000  # [ns]
_clock_gettime = types.ExternalFunction("clock_gettime", types.int32(types.int32, types.intp))


@kernel
def write_locked(lock: Address, number: int, source: Address, target: Address, words: int) -> None:
    """Copy to shared memory under a lock word, which is `number` (even) afterwards."""
    store_relaxed(lock, number - 1)
    fence_release()  # nobody sees new data under an old number
    copy(source, target, words)
    store_release(lock, number)


@kernel
def publish(link: Address) -> None:
    """Show the writer's own fields to the world: snapshot, record and heartbeat."""
    source, shared = load_relaxed(link + 8 * L_SOURCE), load_relaxed(link + 8 * L_SHARED)
    snapshot = shared + 8 * load_relaxed(link + 8 * L_SNAPSHOT_START)
    lock = shared + 8 * H_SEQUENCE
    write_locked(lock, load_relaxed(lock) + 2, source, snapshot, load_relaxed(link + 8 * L_SNAPSHOT))

    number, words = load_relaxed(shared + 8 * H_HEAD), load_relaxed(link + 8 * L_RECORD)
    record = shared + 8 * (load_relaxed(link + 8 * L_RING_START) + (number & MASK) * (words + 1))
    write_locked(record, 2 * number + 2, source, record + 8, words)
    store_release(shared + 8 * H_HEAD, number + 1)

    clock = link + 8 * L_CLOCK
    _clock_gettime(_MONOTONIC, clock)
    store_relaxed(shared + 8 * H_HEARTBEAT, load_relaxed(clock) * _SECOND + load_relaxed(clock + 8))


@kernel
def read_snapshot(shared: Address, start: int, words: int, target: Address, tries: int) -> int:
    """Copy the snapshot; returns how often one has been published, or TORN if each try met the writer at work."""
    lock = shared + 8 * H_SEQUENCE
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


@kernel
def read_records(shared: Address, start: int, words: int, first: int, count: int, target: Address) -> int:
    """Copy records `first` and after, `count` at most; returns how many are whole, from the first on."""
    for done in range(count):
        if read_record(shared, start, words, first + done, target + 8 * words * done) < 0:
            return done
    return count


@kernel
def records_written(shared: Address) -> int:
    """Records so far; all that is before is there to be read."""
    return int(load_acquire(shared + 8 * H_HEAD))


@kernel
def heartbeat(shared: Address) -> int:
    """Monotonic time of the last publication [ns]."""
    return int(load_acquire(shared + 8 * H_HEARTBEAT))
