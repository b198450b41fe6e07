"""Who may come in: answers ZeroMQ's questions about keys (ZAP, RFC 27), without a thread of its own."""

from __future__ import annotations

import contextlib

import zmq
from zmq.utils import z85

DOOR = "inproc://zeromq.zap.01"  # where libzmq asks, once per context
MOST_AT_ONCE = 16


class Doorkeeper:
    """Lets in those whose public key is in the list; must be attended often, since handshakes wait for it."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], allowed: frozenset[bytes]) -> None:
        self.allowed = allowed  # public keys in Z85
        self.accepted = self.refused = 0
        self._door: zmq.Socket[bytes] = context.socket(zmq.REP)
        self._door.linger = 0
        self._door.bind(DOOR)

    def attend(self) -> None:
        """Answer whoever knocks; never waits."""
        with contextlib.suppress(zmq.ZMQError):
            for _ in range(MOST_AT_ONCE):
                self._door.send_multipart(self._judge(self._door.recv_multipart(zmq.NOBLOCK)), zmq.NOBLOCK)

    def _judge(self, parts: list[bytes]) -> list[bytes]:
        number = parts[1] if len(parts) > 1 else b""
        known = (
            len(parts) == 7
            and parts[0] == b"1.0"
            and parts[5] == b"CURVE"
            and len(parts[6]) == 32
            and z85.encode(parts[6]) in self.allowed
        )
        self.accepted += known
        self.refused += not known
        code, text = (b"200", b"OK") if known else (b"400", b"unknown key")
        return [b"1.0", number, code, text, b"", b""]

    def close(self) -> None:
        """Leave the door."""
        self._door.close(0)
