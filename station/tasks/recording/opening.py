"""Opening a file that may be anything."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import IO

from station.tasks.recording.errors import NotARecordingError, RecordingFileError
from station.tasks.recording.summary import MAGIC

PIECE = 1 << 20  # bytes that are hashed at a time


def opened(path: Path) -> IO[bytes]:
    """A plain file, open for reading; raises a RecordingFileError."""
    try:
        if not path.is_file():  # a pipe would wait for ever
            raise RecordingFileError(f"{path}: there is no such file")
        return path.open("rb")
    except RecordingFileError:
        raise
    except OSError as error:
        raise RecordingFileError(f"{path}: cannot be read ({error.strerror})") from None


def check_magic(path: Path, file: IO[bytes], size: int) -> None:
    """A NotARecordingError unless a file begins as MCAP does."""
    if size == 0:
        raise NotARecordingError(f"{path}: empty")
    file.seek(0)
    if file.read(len(MAGIC)) != MAGIC:
        raise NotARecordingError(f"{path}: not an MCAP file; record one with: station run --record OUT.mcap")


def hash_of(file: IO[bytes], size: int) -> str:
    """SHA-256 of the first `size` bytes."""
    digest = hashlib.sha256()
    file.seek(0)
    while size > 0:
        piece = file.read(min(size, PIECE))
        if not piece:
            break
        digest.update(piece)
        size -= len(piece)
    return digest.hexdigest()
