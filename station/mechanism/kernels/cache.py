"""`@kernel`: compile once, keep on disk, and never run code that is older than its source.

numba's own cache looks only at the file of the function itself, so a change in a *called* file would leave the
caller's old machine code in use. Here the folder of the cache is named after the text of all kernel files.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

KEPT = 3  # folders of earlier versions that are kept, for environments that share a home


def _folder() -> Path:
    source = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        source.update(file.read_bytes())
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "haptic-station"
    return home / f"kernels-{source.hexdigest()[:16]}"


def _tidy(folder: Path) -> None:
    """Remove the folders of old versions; what cannot be removed is left."""
    others = [path for path in folder.parent.glob("kernels-*") if path != folder]
    others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in others[KEPT:]:
        shutil.rmtree(path, ignore_errors=True)


def _prepare() -> str:
    folder = _folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _tidy(folder)
    except OSError:  # a read-only home: compile anew each time rather than not at all
        return ""
    return str(folder)


_CACHE = _prepare()


def is_cold() -> bool:
    """Whether kernels still have to be compiled on this machine, which takes about a minute."""
    return not _CACHE or not (Path(_CACHE) / "warm").exists()


def mark_warm() -> None:
    """Note that all kernels are on disk."""
    if _CACHE:
        (Path(_CACHE) / "warm").touch()


def kernel(function: Function) -> Function:
    """Compile a function with numba; division by zero gives inf or nan, as in numpy."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = _CACHE or before
    try:
        compiled: Function = numba.njit(cache=bool(_CACHE), error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = before
    return compiled
