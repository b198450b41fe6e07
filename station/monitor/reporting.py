"""`report`: the page that a run leaves behind. The plot library is loaded here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from station.atomic import whole_file
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
    check_place(path)
    draw = _drawing(path.suffix.lower())
    try:
        _write(path, lambda: draw(run))
    except OSError as error:
        raise ReportError(f"{path}: cannot be written ({error.strerror}); give another place") from None
    return path


def check_place(path: Path) -> None:
    """A ReportKindError, or a ReportError for what can be known before there is something to report."""
    if path.suffix.lower() not in KINDS:
        raise ReportKindError(f"{path}: a report ends in {' or '.join(KINDS)}")
    if path.is_dir():
        raise ReportError(f"{path}: is a folder; name a file in it")


def _drawing(kind: str) -> Callable[[Run], bytes]:
    try:
        from station.monitor.pages import html, picture
    except ImportError as error:
        raise ReportError(f"no report without {error.name}; install it with: pip install matplotlib") from None
    return picture if kind == ".png" else html


def _write(path: Path, draw: Callable[[], bytes]) -> None:
    """Whole or not at all: an older report stays until the new one is complete. Refused before drawing, if at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.write(draw())
