"""Starting the servo of `other_process`."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]


@contextlib.contextmanager
def other_servo(folder: Path, what: str) -> Iterator[subprocess.Popen[str]]:
    """A servo in another process, ready; its end is waited for."""
    words = [sys.executable, "-m", "tests.servo.shared.other_process", str(folder), what]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            assert process.stdout.readline().strip().isdigit()
            yield process
        finally:
            with contextlib.suppress(OSError):
                process.stdin.close()
            try:
                process.wait(timeout=20.0)
            except subprocess.TimeoutExpired:
                process.kill()
