"""Caps by way of spacenavd, the daemon that many machines run: `spacenav:` or `spacenav:/path/to/socket`.

The daemon tells changes only: a cap that is held perfectly still is as silent as one whose cable was cut. So the
deflection is let go after half a second without a word; `repeat-interval = 50` in /etc/spnavrc makes the daemon repeat
itself. A driver that talks to the device itself gives tighter guarantees.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from firmware_bridge.port import Port
from firmware_bridge.spacemouse.axes import SPACENAVD, NativeAxes
from firmware_bridge.spacemouse.cap import FOREVER, NEVER, CapDevice, Patience
from firmware_bridge.spacemouse.magellan import axes_of
from firmware_bridge.spacemouse.spacenavd_events import (
    REMOVED,
    Event,
    OutOfStepError,
    Record,
    Request,
    SpacenavdParser,
    Version,
    encode,
    encode_sensitivity,
    encode_version,
)
from station.clock import Clock
from station.devices.address import Address
from station.devices.device import Device
from station.devices.errors import (
    DeviceBusyError,
    DeviceDeniedError,
    DeviceError,
    DeviceLostError,
    DeviceMismatchError,
    DeviceNotFoundError,
)
from station.devices.registry import Found
from station.devices.software.deflection import cap_capabilities

USUAL_SOCKET = "/var/run/spnav.sock"
SETTINGS = Path("/etc/spnavrc")
RATE = 60.0  # [Hz]
AGREE = 0.300  # a daemon that knows version 1 answers within this [s]
ASK = 0.100  # between two questions to a daemon of version 1 [s]
PATIENCE = Patience(deflected=0.500, silent=0.300)
OPENING = 1.0  # [s]
BUTTONS = 32


class Spacenav(CapDevice):
    """A cap behind spacenavd."""

    waits_for_motion = True  # the daemon may well live on without its device

    def __init__(self, url: str, clock: Clock, connect: Callable[[], Port], axes: NativeAxes = SPACENAVD) -> None:
        names = [str(number + 1) for number in range(BUTTONS)]
        self._open_port = connect
        self._port: Port | None = None
        self._parser = SpacenavdParser()
        self._version: int | None = None
        self._asked = self._begun = NEVER  # [s]
        self._held = 0
        self._has_device = True
        super().__init__(url, clock, cap_capabilities("cap behind spacenavd", names, RATE, dead_man=0), axes, PATIENCE)

    @property
    def version(self) -> int | None:
        """Version of the protocol that was agreed on; None before."""
        return self._version

    def _forget(self) -> None:
        super()._forget()
        self._held = 0

    def _connect(self) -> None:
        self._port = self._open_port()
        self._forget()
        self._parser = SpacenavdParser()
        self._version, self._has_device = None, True
        self._begun, self._asked, self._mute = self.clock.now(), NEVER, False
        self._port.write(encode_version())

    def _disconnect(self) -> None:
        if self._port is not None:
            self._port.close()
            self._port = None
        self._forget()

    def _start_anew(self, now: float) -> None:
        if self._version == 1:
            self._asked = now
            self._say(encode(Request.TYPE))

    def _hear(self, now: float) -> bool:
        if self._port is None:
            raise DeviceLostError(f"{self.url}: not connected")
        try:
            records = self._parser.feed(self._port.read())
        except OutOfStepError as error:
            self._disconnect()
            self._connected = False
            raise DeviceMismatchError(
                f"{self.url}: this is not spacenavd's socket ({error}); give the path of the right one"
            ) from None
        for record in records:
            self._take(record, now)
        if self._version is None and now - self._begun > AGREE:
            self._agree(0, now)
        if self._version == 1 and now - self._asked > ASK:
            self._asked = now
            self._say(encode(Request.TYPE))
        if not self._has_device:
            self._lose(f"{self.url}: spacenavd runs, but has no device; plug one in")
        return self._version is not None and self._has_device and self._alive > NEVER

    def _take(self, record: Record | Version, now: float) -> None:
        if isinstance(record, Version):
            self._agree(min(record.number, 1), now)
        elif record.kind == Event.MOTION:
            self._note_motion(record.data[:6], now)
        elif record.kind in (Event.PRESS, Event.RELEASE):
            bit = 1 << (record.data[0] & 31)
            self._held = self._held | bit if record.kind == Event.PRESS else self._held & ~bit
            self._note_buttons(self._held, now)
        elif record.kind == Event.DEVICE:
            self._has_device = record.data[0] != REMOVED
            self._asked = NEVER  # another one may be left
            if not self._has_device:
                self._forget()
        elif record.kind == Request.TYPE:
            self._has_device = record.status == 0
            if self._has_device:
                self._note_life(now)
            else:
                self._forget()
        else:
            self._note_life(now)

    def _agree(self, version: int, now: float) -> None:
        self._version = version
        self.patience = PATIENCE if version else PATIENCE._replace(silent=FOREVER)  # version 0 answers no questions
        if version == 0:
            self._say(encode_sensitivity(1.0))  # an old daemon may have taken the word for a sensitivity
            self._note_life(now)

    def _say(self, words: bytes) -> None:
        if self._port is not None:
            self._port.write(words)

    def _why_silent(self) -> str:
        if not self._has_device:
            return self._reason
        return f"{self.url}: spacenavd does not answer; restart it"


def socket_path(place: str = "", environment: Mapping[str, str] | None = None, settings: Path | None = None) -> str:
    """Path of the socket: of the address, of SPNAV_SOCKET, of /etc/spnavrc, or the usual one."""
    environment = os.environ if environment is None else environment
    found = place or environment.get("SPNAV_SOCKET", "")
    if not found:
        try:
            lines = (SETTINGS if settings is None else settings).read_text(errors="replace").splitlines()
        except OSError:
            lines = []
        pairs = (line.partition("#")[0].partition("=") for line in lines)
        found = next((value.strip() for name, equals, value in pairs if equals and name.strip() == "socket"), "")
    return found or USUAL_SOCKET


def connect_to(path: str, url: str) -> Port:
    """A stream to the daemon; raises a DeviceError that says what to do."""
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    stream.setblocking(False)
    try:
        stream.connect(path)
    except OSError as error:
        stream.close()
        raise _socket_error(path, url, error) from None
    return Port(stream.detach(), path)


def _socket_error(path: str, url: str, error: OSError) -> DeviceError:
    if error.errno in (errno.EACCES, errno.EPERM):
        return DeviceDeniedError(f"{url}: no permission to use {path}; ask who runs spacenavd")
    if error.errno == errno.EAGAIN:
        return DeviceBusyError(f"{url}: spacenavd at {path} takes no more clients now; is it stuck?")
    if error.errno == errno.ECONNREFUSED and Path(path).exists() and not Path(path).is_socket():
        return DeviceMismatchError(f"{url}: {path} is not a socket")
    if error.errno in (errno.EPROTOTYPE, errno.ENOTSOCK):
        return DeviceMismatchError(f"{url}: {path} is a socket of another kind")
    return DeviceNotFoundError(f"{url}: no spacenavd at {path}; start it (systemctl start spacenavd) or give its path")


class SpacenavScheme:
    """The scheme `spacenav:`."""

    def open(self, address: Address, clock: Clock) -> Device:
        """Open `spacenav:` or `spacenav:/path/to/socket`."""
        address.allow(("full", "full_turn"))
        path = socket_path(address.place)
        device = Spacenav(address.url, clock, lambda: connect_to(path, address.url), axes_of(address, SPACENAVD))
        device.wait_until_ready(OPENING)
        return device

    def find(self) -> Iterable[Found]:
        """The daemon's socket, if there is one; nobody is disturbed."""
        path = socket_path()
        try:
            there = stat.S_ISSOCK(Path(path).stat().st_mode)
        except OSError:
            there = False
        return [Found("spacenav:", "spacenavd", path, False)] if there else []


SCHEME = SpacenavScheme()
