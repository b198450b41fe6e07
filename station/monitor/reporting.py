"""`report`: the page that a run leaves behind. The plot library is loaded here and nowhere else."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from station.monitor.errors import ReportError, ReportKindError
from station.monitor.run import Run

KINDS = (".html", ".png")


def report(run: Run, path: str | Path) -> Path:
    """Write one page about a run: `.html`, which needs nothing else to be shown, or `.png`. Returns where.

    Raises:
        ReportKindError: the name ends otherwise.
        ReportError: it cannot be written there, or the plot library is missing.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise ReportKindError(f"{path}: a report ends in {' or '.join(KINDS)}")
    draw = _drawing(kind)
    try:
        _write(path, lambda: draw(run))
    except OSError as error:
        raise ReportError(f"{path}: cannot be written ({error.strerror}); give another place") from None
    return path


def _drawing(kind: str) -> Callable[[Run], bytes]:
    try:
        from station.monitor.pages import html, picture
    except ImportError as error:
        raise ReportError(f"no report without {error.name}; install it with: pip install matplotlib") from None
    return picture if kind == ".png" else html


def _write(path: Path, draw: Callable[[], bytes]) -> None:
    """Whole or not at all: an older report stays until the new one is complete. Refused before drawing, if at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        made = Path(file.name)
        try:
            file.write(draw())
            file.flush()
            made.chmod(0o644)
            made.replace(path)
        finally:
            made.unlink(missing_ok=True)
