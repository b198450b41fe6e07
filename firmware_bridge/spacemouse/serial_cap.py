"""Caps on a serial line: a greeting of questions and answers that never waits, and an ear for whoever else is there."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

from firmware_bridge.linked import RETRY
from firmware_bridge.port import Port
from firmware_bridge.spacemouse.axes import NativeAxes
from firmware_bridge.spacemouse.cap import NEVER, CapDevice, Patience
from station.clock import Clock
from station.devices.device import Capabilities
from station.devices.errors import DeviceLostError, DeviceMismatchError

REMEMBERED = 256  # bytes kept to tell who else is at the port


class Step(NamedTuple):
    """One question of a greeting."""

    question: bytes
    needed: bool = True  # whether it is asked again until it is answered; otherwise it is asked once
    patience: float = 0.25  # how long to wait for the answer [s]
    tries: int = 4  # after so many the greeting starts from the beginning


class Greeting:
    """Questions one after the other; the next one goes out when the last is answered or has been waited for."""

    def __init__(self, steps: Sequence[Step], begin: int = 0) -> None:
        self.steps = tuple(steps)
        self._at = begin
        self._tries = 0
        self._asked = self._rest = NEVER  # [s]

    def rest_until(self, moment: float) -> None:
        """Ask nothing before `moment` [s]: a stranger is not to be pestered."""
        self._rest = moment

    @property
    def done(self) -> bool:
        """Whether all has been asked and what is needed was answered."""
        return self._at >= len(self.steps)

    @property
    def asked(self) -> bytes:
        """The question whose answer is awaited; empty if there is none."""
        return b"" if self.done or self._tries == 0 else self.steps[self._at].question

    def answered(self) -> None:
        """The question that is pending has been answered."""
        self._at += 1
        self._tries = 0
        self._asked = NEVER

    def due(self, now: float) -> bytes:
        """What to send now; nothing while an answer may still come."""
        while not self.done and now >= self._rest:
            step = self.steps[self._at]
            if self._tries and now - self._asked < step.patience:
                return b""
            if self._tries and not step.needed:
                self.answered()
                continue
            if self._tries >= step.tries:
                self._at = self._tries = 0
                continue
            self._tries += 1
            self._asked = now
            return step.question
        return b""


class SerialCap(CapDevice):
    """A cap on a serial line; a driver fills in `_parse`, `_greet` and `_ask`."""

    def __init__(
        self,
        url: str,
        clock: Clock,
        connect: Callable[[], Port],
        capabilities: Capabilities,
        axes: NativeAxes,
        patience: Patience,
    ) -> None:
        super().__init__(url, clock, capabilities, axes, patience)
        self._open_port = connect
        self._port: Port | None = None
        self._greeting = self._greet(0)
        self._heard_bytes = bytearray()  # while it is not known who speaks

    @abstractmethod
    def _greet(self, begin: int) -> Greeting:
        """A new greeting, from question `begin` on; forget what was half heard."""

    @abstractmethod
    def _take(self, data: bytes, now: float) -> None:
        """Take in bytes; raise DeviceMismatchError if something else speaks."""

    @abstractmethod
    def _ask(self, now: float) -> bytes:
        """What to ask of a device that is known, so that its silence means something."""

    def _connect(self) -> None:
        self._port = self._open_port()
        self._forget()
        self._heard_bytes.clear()
        self._greeting = self._greet(0)

    def _disconnect(self) -> None:
        if self._port is not None:
            self._port.close()
            self._port = None
        self._forget()

    def _start_anew(self, now: float) -> None:
        del now
        self._heard_bytes.clear()
        self._greeting = self._greet(0)

    def _hear(self, now: float) -> bool:
        if self._port is None:
            raise DeviceLostError(f"{self.url}: not connected")
        data = self._port.read()
        if data:
            if not self._greeting.done:
                self._heard_bytes += data
                del self._heard_bytes[:-REMEMBERED]
            self._take(data, now)
        words = self._ask(now) if self._greeting.done else self._greeting.due(now)
        if words:
            self._port.write(words)
        return self._greeting.done

    def _mismatch(self, what: str) -> DeviceMismatchError:
        self._greeting = self._greet(0)
        self._greeting.rest_until(self.clock.now() + RETRY)
        self._heard_bytes.clear()
        return DeviceMismatchError(f"{self.url}: {what}")

    def _why_silent(self) -> str:
        return f"{self.url}: {who_is_there(bytes(self._heard_bytes))}"


def who_is_there(heard: bytes) -> str:
    """What to tell a person about bytes that are no answer."""
    if not heard:
        return "no answer; is this the right port, is the cable in, and is it a device for a serial line?"
    if any(word in heard for word in (b"OK\r", b"ERROR", b"CONNECT", b"NO CARRIER")):
        return "a modem answers; give the port of the device"
    if b"@1" in heard:
        return "a Spaceball answers; write ?device=spaceball"
    printable = sum(32 <= byte < 127 or byte in b"\r\n" for byte in heard)
    if printable < 0.9 * len(heard):
        return "only noise is heard; it is another device, or one that speaks at another speed than 9600 baud"
    words = bytes(byte for byte in heard if 32 <= byte < 127).decode("ascii")[:40]
    return f"something else answers ({words!r}); give the port of the device"
