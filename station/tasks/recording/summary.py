"""The end of an MCAP file: schemas, channels, statistics and indexes, so that readers need not look at the rest."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import (
    AttachmentIndex,
    Channel,
    ChunkIndex,
    DataEnd,
    Footer,
    McapRecord,
    MetadataIndex,
    Schema,
    Statistics,
    SummaryOffset,
)

MAGIC = b"\x89MCAP0\r\n"
FOOTER_SIZE = 29  # bytes, with its head
DATA_END_SIZE = 13


@dataclass
class Contents:
    """All that is in the file so far."""

    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    chunks: list[ChunkIndex] = field(default_factory=list)
    attachments: list[AttachmentIndex] = field(default_factory=list)
    metadata: list[MetadataIndex] = field(default_factory=list)
    counts: dict[int, int] = field(default_factory=dict)  # messages by channel

    def end(self, offset: int) -> bytes:
        """What completes a file of `offset` bytes."""
        builder = RecordBuilder()
        DataEnd(0).write(builder)
        start = offset + builder.count
        before = taken(builder)
        groups = []
        for code, records in self._groups():
            begin = builder.count
            for record in records:
                record.write(builder)
            if builder.count > begin:
                groups.append(SummaryOffset(code, start + begin, builder.count - begin))
        offsets = start + builder.count
        for group in groups:
            group.write(builder)
        summary = taken(builder)
        checksum = zlib.crc32(struct.pack("<BQQQ", Opcode.FOOTER, 20, start, offsets), zlib.crc32(summary))
        Footer(start, offsets, checksum).write(builder)
        return b"".join([before, summary, taken(builder), MAGIC])

    def _groups(self) -> Iterable[tuple[Opcode, Iterable[McapRecord]]]:
        yield Opcode.SCHEMA, self.schemas.values()
        yield Opcode.CHANNEL, self.channels.values()
        yield Opcode.STATISTICS, [self._statistics()]
        yield Opcode.CHUNK_INDEX, self.chunks
        yield Opcode.ATTACHMENT_INDEX, self.attachments
        yield Opcode.METADATA_INDEX, self.metadata

    def _statistics(self) -> Statistics:
        return Statistics(
            attachment_count=len(self.attachments),
            channel_count=len(self.channels),
            channel_message_counts=dict(self.counts),
            chunk_count=len(self.chunks),
            message_count=sum(self.counts.values()),
            metadata_count=len(self.metadata),
            message_start_time=min((chunk.message_start_time for chunk in self.chunks), default=0),
            message_end_time=max((chunk.message_end_time for chunk in self.chunks), default=0),
            schema_count=len(self.schemas),
        )


def as_bytes(write: Callable[[RecordBuilder], object]) -> bytes:
    """A record as bytes."""
    builder = RecordBuilder()
    write(builder)
    return taken(builder)


def taken(builder: RecordBuilder) -> bytes:
    """What was built; the builder is empty afterwards."""
    return bytes(builder.end())  # type: ignore[no-untyped-call]
