"""Many clients at one port, never waiting: who comes, what they say, who goes."""

from __future__ import annotations

import contextlib
import socket

from station.controllers.errors import ControllerBusyError

MOST_CLIENTS = 16
CHUNK = 65536


class Clients:
    """A listening socket and its connections, by number."""

    def __init__(self, host: str, port: int) -> None:
        try:
            self._listener = socket.create_server((host, port), backlog=MOST_CLIENTS)
        except OSError as error:
            raise ControllerBusyError(f"ur://{host}: port {port}: {error.strerror}") from None
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        self._sockets: dict[int, socket.socket] = {}
        self._count = 0
        self.gone: list[int] = []  # who has hung up since this was last looked at

    @property
    def doors(self) -> list[int]:
        """File numbers where something may come in."""
        return [self._listener.fileno(), *(one.fileno() for one in self._sockets.values())]

    @property
    def numbers(self) -> list[int]:
        """Who is there."""
        return list(self._sockets)

    def welcome(self) -> list[int]:
        """Numbers of those who have come since."""
        found = []
        with contextlib.suppress(OSError):  # nobody knocks
            while len(self._sockets) < MOST_CLIENTS:
                client, _ = self._listener.accept()
                client.setblocking(False)
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._count += 1
                self._sockets[self._count] = client
                found.append(self._count)
        return found

    def heard(self) -> list[tuple[int, bytes]]:
        """What came in."""
        found = []
        for number, client in list(self._sockets.items()):
            try:
                data = client.recv(CHUNK)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            if data:
                found.append((number, data))
            else:
                self.hang_up(number)
        return found

    def send(self, number: int, data: bytes) -> None:
        """Send, or hang up on a client that does not read: a real robot does so too."""
        client = self._sockets.get(number)
        if client is None:
            return
        try:
            whole = client.send(data) == len(data)
        except OSError:
            whole = False
        if not whole:
            self.hang_up(number)

    def hang_up(self, number: int) -> None:
        """End a connection."""
        client = self._sockets.pop(number, None)
        if client is not None:
            client.close()
            self.gone.append(number)

    def left(self) -> list[int]:
        """Who has gone since the last call."""
        gone, self.gone = self.gone, []
        return gone

    def close(self) -> None:
        """End all."""
        for number in list(self._sockets):
            self.hang_up(number)
        self._listener.close()
