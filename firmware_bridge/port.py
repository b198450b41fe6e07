"""An open byte stream to a device: a serial port, a pseudo-terminal or a socket. Reading and writing never wait."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
import termios
from pathlib import Path

import serial
from serial.tools import list_ports

from station.devices.errors import (
    DeviceBusyError,
    DeviceDeniedError,
    DeviceError,
    DeviceLostError,
    DeviceMismatchError,
    DeviceNotFoundError,
)

CHUNK = 65536  # most bytes of one read
GONE = "the port was unplugged or its other end has closed"


class Port:
    """A file descriptor that is read and written without waiting; raises DeviceLostError when it has ended."""

    descriptor = -1  # for compiled code that reads and writes by itself; -1: only `read` and `write` will do

    def __init__(self, descriptor: int, name: str, owner: serial.Serial | None = None) -> None:
        self.name = name
        self.descriptor = descriptor
        self._owner = owner  # closes the descriptor in its own way
        self._open = True
        os.set_blocking(descriptor, False)

    def read(self) -> bytes:
        """All bytes that have come in, or none."""
        try:
            data = os.read(self.descriptor, CHUNK)
        except BlockingIOError:
            return b""
        except OSError:
            raise DeviceLostError(f"{self.name}: {GONE}") from None
        if not data:  # end of file: the other end is closed
            raise DeviceLostError(f"{self.name}: {GONE}")
        return data

    def write(self, data: bytes | memoryview) -> bool:
        """Send bytes; False if the way is blocked and (some of) them were dropped: newer ones will follow."""
        try:
            return os.write(self.descriptor, data) == len(data)
        except BlockingIOError:
            return False
        except OSError:
            raise DeviceLostError(f"{self.name}: {GONE}") from None

    def set_lines(self, *, dtr: bool | None = None, rts: bool | None = None) -> None:
        """Set lines of a real port that some devices read; a socket has none."""
        if self._owner is None:
            return
        with contextlib.suppress(OSError, serial.SerialException):  # a pseudo-terminal has none either
            if dtr is not None:
                self._owner.dtr = dtr
            if rts is not None:
                self._owner.rts = rts

    def close(self) -> None:
        """Let it go; may be called twice."""
        if not self._open:
            return
        self._open = False
        with contextlib.suppress(OSError, termios.error):
            if self._owner is None:
                os.close(self.descriptor)
            else:
                self._owner.close()
        self.descriptor = -1


def open_serial(path: str, baud: int = 115200, *, two_stop_bits: bool = False, handshake: bool = False) -> Port:
    """Open a serial port, or a socket that stands for one, for this program alone; a DeviceError says what to do."""
    try:
        mode = Path(path).stat().st_mode  # first: pyserial would wait on a pipe, and calls everything "not found"
    except OSError as error:
        raise port_error(path, error) from None
    if stat.S_ISSOCK(mode):
        return open_socket(path)
    if not stat.S_ISCHR(mode):
        raise DeviceMismatchError(f"{path} is not a serial port; there are: {known_ports()}")
    try:
        port = serial.Serial(
            path,
            baud,
            exclusive=True,
            timeout=0.0,
            write_timeout=0.0,
            stopbits=serial.STOPBITS_TWO if two_stop_bits else serial.STOPBITS_ONE,
            rtscts=handshake,
        )
    except (serial.SerialException, OSError, termios.error, ValueError) as error:
        raise port_error(path, error) from None
    _tell_silence_from_end(port.fileno())
    with contextlib.suppress(OSError, ValueError, AttributeError):
        port.set_low_latency_mode(True)  # an FTDI chip would otherwise hold bytes back for 16 ms
    return Port(port.fileno(), path, port)


def open_socket(path: str) -> Port:
    """Open a Unix socket whose other end is a device's, as those of emulators and serial servers."""
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    stream.setblocking(False)
    try:
        stream.connect(path)
    except OSError as error:
        stream.close()
        raise port_error(path, error) from None
    return Port(stream.detach(), path)


def _tell_silence_from_end(descriptor: int) -> None:
    """Pyserial leaves VMIN at 0, and then a read of a port with nothing to read looks like one that has ended."""
    with contextlib.suppress(termios.error):
        settings = termios.tcgetattr(descriptor)
        settings[6][termios.VMIN] = 1
        termios.tcsetattr(descriptor, termios.TCSANOW, settings)


def port_error(path: str, error: BaseException) -> DeviceError:
    """The same in words that help."""
    number = getattr(error, "errno", None) or (error.args[0] if error.args else None)
    if isinstance(error.__context__, termios.error):  # pyserial wraps what the port says to its settings
        number = error.__context__.args[0]
    if number in (errno.ENOENT, errno.ENXIO, errno.ENODEV, errno.ENOTDIR):
        return DeviceNotFoundError(f"{path}: there is no such port; there are: {known_ports()}")
    if number in (errno.EACCES, errno.EPERM):
        return DeviceDeniedError(
            f"{path}: no permission; run: sudo usermod -aG dialout $USER, then log out and in again"
        )
    if number == errno.ECONNREFUSED:
        return DeviceNotFoundError(f"{path}: nobody answers there any more; start the program that made it again")
    if number in (errno.EBUSY, errno.EAGAIN):
        return DeviceBusyError(f"{path} is in use by {users_of(path)}; close that first")
    if number in (errno.ENOTTY, errno.EINVAL, errno.EISDIR):
        return DeviceMismatchError(f"{path} is not a serial port; there are: {known_ports()}")
    return DeviceNotFoundError(f"{path} cannot be opened ({error}); is the device switched on and plugged in?")


def known_ports() -> str:
    """Serial ports of this machine that a device could be at."""
    names = sorted(port.device for port in list_ports.comports() if port.hwid != "n/a")
    return ", ".join(names) or "none (is the device plugged in?)"


def users_of(path: str) -> str:
    """Programs that have a file open, as far as they can be seen."""
    found = []
    target = Path(path).resolve()
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if link.readlink() == target:
                process = link.parts[2]
                name = (Path("/proc") / process / "comm").read_text().strip()
                found.append(f"{name} (process {process})")
    return ", ".join(dict.fromkeys(found)) or "another program"
