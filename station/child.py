"""How this program starts Python again for parts of its own: never with files of the folder it is called from.

`python -m module` looks for modules in the current folder first, so a `serial.py` that lies there, of whomever, would
be run. `-P` leaves that folder out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SAFE_PATH = "PYTHONSAFEPATH"  # the same as -P, for who cannot be given it


def python_module(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of this program in a process of its own, by this very Python."""
    return [sys.executable, "-P", "-m", module, *arguments]


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
