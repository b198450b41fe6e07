"""Episodes of a recorded run: the task in words, and buttons of the device that say where they begin and end.

Keys are in `keyboard.py`, the command for other programs in `station/commands/running.py`.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from station.devices.parameter import SettingsError
from station.errors import StationError
from station.run.keyboard import DISCARD, EPISODE_KEYS, START, SUCCESS, Keyboard
from station.servo.shared import CommandClient, EpisodeState, RecordReader, SetTask, StateReader
from station.servo.shared.memory import Words
from station.servo.shared.runtime import COMMANDS

LOOK_AGAIN = 0.02  # between two looks at the ticks [s]
NO_BUTTON = -1


class Wishes(NamedTuple):
    """What was asked for."""

    task: str = ""  # what the episodes are about
    button: str = ""  # of the device, that begins an episode and ends it with success; empty: none
    discard: str = ""  # that discards one; empty: none


class Buttons(NamedTuple):
    """Numbers of those buttons."""

    episode: int = NO_BUTTON
    discard: int = NO_BUTTON


def wishes_of(options: Mapping[str, Any]) -> Wishes:
    """From the options of the command line; a StationError with one line for what makes no sense."""
    wishes = Wishes(options["task"] or "", options["episode_button"] or "", options["discard_button"] or "")
    if any(wishes) and options["record"] is None:
        raise SettingsError("--task, --episode-button and --discard-button are for recordings; say --record, too")
    SetTask(wishes.task)
    return wishes


def buttons_of(wishes: Wishes, about: Mapping[str, Any], taken: Mapping[int, str] = MappingProxyType({})) -> Buttons:
    """Their numbers, by what the servo says of its device; `taken` are buttons that do something else already."""
    names = [str(name).lower() for name in about.get("buttons", ())]
    roles = {**{int(number): str(role) for number, role in about.get("button_roles", {}).items()}, **taken}
    numbers = []
    for name in (wishes.button, wishes.discard):
        number = names.index(name.lower()) if name.lower() in names else NO_BUTTON
        if name and number == NO_BUTTON:
            there = ", ".join(names) or "none"
            raise SettingsError(f"the device has no button {name!r} for episodes; there are: {there}")
        if name and number in roles:
            raise SettingsError(f"the button {name!r} is {roles[number]} already; allowed for episodes: another one")
        numbers.append(number)
    if wishes.button and numbers[0] == numbers[1]:
        raise SettingsError(f"the button {wishes.button!r} cannot both end an episode and discard it")
    return Buttons(*numbers)


class Presses:
    """Finds presses of the buttons in the records of every tick."""

    def __init__(self, buttons: Buttons, columns: tuple[int, int]) -> None:
        self._buttons, self._columns = buttons, columns
        self._down = ~0  # what is down already when this begins is no press

    def keys(self, rows: Words) -> list[str]:
        """The keys that stand for what was pressed in these records, in order."""
        if not len(rows):
            return []
        down, state = (rows[:, column] for column in self._columns)
        pressed = down & ~np.concatenate([[self._down], down[:-1]])
        self._down = int(down[-1])
        found = []
        for row in np.flatnonzero(pressed).tolist():
            for number, discards in ((self._buttons.episode, False), (self._buttons.discard, True)):
                if number != NO_BUTTON and int(pressed[row]) >> number & 1:
                    running = int(state[row]) == EpisodeState.RUNNING
                    found.append(DISCARD if discards else SUCCESS if running else START)
        return found


@contextlib.contextmanager
def episodes_led(state: Path, wishes: Wishes, buttons: Buttons) -> Iterator[Keyboard]:
    """Tell the servo of this shared state the task, and heed the buttons while the block lasts."""
    said = Keyboard(False, EPISODE_KEYS)
    with CommandClient(state.with_suffix(COMMANDS)) as client, StateReader(state) as reader:
        if wishes.task:
            client.ask(SetTask(wishes.task))
        if buttons == Buttons():
            yield said
            return
        places, records, ended = reader.layout.by_name, RecordReader(reader), threading.Event()
        presses = Presses(buttons, (places["hand_buttons"].start, places["episode_state"].start))

        def watch() -> None:
            while not ended.wait(LOOK_AGAIN) and reader.alive:
                with contextlib.suppress(StationError):
                    for key in presses.keys(records.read().records):
                        said.press(key, client)
                said.take_answers()

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield said
        finally:
            ended.set()
            thread.join()
