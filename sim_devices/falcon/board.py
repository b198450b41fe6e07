"""Boot loader and firmware: what the board answers to bytes."""

from __future__ import annotations

import random
from collections.abc import Callable
from enum import Enum, auto

from firmware_bridge.falcon import wire
from firmware_bridge.falcon.frames import Framer, Request, decode_request
from firmware_bridge.falcon.wire import HELLO, START, WELCOMES

Answer = Callable[[Request], bytes]


class Mode(Enum):
    """What is running."""

    OFF = auto()  # the supply is too low
    BOOT = auto()  # the boot loader waits for its greeting
    GREETED = auto()  # … for the start byte
    UPLOAD = auto()  # … for the firmware, and echoes it
    DEAD = auto()  # it has jumped into something that is no firmware
    RUNNING = auto()  # the firmware answers frames


class Board:
    """The state machine; the emulator tells it what is wrong with it."""

    def __init__(self, seed: int, *, running: bool, reluctance: int, image: bytes | None) -> None:
        self._random = random.Random(seed)  # noqa: S311 not for secrets
        self._reluctance = reluctance  # greetings that it does not answer
        self._image = image  # the only firmware it runs; None: any
        self._uploaded = bytearray()
        self._framer = Framer()
        self.mode = Mode.RUNNING if running else Mode.BOOT
        self.greetings = 0  # heard since the beginning

    @property
    def uploaded(self) -> int:
        """Bytes of firmware received."""
        return len(self._uploaded)

    def reset(self) -> None:
        """Into the boot loader; the firmware is gone."""
        self.mode = Mode.BOOT
        self._uploaded.clear()
        self._framer.reset()

    def switch_off(self) -> None:
        """No power."""
        self.reset()
        self.mode = Mode.OFF

    def baud_changed(self, divisor: int, *, rejects: bool) -> None:
        """The host speaks at another rate from now on; that of the frames starts what has been sent."""
        if self.mode is Mode.UPLOAD and divisor == wire.BAUD_FRAMES:
            fits = self._image is None or bytes(self._uploaded) == self._image
            self.mode = Mode.RUNNING if self._uploaded and fits and not rejects else Mode.DEAD

    def hear(self, data: bytes, divisor: int, answer: Answer) -> list[bytes]:
        """What it says to bytes that came with this divisor; `answer` makes the reply to a request."""
        if self.mode is Mode.RUNNING and divisor == wire.BAUD_FRAMES:
            requests = (decode_request(frame) for frame in self._framer.feed(data))
            return [answer(request) for request in requests if request is not None]
        if self.mode is Mode.BOOT and divisor == wire.BAUD_9600 and data == HELLO:
            return self._greet()
        if self.mode is Mode.GREETED and divisor == wire.BAUD_UPLOAD and data == START:
            self.mode = Mode.UPLOAD
            return [data]
        if self.mode is Mode.UPLOAD and divisor == wire.BAUD_UPLOAD:
            self._uploaded += data
            return [data]
        return []

    def _greet(self) -> list[bytes]:
        self.greetings += 1
        if self.greetings <= self._reluctance:
            return []
        self.mode = Mode.GREETED
        return [self._random.choice(WELCOMES)]
