"""Keys while a run goes on: the emergency stop above all. They go to the servo by its command channel.

A terminal does not tell when a key is let go, only that it is repeated while it is held down. So key `e`, the dead-man
of devices that have none, engages from the second repeat on, and each repeat says it again to the servo, which holds
100 ms after the last one.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
import threading
import time
import tty
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from station.errors import StationError
from station.monitor.signals import Away
from station.servo.shared import (
    Acknowledgement,
    Command,
    CommandClient,
    EmergencyStop,
    Engage,
    Episode,
    EpisodeStep,
    Hold,
    Reset,
    Tare,
)
from station.servo.shared.commands import HELD_FOR
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
ENGAGE, ENGAGING = "e", "engage"
HELP = "space: emergency stop   h: hold   r: reset   t: tare   Ctrl-C: end"
HELP_ENGAGING = f"hold {ENGAGE}: engage   {HELP}"


class Keyboard:
    """What is pressed, and what was refused.

    Args:
        there: whether there is a keyboard at all.
        keys: what each key asks for.
        engages: whether a key of it is the dead-man.
    """

    def __init__(self, there: bool, keys: Mapping[str, tuple[str, Command]] = KEYS, engages: bool = False) -> None:
        self.there, self.engages, self._keys = there, engages, keys
        self._press, self._repeated = Engage(), -HELD_FOR  # which press of the dead-man, and when it was repeated [s]
        self._told = False  # that it was refused
        self.away: Away = contextlib.nullcontext  # gives the terminal back meanwhile, with the robot held
        self._sending = threading.Lock()
        self._refused: deque[str] = deque(maxlen=MOST_WAITING)
        self._waiting: deque[tuple[int, str]] = deque(maxlen=MOST_WAITING)  # number and name of a command

    @property
    def help(self) -> tuple[str, ...]:
        """What the keys are, a line each; none without a keyboard."""
        if not self.there:
            return ()
        usual = HELP_ENGAGING if self.engages else HELP
        return (usual, EPISODE_HELP) if START in self._keys else (usual,)

    def look(self, say: Callable[[str], object]) -> bool:
        """Say what was refused, and why, a line each; never a reason to end the run: returns False."""
        while self._refused:
            say(self._refused.popleft())
        return False

    def watch(self, descriptor: int, client: CommandClient, ended: threading.Event) -> None:
        """Send what is pressed until `ended` is set; in a thread of its own."""
        while not ended.is_set():
            if select.select([descriptor], [], [], LOOK_AGAIN)[0]:
                try:
                    keys = os.read(descriptor, 64).decode(errors="ignore")
                except OSError:
                    return  # the terminal is gone
                if not keys:
                    return
                for key in keys:
                    self.press(key, client)
                if ENGAGE in keys and self.engages:  # several at once have waited: they are one
                    self._hold_down(client)
            self.take_answers(client)

    def press(self, key: str, client: CommandClient) -> None:
        """Send what a key asks for, if it asks for anything; the answer is looked for later, from the same client."""
        if key in self._keys:
            name, command = self._keys[key]
            self.send(command, name, client)

    def _hold_down(self, client: CommandClient) -> None:
        """The dead-man, once more: held down only if it was repeated in time."""
        now = time.monotonic()
        goes_on, self._repeated = now - self._repeated < HELD_FOR, now
        if goes_on:
            self.send(self._press, ENGAGING, client)
        else:
            self._press, self._told = Engage.pressed(), False

    def send(self, command: Command, name: str, client: CommandClient) -> None:
        """Hand a command over, by a name that people know; from any thread."""
        with self._sending, contextlib.suppress(StationError):  # the servo has ended
            self._waiting.append((client.send(command), name))

    def take_answers(self, client: CommandClient) -> None:
        """Note what was refused."""
        for _ in range(len(self._waiting)):
            number, name = self._waiting.popleft()
            answer = client.acknowledgement(number)
            if answer is None:
                self._waiting.append((number, name))
            elif not answer.accepted:
                self._refuse(answer, name)

    def _refuse(self, answer: Acknowledgement, name: str) -> None:
        """To be told, of a key that is held down once."""
        if name != ENGAGING or not self._told:
            self._refused.append(answer.told(name))
        self._told |= name == ENGAGING


@contextlib.contextmanager
def watched(
    state: Path, source: TextIO | None = None, *, episodes: bool = False, engages: bool = False
) -> Iterator[Keyboard]:
    """Send commands to the servo with this shared state while the block lasts.

    Args:
        state: of the servo.
        source: the terminal; standard input if not given.
        episodes: whether keys of episodes count.
        engages: whether a key is the dead-man.
    """
    source = source or sys.stdin
    keys = {**KEYS, **EPISODE_KEYS} if episodes else KEYS
    keyboard, ended = Keyboard(source.isatty(), keys, engages), threading.Event()
    if not keyboard.there:
        yield keyboard
        return
    before = termios.tcgetattr(source)

    @contextlib.contextmanager
    def away() -> Iterator[None]:
        """No key is heard while this program is stopped, so nothing may move; what is typed then is not for it."""
        keyboard.send(Hold(), "hold", client)
        _set(source, before)
        yield
        with contextlib.suppress(termios.error):
            termios.tcflush(source, termios.TCIFLUSH)
            tty.setcbreak(source, termios.TCSANOW)

    with CommandClient(state.with_suffix(COMMANDS)) as client:
        keyboard.away = away
        watch = threading.Thread(target=keyboard.watch, args=(source.fileno(), client, ended), daemon=True)
        tty.setcbreak(source, termios.TCSANOW)  # keys at once, without Enter; Ctrl-C stays what it is
        watch.start()
        try:
            yield keyboard
        finally:
            ended.set()
            watch.join()
            _set(source, before)


def _set(source: TextIO, attributes: list[Any]) -> None:
    """How the terminal was, if there still is one."""
    with contextlib.suppress(termios.error):
        termios.tcsetattr(source, termios.TCSANOW, attributes)
