"""Something else at the port: one line that says so."""

from __future__ import annotations

import errno
import random
from collections.abc import Callable

import pytest
import serial

from firmware_bridge.port import Port
from firmware_bridge.spacemouse.magellan import open_magellan
from firmware_bridge.spacemouse.spaceball import open_spaceball
from sim_devices.ends import PtyEnd, SocketEnd
from sim_devices.faults import FaultScript, parse_faults
from sim_devices.spacemouse import MagellanEmulator, SpaceballEmulator
from station.clock import WALL, VirtualClock
from station.devices.address import Address, parse_address
from station.devices.device import Device
from station.devices.errors import (
    DeviceBusyError,
    DeviceDeniedError,
    DeviceError,
    DeviceMismatchError,
    DeviceNotFoundError,
    DeviceSilentError,
)

Opener = Callable[[Address, VirtualClock, Callable[[], Port]], Device]
OPENERS: dict[str, Opener] = {"magellan": open_magellan, "spaceball": open_spaceball}


class Stranger:
    """Something at the other end of a line: what it hears goes in, what it says comes out."""

    def __init__(self, clock: VirtualClock, says: Callable[[bytes], bytes]) -> None:
        self.end = SocketEnd("line")
        self._says = says
        clock.attach(self._step)

    def _step(self, now: float) -> None:
        said = self._says(self.end.read())
        if said:
            self.end.write(said)


def fails_with(opener: str, says: Callable[[bytes], bytes]) -> DeviceError:
    clock = VirtualClock()
    stranger = Stranger(clock, says)
    with pytest.raises(DeviceError) as caught:
        OPENERS[opener](parse_address(f"serial:/dev/ttyS9?device={opener}"), clock, stranger.end.connect)
    stranger.end.close()
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("serial:/dev/ttyS9")
    return caught.value


def modem(heard: bytes) -> bytes:
    return heard + b"\nERROR\r\n" if heard.endswith(b"\r") else heard


@pytest.mark.parametrize("opener", OPENERS)
def test_nobody_answers(opener: str) -> None:
    error = fails_with(opener, lambda _: b"")
    assert isinstance(error, DeviceSilentError)
    assert "no answer" in str(error)


@pytest.mark.parametrize("opener", OPENERS)
def test_everything_is_sent_back(opener: str) -> None:
    error = fails_with(opener, lambda heard: heard)
    assert isinstance(error, DeviceMismatchError)
    assert "sends back what it gets" in str(error)


@pytest.mark.parametrize("opener", OPENERS)
def test_a_modem_that_echoes_and_complains(opener: str) -> None:
    error = fails_with(opener, modem)
    assert isinstance(error, DeviceMismatchError | DeviceSilentError)
    assert "modem" in str(error)


@pytest.mark.parametrize("opener", OPENERS)
def test_a_wrong_speed_sounds_like_noise(opener: str) -> None:
    source = random.Random(3)
    error = fails_with(opener, lambda _: source.randbytes(3))
    assert isinstance(error, DeviceSilentError)
    assert "noise" in str(error)


@pytest.mark.parametrize("opener", OPENERS)
def test_a_syntaxer_streams_frames_of_its_own(opener: str) -> None:
    source = random.Random(4)
    frame = bytes(byte or 1 for byte in source.randbytes(60)) + b"\0"
    error = fails_with(opener, lambda _: frame)
    assert isinstance(error, DeviceSilentError)
    assert "another device" in str(error)


@pytest.mark.parametrize("opener", OPENERS)
def test_a_thing_that_talks(opener: str) -> None:
    error = fails_with(opener, lambda heard: b"login: \r\n" if heard else b"")
    assert isinstance(error, DeviceSilentError)
    assert "login" in str(error)


def test_a_spaceball_where_a_magellan_was_asked_for() -> None:
    clock, end = VirtualClock(), SocketEnd("line")
    emulator = SpaceballEmulator(end=end, clock=clock)  # it greets when it gets power
    with pytest.raises(DeviceMismatchError, match="write \\?device=spaceball"):
        open_magellan(parse_address("serial:/dev/ttyS9?device=magellan"), clock, end.connect)
    emulator.close()


def test_a_magellan_where_a_spaceball_was_asked_for() -> None:
    clock, end = VirtualClock(), SocketEnd("line")
    emulator = MagellanEmulator(end=end, clock=clock)
    with pytest.raises(DeviceMismatchError, match="write \\?device=magellan"):
        open_spaceball(parse_address("serial:/dev/ttyS9?device=spaceball"), clock, end.connect)
    emulator.close()


def test_a_magellan_of_another_make() -> None:
    clock, end = VirtualClock(), SocketEnd("line")
    faults = FaultScript(parse_faults("other-version version=3"))
    emulator = MagellanEmulator(end=end, clock=clock, faults=faults)
    with pytest.raises(DeviceMismatchError, match="calls itself 'STRANGER 3'"):
        open_magellan(parse_address("serial:/dev/ttyS9?device=magellan"), clock, end.connect)
    emulator.close()


def test_a_port_that_is_in_use_and_by_whom() -> None:
    end = PtyEnd("magellan")
    other = serial.Serial(end.name, 9600, exclusive=True)
    with pytest.raises(DeviceBusyError, match="process"):
        open_magellan(parse_address(f"serial:{end.name}?device=magellan"), WALL)
    other.close()
    end.close()


def test_a_port_without_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise serial.SerialException(errno.EACCES, "could not open port")

    monkeypatch.setattr(serial, "Serial", refuse)
    with pytest.raises(DeviceDeniedError, match="dialout"):
        open_magellan(parse_address("serial:/dev/null?device=magellan"), WALL)


@pytest.mark.parametrize(
    ("place", "kind"),
    [("/dev/ttyNONE", DeviceNotFoundError), ("/etc/hostname", DeviceMismatchError), ("/tmp", DeviceMismatchError)],
)
def test_no_such_port_or_no_port_at_all(place: str, kind: type[DeviceError]) -> None:
    with pytest.raises(kind):
        open_magellan(parse_address(f"serial:{place}?device=magellan"), WALL)


def test_a_port_that_is_there_but_no_terminal() -> None:
    with pytest.raises(DeviceError):
        open_magellan(parse_address("serial:/dev/null?device=magellan"), WALL)
