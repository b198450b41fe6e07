"""Small programs in C that measurements are compared with, compiled when they are needed."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent


@contextlib.contextmanager
def built(name: str) -> Iterator[Path]:
    """The program of NAME.c beside this file, for the time of the block."""
    compiler = next(filter(None, map(shutil.which, (os.environ.get("CC", "cc"), "gcc", "clang"))), None)
    if compiler is None:
        raise SystemExit(f"{name}: no C compiler; install gcc, or name one in CC")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / name
        subprocess.run([compiler, "-O2", "-std=gnu11", "-o", program, FOLDER / f"{name}.c"], check=True)
        yield program
