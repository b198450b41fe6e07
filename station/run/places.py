"""Where things are: the default bench, and reports of runs when no place is given (the newest few, for this user)."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

DEFAULT_BENCH = Path(__file__).with_name("bench.mad")
BENCH_HAND = DEFAULT_BENCH.with_suffix(".hand")  # what the emulated hand does there
BENCH_WORLD = DEFAULT_BENCH.with_name("bench_world.mad")  # what only the emulated arm meets there
KEPT = 50


def report_folder() -> Path:
    """Folder of reports, made if need be; raises a ReportError."""
    home = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    folder = home / "haptic-station" / "runs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        from station.monitor import ReportError  # loads much that who asks for the default bench does not need

        raise ReportError(f"{folder}: cannot be made ({error.strerror}); give a place: --report OUT.html") from None
    return folder


def next_report(robot: str) -> Path:
    """A new name for the report of a run; the oldest beyond KEPT are removed."""
    folder = report_folder()
    with contextlib.suppress(OSError):  # of others, or already gone: not worth a report
        for old in sorted(folder.glob("*.html"), key=lambda path: path.stat().st_mtime)[: -KEPT or None]:
            old.unlink(missing_ok=True)
    return folder / f"{time.strftime('%Y-%m-%d-%H%M%S')}-{robot}.html"
