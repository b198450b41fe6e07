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
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TextIO

from station.errors import StationError
from station.servo.shared import Command, CommandClient, EmergencyStop, Episode, EpisodeStep, Hold, Reset, Tare
from station.servo.shared.runtime import COMMANDS

LOOK_AGAIN = 0.1  # time between two looks whether to end, and for answers [s]
MOST_WAITING = 16  # keys whose answers are looked for: later ones replace them
KEYS: dict[str, tuple[str, Command]] = {
    " ": ("emergency stop", EmergencyStop()),
    "h": ("hold", Hold()),
    "r": ("reset", Reset()),
    "t": ("tare", Tare()),
}
START, SUCCESS, FAILURE, DISCARD = "n", "s", "f", "d"
EPISODE_KEYS: dict[str, tuple[str, Command]] = {
    START: ("new episode", Episode(EpisodeStep.START)),
    SUCCESS: ("success", Episode(EpisodeStep.SUCCESS)),
    FAILURE: ("failure", Episode(EpisodeStep.FAILURE)),
    DISCARD: ("discard", Episode(EpisodeStep.DISCARD)),
}  # only while something is recorded
EPISODE_HELP = "n: new episode   s: it was a success   f: it was a failure   d: discard it"
HELP = "space: emergency stop   h: hold   r: reset   t: tare   Ctrl-C: end"


class Keyboard:
    """What is pressed, and what was refused.

    Args:
        there: whether there is a keyboard at all.
        keys: what each key asks for.
    """

    def __init__(self, there: bool, keys: Mapping[str, tuple[str, Command]] = KEYS) -> None:
        self.there, self._keys = there, keys
        self._refused: deque[str] = deque(maxlen=MOST_WAITING)
        self._waiting: deque[tuple[int, str]] = deque(maxlen=MOST_WAITING)  # number and name of a command

    @property
    def help(self) -> tuple[str, ...]:
        """What the keys are, a line each; none without a keyboard."""
        if not self.there:
            return ()
        return (HELP, EPISODE_HELP) if START in self._keys else (HELP,)

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
                    self.press(key, client)
            self.take_answers(client)

    def press(self, key: str, client: CommandClient) -> None:
        """Send what a key asks for, if it asks for anything; the answer is looked for later, from the same client."""
        if key in self._keys:
            name, command = self._keys[key]
            with contextlib.suppress(StationError):  # the servo has ended
                self._waiting.append((client.send(command), name))

    def take_answers(self, client: CommandClient) -> None:
        """Note what was refused."""
        for _ in range(len(self._waiting)):
            number, name = self._waiting.popleft()
            answer = client.acknowledgement(number)
            if answer is None:
                self._waiting.append((number, name))
            elif not answer.accepted:
                self._refused.append(answer.told(name))


@contextlib.contextmanager
def watched(state: Path, source: TextIO | None = None, episodes: bool = False) -> Iterator[Keyboard]:
    """Send commands to the servo with this shared state while the block lasts; those of `episodes`, too."""
    source = source or sys.stdin
    keys = {**KEYS, **EPISODE_KEYS} if episodes else KEYS
    keyboard, ended = Keyboard(source.isatty(), keys), threading.Event()
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
