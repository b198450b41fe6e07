"""A screen where there is none, for windows of benchmarks and tests: Xvfb."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import time
from collections.abc import Iterator

TRIES = 5  # two that start at once may both want the same number


@contextlib.contextmanager
def virtual_screen(size: str = "1920x1000x24") -> Iterator[str | None]:
    """A screen of our own, as DISPLAY names it; None if there is none to be had."""
    if shutil.which("Xvfb") is None:
        yield None
        return
    server, display = _started(size)
    try:
        yield display
    finally:
        server.terminate()
        server.communicate()


def _started(size: str) -> tuple[subprocess.Popen[str], str]:
    """A server and its display."""
    for attempt in range(TRIES):
        server = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", size, "-nolisten", "tcp"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert server.stdout is not None
        number = server.stdout.readline().strip()
        if number:
            return server, f":{number}"
        server.communicate()  # it has ended
        time.sleep(0.2 * (attempt + 1))
    raise RuntimeError(f"Xvfb did not start in {TRIES} attempts")
