"""The emulator's end of a link: a pseudo-terminal for any program, a socket for ours, a pair of sockets in one process.

A pseudo-terminal looks like a serial port, but a thread of the kernel passes its bytes on when it gets to it, on a busy
machine milliseconds later. A socket passes them at once, as a chip would, and as a virtual clock needs it.
"""

from __future__ import annotations

import contextlib
import os
import socket
import termios
import tty
from abc import ABC, abstractmethod
from pathlib import Path

from firmware_bridge.port import Port
from station.devices.errors import DeviceLostError, DeviceNotFoundError
from station.private import OwnFolder


class End(ABC):
    """The emulator's side of a link that can be unplugged."""

    name: str

    @property
    @abstractmethod
    def plugged(self) -> bool:
        """Whether the cable is in."""

    @abstractmethod
    def plug(self) -> None:
        """Put the cable in."""

    @abstractmethod
    def unplug(self) -> None:
        """Pull the cable out: the other side sees its port end."""

    @abstractmethod
    def read(self) -> bytes:
        """What the other side has sent; never waits."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Send; what the other side does not read in time is lost, as in a chip's buffer."""

    def close(self) -> None:
        """Leave nothing behind."""
        self.unplug()


class PtyEnd(End):
    """A pseudo-terminal under a name that stays the same when it is unplugged and plugged in again."""

    def __init__(self, name: str) -> None:
        self._folder = OwnFolder("emulator")
        self._link = self._folder.path / name
        self.name = str(self._link)
        self._master = self._slave = -1
        self.plug()

    @property
    def plugged(self) -> bool:
        """Whether the cable is in."""
        return self._master >= 0

    def plug(self) -> None:
        """Open a new pseudo-terminal under the old name."""
        if self.plugged:
            return
        self._master, self._slave = os.openpty()  # our copy of the slave keeps it alive while nobody has it open
        tty.setraw(self._slave, termios.TCSANOW)
        os.set_blocking(self._master, False)
        self._link.symlink_to(os.ttyname(self._slave))

    def unplug(self) -> None:
        """Hang up."""
        if not self.plugged:
            return
        self._link.unlink(missing_ok=True)
        os.close(self._slave)
        os.close(self._master)
        self._master = self._slave = -1

    def read(self) -> bytes:
        """What the other side has sent."""
        try:
            return os.read(self._master, 65536) if self.plugged else b""
        except OSError:  # nothing there, or nobody
            return b""

    def write(self, data: bytes) -> None:
        """Send."""
        with contextlib.suppress(OSError):  # a full buffer: nobody reads
            if self.plugged:
                os.write(self._master, data)

    @property
    def baud(self) -> int:
        """Speed that the other side has set."""
        speeds = {
            getattr(termios, name): int(name[1:]) for name in dir(termios) if name[0] == "B" and name[1:].isdigit()
        }
        return speeds.get(termios.tcgetattr(self._slave)[5], 0) if self.plugged else 0

    def close(self) -> None:
        """Leave nothing behind."""
        self.unplug()
        self._folder.close()


class SocketEnd(End):
    """One side of a socket pair; `connect` gives the other to a driver in the same process."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._plugged = True
        self._socket: socket.socket | None = None

    @property
    def plugged(self) -> bool:
        """Whether the cable is in."""
        return self._plugged

    def connect(self) -> Port:
        """The other side, as a driver opens it; raises DeviceNotFoundError while unplugged."""
        if not self._plugged:
            raise DeviceNotFoundError(f"{self.name}: there is no such port")
        if self._socket is not None:
            self._socket.close()
        self._socket, other = socket.socketpair()
        self._socket.setblocking(False)
        return Port(other.detach(), self.name)

    def plug(self) -> None:
        """Put the cable in."""
        self._plugged = True

    def unplug(self) -> None:
        """Pull the cable out."""
        self._plugged = False
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def read(self) -> bytes:
        """What the other side has sent."""
        if self._socket is None:
            return b""
        with contextlib.suppress(OSError):
            return self._socket.recv(65536)
        return b""

    def write(self, data: bytes) -> None:
        """Send."""
        if self._socket is not None:
            with contextlib.suppress(OSError, DeviceLostError):
                self._socket.send(data)


class UnixEnd(End):
    """A socket under a name, which `serial:` opens like a port; one program at a time."""

    HOLDS = 16384  # bytes that nobody has read yet
    LOOK = 64  # reads between two looks whether another program wants in

    def __init__(self, name: str) -> None:
        self._folder = OwnFolder("emulator")
        self.name = str(self._folder.path / name)
        self._door: socket.socket | None = None
        self._socket: socket.socket | None = None
        self._reads = 0
        self.plug()

    @property
    def plugged(self) -> bool:
        """Whether the cable is in."""
        return self._door is not None

    def plug(self) -> None:
        """Let a program in."""
        if self._door is None:
            self._door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._door.setblocking(False)
            self._door.bind(self.name)
            self._door.listen(4)

    def unplug(self) -> None:
        """Hang up."""
        if self._door is not None:
            Path(self.name).unlink(missing_ok=True)
            self._door.close()
            self._door = None
        self._hang_up()

    def read(self) -> bytes:
        """What the other side has sent."""
        self._reads += 1
        if self._socket is None or self._reads % self.LOOK == 0:
            self._answer_the_door()
        if self._socket is None:
            return b""
        try:
            data = self._socket.recv(65536)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            self._hang_up()
        return data

    def write(self, data: bytes) -> None:
        """Send."""
        if self._socket is not None:
            with contextlib.suppress(OSError):  # a full buffer: nobody reads
                self._socket.send(data)

    def close(self) -> None:
        """Leave nothing behind."""
        self.unplug()
        self._folder.close()

    def _answer_the_door(self) -> None:
        if self._door is None:
            return
        with contextlib.suppress(OSError):
            other = self._door.accept()[0]
            if self._socket is not None:  # in use
                other.close()
                return
            other.setblocking(False)
            other.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self.HOLDS)
            self._socket = other

    def _hang_up(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
