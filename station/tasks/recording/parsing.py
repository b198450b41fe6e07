"""Bytes of an MCAP file as records. A damaged length can say anything, so nothing is read beyond what is there."""

from __future__ import annotations

import io
import struct
import zlib
from dataclasses import dataclass, field
from typing import IO, NamedTuple

import lz4.frame  # type: ignore[import-untyped]
import zstandard
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import (
    AttachmentIndex,
    Channel,
    Chunk,
    ChunkIndex,
    DataEnd,
    Footer,
    McapRecord,
    MetadataIndex,
    Schema,
    Statistics,
)
from mcap.stream_reader import StreamReader

from station.tasks.recording.summary import DATA_END_SIZE, FOOTER_SIZE, MAGIC, as_bytes

LARGEST = 1 << 26  # bytes of a chunk as it is unpacked
MOST_PACKED = 100  # bytes that one byte of a file stands for; a robot that stands still makes 25


class WrongBytesError(Exception):
    """Bytes that are not what MCAP, or this program, would have written; the text says what."""


BROKEN = (
    WrongBytesError,
    McapError,
    struct.error,
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    OverflowError,
    MemoryError,
    RuntimeError,  # of lz4
    zstandard.ZstdError,
)


def why(error: BaseException) -> str:
    """What is broken, in a few words."""
    return str(error) if isinstance(error, WrongBytesError) else type(error).__name__


_HEAD = struct.Struct("<BQ")  # of any record: what it is, and how many bytes follow
HEAD_SIZE = _HEAD.size


@dataclass
class Found:
    """What the end of a file says is in it."""

    summary_start: int = 0
    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    chunks: list[ChunkIndex] = field(default_factory=list)
    attachments: list[AttachmentIndex] = field(default_factory=list)
    metadata: list[MetadataIndex] = field(default_factory=list)
    counts: dict[int, int] = field(default_factory=dict)

    def take(self, record: McapRecord) -> None:
        """One more record of the summary."""
        if isinstance(record, Schema):
            self.schemas[record.id] = record
        elif isinstance(record, Channel):
            self.channels[record.id] = record
        elif isinstance(record, ChunkIndex):
            self.chunks.append(record)
        elif isinstance(record, AttachmentIndex):
            self.attachments.append(record)
        elif isinstance(record, MetadataIndex):
            self.metadata.append(record)
        elif isinstance(record, Statistics):
            self.counts = dict(record.channel_message_counts)


class Head(NamedTuple):
    """What a record is and where it ends."""

    opcode: int
    end: int  # offset after it


def head_at(data: bytes, offset: int) -> Head:
    """The head of a record that begins with `data` at an offset of the file."""
    opcode, length = _HEAD.unpack_from(data)
    return Head(opcode, offset + HEAD_SIZE + length)


def read_at(file: IO[bytes], offset: int, length: int) -> bytes:
    """Bytes at a place; a WrongBytesError if they are not all there."""
    if offset < 0 or not 0 <= length <= LARGEST + (1 << 20):
        raise WrongBytesError("a place that cannot be")
    file.seek(offset)
    data = file.read(length)
    if len(data) != length:
        raise WrongBytesError("a place beyond the end")
    return data


def one_record(data: bytes) -> McapRecord:
    """The record that these bytes are."""
    if len(data) < HEAD_SIZE or head_at(data, 0).end != len(data):
        raise WrongBytesError("a record of another length")
    reader = StreamReader(io.BytesIO(data), skip_magic=True, emit_chunks=True, record_size_limit=len(data))
    return next(iter(reader.records))


def unpacked(data: bytes, expected: int | None = None) -> bytes:
    """Messages of a chunk, from the bytes of its record; as many bytes as expected, if that is given."""
    chunk = one_record(data)
    if not isinstance(chunk, Chunk) or chunk.uncompressed_size > LARGEST:
        raise WrongBytesError("no chunk where one should be")
    size = chunk.uncompressed_size
    if expected not in (None, size):
        raise WrongBytesError("a chunk of another size than its index says")
    if chunk.compression == "zstd":
        plain = zstandard.ZstdDecompressor().stream_reader(chunk.data).read(size)
    elif chunk.compression == "lz4":
        plain = lz4.frame.LZ4FrameDecompressor().decompress(chunk.data, max_length=size)
    elif chunk.compression == "":
        plain = chunk.data
    else:
        raise WrongBytesError("a chunk packed in an unknown way")
    if len(plain) != size or (chunk.uncompressed_crc and zlib.crc32(plain) != chunk.uncompressed_crc):
        raise WrongBytesError("a chunk that is not what its checksum says")
    return bytes(plain)


def read_end(file: IO[bytes], size: int) -> Found | None:
    """The summary of a file of `size` bytes; None if it was cut short. Raises one of BROKEN if it is damaged."""
    tail = FOOTER_SIZE + len(MAGIC)
    if size < tail + DATA_END_SIZE or read_at(file, size - len(MAGIC), len(MAGIC)) != MAGIC:
        return None
    packed = read_at(file, size - tail, FOOTER_SIZE)
    if packed[0] != Opcode.FOOTER:
        return None
    footer = one_record(packed)
    if not isinstance(footer, Footer):
        raise WrongBytesError("its end is none")
    start, end = footer.summary_start, size - tail
    if not DATA_END_SIZE < start <= end:
        raise WrongBytesError("its end points nowhere")
    if read_at(file, start - DATA_END_SIZE, DATA_END_SIZE) != as_bytes(DataEnd(0).write):
        raise WrongBytesError("its end is not where it says")
    summary = _read_all(file, start, end - start)
    if zlib.crc32(packed[:-4], zlib.crc32(summary)) != footer.summary_crc:
        raise WrongBytesError("its end is not what its checksum says")
    found = Found(summary_start=start)
    at = 0
    while at < len(summary):
        after = head_at(summary[at : at + HEAD_SIZE], at).end
        if summary[at] != Opcode.SUMMARY_OFFSET:
            found.take(one_record(summary[at:after]))
        at = after
    return found


def check_sizes(found: Found, size: int) -> None:
    """Refuse an end that names one part of a file of `size` bytes several times, or parts that grow beyond reason."""
    for what, places in (
        ("chunks", [(chunk.chunk_start_offset, chunk.chunk_length) for chunk in found.chunks]),
        ("attachments", [(index.offset, index.length) for index in found.attachments]),
        ("metadata", [(index.offset, index.length) for index in found.metadata]),
    ):
        at = 0
        for start, length in sorted(places):
            if start < at or start + length > size:
                raise WrongBytesError(f"its {what} overlap")
            at = start + length
    grown = sum(chunk.uncompressed_size for chunk in found.chunks)
    if grown > MOST_PACKED * size + LARGEST:
        raise WrongBytesError(f"its chunks say that they unpack to {grown / 1e9:.1f} GB, from {size / 1e6:.1f} MB")


def _read_all(file: IO[bytes], offset: int, length: int) -> bytes:
    """As `read_at`, of any length that the file has."""
    file.seek(offset)
    return file.read(length)
