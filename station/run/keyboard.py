"""Keys while a run goes on: the emergency stop above all. They go to the servo by its command channel."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
import threading
import tty
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from station.errors import StationError
from station.servo.shared import Command, CommandClient, EmergencyStop, Hold, Reset, Tare
from station.servo.shared.runtime import COMMANDS

LOOK_AGAIN = 0.1  # time between two looks whether to end, and for answers [s]
MOST_WAITING = 16  # keys whose answers are looked for: later ones replace them
KEYS: dict[str, tuple[str, Command]] = {
    " ": ("emergency stop", EmergencyStop()),
    "h": ("hold", Hold()),
    "r": ("reset", Reset()),
    "t": ("tare", Tare()),
}
HELP = "space: emergency stop   h: hold   r: reset   t: tare   Ctrl-C: end"


class Keyboard:
    """What is pressed, and what was refused.

    Args:
        there: whether there is a keyboard at all.
    """

    def __init__(self, there: bool) -> None:
        self.there = there
        self._refused: deque[str] = deque(maxlen=MOST_WAITING)
        self._waiting: deque[tuple[int, str]] = deque(maxlen=MOST_WAITING)  # number and name of a command

    def look(self, say: Callable[[str], object]) -> bool:
        """Say what was refused, and why, a line each; never a reason to end the run: returns False."""
        while self._refused:
            say(self._refused.popleft())
        return False

    def watch(self, descriptor: int, client: CommandClient, ended: threading.Event) -> None:
        """Send what is pressed until `ended` is set; in a thread of its own."""
        while not ended.is_set():
            if select.select([descriptor], [], [], LOOK_AGAIN)[0]:
                for key in os.read(descriptor, 64).decode(errors="ignore"):
                    self._press(key, client)
            self._take_answers(client)

    def _press(self, key: str, client: CommandClient) -> None:
        if key in KEYS:
            name, command = KEYS[key]
            with contextlib.suppress(StationError):  # the servo has ended
                self._waiting.append((client.send(command), name))

    def _take_answers(self, client: CommandClient) -> None:
        for _ in range(len(self._waiting)):
            number, name = self._waiting.popleft()
            answer = client.acknowledgement(number)
            if answer is None:
                self._waiting.append((number, name))
            elif not answer.accepted:
                self._refused.append(answer.told(name))


@contextlib.contextmanager
def watched(state: Path, source: TextIO | None = None) -> Iterator[Keyboard]:
    """Send commands to the servo with this shared state while the block lasts."""
    source = source or sys.stdin
    keyboard, ended = Keyboard(source.isatty()), threading.Event()
    if not keyboard.there:
        yield keyboard
        return
    before = termios.tcgetattr(source)
    with CommandClient(state.with_suffix(COMMANDS)) as client:
        watch = threading.Thread(target=keyboard.watch, args=(source.fileno(), client, ended), daemon=True)
        tty.setcbreak(source, termios.TCSANOW)  # keys at once, without Enter; Ctrl-C stays what it is
        watch.start()
        try:
            yield keyboard
        finally:
            ended.set()
            watch.join()
            termios.tcsetattr(source, termios.TCSANOW, before)
