"""Files that are replaced whole or not at all, by one writer at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from calibration.errors import ResultFileError
from station.atomic import whole_file


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """As the only one who writes here, on this machine: by a lock on the folder, so that no other file is needed."""
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise ResultFileError(f"{path}: cannot be written: {error.strerror or error}") from None
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)  # and with it the lock


def replace_whole(path: Path, text: str) -> None:
    """Write a file beside it, to the disk, and put it in its place; a ResultFileError leaves what was there."""
    try:
        with whole_file(path) as file:
            file.write(f"{text}\n".encode())
    except OSError as error:
        raise ResultFileError(f"{path}: cannot be written: {error.strerror or error}") from None
