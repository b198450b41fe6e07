"""Recordings that would grow beyond reason when they are read are refused before any memory is taken."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import zstandard
from mcap.records import AttachmentIndex, Chunk, ChunkIndex

from station.tasks.recording import DamagedError, Recording, Writer
from station.tasks.recording.chunk import _index_record
from station.tasks.recording.summary import as_bytes
from tests.tasks.recording.test_files import NOTE, POINT, START, write


def forge(path: Path, forged: Callable[[Writer, int], None]) -> Path:
    """A recording with a good seal whose content was made up."""
    with Writer(path, kind="test") as file:
        channel = file.channel("/points", POINT)
        file.channel("/notes", NOTE)
        for i in range(10):
            file.message(channel, START + i, {"at": np.zeros((2, 3)), "n": i, "size": 0.0})
        file.flush()
        forged(file, channel)
    return path


def chunks_named_often(file: Writer, _channel: int) -> None:
    file._contents.chunks *= 1000


def attachment_named_often(file: Writer, _channel: int) -> None:
    file.attachment("a", bytes(100_000))
    index = file._contents.attachments[-1]
    names = (f"{number}" for number in range(1000))
    file._contents.attachments += [
        AttachmentIndex(index.offset, index.length, 0, 0, 100_000, name, "") for name in names
    ]


def chunk_of_zeros(file: Writer, channel: int, entries: int = 1, size: int = 1 << 26) -> None:
    """A chunk that unpacks to far more than it is, and an index of one message many times."""
    payload = np.zeros(1, POINT.payload)
    payload["cdr"] = 0x100
    head = struct.pack("<BQHIQQ", 5, 22 + payload.nbytes, channel, 0, START, START)
    plain = (head + payload.tobytes()).ljust(size, b"\0")
    packed = as_bytes(
        Chunk("zstd", zstandard.ZstdCompressor().compress(plain), START, START, zlib.crc32(plain), size).write
    )
    index = np.zeros(entries, [("time", "<u8"), ("offset", "<u8")])
    offset = file._output.offset
    file._output.write(packed + _index_record(channel, index))
    file._contents.chunks.append(
        ChunkIndex(len(packed), offset, "zstd", 1, START, 34, {channel: offset + len(packed)}, START, size)
    )


def many_chunks_of_zeros(file: Writer, channel: int) -> None:
    for _ in range(20):
        chunk_of_zeros(file, channel)


@pytest.mark.parametrize(
    ("forged", "said"),
    [
        (chunks_named_often, "its chunks overlap"),
        (attachment_named_often, "its attachments overlap"),
        (many_chunks_of_zeros, r"its chunks say that they unpack to 1.3 GB, from 0.\d MB"),
    ],
)
def test_a_recording_that_would_grow_is_refused_when_it_is_opened(
    tmp_path: Path, forged: Callable[[Writer, int], None], said: str
) -> None:
    with pytest.raises(DamagedError, match=said) as caught:
        Recording(forge(tmp_path / "x.mcap", forged))
    assert "\n" not in str(caught.value)


def test_a_message_counts_once(tmp_path: Path) -> None:
    path = forge(tmp_path / "x.mcap", lambda file, channel: chunk_of_zeros(file, channel, 100_000, 10_000))
    with Recording(path) as recording, pytest.raises(DamagedError, match="an index with a message twice"):
        recording.messages("/points")


def test_a_chunk_is_of_the_size_that_its_index_says(tmp_path: Path) -> None:
    def forged(file: Writer, channel: int) -> None:
        chunk_of_zeros(file, channel, 1, 100_000)
        file._contents.chunks[-1].uncompressed_size = 10

    path = forge(tmp_path / "x.mcap", forged)
    with Recording(path) as recording, pytest.raises(DamagedError, match="of another size than its index says"):
        recording.messages("/points")


def test_a_sound_recording_is_read_as_before(tmp_path: Path) -> None:
    write(tmp_path / "x.mcap")
    with Recording(tmp_path / "x.mcap") as recording:
        assert len(recording.messages("/points")) == 100
