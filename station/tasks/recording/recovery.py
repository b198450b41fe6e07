"""`recover`: makes a recording whole whose recorder was killed, or whose disk was full.

Everything up to the first record that is not whole is kept as it is; the seal and the end of the file are written after
it, in place. Nothing that was good is touched, so it may be tried again.
"""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import IO, NamedTuple

from mcap.opcode import Opcode
from mcap.records import (
    Attachment,
    AttachmentIndex,
    Channel,
    Chunk,
    ChunkIndex,
    Metadata,
    MetadataIndex,
    Schema,
)

from station.tasks.recording.chunk import HEAD_SIZE as MESSAGE_HEAD
from station.tasks.recording.chunk import index_entries
from station.tasks.recording.errors import DamagedError, NotARecordingError
from station.tasks.recording.opening import check_magic, opened
from station.tasks.recording.output import Mark, Output
from station.tasks.recording.parsing import BROKEN, HEAD_SIZE, LARGEST, head_at, one_record, read_end, unpacked
from station.tasks.recording.sealing import ABOUT, SEAL, seal
from station.tasks.recording.summary import MAGIC, Contents, as_bytes

MOST_GIVEN_UP = 4 << 20  # bytes at the end of a file: more than a recorder ever writes at a time
_KNOWN = {Opcode.HEADER, Opcode.SCHEMA, Opcode.CHANNEL, Opcode.CHUNK, Opcode.MESSAGE_INDEX}
_KNOWN |= {Opcode.ATTACHMENT, Opcode.METADATA}


class Recovered(NamedTuple):
    """What became of a file."""

    path: Path
    was_whole: bool  # nothing had to be done
    messages: int  # that are in it
    given_up: int  # bytes at its end that were no whole record


def recover(path: Path) -> Recovered:
    """Make a file whole; one that is whole already is left alone. Raises a RecordingError with one line."""
    with opened(path) as file:
        size = file.seek(0, 2)
        check_magic(path, file, size)
        try:
            found = read_end(file, size)
        except BROKEN:
            found = None
        if found is not None:
            return Recovered(path, True, sum(found.counts.values()), 0)
        scan = Scan(file, size)
        scan.run()
    if ABOUT not in {index.name for index in scan.contents.metadata}:
        raise NotARecordingError(f"{path}: not a recording of this program, or cut short before it began")
    given_up = size - scan.good
    if given_up > MOST_GIVEN_UP or scan.more_after:
        raise DamagedError(
            f"{path}: damaged at byte {scan.good}, before its end; to save what is before, cut a copy of it there"
        )
    output = Output(path, at=scan.mark)
    try:
        _complete(output, scan.contents, given_up)
    finally:
        output.close()
    return Recovered(path, False, sum(scan.contents.counts.values()), given_up)


def _complete(output: Output, contents: Contents, given_up: int) -> None:
    start = output.mark()
    try:
        note = as_bytes(Metadata("recovered", {"time_ns": str(time.time_ns()), "bytes_given_up": str(given_up)}).write)
        contents.metadata.append(MetadataIndex(output.offset, len(note), "recovered"))
        output.write(note)
        seal(output, contents)
        output.sync()
    except BaseException:
        output.go_back(start)
        raise


