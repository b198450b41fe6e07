"""An emulated Magellan: answers as its programmer's manual says, streams while it is deflected."""

from __future__ import annotations

from collections.abc import Callable

from firmware_bridge.spacemouse import axes
from firmware_bridge.spacemouse.magellan_records import NIBBLES, encode_keys, encode_motion, parse
from sim_devices.spacemouse.serial_cap import SerialCapEmulator

SHORTEST = 0.060  # the device cannot send records more often [s]
VERSION = b"vMAGELLAN  Version 5.79 by LOGITECH INC. 10/10/97\r"


class MagellanEmulator(SerialCapEmulator):
    """A Magellan at the end of a line."""

    name = "magellan"
    byte_time = 11.0 / 9600.0  # start, eight data and two stop bits [s]
    axes = axes.MAGELLAN

    def _power_up(self) -> None:
        self.mode = 0  # after power-up neither translation nor rotation is told
        self._settings = {b"c": b"00", b"q": b"00", b"n": b"H", b"p": b"?B"}
        self._extended = False
        self._buttons = 0
        self._told: tuple[int, ...] = (0,) * 6
        self._last = float("-inf")  # when motion was told [s]
        self._queries: dict[bytes, Callable[[], bytes]] = {
            b"vQ": self._version,
            b"kQ": self._keys,
            b"mQ": lambda: b"m" + NIBBLES[self.mode : self.mode + 1] + b"\r",
        }

    def _version(self) -> bytes:
        other = self.faults.active("other-version")
        return b"vSTRANGER %d\r" % int(other["version"]) if other else VERSION

    def _keys(self) -> bytes:
        return encode_keys(self._buttons, 4 if self._extended else 3)

    def _obey(self, command: bytes) -> None:
        if self.faults.active("other-device") is not None:
            self._say(b"?" + command + b"\r")
        elif command in self._queries:
            self._say(self._queries[command]())
        elif command == b"dQ":
            if self._now - self._last >= SHORTEST:  # asked more often, it does not answer
                self._tell(self._counts())
        elif command == b"z":
            self._say(b"z\r")
        elif command.startswith(b"@"):
            pass  # not a command of this device, and too long for its buffer
        else:
            self._set(command)

    def _set(self, command: bytes) -> None:
        letter, record = command[:1], parse(command)
        if letter == b"m" and record is not None:
            self.mode = record.values[0]
        elif letter in self._settings and record is not None:
            self._settings[letter] = command[1:]
            if letter == b"c":
                self._extended = bool(record.values[1] & 2)
        else:
            self._say(b"e1" + command[:2] + b"\r")
            return
        self._say(command + b"\r")

    @property
    def _period(self) -> float:
        longest = (NIBBLES.index(self._settings[b"p"][0]) + 1) * 0.020
        return max(longest, SHORTEST)

    def _speak(self) -> None:
        buttons = self.hand.buttons(self._now) & 0x7FF
        if buttons != self._buttons:
            self._buttons = buttons
            self._say(self._keys())
        counts = self._counts() if self.mode & 3 else (0,) * 6
        shown = tuple(count if self.mode & (2 if place < 3 else 1) else 0 for place, count in enumerate(counts))
        due = self._now - self._last >= self._period - 1e-9
        if due and (any(shown) or any(self._told)):
            self._tell(shown)

    def _tell(self, counts: tuple[int, ...]) -> None:
        self._told, self._last = counts, self._now
        self._say(encode_motion(counts))
