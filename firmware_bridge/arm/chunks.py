"""Messages on a line of bytes: COBS takes the zeros out of a message, and a zero ends it."""

from __future__ import annotations

from cobs import cobs  # type: ignore[import-untyped]

from firmware_bridge.arm.protocol import LONGEST

STUFFED_MAX = LONGEST + -(-LONGEST // 254)  # after COBS, without the ending zero


def stuffed(message: bytes) -> bytes:
    """Bytes for the line, with the ending zero."""
    return bytes(cobs.encode(message)) + b"\0"


class Unstuffer:
    """Bytes in, candidates for messages out. Never raises, and never holds more than one message's bytes."""

    def __init__(self) -> None:
        self.torn = self.too_long = 0  # chunks that are not stuffed bytes, or longer than any message
        self._pending = b""
        self._overflow = False

    @property
    def bad(self) -> int:
        """Chunks that gave nothing."""
        return self.torn + self.too_long

    def feed(self, data: bytes) -> list[bytes]:
        """What `data` completes, oldest first."""
        found = []
        *ends, rest = data.split(b"\0")
        for end in ends:
            chunk, self._pending = self._pending + end, b""
            if self._overflow or len(chunk) > STUFFED_MAX:
                self.too_long += 1
                self._overflow = False
            elif chunk:
                try:
                    found.append(bytes(cobs.decode(chunk)))
                except cobs.DecodeError:
                    self.torn += 1
        self._pending += rest
        if len(self._pending) > STUFFED_MAX:
            self._overflow, self._pending = True, b""
        return found
