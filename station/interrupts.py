"""Signals that end a command: the terminal's hang-up and SIGTERM unwind it like Ctrl-C, so that it ends in order.

Interrupted (a KeyboardInterrupt)      SIGTERM: exit code 143, SIGHUP: 129
"""

from __future__ import annotations

import os
import signal
import stat
import sys
from pathlib import Path
from types import FrameType

ENDING = (signal.SIGTERM, signal.SIGHUP)


class Interrupted(KeyboardInterrupt):
    """A signal that ends the command; who handles Ctrl-C handles this as well."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.code = 128 + number  # the exit code that shells know


def interrupt(number: int, frame: FrameType | None) -> None:
    """As a handler: raise what the signal means."""
    del frame
    if number == signal.SIGHUP:
        leave_terminal()
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise Interrupted(number)


def end_quietly_while_loading() -> None:
    """If this program is the command `station`: Ctrl-C just ends it, as there is nothing to put in order yet."""
    called = sys.orig_argv[1:3] == ["-m", "station"] or Path(sys.argv[0] if sys.argv else "").name == "station"
    if called and signal.getsignal(signal.SIGINT) == signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def take_signals() -> None:
    """Let SIGTERM and SIGHUP end this program in order; what the caller ignores, as nohup does, stays ignored."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in ENDING:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, interrupt)


def leave_terminal() -> None:
    """The terminal is gone: what would be written there goes nowhere, instead of failing in the middle of the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):
        if stat.S_ISCHR(os.fstat(output).st_mode):
            os.dup2(nowhere, output)
    os.close(nowhere)
