"""`BusServer`: an emulated bus for programs in other processes, over a socket.

What goes over the socket is written down in `firmware_bridge.usb_bus.messages`; questions.py answers.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from firmware_bridge.usb_bus.messages import LinkEndedError, receive_message, send_message
from sim_devices.usb.bus import Bus
from sim_devices.usb.questions import Questions
from station.errors import StationError

MOST_CONNECTIONS = 64  # at a time; whoever comes then is hung up on
LONGEST_TOKEN = 64  # characters
LAST_WAIT = 2.0  # for threads to end; none waits for longer than LONGEST_WAIT of the messages [s]


class ServerError(StationError, OSError):
    """The socket cannot be made; one line that says why."""


class BusServer:
    """Serves a bus at `path` from the moment it is made, with a thread for each connection.

    Whoever says what is not the protocol is hung up on; nobody else notices.
    """

    def __init__(self, bus: Bus, path: Path | str) -> None:
        self.path = str(path)
        self._bus = bus
        self._lock = threading.Lock()
        self._sessions: dict[str, tuple[Questions, int]] = {}  # token → … and how many connections it has
        self._links: dict[threading.Thread, socket.socket] = {}
        self._closing = False
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._listener.bind(self.path)
            self._listener.listen(MOST_CONNECTIONS)
        except OSError as error:
            self._listener.close()
            raise ServerError(f"no USB bus can be served at {self.path}: {error.strerror or error}") from None
        self._thread = threading.Thread(target=self._accept, name="usb bus", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Hang up on everybody and leave nothing behind; may be called twice."""
        with self._lock:
            if self._closing:
                return
            self._closing = True
            links = dict(self._links)
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread, which closing would not
        for link in links.values():
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
        for thread in (self._thread, *links):
            thread.join(LAST_WAIT)
        self._listener.close()
        Path(self.path).unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _accept(self) -> None:
        while True:
            try:
                link, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                if self._closing or len(self._links) >= MOST_CONNECTIONS:
                    link.close()
                    continue
                thread = threading.Thread(target=self._serve, args=(link,), name="usb client", daemon=True)
                self._links[thread] = link
            thread.start()

    def _serve(self, link: socket.socket) -> None:
        token = ""
        try:
            token = str(receive_message(link).get("session") or "")[:LONGEST_TOKEN]
            if not token:
                raise LinkEndedError("no session")
            questions = self._join(token)
            while True:
                send_message(link, questions.answer(receive_message(link)))
        except LinkEndedError:
            pass  # gone, or speaks something else
        finally:
            self._leave(token)
            link.close()
            with self._lock:
                self._links.pop(threading.current_thread(), None)

    def _join(self, token: str) -> Questions:
        with self._lock:
            questions, count = self._sessions.get(token, (Questions(self._bus), 0))
            self._sessions[token] = questions, count + 1
        return questions

    def _leave(self, token: str) -> None:
        with self._lock:
            if token not in self._sessions:
                return
            questions, count = self._sessions.pop(token)
            if count > 1:
                self._sessions[token] = questions, count - 1
                return
        questions.close()
