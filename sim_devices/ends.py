"""The emulator's end of a link: a pseudo-terminal for any program, or a socket pair within one process.

A pseudo-terminal looks like a serial port, but the kernel takes its time to pass bytes on; a socket pair passes them at
once, which is what a virtual clock needs.
"""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
import termios
import tty
from abc import ABC, abstractmethod
from pathlib import Path

from firmware_bridge.port import Port
from station.devices.errors import DeviceLostError, DeviceNotFoundError


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
        self._folder = tempfile.TemporaryDirectory(prefix="station-")
        self._link = Path(self._folder.name) / name
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
        self._folder.cleanup()


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
