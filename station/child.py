"""How this program starts Python again for parts of its own: never with files of the folder it is called from.

`python -m module` looks for modules in the current folder first, so a `serial.py` that lies there, of whomever, would
be run. `-P` leaves that folder out.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

SAFE_PATH = "PYTHONSAFEPATH"  # the same as -P, for who cannot be given it
# Matrices here are small: threads of numpy's library for them would cost 50 ms at every start, and 40 MB.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}


def python_module(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of this program in a process of its own, by this very Python."""
    return [sys.executable, "-P", "-m", module, *arguments]


def environment() -> dict[str, str]:
    """What such a process gets: as here, and small, unless somebody has said otherwise."""
    return {**ONE_THREAD, **os.environ}


@contextmanager
def safe_path() -> Iterator[None]:
    """Processes that others start for us within this block (`multiprocessing`) look there no more than ours."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before


class Lines:
    """Lines that a child says, waited for no longer than asked.

    `readline` of a stream takes all that is there and keeps what follows the first line to itself: whoever then waits
    for the stream to have something waits in vain.

    Args:
        stream: where it says them; nothing else may read it.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._file, self._heard = stream.fileno(), b""

    def next(self, seconds: float) -> str | None:
        """The next line, with its end; empty when there will be no more; None if none comes within so long [s]."""
        end = time.monotonic() + seconds
        while b"\n" not in self._heard:
            if not select.select([self._file], [], [], max(0.0, end - time.monotonic()))[0]:
                return None
            data = os.read(self._file, 65536)
            if not data:
                rest, self._heard = self._heard, b""
                return rest.decode(errors="replace")
            self._heard += data
        line, end_of_line, self._heard = self._heard.partition(b"\n")
        return (line + end_of_line).decode(errors="replace")
