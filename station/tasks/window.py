"""A window beside a rehearsal or an execution: a process of its own, which follows what is shown, and harms nobody."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

from station.child import python_module

END_WITHIN = 3.0  # [s]


@contextlib.contextmanager
def window_beside(wanted: bool, scene: str, state: Path) -> Iterator[None]:
    """Show a scene and the shared state of who moves its robot; what goes wrong the window says itself."""
    if not wanted:
        yield
        return
    process = subprocess.Popen(  # noqa: S603 (this very Python, and our own module)
        python_module("station.view.live", scene, str(state)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(END_WITHIN)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
