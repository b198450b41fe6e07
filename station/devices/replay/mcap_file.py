"""Reading the records of an MCAP file of any origin and in any condition, within bounded memory."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Container, Iterator
from typing import IO, Any, cast

import lz4.frame  # type: ignore[import-untyped]
import zstandard
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Chunk, DataEnd, McapRecord, Message
from mcap.stream_reader import StreamReader, breakup_chunk

MAGIC = b"\x89MCAP0\r\n"
LARGEST_RECORD = 1 << 26  # of any kind, chunks as they are in the file and unpacked [bytes]
_HEAD = struct.Struct("<BQ")  # of a record: what it is, and how many bytes follow
_MESSAGE = struct.Struct("<HIQQ")  # of a message: channel, number, times
BROKEN = (
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


class DamagedError(Exception):
    """The bytes are not what MCAP allows; `args` say what."""


class CutShortError(Exception):
    """The file ends before its end."""


class _Bounded:
    """A file that never makes room for more than it has: a damaged length can say anything."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file = file
        self.left = size  # [bytes]

    def read(self, count: int) -> bytes:
        """At most `count` bytes."""
        if count < 0:
            raise ValueError("a negative length")
        data = self._file.read(min(count, self.left))
        self.left -= len(data)
        return data


def read_records(file: IO[bytes], size: int, wanted: Container[int]) -> Iterator[McapRecord]:
    """Records of the data section of a file of `size` bytes, those in chunks too.

    Of messages in chunks only those of channels that are `wanted` when they are met: a recording of a whole run has
    ten times as many others.

    Raises DamagedError or CutShortError at the place where it is so; all before has been handed out.
    """
    stream = _Bounded(file, size)
    reader = StreamReader(cast(Any, stream), emit_chunks=True, record_size_limit=LARGEST_RECORD)
    records = iter(reader.records)
    while True:
        try:
            record = next(records, None)
        except BROKEN as error:
            if stream.left == 0:
                raise CutShortError from None
            raise DamagedError(str(error) or type(error).__name__) from None
        if record is None or isinstance(record, DataEnd):  # what follows is an index, of no use here
            return
        if isinstance(record, Chunk):
            yield from _broken_up(_unpacked(record), wanted)
        else:
            yield record


def _unpacked(chunk: Chunk) -> bytes:
    """The records of a chunk; the library's own way trusts the size that packed data claim to have."""
    size = chunk.uncompressed_size
    try:
        if size > LARGEST_RECORD:
            raise DamagedError(f"a chunk of {size} bytes")
        if chunk.compression == "zstd":
            data = zstandard.ZstdDecompressor().stream_reader(chunk.data).read(size)
        elif chunk.compression == "lz4":
            data = lz4.frame.LZ4FrameDecompressor().decompress(chunk.data, max_length=size)
        elif chunk.compression == "":
            data = chunk.data
        else:
            raise DamagedError(f"unknown compression {chunk.compression[:20]!r}")
        if len(data) != size or (chunk.uncompressed_crc and zlib.crc32(data) != chunk.uncompressed_crc):
            raise DamagedError("a chunk that is not what its checksum says")
        return bytes(data)
    except BROKEN as error:
        raise DamagedError(str(error) or type(error).__name__) from None


def _broken_up(data: bytes, wanted: Container[int]) -> Iterator[McapRecord]:
    """The records in a chunk, one by one, without messages that nobody wants."""
    at = 0
    while at < len(data):
        try:
            opcode, length = _HEAD.unpack_from(data, at)
            end = at + _HEAD.size + length
            if end > len(data):
                raise DamagedError("a record beyond its chunk")
            record: McapRecord | None
            if opcode == Opcode.MESSAGE:
                channel, sequence, log_time, publish_time = _MESSAGE.unpack_from(data, at + _HEAD.size)
                body = slice(at + _HEAD.size + _MESSAGE.size, end)
                record = Message(channel, log_time, data[body], publish_time, sequence) if channel in wanted else None
            else:
                record = _one(data[at:end])
        except BROKEN as error:
            raise DamagedError(str(error) or type(error).__name__) from None
        at = end
        if record is not None:
            yield record


def _one(data: bytes) -> McapRecord | None:
    """A record that is no message; None if a chunk should not have it."""
    records = breakup_chunk(Chunk("", data, 0, 0, 0, len(data)))
    return records[0] if records else None
