"""`open_instrument`: an instrument at the other end of a TCP connection, asked for one reading after the other."""

from __future__ import annotations

import contextlib
import itertools
import select
import socket
from types import TracebackType
from typing import Any, Self

from firmware_bridge.instrument.errors import InstrumentAddressError, InstrumentLostError, NotSeenError
from firmware_bridge.instrument.lines import LONGEST, About, Reading, about_of, line, message_of, reading_of
from station.clock import WALL, Clock
from station.devices.address import parse_address
from station.devices.errors import AddressError

ANSWER_WITHIN = 10.0  # a tracker may have to find its target first [s]
LOOK_AGAIN = 0.001  # [s]
EXAMPLE = "tcp://127.0.0.1:5600"


def open_instrument(url: str, clock: Clock = WALL, patience: float = ANSWER_WITHIN) -> TcpInstrument:
    """Open the instrument at an address such as tcp://127.0.0.1:5600; raises an InstrumentError with one line."""
    try:
        address = parse_address(url)
    except AddressError:
        raise InstrumentAddressError(f"{url!r} is not the address of an instrument; for example {EXAMPLE}") from None
    host, _, port = address.place.removeprefix("//").rpartition(":")
    if address.scheme != "tcp" or not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise InstrumentAddressError(f"{url}: instruments are at tcp://host:port, for example {EXAMPLE}")
    try:
        connection = socket.create_connection((host, int(port)), timeout=patience)
    except OSError as error:
        raise InstrumentLostError(f"{url}: no instrument there: {error.strerror or error}; is it on?") from None
    return TcpInstrument(url, connection, clock, patience)


class TcpInstrument:
    """An instrument that speaks lines; `about` is what it says of itself."""

    def __init__(self, url: str, connection: socket.socket, clock: Clock = WALL, patience: float = 10.0) -> None:
        self.url, self._clock, self._patience = url, clock, patience
        self._connection, self._heard = connection, b""
        self._numbers = itertools.count(1)
        connection.setblocking(False)
        try:
            told = about_of(self._ask({"ask": "who"}, None))
        except InstrumentLostError:
            self.close()
            raise
        if told is None:
            self.close()
            raise InstrumentLostError(f"{url}: something else than an instrument answers there")
        self.about: About = told

    def measure(self) -> Reading:
        """Where its target is now; a NotSeenError if it cannot tell, an InstrumentLostError if it is gone."""
        number = next(self._numbers)
        answer = self._ask({"ask": "measure", "number": number}, number)
        if "trouble" in answer:
            raise NotSeenError(f"{self.url}: {str(answer['trouble'])[:200]}")
        reading = reading_of(answer, self.about.measures)
        if reading is None:
            raise InstrumentLostError(f"{self.url}: an answer that holds no {self.about.measures}; look after it")
        return reading

    def _ask(self, question: dict[str, Any], number: int | None) -> dict[str, Any]:
        end = self._clock.now() + self._patience
        try:
            self._connection.sendall(line(question))
            while self._clock.now() < end:
                answer = self._answer()
                if answer is not None and answer.get("number") == number:  # late answers to earlier questions pass by
                    return answer
                if answer is None:
                    self._wait()
        except OSError as error:
            raise InstrumentLostError(f"{self.url}: the instrument is gone: {error.strerror or error}") from None
        raise InstrumentLostError(f"{self.url}: the instrument does not answer for {self._patience:g} s")

    def _answer(self) -> dict[str, Any] | None:
        """The next message that came in; None if there is none yet."""
        while b"\n" not in self._heard:
            try:
                data = self._connection.recv(LONGEST)
            except BlockingIOError:
                return None
            if not data:
                raise ConnectionResetError("it has closed the connection")
            self._heard += data
            if len(self._heard) > 2 * LONGEST:
                raise ConnectionAbortedError("it talks without end")
        first, _, self._heard = self._heard.partition(b"\n")
        return message_of(first) or {"number": -1}

    def _wait(self) -> None:
        if self._clock is WALL:
            select.select([self._connection], [], [], 0.1)
        else:  # a virtual clock moves the emulator on
            self._clock.sleep_until(self._clock.now() + LOOK_AGAIN)

    def close(self) -> None:
        """Hang up; may be called twice."""
        with contextlib.suppress(OSError):
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
