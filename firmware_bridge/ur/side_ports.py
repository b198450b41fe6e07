"""The ports beside RTDE: the secondary one, which takes programs, and the dashboard, which takes lines of text.

Neither may ever hold up a tick: both are read and written without waiting, and a robot without a dashboard (PolyScope X
has none) is led all the same, except that it cannot be switched on or unlocked from here.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable

from firmware_bridge.port import Port
from station.controllers.errors import ControllerNotFoundError
from station.devices.errors import DeviceError, DeviceLostError

WAITING = 8  # lines that may wait for their turn
PATIENCE = 2.0  # for an answer [s]
LONGEST_LINE = 4096
RETRY = 2.0  # time between two attempts to connect [s]


class SidePort:
    """A connection that may fail without ending the link."""

    def __init__(self, connect: Callable[[], Port]) -> None:
        self._connect = connect
        self._port: Port | None = None

    def connect(self) -> None:
        """Begin to connect, if need be; whether it can is seen later."""
        if self._port is None:
            with contextlib.suppress(DeviceError, ControllerNotFoundError):
                self._port = self._connect()

    def disconnect(self) -> None:
        """Let it go; may be called twice."""
        if self._port is not None:
            self._port.close()
            self._port = None

    def _read(self) -> bytes:
        if self._port is None:
            return b""
        try:
            return self._port.read()
        except DeviceLostError:
            self.disconnect()
            return b""

    def _write(self, data: bytes) -> bool:
        if self._port is None:
            return False
        try:
            return self._port.write(data)
        except DeviceLostError:
            self.disconnect()
            return False


class ProgramPort(SidePort):
    """Takes programs."""

    def listen(self) -> None:
        """Throw away what the robot tells here: it closes connections that are not read."""
        self._read()

    def send(self, program: str) -> bool:
        """Send a program, which then runs; a new one ends the one before."""
        self.connect()
        return self._write(program.encode("ascii") + b"\n")


class Dashboard(SidePort):
    """One line out, one line back. The first line that comes is a greeting."""

    def __init__(self, connect: Callable[[], Port]) -> None:
        super().__init__(connect)
        self._waiting: deque[str] = deque(maxlen=WAITING)
        self._pending = b""
        self._asked: tuple[str, float] | None = None  # command and when [s]
        self._greeted = False
        self._next_try = float("-inf")  # [s]

    def disconnect(self) -> None:
        """Let it go, with what was to be said."""
        super().disconnect()
        self._asked, self._greeted, self._pending = None, False, b""

    @property
    def idle(self) -> bool:
        """Whether nothing is to be said or waited for."""
        return self._asked is None and not self._waiting

    def ask(self, *commands: str) -> None:
        """Say these as soon as possible, one after the other."""
        self._waiting.extend(command for command in commands if command not in self._waiting)

    def at_once(self, command: str) -> None:
        """Say this before all else, without waiting for the answer to what was said before."""
        self._waiting.clear()
        self.connect()
        if self._write(command.encode() + b"\n"):
            self._asked = None
        else:
            self._waiting.append(command)

    def take(self, now: float) -> list[tuple[str, str]]:
        """Commands and their answers that came by `now` [s]."""
        found = []
        *lines, self._pending = (self._pending + self._read())[-LONGEST_LINE:].split(b"\n")
        for line in lines:
            text = line.decode("ascii", "replace").strip()
            if not self._greeted:
                self._greeted = True
            elif self._asked is not None:
                found.append((self._asked[0], text))
                self._asked = None
        if self._asked is not None and now - self._asked[1] > PATIENCE:
            self.disconnect()
        if self._waiting and self._asked is None:
            if self._port is None and now >= self._next_try:  # a robot without a dashboard is not to be pestered
                self._next_try = now + RETRY
                self.connect()
            if self._greeted and self._write(self._waiting[0].encode() + b"\n"):
                self._asked = (self._waiting.popleft(), now)
        return found
