"""`whole_file`: a file that appears whole or not at all, whoever else can write in its folder."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_NAMED = 40  # letters of the name that the unfinished file has too, so that a person knows what it was to be


@contextmanager
def whole_file(path: Path, *, overwrite: bool = True) -> Iterator[BinaryIO]:
    """Write to a new file beside `path`, which takes its place when the block ends; an error leaves what was there.

    Its name cannot be guessed and it is opened only if nothing is there, so no link that somebody has laid is followed;
    a link at `path` itself is replaced. An older file hands on its permissions.

    Raises:
        FileExistsError: there is one, and `overwrite` is False.
        OSError: it cannot be written.
    """
    unfinished = path.with_name(f".{path.name[:_NAMED]}.{secrets.token_hex(8)}.part")
    try:
        with unfinished.open("x+b") as file:  # O_EXCL: fails where anything is, a link too
            yield file
            file.flush()
            with contextlib.suppress(FileNotFoundError):
                older = path.lstat()
                if stat.S_ISREG(older.st_mode):
                    os.fchmod(file.fileno(), stat.S_IMODE(older.st_mode))
            os.fsync(file.fileno())
        if overwrite:
            unfinished.replace(path)
        else:
            os.link(unfinished, path)  # unlike a rename, this never replaces a file
    finally:
        unfinished.unlink(missing_ok=True)