class Scan:
    """Goes through a file record by record, as far as they are whole."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self.contents = Contents()
        self.good = len(MAGIC)  # offset up to which everything is whole
        self.more_after = False  # whether something good comes after that
        self._file, self._size = file, size
        self._digest = hashlib.sha256(MAGIC)
        self._group: list[bytes] = []  # a chunk and its indexes so far
        self._chunk: ChunkIndex | None = None
        self._counts: dict[int, int] = {}  # messages of that chunk by its indexes so far
        self._wanted: dict[int, int] = {}  # the same as they are in the chunk

    @property
    def mark(self) -> Mark:
        """Where the file can be continued."""
        return Mark(self.good, self._digest)

    def run(self) -> None:
        """Take all that is whole."""
        at = len(MAGIC)
        self._file.seek(at)
        while True:
            data = self._next(at)
            if data is None or data[0] not in _KNOWN:
                break
            try:
                kept = self._take(at, data)
            except BROKEN:
                self.more_after = self._good_chunk_after(at + len(data))
                break
            if not kept:
                break
            at += len(data)
        self._end_group()

    def _good_chunk_after(self, at: int) -> bool:
        """Whether there is something good behind what is broken: then it is not the end that was cut."""
        self._file.seek(at)
        while (data := self._next(at)) is not None:
            if data[0] == Opcode.CHUNK:
                try:
                    unpacked(data)
                    return True
                except BROKEN:
                    pass
            at += len(data)
        return False

    def _next(self, at: int) -> bytes | None:
        """The bytes of the record at a place, if it is whole."""
        head = self._file.read(HEAD_SIZE)
        if len(head) < HEAD_SIZE:
            return None
        length = head_at(head, at).end - at - HEAD_SIZE
        if length > min(LARGEST, self._size - at):
            return None
        body = self._file.read(length)
        return head + body if len(body) == length else None

    def _take(self, at: int, data: bytes) -> bool:
        """Note a record; returns whether it may be kept."""
        if data[0] == Opcode.MESSAGE_INDEX:
            return self._take_index(at, data)
        self._end_group()
        if self._group:  # a chunk that lacks indexes, and yet something after it
            return False
        record = one_record(data)
        contents = self.contents
        if isinstance(record, Chunk):
            self._begin_group(at, data, record)
            return True
        if isinstance(record, Metadata):
            if record.name == SEAL:  # what follows is the end, which is written anew
                return False
            contents.metadata.append(MetadataIndex(at, len(data), record.name))
        elif isinstance(record, Schema):
            contents.schemas[record.id] = record
        elif isinstance(record, Channel):
            contents.channels[record.id] = record
        elif isinstance(record, Attachment):
            contents.attachments.append(
                AttachmentIndex(
                    at, len(data), record.log_time, record.create_time, len(record.data), record.name, record.media_type
                )
            )
        self._keep(data)
        return True

    def _begin_group(self, at: int, data: bytes, chunk: Chunk) -> None:
        self._wanted = _channels(unpacked(data))  # checks its checksum too
        self._group, self._counts = [data], {}
        self._chunk = ChunkIndex(
            chunk_length=len(data),
            chunk_start_offset=at,
            compression=chunk.compression,
            compressed_size=len(chunk.data),
            message_end_time=chunk.message_end_time,
            message_index_length=0,
            message_index_offsets={},
            message_start_time=chunk.message_start_time,
            uncompressed_size=chunk.uncompressed_size,
        )

    def _take_index(self, at: int, data: bytes) -> bool:
        if self._chunk is None:
            return False
        channel = int.from_bytes(data[HEAD_SIZE : HEAD_SIZE + 2], "little")
        self._counts[channel] = len(index_entries(data))
        self._chunk.message_index_offsets[channel] = at
        self._chunk.message_index_length += len(data)
        self._group.append(data)
        return True

    def _end_group(self) -> None:
        """Keep a chunk if all its indexes are there."""
        if self._chunk is None or self._counts != self._wanted:
            return
        for data in self._group:
            self._keep(data)
        self.contents.chunks.append(self._chunk)
        for channel, count in self._counts.items():
            self.contents.counts[channel] = self.contents.counts.get(channel, 0) + count
        self._chunk, self._group = None, []

    def _keep(self, data: bytes) -> None:
        self._digest.update(data)
        self.good += len(data)


def _channels(messages: bytes) -> dict[int, int]:
    """Messages by channel, in the bytes of a chunk."""
    counts: dict[int, int] = {}
    at = 0
    while at < len(messages):
        head = messages[at : at + MESSAGE_HEAD]
        if head[0] == Opcode.MESSAGE:
            channel = int.from_bytes(head[HEAD_SIZE : HEAD_SIZE + 2], "little")
            counts[channel] = counts.get(channel, 0) + 1
        at = head_at(head, at).end
    return counts
