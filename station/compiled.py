"""`Compiler`: compile with numba once, keep on disk, and never run code that is older than its source.

numba's own cache looks only at the file of the function itself, so a change in a *called* file would leave the
caller's old machine code in use. Here the folder of the cache is named after the text of all files that belong
together.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

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
