"""`Signals`: asked of a program that shows a run: to end (Ctrl-C, SIGTERM, SIGHUP), to stop for a while (Ctrl-Z).

A signal is only noted, and acted upon between two looks: in the middle of a batch it would leave the counts torn.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import FrameType, TracebackType
from typing import Any, Self

from station.interrupts import ENDING, interrupt, leave_terminal

Away = Callable[[], AbstractContextManager[object]]


class Signals:
    """While the block lasts the first signal that asks for the end is noted; the second interrupts as usual.

    Args:
        away: entered before this program is stopped by Ctrl-Z, left when it goes on.
    """

    def __init__(self, away: Away) -> None:
        self.ended_by = 0  # signal that asked for the end; 0: none
        self.stop_asked = False
        self._away = away
        self._before: dict[int, Any] = {}

    def stop(self) -> None:
        """Stop this program, as the terminal wants it; returns when it goes on."""
        self.stop_asked = False
        with self._away():
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTSTP)
            signal.signal(signal.SIGTSTP, self._note_stop)

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, *ENDING, signal.SIGTSTP):
                before = signal.getsignal(number)
                if number == signal.SIGINT or before != signal.SIG_IGN:
                    self._before[number] = before
                    signal.signal(number, self._note_stop if number == signal.SIGTSTP else self._note_end)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _note_end(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.ended_by = number
        if number == signal.SIGHUP:
            leave_terminal()
        for ending in (signal.SIGINT, *ENDING):
            if ending in self._before:
                signal.signal(ending, interrupt)

    def _note_stop(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.stop_asked = True
