"""A screen where there is none, for windows of benchmarks and tests: Xvfb."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import subprocess
import time
from collections.abc import Iterator

TRIES = 5  # somebody else may have the same number
FIRST = 100  # number of a display of ours; below are those of people
_SERVERS = itertools.count()  # that this process has started


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
    """A server and its display.

    Its number comes from that of this process: of two servers, one that ends would take the socket of one that begins
    with the same number along. And it goes on when its last window closes, as another one may just be opening.
    """
    for attempt in range(TRIES):
        display = f":{FIRST + 100 * (os.getpid() % 500) + next(_SERVERS) % 100}"
        server = subprocess.Popen(
            ["Xvfb", display, "-displayfd", "1", "-screen", "0", size, "-nolisten", "tcp", "-noreset"],
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
