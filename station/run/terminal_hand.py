"""`TerminalHand`: the keys of the terminal as the device of a run with `keyboard:` or `panel:`, window or not.

A terminal tells no release, only that the key pressed last is repeated. So a capital letter, which is that key with
Shift, the dead-man, counts as held from its first repeat on, and for HELD_FOR after the last. What is held goes to the
servo as one `PanelInput`, as from a window.
"""

from __future__ import annotations

import contextlib

from station.clock import WALL, Clock
from station.devices.address import parse_address
from station.devices.software.held import DEAD_MAN
from station.devices.software.keyboard import keyboards
from station.errors import StationError
from station.servo.shared import CommandClient, PanelInput, ServoState, StateReader
from station.servo.shared.commands import HELD_FOR

SCHEMES = ("keyboard:", "panel:")
SAID_EVERY = 0.03  # while a window's device has no window, or a key is held [s]
RESTING = 2  # times at rest after engaging: a device that engages deflected would not be heard
HELP = "hold Shift and w s a d q e: move   and j l k i u o: turn"


class TerminalHand:
    """Keys that lead.

    Args:
        url: of the device.
        state: of the servo.
        alone: whether no window shows that it lives: then this does.
        clock: by whose time keys are held.
    """

    def __init__(self, url: str, state: StateReader, alone: bool, clock: Clock = WALL) -> None:
        self._keys = keyboards.made(parse_address(url if url.startswith("keyboard:") else "keyboard:"), clock)
        self._state, self._alone, self._clock = state, alone, clock
        self._last, self._repeated = "", -HELD_FOR  # the key that was pressed last, and when it was repeated [s]
        self._held = ""  # that is held down
        self._engaged, self._was_held = 0, False  # times that the robot has followed; whether anything was told

    @property
    def help(self) -> str:
        """What the keys are, as far as they are the usual ones."""
        return HELP if "w" in self._keys.keys.pushes else "hold Shift and a key of the address: move"

    def hear(self, keys: str) -> None:
        """What was typed since the last time."""
        pushes = self._keys.keys.pushes
        key = next((key for key in reversed(keys) if key.isupper() and key.lower() in pushes), "")
        if not key:
            return  # several at once have waited: they are one
        now = self._clock.now()
        goes_on = key == self._last and now - self._repeated < HELD_FOR
        self._last, self._repeated = key, now
        if goes_on and self._held != key:
            self._let_go()
            self._held = key
            self._keys.key_down(key.lower())

    def tick(self, client: CommandClient) -> None:
        """Tell the servo what is held, or let go what is not repeated any more; call it every SAID_EVERY."""
        if self._held and self._clock.now() - self._repeated >= HELD_FOR:
            self._let_go()
        self._keys.refresh()
        held, snapshot = bool(self._held), self._state.read()
        if snapshot is None or not (held or self._was_held or self._alone):
            return
        self._was_held = held
        self._engaged = self._engaged + 1 if held and int(snapshot.state[0]) == ServoState.ENGAGED else 0
        shares = self._keys.held()[0] if self._engaged > RESTING else ()
        if not len(shares):
            self._keys.restart()  # the ramp begins when the robot follows
        told = PanelInput(tuple(map(float, shares)) or (0.0,) * 6, self._bits() if held else 0)
        with contextlib.suppress(StationError):  # the servo has ended
            client.send(told)

    def _bits(self) -> int:
        """The dead-man, which Shift is whatever an address calls it."""
        text = self._state.text
        button = text.get("dead_man_button", -1)
        if isinstance(button, int) and button >= 0:
            return 1 << button
        buttons = list(text.get("buttons", ()))
        return 1 << buttons.index(DEAD_MAN) if DEAD_MAN in buttons else 0

    def _let_go(self) -> None:
        self._keys.release_all()
        self._held = ""
