"""The keyboard as a device: `keyboard:`, or `keyboard:?keys=w=-x+s=x…&ramp=0.5`. A window passes its keys on.

A key deflects its axis more the longer it is down, and not at all as soon as it is up. Pitfalls that are taken care of:

- A key that repeats itself is one key that is down. Window systems mark repeats, and some send a release and a press
  for each; marked ones are ignored, and a press that follows a release at once goes on where the release was.
- A window that loses the focus gets no releases: `focus_lost` lets everything go, and only new presses count.
- Two keys for opposite directions cancel.
"""

from __future__ import annotations

from station.clock import Clock
from station.devices.address import Address
from station.devices.device import Floats
from station.devices.software.held import HeldDevice, HeldScheme
from station.devices.software.keymap import SLOW, USUAL, KeyMap, parse_keys

RAMP = 0.5  # time from a touch to full deflection [s]
FIRST = 0.05  # deflection at the touch: a short press moves a little
SLOWER = 0.2  # what the slow key leaves
REPEAT_GAP = 0.03  # a press so soon after its release is a repeat that nobody marked [s]


class KeyboardDevice(HeldDevice):
    """What the keys that are down say."""

    def __init__(self, url: str, clock: Clock, keys: KeyMap, ramp: float = RAMP) -> None:
        self.keys = keys
        self.ramp = ramp
        self._down: dict[str, float] = {}  # key → since when it is down [s]
        self._up: dict[str, tuple[float, float]] = {}  # key → when it was let go, and since when it had been down [s]
        super().__init__(url, clock, "keyboard", keys.button_names)

    def key_down(self, key: str, repeat: bool = False) -> bool:
        """A key went down; returns whether it means something here. `repeat`: the system says it is a repeat."""
        key = key.lower()
        if key not in self.keys.pushes and key not in self.keys.buttons:
            return False
        with self._lock:
            if repeat:
                return True  # no proof that the window lives, and no new press
            self.refresh()
            now = self.clock.now()
            if key not in self._down:
                released, since = self._up.pop(key, (float("-inf"), now))
                self._down[key] = since if now - released <= REPEAT_GAP else now
            button = self.keys.buttons.get(key, SLOW)
            if button != SLOW:
                self._pressed.add(button)
        return True

    def key_up(self, key: str, repeat: bool = False) -> bool:
        """A key went up; returns whether it means something here."""
        key = key.lower()
        if key not in self.keys.pushes and key not in self.keys.buttons:
            return False
        with self._lock:
            if repeat:
                return True
            since = self._down.pop(key, None)
            if since is not None:
                self._up[key] = (self.clock.now(), since)
            button = self.keys.buttons.get(key)
            if button is not None and not any(self.keys.buttons.get(other) == button for other in self._down):
                self._pressed.discard(button)
            self.refresh()
        return True

    def restart(self) -> None:
        """Keys that are down deflect as if they had just been pressed: the robot follows only from now on."""
        with self._lock:
            self._down = dict.fromkeys(self._down, self.clock.now())

    def focus_lost(self) -> None:
        """The window gets no more keys: everything is let go."""
        self.release_all()

    def _shares(self, now: float) -> Floats:
        shares = self._values.copy()  # of a window elsewhere, which knows its keys
        for key, since in self._down.items():
            push = self.keys.pushes.get(key)
            if push is not None:
                shares[push.axis] += push.sign * min(max(FIRST, (now - since) / self.ramp), 1.0)
        slow = any(self.keys.buttons.get(key) == SLOW for key in self._down)
        return shares * SLOWER if slow else shares

    def _let_go(self) -> None:
        super()._let_go()
        self._down.clear()
        self._up.clear()


def _make(address: Address, clock: Clock) -> KeyboardDevice:
    address.allow(("keys", "ramp"))
    keys = parse_keys(address.options.get("keys", USUAL), address.url)
    return KeyboardDevice(address.url, clock, keys, address.number("ramp", RAMP, 0.01, 10.0))


keyboards: HeldScheme[KeyboardDevice] = HeldScheme("keyboard", "keyboard", _make)
SCHEME = keyboards
