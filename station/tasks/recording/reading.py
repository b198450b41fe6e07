"""`Recording`: what is in an MCAP file of this program, checked before anything is handed out.

    with Recording(Path("run.mcap")) as run:
        run.channels                        # names
        run.schemas["/hand"].fields         # with units
        table = run.messages("/hand")       # one row per message: table["log_time"], table["hand_pose"], …
        run.attachments["bench.mad"]        # bytes
        run.metadata["versions"]            # words by name
        run.parts                           # names; a run of several hands or robots has several
        run.part("right").messages("/hand") # the same of one part alone

A recording as a whole has the channels of its first part by their own names, those of further ones in folders.
Refused with one line: what is no MCAP file, was cut short, was changed after it was written, or is of another format.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from mcap.records import Attachment, AttachmentIndex, ChunkIndex, Metadata

from station.tasks.recording.chunk import LATEST
from station.tasks.recording.decoding import decoded
from station.tasks.recording.errors import (
    CutShortError,
    DamagedError,
    MissingError,
    NotARecordingError,
    RecordingError,
    VersionError,
)
from station.tasks.recording.opening import check_magic, hash_of, opened
from station.tasks.recording.parsing import BROKEN, Found, check_sizes, one_record, read_at, read_end, unpacked, why
from station.tasks.recording.parts import METADATA as PARTS
from station.tasks.recording.parts import OWN, PartPlace, from_told
from station.tasks.recording.schema import Schema, Table, schema_of
from station.tasks.recording.sealing import ABOUT, FORMAT, SEAL
from station.tasks.recording.summary import DATA_END_SIZE


class Recording:
    """A whole recording, open for reading.

    Args:
        path: where it is.
        check: whether all bytes are compared with the seal; takes about a second per gigabyte.
    """

    def __init__(self, path: Path | str, *, check: bool = True) -> None:
        self.path = Path(path)
        self._file = opened(self.path)
        try:
            self._found = self._read_end()
            self.metadata: Mapping[str, Mapping[str, str]] = self._read_metadata()
            self._check_format()
            self.content_hash = self._sealed()  # SHA-256 of everything that was recorded
            if check and hash_of(self._file, self._seal_offset()) != self.content_hash:
                raise DamagedError(f"{self.path}: changed after it was written: it does not fit its seal")
            self._topics = {channel.topic: channel.topic for channel in self._found.channels.values()}  # by name
            self.schemas: Mapping[str, Schema] = self._read_schemas()
            self._places = self._read_places()
        except RecordingError:
            self._file.close()
            raise
        except BROKEN as error:
            self._file.close()
            raise self._damaged(error) from None

    @property
    def kind(self) -> str:
        """What it is, such as run or task."""
        return self.metadata[ABOUT].get("kind", "")

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the channels."""
        return tuple(self.schemas)

    @property
    def counts(self) -> Mapping[str, int]:
        """Messages by channel."""
        counted = {channel.topic: self._found.counts.get(at, 0) for at, channel in self._found.channels.items()}
        return {name: counted[topic] for name, topic in self._topics.items()}

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts of a run, the first by which the run is known first; of a task there are none."""
        return tuple(place.name for place in self._places)

    @property
    def places(self) -> tuple[PartPlace, ...]:
        """The same with their folders."""
        return self._places

    def part(self, name: str) -> Recording:
        """One part as if it were alone; it lives as long as this recording is open. A MissingError if there is none."""
        place = next((place for place in self._places if place.name == name), None)
        if place is None:
            known = ", ".join(self.parts) or "none"
            raise MissingError(f"{self.path}: no part {name!r}; there are: {known}")
        others = [other.folder for other in self._places if other.folder]
        view = copy.copy(self)
        view._places = (place._replace(folder=""),)
        view._topics = {
            topic.removeprefix(place.folder): topic
            for topic in self._topics.values()
            if next((folder for folder in others if topic.startswith(f"{folder}/")), "") == place.folder
        }
        view.schemas = {name: self.schemas[topic] for name, topic in view._topics.items() if topic in self.schemas}
        own = {name: self.metadata.get(place.metadata(name)) for name in OWN}
        there = {other.metadata(name) for other in self._places for name in (*OWN, PARTS)}
        shared = {name: values for name, values in self.metadata.items() if name not in there}
        view.metadata = {**shared, **{name: values for name, values in own.items() if values is not None}}
        return view

    @property
    def span(self) -> tuple[int, int]:
        """Time of the first and of the last message, since 1970 [ns]; zeros if there is none."""
        chunks = self._found.chunks
        if not chunks:
            return 0, 0
        return min(chunk.message_start_time for chunk in chunks), max(chunk.message_end_time for chunk in chunks)

    @cached_property
    def attachments(self) -> Mapping[str, bytes]:
        """Files within the file; of several with one name the last."""
        return {index.name: self._attachment(index) for index in self._found.attachments}

    def messages(self, name: str, start_ns: int = 0, end_ns: int = LATEST) -> Table:
        """Messages of a channel in the order of time, from one time to another [ns], both included."""
        return self.tables((name,), start_ns, end_ns)[name]

    def tables(self, names: Iterable[str], start_ns: int = 0, end_ns: int = LATEST) -> dict[str, Table]:
        """The same of several channels, in one go through the file."""
        wanted = {name: self._number(name) for name in names}
        parts: dict[str, list[Table]] = {name: [] for name in wanted}
        try:
            for chunk in self._found.chunks:
                if chunk.message_end_time >= start_ns and chunk.message_start_time <= end_ns:
                    self._take(chunk, wanted, parts)
            return {name: self._table(name, parts[name], start_ns, end_ns) for name in wanted}
        except BROKEN as error:
            raise self._damaged(error) from None

    def topic(self, name: str) -> str:
        """What a channel is called in the file; other than its name in further parts."""
        return self._topics[name]

    def expect(self, name: str, schema: Schema) -> None:
        """Raise a one-line error unless there is such a channel, of this version, with all these fields."""
        theirs = self.schemas[name] if name in self.schemas else self._missing_channel(name)
        if theirs.name != schema.name or theirs.version != schema.version:
            raise VersionError(
                f"{self.path}: {name} holds {theirs.name} version {theirs.version}; this program knows "
                f"{schema.name} version {schema.version}"
            )
        there = {field.name: (field.kind, field.shape) for field in theirs.fields}
        for field in schema.fields:
            if there.get(field.name) != (field.kind, field.shape):
                raise VersionError(f"{self.path}: {name} has no field {field.name!r} of the kind that is needed")

    def close(self) -> None:
        """May be called twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Opening ---------------------------------------------------------------------------------------------------

    def _read_end(self) -> Found:
        size = self._file.seek(0, 2)
        check_magic(self.path, self._file, size)
        found = read_end(self._file, size)
        if found is None:
            raise CutShortError(
                f"{self.path}: cut short, its recorder did not end in order; make it whole with: "
                f"station recover {self.path}"
            )
        check_sizes(found, size)
        return found

    def _read_metadata(self) -> dict[str, dict[str, str]]:
        told = {}
        for index in self._found.metadata:
            record = one_record(read_at(self._file, index.offset, index.length))
            if not isinstance(record, Metadata):
                raise DamagedError(f"{self.path}: damaged (metadata {index.name[:40]!r})")
            told[record.name] = record.metadata
        return told

    def _check_format(self) -> None:
        about = self.metadata.get(ABOUT)
        if about is None:
            raise NotARecordingError(f"{self.path}: an MCAP file of another program")
        if about.get("format") != str(FORMAT):
            theirs, release = about.get("format", "")[:20], about.get("station", "")[:20]
            raise VersionError(
                f"{self.path}: format {theirs!r}, written by station {release}; this program knows format {FORMAT}"
            )

    def _sealed(self) -> str:
        if SEAL not in self.metadata:
            raise DamagedError(f"{self.path}: has no seal, so another program has written it anew")
        return self.metadata[SEAL].get("sha256", "")

    def _seal_offset(self) -> int:
        index = [index for index in self._found.metadata if index.name == SEAL][-1]
        if index.offset + index.length + DATA_END_SIZE != self._found.summary_start:
            raise DamagedError(f"{self.path}: changed after it was written: there is something after its seal")
        return index.offset

    def _read_schemas(self) -> dict[str, Schema]:
        answer = {}
        for channel in self._found.channels.values():
            if "version" not in channel.metadata:
                continue  # written for other programs, in their way
            record = self._found.schemas[channel.schema_id]
            try:
                version = int(channel.metadata["version"])
                answer[channel.topic] = schema_of(record.name, record.encoding, record.data.decode(), version)
            except DamagedError as error:
                raise DamagedError(f"{self.path}: {channel.topic}: {error}") from None
        return answer

    def _read_places(self) -> tuple[PartPlace, ...]:
        """Of a run with several parts as it says; else of the only one."""
        if PARTS in self.metadata:
            return from_told(self.metadata[PARTS])
        servo = self.metadata.get("servo")
        return () if servo is None else (PartPlace(servo.get("part") or servo.get("robot", "")),)

    def _damaged(self, error: BaseException) -> DamagedError:
        return DamagedError(f"{self.path}: damaged: {why(error)}")

    # Messages --------------------------------------------------------------------------------------------------

    def _number(self, name: str) -> int:
        if name not in self.schemas:
            self._missing_channel(name)
        topic = self._topics[name]
        return next(channel.id for channel in self._found.channels.values() if channel.topic == topic)

    def _missing_channel(self, name: str) -> Schema:
        known = ", ".join(self.channels) or "none"
        raise MissingError(f"{self.path}: no channel {name}; there are: {known}")

    def _take(self, chunk: ChunkIndex, wanted: Mapping[str, int], parts: dict[str, list[Table]]) -> None:
        data: bytes | None = None
        for name, number in wanted.items():
            place = chunk.message_index_offsets.get(number)
            if place is None:
                continue
            if data is None:
                record = read_at(self._file, chunk.chunk_start_offset, chunk.chunk_length)
                data = unpacked(record, chunk.uncompressed_size)
            parts[name].append(decoded(self._file, place, data, self.schemas[name], number))

    def _table(self, name: str, parts: list[Table], start_ns: int, end_ns: int) -> Table:
        schema = self.schemas[name]
        whole: Table = np.concatenate(parts) if parts else np.zeros(0, schema.dtype)
        times = whole["log_time"]
        if (np.diff(times) < 0).any():
            whole = whole[np.argsort(times, kind="stable")]
            times = whole["log_time"]
        return whole[(times >= start_ns) & (times <= end_ns)]

    def _attachment(self, index: AttachmentIndex) -> bytes:
        try:
            record = one_record(read_at(self._file, index.offset, index.length))
        except BROKEN as error:
            raise self._damaged(error) from None
        if not isinstance(record, Attachment):
            raise DamagedError(f"{self.path}: damaged (attachment {index.name[:40]!r})")
        return record.data
