"""A chunk of an MCAP file: messages of a fraction of a second, packed together, with an index for each channel.

Messages of a channel stand together, so that a whole run of them is one array in memory; readers put channels in the
order of time by the indexes.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import zstandard
from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import Chunk, ChunkIndex
from numpy.typing import NDArray

from station.tasks.recording.summary import taken

Times = NDArray[np.int64]

LATEST = 2**63 - 1  # [ns]
LEVEL = 1  # of zstd: higher ones take more time than they save bytes
_INDEX_HEADER = 15  # bytes of a message index before its entries
_ENTRY = np.dtype([("time", "<u8"), ("offset", "<u8")])
HEAD = [
    ("opcode", "u1"),
    ("length", "<u8"),
    ("channel", "<u2"),
    ("sequence", "<u4"),
    ("log_time", "<u8"),
    ("publish_time", "<u8"),
]
HEAD_SIZE = np.dtype(HEAD).itemsize  # bytes of a message before its payload
_BEFORE_LENGTH = 9  # bytes of a record that its length does not count
_packer = zstandard.ZstdCompressor(level=LEVEL)


class Messages(NamedTuple):
    """Messages of one channel, as records of the file."""

    data: bytes
    times: Times  # when each was written down [ns]
    starts: Times  # where each begins in `data`


class Packed(NamedTuple):
    """A chunk with its indexes, ready to be appended at `offset`."""

    data: bytes
    about: ChunkIndex
    counts: Mapping[int, int]  # messages by channel


def fixed_messages(channel: int, first: int, times: Times, publish: Times, payload: NDArray[np.void]) -> Messages:
    """Messages of one size, all at once."""
    whole = np.zeros(len(payload), np.dtype([*HEAD, ("payload", payload.dtype)]))
    _fill_head(whole, channel, first, times, publish, payload.dtype.itemsize)
    whole["payload"] = payload
    starts = np.arange(len(payload), dtype=np.int64) * whole.dtype.itemsize
    return Messages(whole.tobytes(), times, starts)


def loose_message(channel: int, number: int, time: int, publish: int, payload: bytes) -> Messages:
    """One message of any size."""
    head = np.zeros(1, np.dtype(HEAD))
    _fill_head(head, channel, number, np.array([time]), np.array([publish]), len(payload))
    return Messages(head.tobytes() + payload, np.array([time], np.int64), np.zeros(1, np.int64))


def _fill_head(head: NDArray[np.void], channel: int, first: int, times: Times, publish: Times, size: int) -> None:
    head["opcode"], head["length"], head["channel"] = Opcode.MESSAGE, HEAD_SIZE - _BEFORE_LENGTH + size, channel
    head["sequence"] = (first + np.arange(len(times))) & 0xFFFFFFFF
    head["log_time"], head["publish_time"] = times, publish


def pack(offset: int, pending: Mapping[int, Sequence[Messages]]) -> Packed:
    """A chunk of all that is pending, to be written at `offset` of the file."""
    parts, entries, position = [], {}, 0
    for channel, pieces in pending.items():
        times, starts = [], []
        for piece in pieces:
            parts.append(piece.data)
            times.append(piece.times)
            starts.append(piece.starts + position)
            position += len(piece.data)
        entries[channel] = _entries(np.concatenate(times), np.concatenate(starts))
    data = b"".join(parts)
    first = min(int(entry["time"].min()) for entry in entries.values())
    last = max(int(entry["time"].max()) for entry in entries.values())
    builder = RecordBuilder()
    squeezed = _packer.compress(data)
    Chunk("zstd", squeezed, last, first, zlib.crc32(data), len(data)).write(builder)
    chunk_length = builder.count
    offsets = {}
    for channel, entry in entries.items():
        offsets[channel] = offset + builder.count
        builder.write(_index_record(channel, entry))
    index = ChunkIndex(
        chunk_length=chunk_length,
        chunk_start_offset=offset,
        compression="zstd",
        compressed_size=len(squeezed),
        message_end_time=last,
        message_index_length=builder.count - chunk_length,
        message_index_offsets=offsets,
        message_start_time=first,
        uncompressed_size=len(data),
    )
    return Packed(taken(builder), index, {channel: len(entry) for channel, entry in entries.items()})


def _entries(times: Times, starts: Times) -> NDArray[np.void]:
    entries = np.empty(len(times), _ENTRY)
    order = np.argsort(times, kind="stable")
    entries["time"], entries["offset"] = times[order], starts[order]
    return entries


def _index_record(channel: int, entries: NDArray[np.void]) -> bytes:
    body = entries.tobytes()
    head = np.zeros(1, np.dtype([("opcode", "u1"), ("length", "<u8"), ("channel", "<u2"), ("size", "<u4")]))
    head["opcode"], head["length"] = Opcode.MESSAGE_INDEX, _INDEX_HEADER - _BEFORE_LENGTH + len(body)
    head["channel"], head["size"] = channel, len(body)
    return head.tobytes() + body


def index_entries(record: bytes) -> NDArray[np.void]:
    """Times and offsets of a message index, from the bytes of its record; a ValueError if they are not of one."""
    if len(record) < _INDEX_HEADER or record[0] != Opcode.MESSAGE_INDEX:
        raise ValueError("no message index")
    return np.frombuffer(record[_INDEX_HEADER:], _ENTRY)


def end_of(index: ChunkIndex) -> int:
    """Where a chunk ends, with its indexes."""
    return index.chunk_start_offset + index.chunk_length + index.message_index_length


def bounded(time_ns: int) -> int:
    """A time as MCAP can have it [ns]."""
    return min(max(int(time_ns), 0), LATEST)
