"""`Compiler`: compile with numba once, keep on disk, and never run code that is older than its source.

numba's own cache looks only at the file of the function itself, so a change in a *called* file would leave the
caller's old machine code in use. Here the folder of the cache is named after the text of all files that belong
together.
"""

from __future__ import annotations

import hashlib
import math
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import event

Function = TypeVar("Function", bound=Callable[..., Any])

TELL_AGAIN = 0.2  # time between two lines about what is compiled [s]
KEPT = 3  # folders of earlier versions that are kept, for environments that share a home


def cache_home() -> Path:
    """Where this program keeps what it can make again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "haptic-station"


def text_hash(files: Iterable[Path]) -> str:
    """Short name for the contents of some files."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def versioned_folder(name: str, version: str) -> Path | None:
    """Folder `name-version` of the cache, made if need be; old versions go. None where nothing can be kept."""
    folder = cache_home() / f"{name}-{version}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        same = f"{name}-" + "[0-9a-f]" * len(version)  # and not those of another name that begins alike
        others = [path for path in folder.parent.glob(same) if path != folder]
        others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in others[KEPT:]:
            shutil.rmtree(path, ignore_errors=True)
    except OSError:  # a read-only home: make it anew each time rather than not at all
        return None
    return folder


@contextmanager
def compiling_told(tell: Callable[[str], object], functions: int, seconds: float) -> Iterator[None]:
    """While the block lasts `tell` hears of every function that is compiled; what is loaded from disk is not told.

    Args:
        tell: called with a line: what, how much of how much, and how long it takes.
        functions: how many there are to compile on a machine that has none yet.
        seconds: how long that takes about [s].
    """
    listener = _Listener(tell, functions, seconds)
    event.register("numba:compile", listener)
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)


class _Listener(event.Listener):  # type: ignore[misc]  # numba has no types
    """Counts what is compiled."""

    def __init__(self, tell: Callable[[str], object], functions: int, seconds: float) -> None:
        self._tell, self._functions, self._count, self._last = tell, functions, 0, -math.inf
        self._about = f"{seconds / 60.0:.0f} min" if seconds > 90.0 else f"{seconds:.0f} s"
        self._once = os.access(cache_home().parent, os.W_OK)

    def on_start(self, event: Any) -> None:
        """One more; not each is told, as some take a few milliseconds."""
        self._count += 1
        if (now := time.monotonic()) - self._last < TELL_AGAIN:
            return
        self._last = now
        which = "once for this machine" if self._once else f"at every start, as {cache_home()} cannot be written"
        name = event.data["dispatcher"].py_func.__name__
        self._tell(f"compiling {which}: {name}, {self._count} of up to {self._functions}; all take about {self._about}")

    def on_end(self, event: Any) -> None:
        """Nothing to say."""


class Compiler:
    """Decorator for compiled functions whose callees are all in `files` or in files of another compiler."""

    def __init__(self, name: str, files: Iterable[Path], uses: Iterable[Path] = ()) -> None:
        self.folder = versioned_folder(name, text_hash([*files, *uses]))

    def __call__(self, function: Function) -> Function:
        """Compile a function with numba; division by zero gives inf or nan, as in numpy."""
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(self.folder) if self.folder else before
        try:
            compiled: Function = numba.njit(cache=self.folder is not None, error_model="numpy")(function)
        finally:
            numba.config.CACHE_DIR = before
        return compiled

    @property
    def is_cold(self) -> bool:
        """Whether everything still has to be compiled on this machine."""
        return self.folder is None or not (self.folder / "warm").exists()

    def mark_warm(self) -> None:
        """Note that all is on disk."""
        if self.folder is not None:
            (self.folder / "warm").touch()
