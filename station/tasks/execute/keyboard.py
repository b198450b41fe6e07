"""Keys of a terminal, one at a time, without waiting."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from types import TracebackType
from typing import Any, Self


class Keys:
    """Keys at once, without Enter, while the block lasts; nothing where there is no terminal."""

    def __init__(self) -> None:
        self.there = sys.stdin.isatty()
        self._before: list[Any] | None = None

    def pressed(self) -> str:
        """Keys since the last call; does not wait."""
        if not self.there or not select.select([sys.stdin], [], [], 0.0)[0]:
            return ""
        return os.read(sys.stdin.fileno(), 64).decode(errors="ignore")

    def __enter__(self) -> Self:
        if self.there:
            self._before = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin, termios.TCSANOW)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            termios.tcsetattr(sys.stdin, termios.TCSANOW, self._before)
