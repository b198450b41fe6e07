"""`Session`: questions to the process that serves a bus, and its answers."""

from __future__ import annotations

import contextlib
import errno
import math
import secrets
import socket
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from usb.core import USBError, USBTimeoutError  # type: ignore[import-untyped]

from firmware_bridge.usb_bus.messages import (
    LONGEST_WAIT,
    LinkEndedError,
    Message,
    receive_message,
    send_message,
)

ANSWER_TIME = 5.0  # beyond the time asked for; a process that does not answer counts as gone [s]


class Answer(NamedTuple):
    """What the other side said."""

    value: Any
    data: bytes


class Session:
    """A pool of connections to one socket: each question takes one that is idle, or a new one.

    A link that has ended, or says what is not the protocol, is an unplugged device: USBError with errno 19. The next
    question tries to connect again, so a server that comes back is found.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._token = secrets.token_hex(8)
        self._idle: list[socket.socket] = []
        self._lock = threading.Lock()

    def ask(self, verb: str, handle: int = 0, numbers: Sequence[int] = ()) -> Answer:
        """Ask for something that is done at once."""
        return self._ask({"do": verb, "handle": handle, "with": list(numbers)}, 0)

    def transfer(self, verb: str, handle: int, numbers: Sequence[int], timeout: int, data: bytes = b"") -> Answer:
        """Ask for a transfer within `timeout` [ms], 0 for ever."""
        left: float = timeout if timeout > 0 else math.inf
        while True:
            wait = round(min(left, LONGEST_WAIT))
            try:
                return self._ask({"do": verb, "handle": handle, "with": [*numbers, wait], "data": data.hex()}, wait)
            except USBTimeoutError:
                left -= wait
                if left <= 0:
                    raise

    def check(self) -> None:
        """Raise the OSError that says why nobody can be asked."""
        self._take().close()

    def close(self) -> None:
        """Hang up all that is idle."""
        with self._lock:
            idle, self._idle = self._idle, []
        for link in idle:
            with contextlib.suppress(OSError):
                link.close()

    def gone(self) -> OSError:
        """What pyusb raises for a device that is not there any more."""
        error: OSError = USBError(f"nobody serves the USB bus at {self.path}", -4, errno.ENODEV)
        return error

    def _ask(self, question: Message, wait: int) -> Answer:
        try:
            link = self._take()
        except OSError:
            raise self.gone() from None
        try:
            link.settimeout(ANSWER_TIME + wait / 1000.0)
            send_message(link, question)
            answer = self._read(receive_message(link))
        except LinkEndedError:
            link.close()
            self.close()  # the others lead to the same place
            raise self.gone() from None
        except BaseException as error:
            if isinstance(error, USBError):
                self._give_back(link)
            else:  # an interrupt in between: the answer would meet the next question
                link.close()
            raise
        self._give_back(link)
        return answer

    def _read(self, message: Message) -> Answer:
        number = message.get("errno", 0)
        try:
            if number:
                kind = USBTimeoutError if number == errno.ETIMEDOUT else USBError
                raise kind(str(message.get("text")), message.get("code"), int(number))
            return Answer(message["value"], bytes.fromhex(message.get("data", "")))
        except (KeyError, TypeError, ValueError):
            raise LinkEndedError("not an answer") from None

    def _take(self) -> socket.socket:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            link.settimeout(ANSWER_TIME)
            link.connect(self.path)
            send_message(link, {"session": self._token})
        except BaseException:
            link.close()
            raise
        return link

    def _give_back(self, link: socket.socket) -> None:
        with self._lock:
            self._idle.append(link)
