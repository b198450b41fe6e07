"""A bus of servos: at most one question on its way, since one line serves both directions. Nothing here waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from firmware_bridge.arm.serial_link import KINDS
from firmware_bridge.dynamixel.packets import (
    BROADCAST,
    FAST_SHARE,
    HIGHEST_ID,
    SMALLEST,
    STATUS,
    PacketReader,
    Share,
    fast_shares,
    packet,
    read_request,
    sync_read_request,
)
from firmware_bridge.port import Port
from station.controllers.errors import ControllerLostError, ControllerNotFoundError
from station.devices.errors import DeviceError, DeviceLostError

PATIENCE = 0.012  # beyond the time that the bytes need on the line: adapters hold bytes back [s]
BITS = 10  # of a byte on the line


class Question(NamedTuple):
    """What was asked, of whom."""

    purpose: str
    idents: tuple[int, ...]
    size: int
    fast: bool
    sent: float  # [s]
    until: float  # [s]


class Answers(NamedTuple):
    """What came back; `missing` have not answered in time."""

    question: Question
    shares: dict[int, Share]
    missing: tuple[int, ...]


class Bus:
    """The station's end of the line."""

    def __init__(self, connect: Callable[[], Port], baud: int) -> None:
        self._open = connect
        self._byte = BITS / baud  # time of a byte on the line [s]
        self._port: Port | None = None
        self._reader = PacketReader()
        self._question: Question | None = None
        self._shares: dict[int, Share] = {}
        self.return_delay = 0.0  # of the slowest servo [s]
        self.foreign = 0  # packets that nobody has asked for

    @property
    def bad(self) -> int:
        """What came in and made no sense."""
        return self._reader.bad + self.foreign

    @property
    def idle(self) -> bool:
        """Whether the line is free."""
        return self._port is not None and self._question is None

    def connect(self) -> None:
        """Open the port; a ControllerError if that cannot be."""
        try:
            self._port = self._open()
        except DeviceError as error:
            raise KINDS.get(type(error), ControllerNotFoundError)(str(error)) from None
        self._reader.clear()
        self._question = None

    def disconnect(self) -> None:
        """Let the port go; may be called twice."""
        if self._port is not None:
            self._port.close()
            self._port = None

    def seconds(self, size: int, servos: int, before: int = 0) -> float:
        """How long the line is taken by reading `size` bytes of all servos after saying `before` bytes [s]."""
        request = SMALLEST + 4 + servos
        return (before + request + 8 + servos * (size + FAST_SHARE)) * self._byte + self.return_delay

    def say(self, data: bytes) -> bool:
        """Write what nobody answers; whether it went out whole."""
        if self._port is None:
            return False
        try:
            return self._port.write(data)
        except DeviceLostError as error:
            raise ControllerLostError(str(error)) from None

    def read_one(self, purpose: str, ident: int, address: int, size: int, now: float) -> bool:
        """Ask one servo at `now` [s]."""
        wait = self.seconds(size, 1) + PATIENCE
        return self._ask(read_request(ident, address, size), Question(purpose, (ident,), size, False, now, now + wait))

    def command(self, purpose: str, ident: int, instruction: int, now: float) -> bool:
        """Tell one servo something that it answers with a bare status, at `now` [s]."""
        wait = self.seconds(0, 1) + PATIENCE
        return self._ask(packet(ident, instruction), Question(purpose, (ident,), 0, False, now, now + wait))

    def read_all(
        self, purpose: str, idents: tuple[int, ...], address: int, size: int, now: float, *, fast: bool, before: bytes
    ) -> bool:
        """Ask many servos at `now` [s], right after saying `before`, which nobody answers."""
        wait = PATIENCE + self.seconds(size, len(idents), len(before))
        if not fast:  # each waits, and has a header of its own
            wait += len(idents) * (self.return_delay + 8 * self._byte)
        question = Question(purpose, idents, size, fast, now, now + wait)
        return self._ask(before + sync_read_request(idents, address, size, fast), question)

    def _ask(self, data: bytes, question: Question) -> bool:
        self._reader.clear()
        if not self.say(data):
            return False
        self._question, self._shares = question, {}
        return True

    def take(self, now: float) -> Answers | None:
        """All answers to the question on its way, or those that came in time."""
        if self._port is None:
            return None
        try:
            data = self._port.read()
        except DeviceLostError as error:
            raise ControllerLostError(str(error)) from None
        for ident, instruction, body in self._reader.feed(data) if data else ():
            if instruction == STATUS:  # else it is our own voice: some adapters hear themselves
                self._heed(ident, body)
        question = self._question
        if question is None:
            return None
        if len(self._shares) < len(question.idents):
            if now <= question.until:
                return None
            self._note_torn(question)
        self._question = None
        missing = tuple(ident for ident in question.idents if ident not in self._shares)
        return Answers(question, self._shares, missing)

    def _heed(self, ident: int, body: bytes) -> None:
        question = self._question
        if question is None:
            self.foreign += 1
        elif question.fast and ident == BROADCAST:
            shares = fast_shares(body, question.size)
            if shares is None or tuple(shares) != question.idents:
                self.foreign += 1
            else:
                self._shares = shares
        elif ident in question.idents and ident <= HIGHEST_ID and len(body) == question.size + 1:
            self._shares[ident] = Share(body[0], body[1:])
        else:
            self.foreign += 1

    def _note_torn(self, question: Question) -> None:
        """Who was heard in a fast answer that broke off, so that the silent one can be named."""
        step = question.size + FAST_SHARE
        if question.fast and not self._shares:
            torn = self._reader.pending
            heard = max(len(torn) - 8, 0) // step
            for ident in question.idents[: min(heard, len(question.idents) - 1)]:
                self._shares[ident] = Share(0, b"")
        self._reader.clear()
