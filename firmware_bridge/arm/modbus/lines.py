"""A line to a Modbus arm: at most one request on its way, on TCP or on a serial port. Nothing here waits."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import socket
from collections import deque
from collections.abc import Callable

from firmware_bridge.arm.modbus.framing import Answer, Framing, TcpFraming, answers
from firmware_bridge.port import Port
from station.controllers.errors import ControllerLostError, ControllerNotFoundError
from station.devices.errors import DeviceError, DeviceLostError

TRIPS = 15  # that are remembered


class TcpPort(Port):
    """A connection that may still be on its way: reads nothing and writes nothing until it is there."""

    def __init__(self, host: str, port: int) -> None:
        try:
            family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        except OSError:
            raise ControllerNotFoundError(f"{host}: there is no such machine") from None
        connection = socket.socket(family, kind, protocol)
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        result = connection.connect_ex(place)
        if result not in (0, errno.EINPROGRESS):
            connection.close()
            raise ControllerNotFoundError(f"{host}:{port}: {_why(result)}")
        self._socket = connection  # keeps it open
        self.ready = False
        super().__init__(connection.fileno(), f"{host}:{port}")

    def connected(self) -> bool:
        """Whether the connection is there; a DeviceLostError if it cannot be had."""
        if not self.ready:
            if not select.select([], [self._socket], [], 0.0)[1]:
                return False
            result = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if result:
                raise DeviceLostError(f"{self.name}: {_why(result)}")
            self.ready = True
        return True

    def read(self) -> bytes:
        """What has come in."""
        return super().read() if self.connected() else b""

    def write(self, data: bytes | memoryview) -> bool:
        """Send, if there is a connection yet."""
        return self.connected() and super().write(data)

    def close(self) -> None:
        """Let it go."""
        if self._open:
            self._open = False
            with contextlib.suppress(OSError):
                self._socket.close()


def _why(result: int) -> str:
    """Why there is no connection, from the number of an error, and what to look at."""
    nobody = "nobody listens there; " if result == errno.ECONNREFUSED else f"{os.strerror(result).lower()}; "
    return f"{nobody}is the arm switched on and on the network, and is this its address?"


class Line:
    """Requests out, answers in."""

    def __init__(self, connect: Callable[[], Port], framing: Framing, unit: int, timeout: float) -> None:
        self.timeouts = 0  # requests that were never answered, or too late
        self.late = 0  # answers to requests that had been given up; only TCP tells
        self.trips: deque[float] = deque(maxlen=TRIPS)  # from a request to its answer, the newest ones [s]
        self._open = connect
        self._framing, self._unit, self.timeout = framing, unit, timeout
        self._port: Port | None = None
        self._number = 0
        self._asked: float | None = None  # when the request on its way was sent [s]
        self._request = b""
        self._quiet_from: float | None = None  # after a timeout: when the line was last heard or given up [s]

    @property
    def bad(self) -> int:
        """Answers that made no sense."""
        return self._framing.bad

    def connect(self) -> None:
        """Open it; a ControllerError if that cannot be."""
        try:
            self._port = self._open()
        except DeviceError as error:
            raise ControllerNotFoundError(str(error)) from None
        self._framing.clear()
        self.trips.clear()
        self._asked = self._quiet_from = None

    def disconnect(self) -> None:
        """Let it go; may be called twice."""
        if self._port is not None:
            self._port.close()
            self._port = None

    @property
    def idle(self) -> bool:
        """Whether a request may be sent."""
        return self._port is not None and self._asked is None and self._quiet_from is None

    def send(self, pdu: bytes, now: float) -> bool:
        """Send a request at `now` [s]; whether it went out."""
        if self._port is None:
            return False
        if not isinstance(self._framing, TcpFraming):
            self._framing.clear()
        self._number = self._number % 0xFFFF + 1
        data = self._framing.frame(pdu, self._unit, self._number)
        try:
            if not self._port.write(data):
                if isinstance(self._port, TcpPort) and self._port.ready:
                    raise ControllerLostError(f"{self._port.name}: takes nothing any more")
                return False
        except DeviceLostError as error:
            raise ControllerLostError(str(error)) from None
        self._asked, self._request = now, pdu
        return True

    def take(self, now: float) -> Answer | None:
        """The answer to the request on its way, if it has come by `now` [s]."""
        if self._port is None:
            return None
        try:
            data = self._port.read()
        except DeviceLostError as error:
            raise ControllerLostError(str(error)) from None
        found = None
        for answer in self._framing.feed(data) if data else ():
            if self._asked is not None and answer.number in (0, self._number) and answers(answer, self._request):
                self.trips.append(now - self._asked)
                found, self._asked = answer, None
            else:
                self.late += answer.number not in (0, self._number)
                self._framing.bad += 1  # nobody has asked
        if isinstance(self._framing, TcpFraming) and self._framing.broken:
            raise ControllerLostError(f"{self._port.name}: what comes from there is not Modbus")
        if self._asked is not None and now - self._asked > self.timeout:
            self.timeouts += 1
            self._asked = None
            self._framing.clear()
            # Without numbers a late answer would pass for that to the next request: the line has to be quiet first.
            self._quiet_from = None if isinstance(self._framing, TcpFraming) else now
        if self._quiet_from is not None:
            self._quiet_from = now if data else self._quiet_from
            if now - self._quiet_from > self.timeout:
                self._quiet_from = None
        return found
