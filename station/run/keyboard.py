"""Keys while a run goes on: the emergency stop above all. They go to the servo by its command channel.

A terminal does not tell when a key is let go, only that it is repeated while it is held down. So key `e`, the dead-man
of devices that have none, engages from the second repeat on, and each repeat says it again to the servo, which holds
100 ms after the last one.

Of several hands one is chosen, to which keys go; the emergency stop is everybody's, and `h` holds all.
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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from station.devices.software.nobody import URL as NOBODY
from station.errors import StationError
from station.monitor.signals import Away
from station.run.joint_keys import JointKeys
from station.run.terminal_hand import SAID_EVERY, SCHEMES, TerminalHand
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
    ServoState,
    Snapshot,
    StateReader,
    Tare,
)
from station.servo.shared.commands import HELD_FOR, Lead
from station.servo.shared.runtime import COMMANDS, parts_of

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
HOLD, NEXT, LEAD = "h", "\t", "l"
HELP = "space: emergency stop   h: hold   r: reset   t: tare   j: joints   c 1: constraint 1   Ctrl-C: end"
HELP_ENGAGING = f"hold {ENGAGE}: engage   {HELP}"
HELP_ALL = "space: emergency stop of all   h: hold all   tab: next hand   Ctrl-C: end"
HELP_ONE = "l: let its device lead it   r: reset   t: tare   j: joints   c 1: constraint 1"


@dataclass(frozen=True)
class KeyedPart:
    """A part of the servo that keys may be for."""

    client: CommandClient
    state: StateReader
    who: str = ""  # by which it is told; empty: there is no other
    robot: str = ""
    engages: bool = False  # whether key `e` is its dead-man
    nobody: bool = False  # no device leads it
    hand: TerminalHand | None = None  # keys that are its device

    @property
    def snapshot(self) -> Snapshot | None:
        """As it is now; None: not known."""
        with contextlib.suppress(StationError):  # the servo has ended
            return self.state.read()
        return None

    @property
    def leads(self) -> bool:
        """Whether its device leads it, and not something else."""
        snapshot = self.snapshot
        return not self.who or (snapshot is not None and bool(snapshot.leads[0]))

    @property
    def told(self) -> str:
        """Whose keys they are, and how that one is doing."""
        snapshot = self.snapshot
        number = -1 if snapshot is None else int(snapshot.state[0])
        state = ServoState(number).name if number in ServoState._value2member_map_ else "not known"
        if self.nobody:
            return f"keys are for {self.robot}, which no device leads ({state})"
        leads = "leads" if self.leads else "does not lead"
        return f"keys are for {self.who}, which {leads} {self.robot} now ({state})"


class Sent(NamedTuple):
    """A command that has no answer yet."""

    number: int
    name: str
    client: CommandClient
    done: str  # what is told once it is done; empty: nothing


class Keyboard:
    """What is pressed, and what was refused.

    Args:
        there: whether there is a keyboard at all.
        keys: what each key asks for.
        parts: of the servo, that keys may be for; the first is chosen.
    """

    def __init__(
        self, there: bool, keys: Mapping[str, tuple[str, Command]] = KEYS, parts: tuple[KeyedPart, ...] = ()
    ) -> None:
        self.there, self._keys, self.parts, self._chosen = there, keys, parts, 0
        self._joints = JointKeys()
        self._press, self._repeated = Engage(), -HELD_FOR  # which press of the dead-man, and when it was repeated [s]
        self._told = False  # that it was refused
        self.away: Away = contextlib.nullcontext  # gives the terminal back meanwhile, with the robot held
        self._sending = threading.Lock()
        self._said: deque[str] = deque(maxlen=MOST_WAITING)  # what is to be told
        self._waiting: deque[Sent] = deque(maxlen=MOST_WAITING)

    @property
    def help(self) -> tuple[str, ...]:
        """What the keys are, a line each; none without a keyboard."""
        if not self.there:
            return ()
        hands = [part.hand for part in self.parts if part.hand is not None]
        engages = any(part.engages for part in self.parts)
        usual: tuple[str, ...] = (HELP_ENGAGING if engages else HELP,)
        if len(self.parts) > 1:
            usual = (HELP_ALL, f"for one: {f'hold {ENGAGE}: engage   ' if engages else ''}{HELP_ONE}")
        lines = tuple(dict.fromkeys(hand.help for hand in hands))
        chosen = (self.chosen.told,) if len(self.parts) > 1 else ()
        return (*lines, *usual, *((EPISODE_HELP,) if START in self._keys else ()), *chosen)

    @property
    def chosen(self) -> KeyedPart:
        """The part that keys are for."""
        return self.parts[self._chosen]

    def look(self, say: Callable[[str], object]) -> bool:
        """Say what was refused, and why, a line each; never a reason to end the run: returns False."""
        while self._said:
            say(self._said.popleft())
        return False

    def watch(self, descriptor: int, ended: threading.Event) -> None:
        """Send what is pressed until `ended` is set; in a thread of its own."""
        hands = [part for part in self.parts if part.hand is not None]
        while not ended.is_set():
            if select.select([descriptor], [], [], SAID_EVERY if hands else LOOK_AGAIN)[0]:
                try:
                    keys = os.read(descriptor, 64).decode(errors="ignore")
                except OSError:
                    return  # the terminal is gone
                if not keys:
                    return
                for key in keys:
                    self.hear(key)
                if ENGAGE in keys and self.chosen.engages:  # several at once have waited: they are one
                    self._hold_down(self.chosen.client)
                self._lead_by(keys, hands)
            for part in hands:
                if part.hand is not None and part.leads:
                    part.hand.tick(part.client)
            self.take_answers()

    def hear(self, key: str) -> None:
        """A key of the terminal, for the chosen part or for all."""
        part = self.chosen
        if key == HOLD:
            for other in self.parts:
                self.press(key, other.client)
        elif key in self._keys:
            self.press(key, part.client)
        elif len(self.parts) > 1 and key == NEXT:
            self._chosen = (self._chosen + 1) % len(self.parts)
            self._repeated = -HELD_FOR  # a key that is held down led the one before
            self._said.append(self.chosen.told)
        elif len(self.parts) > 1 and key == LEAD:
            self._lead(part)
        else:
            for command, name, told in self._joints.hear(key, part.snapshot, part.state.text):
                self.send(command, name, part.client, told)

    def _lead(self, part: KeyedPart) -> None:
        """Let its device lead it, instead of what that leads now."""
        if part.nobody:
            self._said.append(f"{part.robot}: no device leads it; commands do")
        elif part.leads:
            self._said.append(f"{part.who} leads {part.robot} already")
        else:
            done = f"{part.who} leads {part.robot} now; press its dead-man anew"
            self.send(Lead(on=True), f"lead {part.robot}", part.client, done)

    def _lead_by(self, keys: str, hands: list[KeyedPart]) -> None:
        """Keys that are a device go to the chosen hand if it is such a one, else to the first that is."""
        led = [part for part in sorted(hands, key=lambda part: part is not self.chosen) if part.leads]
        if led and led[0].hand is not None:
            led[0].hand.hear(keys)

    def press(self, key: str, client: CommandClient) -> None:
        """Send what a key asks for, if it asks for anything; the answer is looked for later."""
        if key in self._keys:
            name, command = self._keys[key]
            self.send(command, name, client)

    def hold(self) -> None:
        """Every part holds."""
        self.hear(HOLD)

    def _hold_down(self, client: CommandClient) -> None:
        """The dead-man, once more: held down only if it was repeated in time."""
        now = time.monotonic()
        goes_on, self._repeated = now - self._repeated < HELD_FOR, now
        if goes_on:
            self.send(self._press, ENGAGING, client)
        else:
            self._press, self._told = Engage.pressed(), False

    def send(self, command: Command, name: str, client: CommandClient, done: str = "") -> None:
        """Hand a command over, by a name that people know; from any thread. `done` is told when it is."""
        with self._sending, contextlib.suppress(StationError):  # the servo has ended
            self._waiting.append(Sent(client.send(command), name, client, done))

    def take_answers(self) -> None:
        """Note what was refused."""
        for _ in range(len(self._waiting)):
            sent = self._waiting.popleft()
            answer = sent.client.acknowledgement(sent.number)
            if answer is None:
                self._waiting.append(sent)
            elif not answer.accepted:
                self._refuse(answer, sent)
            elif sent.done:
                self._said.append(sent.done)

    def _refuse(self, answer: Acknowledgement, sent: Sent) -> None:
        """To be told, of a key that is held down once; with several hands, of which."""
        if sent.name != ENGAGING or not self._told:
            who = next((part.who or part.robot for part in self.parts if part.client is sent.client), "")
            named = f"{who}: {sent.name}" if len(self.parts) > 1 else sent.name
            self._said.append(answer.told(named))
        self._told |= sent.name == ENGAGING


@contextlib.contextmanager
def watched(
    state: Path,
    source: TextIO | None = None,
    *,
    episodes: bool = False,
    engages: bool = False,
    device: str = "",
    alone: bool = False,
) -> Iterator[Keyboard]:
    """Send commands to the servo with this shared state while the block lasts.

    Args:
        state: of the servo; what is said of its only part counts for that alone, several say it themselves.
        source: the terminal; standard input if not given.
        episodes: whether keys of episodes count.
        engages: whether a key is the dead-man.
        device: address of what leads: keys of the terminal lead too where a window's would.
        alone: whether there is no window.
    """
    source = source or sys.stdin
    keys = {**KEYS, **EPISODE_KEYS} if episodes else KEYS
    if not source.isatty():
        yield Keyboard(False, keys)
        return
    with contextlib.ExitStack() as stack:
        paths = parts_of(state)
        parts = []
        for path in paths:
            reader = stack.enter_context(StateReader(path))
            client = stack.enter_context(CommandClient(path.with_suffix(COMMANDS)))
            own = _keyed(client, reader, alone)
            if len(paths) == 1:
                hand = TerminalHand(device, reader, alone) if device.startswith(SCHEMES) else None
                own = replace(own, who="", engages=engages, hand=hand)
            parts.append(own)
        yield stack.enter_context(_listening(source, Keyboard(True, keys, tuple(parts))))


def _keyed(client: CommandClient, state: StateReader, alone: bool) -> KeyedPart:
    """A part by what it says of itself."""
    text = state.text
    device = str(text.get("device", ""))
    nobody = device == NOBODY
    return KeyedPart(
        client,
        state,
        str(text.get("part", "")),
        str(text.get("robot", "")),
        engages=text.get("dead_man_button", 0) < 0 and not nobody,
        nobody=nobody,
        hand=TerminalHand(device, state, alone) if device.startswith(SCHEMES) else None,
    )


@contextlib.contextmanager
def _listening(source: TextIO, keyboard: Keyboard) -> Iterator[Keyboard]:
    """Hear a terminal while the block lasts, and leave it as it was."""
    ended = threading.Event()
    before = termios.tcgetattr(source)

    @contextlib.contextmanager
    def away() -> Iterator[None]:
        """No key is heard while this program is stopped, so nothing may move; what is typed then is not for it."""
        keyboard.hold()
        _set(source, before)
        yield
        with contextlib.suppress(termios.error):
            termios.tcflush(source, termios.TCIFLUSH)
            tty.setcbreak(source, termios.TCSANOW)

    keyboard.away = away
    watch = threading.Thread(target=keyboard.watch, args=(source.fileno(), ended), daemon=True)
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
