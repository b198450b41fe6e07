"""Links that carry messages, at most once each: what is lost is said again by the ends."""

from __future__ import annotations

from typing import Protocol

import zmq

from station.tasks.execute.words import ExecuteError

MOST_AT_ONCE = 256  # messages that are taken in one go


class Link(Protocol):
    """One end of a link; no method waits or raises."""

    def send(self, message: bytes) -> None:
        """Put a message on its way, or lose it."""

    def receive(self) -> list[bytes]:
        """What has arrived since the last call."""


class ZeroMqPair:
    """A ZeroMQ socket of kind PAIR: `tcp://127.0.0.1:5600` to connect to, the same with `listen` to wait there."""

    def __init__(self, url: str, *, listen: bool = False) -> None:
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = self._context.socket(zmq.PAIR)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.setsockopt(zmq.SNDHWM, 4096)
        try:
            self._socket.bind(url) if listen else self._socket.connect(url)
        except zmq.ZMQError as error:
            self._socket.close()
            self._context.term()
            raise ExecuteError(f"{url}: no link: {error}; allowed: for example tcp://127.0.0.1:5600") from None

    @property
    def address(self) -> str:
        """Where it listens."""
        return self._socket.getsockopt_string(zmq.LAST_ENDPOINT)

    def send(self, message: bytes) -> None:
        """Lost if nobody takes messages."""
        try:
            self._socket.send(message, zmq.NOBLOCK)
        except zmq.ZMQError:
            return

    def receive(self) -> list[bytes]:
        """What has arrived, up to a few hundred."""
        found: list[bytes] = []
        while len(found) < MOST_AT_ONCE:
            try:
                found.append(self._socket.recv(zmq.NOBLOCK))
            except zmq.ZMQError:
                break
        return found

    def close(self) -> None:
        """May be called twice."""
        if not self._socket.closed:
            self._socket.close()
            self._context.term()
