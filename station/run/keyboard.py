"""Keys while a run goes on: the emergency stop above all. They go to the servo by its command channel."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
import threading
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from station.errors import StationError
from station.servo.shared import Command, CommandClient, EmergencyStop, Hold, Reset, Tare
from station.servo.shared.runtime import COMMANDS

LOOK_AGAIN = 0.1  # time between two looks whether to end [s]
KEYS: dict[str, Command] = {" ": EmergencyStop(), "h": Hold(), "r": Reset(), "t": Tare()}
HELP = "space: emergency stop   h: hold   r: reset   t: tare   Ctrl-C: end"


@contextlib.contextmanager
def watched(state: Path, source: TextIO | None = None) -> Iterator[bool]:
    """Send commands to the servo with this shared state while the block lasts; gives whether there is a keyboard."""
    source = source or sys.stdin
    if not source.isatty():
        yield False
        return
    ended = threading.Event()
    before = termios.tcgetattr(source)
    with CommandClient(state.with_suffix(COMMANDS)) as client:
        watch = threading.Thread(target=_watch, args=(source.fileno(), client, ended), daemon=True)
        tty.setcbreak(source, termios.TCSANOW)  # keys at once, without Enter; Ctrl-C stays what it is
        watch.start()
        try:
            yield True
        finally:
            ended.set()
            watch.join()
            termios.tcsetattr(source, termios.TCSANOW, before)


def _watch(descriptor: int, client: CommandClient, ended: threading.Event) -> None:
    while not ended.is_set():
        if select.select([descriptor], [], [], LOOK_AGAIN)[0]:
            for key in os.read(descriptor, 64).decode(errors="ignore"):
                if key in KEYS:
                    with contextlib.suppress(StationError):  # the servo has ended
                        client.send(KEYS[key])
