"""What the running firmware does with a request, and with its motors when none comes."""

from __future__ import annotations

from firmware_bridge.falcon.frames import Lamp, Reply, Request, Three, encode_reply
from sim_devices.falcon.body import Mechanics
from sim_devices.falcon.encoders import Encoders
from sim_devices.faults import FaultScript
from station.devices.falcon.geometry import LARGEST_WORD

NO_WORDS: Three = (0, 0, 0)


class Firmware:
    """Remembers the last request; `watchdog` [s] is how long it keeps its force without another, None for ever."""

    def __init__(self, encoders: Encoders, mechanics: Mechanics, faults: FaultScript, watchdog: float | None) -> None:
        self._encoders = encoders
        self._mechanics = mechanics
        self._faults = faults
        self._watchdog = watchdog
        self._heard = 0.0  # when the last request came [s]
        self.words = NO_WORDS  # of the last request
        self.lamps = Lamp.NONE
        self.requests = 0  # heard since the beginning
        self.buttons = 0  # as in `station.devices.falcon.BUTTONS`

    def answer(self, request: Request) -> bytes:
        """Obey a request and reply to it."""
        first, second, third = (max(-LARGEST_WORD, min(LARGEST_WORD, word)) for word in request.words)
        self.words, self.lamps = (first, second, third), request.lamps
        self.requests += 1
        self._heard = self._mechanics.time
        self.drive(self._heard, running=True)
        counts = self._mechanics.counts
        if request.lamps & Lamp.HOMING:
            self._encoders.watch(counts)
        frame = encode_reply(Reply(self._encoders.read(counts, self._faults), self.buttons, self._encoders.homed))
        if self._faults.active("other-version") is not None:
            frame = b"[" + frame[1:-1] + b"]"
        return frame

    def drive(self, now: float, *, running: bool) -> None:
        """Set the motors as they act at `now` [s]."""
        off = (
            not running
            or self._faults.active("watchdog-trip") is not None
            or self._faults.active("overheat") is not None
            or (self._watchdog is not None and now - self._heard > self._watchdog)
        )
        self._mechanics.words[:] = NO_WORDS if off else self.words
