"""`Writer`: messages, attachments and metadata into an MCAP file.

    with Writer(Path("out.mcap"), kind="run") as file:
        hand = file.channel("/hand", HAND)                     # HAND is a Schema
        file.message(hand, time_ns, {"grip": 0.5, ...})
        file.table(hand, times_ns, rows)                        # many at once, as a structured array
        file.attachment("bench.mad", data)
        file.metadata("versions", {"station": "0.1"})

A file that was closed bears a seal, the SHA-256 of all before it. One that was not (its writer was killed, the disk was
full) is good up to its last chunk, and `recovery.py` completes it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from mcap.records import Attachment, AttachmentIndex, Channel, ChunkIndex, Header, Metadata, MetadataIndex
from mcap.records import Schema as SchemaRecord

from station.tasks.recording.chunk import LATEST, Messages, Times, bounded, end_of, fixed_messages, loose_message, pack
from station.tasks.recording.errors import RecordingError, RecordingFileError
from station.tasks.recording.output import Mark, Output
from station.tasks.recording.schema import CDR_HEADER, Schema, Table, as_json
from station.tasks.recording.sealing import ABOUT, FORMAT, seal
from station.tasks.recording.summary import MAGIC, Contents, as_bytes
from station.version import __version__

LARGEST_CHUNK = 1 << 20  # bytes of messages after which a chunk is written by itself
MOST_MARKS = 64  # chunks that can be given up again to make room for the end of the file


class Writer:
    """Writes a new file; `close`, or the end of a `with` block, completes it.

    Args:
        path: where; an existing file is refused.
        overwrite: write over an existing file.
        kind: what it is, such as run or task; readers are told.
        chunk: bytes of messages after which a chunk is written by itself.
    """

    def __init__(
        self, path: Path | str, *, overwrite: bool = False, kind: str = "", chunk: float = LARGEST_CHUNK
    ) -> None:
        self.path = Path(path)
        self._output = Output(self.path, overwrite)
        self._contents = Contents()
        self._schemas: dict[int, Schema] = {}  # by channel
        self._pending: dict[int, list[Messages]] = {}
        self._numbers: dict[int, int] = {}  # of the next message by channel
        self.waiting = 0  # bytes of messages that are not in the file yet
        self._largest = chunk
        self._marks: deque[tuple[Mark, ChunkIndex, Mapping[int, int]]] = deque(maxlen=MOST_MARKS)
        self._closed = False
        try:
            self._output.write(MAGIC + as_bytes(Header("", f"haptic-station {__version__}").write))
            self.metadata(ABOUT, {"format": str(FORMAT), "kind": kind, "station": __version__})
        except RecordingError:
            self._output.discard()
            raise

    @property
    def size(self) -> int:
        """Bytes that are in the file."""
        return self._output.offset

    def count(self, channel: int) -> int:
        """Messages of a channel that are in the file."""
        return self._contents.counts.get(channel, 0)

    def channel(self, name: str, schema: Schema) -> int:
        """A new channel; returns its number. Raises a ValueError for a name that is taken."""
        schema.check()
        of_schema, of_message = schema.encodings
        about = {"version": str(schema.version)}
        number = self.foreign_channel(name, schema.full_name, of_schema, schema.text.encode(), of_message, about)
        self._schemas[number] = schema
        return number

    def foreign_channel(
        self, name: str, schema_name: str, schema_encoding: str, text: bytes, encoding: str, about: Mapping[str, str]
    ) -> int:
        """A channel whose messages come as bytes, in an encoding of which nothing is known here."""
        contents = self._contents
        if name in {channel.topic for channel in contents.channels.values()}:
            raise ValueError(f"{self.path}: there is a channel {name!r} already")
        known = [record.id for record in contents.schemas.values() if (record.name, record.data) == (schema_name, text)]
        schema = known[0] if known else len(contents.schemas) + 1
        if not known:
            record = SchemaRecord(id=schema, data=text, encoding=schema_encoding, name=schema_name)
            self._output.write(as_bytes(record.write))
            contents.schemas[schema] = record
        channel = Channel(
            id=len(contents.channels) + 1,
            topic=name,
            message_encoding=encoding,
            metadata=dict(about),
            schema_id=schema,
        )
        self._output.write(as_bytes(channel.write))
        contents.channels[channel.id] = channel
        return channel.id

    def message(self, channel: int, time_ns: int, fields: Mapping[str, Any], publish_ns: int | None = None) -> None:
        """One message, at some time since 1970 [ns]; every field of the schema must be given, and no other."""
        schema = self._schemas[channel]
        names = {field.name for field in schema.fields}
        if fields.keys() != names:
            odd = ", ".join(sorted(fields.keys() ^ names))
            raise ValueError(f"{schema.name}: the fields of a message must be those of its schema; check: {odd}")
        publish = time_ns if publish_ns is None else publish_ns
        if schema.fixed:
            row = np.zeros(1, schema.payload)
            for name, value in fields.items():
                row[name] = value
            self.table(channel, np.array([time_ns], np.int64), row, np.array([publish], np.int64))
            return
        payload = as_json(schema, fields)
        self._add(channel, loose_message(channel, self._next(channel), bounded(time_ns), bounded(publish), payload))

    def table(self, channel: int, times_ns: Times, rows: Table, publish_ns: Times | None = None) -> None:
        """Many messages of a fixed schema at once: rows of an array that has its fields by name."""
        schema = self._schemas[channel]
        if not schema.fixed:
            raise ValueError(f"{schema.name}: messages with text are written one by one")
        payload = np.zeros(len(rows), schema.payload)
        payload["cdr"] = CDR_HEADER
        for field in schema.fields:
            payload[field.name] = rows[field.name]
        self.foreign_table(channel, times_ns, payload, publish_ns)

    def foreign_table(self, channel: int, times_ns: Times, payload: Table, publish_ns: Times | None = None) -> None:
        """Many messages of one size, byte by byte as they are in memory."""
        if not len(payload):
            return
        times = np.clip(times_ns, 0, LATEST)
        publish = times if publish_ns is None else np.clip(publish_ns, 0, LATEST)
        self._add(channel, fixed_messages(channel, self._next(channel), times, publish, payload))

    def foreign_message(self, channel: int, time_ns: int, payload: bytes) -> None:
        """One message, byte by byte."""
        when = bounded(time_ns)
        self._add(channel, loose_message(channel, self._next(channel), when, when, payload))

    def attachment(self, name: str, data: bytes, media_type: str = "application/octet-stream") -> None:
        """A file within the file."""
        now = time.time_ns()
        record = Attachment(create_time=now, log_time=now, name=name, media_type=media_type, data=data)
        packed, offset = as_bytes(record.write), self._output.offset
        self._output.write(packed)
        self._contents.attachments.append(AttachmentIndex(offset, len(packed), now, now, len(data), name, media_type))

    def metadata(self, name: str, values: Mapping[str, str]) -> None:
        """Words by name."""
        packed, offset = as_bytes(Metadata(name, dict(values)).write), self._output.offset
        self._output.write(packed)
        self._contents.metadata.append(MetadataIndex(offset, len(packed), name))

    def flush(self, sync: bool = False) -> None:
        """Write what is pending as a chunk: it survives this process, and with `sync` a power cut."""
        if self._pending:
            pending, self._pending, self.waiting = self._pending, {}, 0
            mark = self._output.mark()
            packed = pack(mark.offset, pending)
            self._output.write(packed.data)
            self._contents.chunks.append(packed.about)
            self._marks.append((mark, packed.about, packed.counts))
            for channel, count in packed.counts.items():
                self._contents.counts[channel] = self._contents.counts.get(channel, 0) + count
        if sync:
            self._output.sync()

    def close(self, last_words: Callable[[], tuple[str, Mapping[str, str]]] | None = None) -> None:
        """Seal and complete the file; on a full disk the last chunks are given up for that. May be called twice.

        `last_words` are metadata, asked for when it is known what is in the file.
        """
        if self._closed:
            return
        self._closed = True
        trouble: RecordingFileError | None = None
        try:
            try:
                self.flush()
            except RecordingFileError as error:
                trouble = error
            self._complete(last_words)
        finally:
            self._output.sync()
            self._output.close()
        if trouble:
            raise trouble

    def abandon(self) -> None:
        """Let the file be as it is, as if this process had been killed: readers refuse it. May be called twice."""
        self._closed = True
        self._output.close()

    def discard(self) -> None:
        """Remove the file: it was refused before anything was recorded."""
        self._closed = True
        self._output.discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:  # what was only half written must not look whole
            self.abandon()

    def _complete(self, last_words: Callable[[], tuple[str, Mapping[str, str]]] | None) -> None:
        for _ in range(MOST_MARKS + 1):
            mark, words = self._output.mark(), len(self._contents.metadata)
            try:
                if last_words is not None:
                    self.metadata(*last_words())
                seal(self._output, self._contents)
                return
            except RecordingFileError:
                self._output.go_back(mark)
                del self._contents.metadata[words:]
                if not self._give_up_chunk():
                    raise

    def _give_up_chunk(self) -> bool:
        """Forget the last chunk, if nothing was written after it."""
        if not self._marks:
            return False
        mark, index, counts = self._marks.pop()
        if self._contents.chunks[-1] is not index or self._output.offset != end_of(index):
            return False
        self._output.go_back(mark)
        self._contents.chunks.pop()
        for channel, count in counts.items():
            self._contents.counts[channel] -= count
        return True

    def _next(self, channel: int) -> int:
        return self._numbers.get(channel, 0)

    def _add(self, channel: int, messages: Messages) -> None:
        self._pending.setdefault(channel, []).append(messages)
        self._numbers[channel] = self._next(channel) + len(messages.times)
        self.waiting += len(messages.data)
        if self.waiting > self._largest:
            self.flush()
