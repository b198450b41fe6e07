"""The client of spacenavd on an emulated daemon: versions, devices that come and go, sockets of something else."""

from __future__ import annotations

import socket
from pathlib import Path

import numpy as np
import pytest

from firmware_bridge.spacemouse.spacenavd import SCHEME, USUAL_SOCKET, Spacenav, socket_path
from sim_devices.spacemouse import ScriptedHand, SpacenavdEmulator
from station.clock import VirtualClock
from station.devices.address import parse_address
from station.devices.device import DeviceStatus
from station.devices.errors import DeviceError, DeviceMismatchError, DeviceNotFoundError, DeviceSilentError
from tests.firmware_bridge.spacemouse.benches import AWAY, Bench, spacenavd


@pytest.mark.parametrize(("version", "agreed"), [(0, 0), (1, 1), (7, 1)])
def test_the_newest_version_that_both_know_is_agreed_on(version: int, agreed: int) -> None:
    bench = spacenavd(version)
    assert isinstance(bench.device, Spacenav)
    assert bench.device.version == agreed
    bench.close()


def test_an_old_daemon_gets_its_sensitivity_back() -> None:
    bench = spacenavd(0)
    bench.run(0.01)
    assert [client.sensitivity for client in bench.emulator._clients] == [1.0]  # type: ignore[attr-defined]
    bench.close()


def test_a_device_that_is_unplugged_from_the_daemon_is_lost_and_found() -> None:
    bench = spacenavd(1)
    bench.hand.move(lambda _: AWAY)
    bench.run(0.1)
    bench.emulator.plug_device(False)  # type: ignore[attr-defined]
    assert bench.time_until(DeviceStatus.LOST) < 0.01
    assert "has no device" in bench.device.reason
    bench.hand.move(None)
    bench.run(1.0)
    assert bench.device.status is DeviceStatus.LOST
    bench.emulator.plug_device(True)  # type: ignore[attr-defined]
    assert bench.time_until(DeviceStatus.READY) < 0.2
    bench.close()


def test_a_cap_held_perfectly_still_is_let_go_if_the_daemon_does_not_repeat_itself() -> None:
    clock, hand = VirtualClock(), ScriptedHand(lambda _: AWAY)
    emulator = SpacenavdEmulator(clock=clock, motion=hand, repeat=False)
    bench = Bench(clock, hand, emulator, SCHEME.open(parse_address(emulator.address), clock))
    bench.run(0.1)
    assert 0.3 < bench.time_until(DeviceStatus.LOST) < 0.51
    bench.run(1.0)
    assert bench.device.status is DeviceStatus.LOST, "the daemon answers, but that says nothing of the cap"
    hand.move(lambda _: (0.0, 0.5, 0.0, 0.0, 0.0, 0.0))
    bench.time_until(DeviceStatus.READY)
    bench.close()


def test_a_daemon_that_hangs_is_lost() -> None:
    bench = spacenavd(1)
    bench.emulator.faults.add("deaf")
    assert bench.time_until(DeviceStatus.LOST) < 0.45
    bench.emulator.faults.clear()
    assert bench.time_until(DeviceStatus.READY) < 0.3
    bench.close()


def refusal(place: str, clock: VirtualClock | None = None) -> DeviceError:
    with pytest.raises(DeviceError) as caught:
        SCHEME.open(parse_address(f"spacenav:{place}"), clock or VirtualClock())
    assert "\n" not in str(caught.value)
    return caught.value


def test_no_daemon(tmp_path: Path) -> None:
    error = refusal(str(tmp_path / "none.sock"))
    assert isinstance(error, DeviceNotFoundError)
    assert "start it" in str(error)


def test_a_file_that_is_no_socket(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("hello")
    assert isinstance(refusal(str(path)), DeviceMismatchError)


def test_a_daemon_without_a_device() -> None:
    clock = VirtualClock()
    emulator = SpacenavdEmulator(clock=clock)
    emulator.has_device = False
    error = refusal(emulator.path, clock)
    assert isinstance(error, DeviceSilentError)
    assert "has no device" in str(error)
    emulator.close()


def test_another_program_at_the_socket(tmp_path: Path) -> None:
    path, clock = str(tmp_path / "other.sock"), VirtualClock()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen()
    streams: list[socket.socket] = []

    def answer(_: float) -> None:
        if not streams:
            streams.append(listening.accept()[0])
            streams[0].send(b"220 mail.example.org ESMTP ready, what do you want\r\n")

    clock.attach(answer)
    error = refusal(path, clock)
    assert isinstance(error, DeviceMismatchError)
    assert "not spacenavd" in str(error)
    for stream in [*streams, listening]:
        stream.close()


def test_where_the_socket_is(tmp_path: Path) -> None:
    settings = tmp_path / "spnavrc"
    settings.write_text("# comment\nsensitivity = 1.0\nsocket = /run/other.sock  # here\n")
    none = tmp_path / "none"
    assert socket_path("/a", {"SPNAV_SOCKET": "/b"}, settings) == "/a"
    assert socket_path("", {"SPNAV_SOCKET": "/b"}, settings) == "/b"
    assert socket_path("", {}, settings) == "/run/other.sock"
    assert socket_path("", {}, none) == USUAL_SOCKET


def test_it_is_found_without_being_disturbed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    clock = VirtualClock()
    emulator = SpacenavdEmulator(clock=clock)
    monkeypatch.setenv("SPNAV_SOCKET", emulator.path)
    assert [found.url for found in SCHEME.find()] == ["spacenav:"]
    clock.advance(0.01)
    assert not emulator._clients
    emulator.close()
    assert list(SCHEME.find()) == []


def test_a_button_held_while_the_device_goes_is_up_when_it_comes_back() -> None:
    bench = spacenavd(1)
    bench.hand.press(0)
    bench.run(0.1)
    bench.emulator.plug_device(False)  # type: ignore[attr-defined]
    bench.run(0.1)
    bench.emulator.plug_device(True)  # type: ignore[attr-defined]
    bench.hand.press(1)
    sample = bench.run(0.3)
    assert sample is not None
    assert sample.buttons == 0b10, "the first was let go for safety, and nobody has said since that it is down"
    bench.close()


def test_two_clients_are_served_alike() -> None:
    bench = spacenavd(1)
    other = SCHEME.open(parse_address(bench.emulator.address), bench.clock)
    bench.hand.move(lambda _: AWAY)
    mine = bench.run(0.1)
    theirs = other.newest()
    assert mine is not None
    assert theirs is not None
    np.testing.assert_array_equal(mine.pose, theirs.pose)
    other.close()
    bench.run(0.1)
    assert bench.device.status is DeviceStatus.READY
    bench.close()
