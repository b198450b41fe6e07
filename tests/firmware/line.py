"""A host's end of a line to a firmware that runs on its own, whatever carries the bytes."""

from __future__ import annotations

import os
import select
import time
import tty

from firmware_bridge.syntaxer.frames import Decoder, encode
from firmware_bridge.syntaxer.messages import HostMessage, Message, pack, unpack

PATIENCE = 30.0  # until a test gives up; not a measure of anything [s]


class Line:
    """Sends messages and waits for answers on a terminal device."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self._file)
        self.decoder = Decoder()
        self._waiting: list[Message] = []
        self._sequence = 0

    def send(self, message: HostMessage) -> int:
        """Send one message; returns its sequence."""
        self._sequence += 1
        os.write(self._file, b"\0" + encode(pack(message, self._sequence)))
        return self._sequence

    def receive(self) -> Message:
        """The next message; TimeoutError when nothing comes."""
        end = time.monotonic() + PATIENCE
        while not self._waiting:
            ready, _, _ = select.select([self._file], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise TimeoutError("the firmware says nothing")
            self._waiting += [unpack(frame) for frame in self.decoder.feed(os.read(self._file, 4096))]
        return self._waiting.pop(0)

    def close(self) -> None:
        os.close(self._file)
