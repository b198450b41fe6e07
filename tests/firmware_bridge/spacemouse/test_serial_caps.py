"""Magellan and Spaceball: greetings, questions, restarts, half-dead lines."""

from __future__ import annotations

import random

import numpy as np
import pytest

from firmware_bridge.spacemouse.magellan import Magellan, open_magellan
from firmware_bridge.spacemouse.serial_cap import Greeting, Step
from firmware_bridge.spacemouse.spaceball import open_spaceball
from sim_devices.ends import SocketEnd
from sim_devices.faults import FaultScript, parse_faults
from sim_devices.spacemouse import MagellanEmulator, ScriptedHand, SpaceballEmulator
from station.clock import VirtualClock
from station.devices.address import parse_address
from station.devices.device import DeviceStatus
from station.devices.errors import AddressError
from station.devices.software.deflection import TRAVEL
from tests.firmware_bridge.spacemouse.benches import AWAY, magellan, spaceball


def test_a_greeting_asks_again_what_it_needs_and_once_what_it_does_not() -> None:
    greeting = Greeting([Step(b"a", patience=1.0, tries=2), Step(b"b", needed=False, patience=1.0), Step(b"c")])
    assert greeting.due(0.0) == b"a"
    assert greeting.due(0.5) == b""
    assert greeting.due(1.0) == b"a"
    greeting.answered()
    assert greeting.due(1.1) == b"b"
    assert greeting.due(2.2) == b"c"
    greeting.answered()
    assert greeting.done
    assert greeting.due(9.0) == b""


def test_a_greeting_that_gets_no_answer_starts_from_the_beginning() -> None:
    greeting = Greeting([Step(b"a"), Step(b"b", patience=1.0, tries=1)])
    greeting.due(0.0)
    greeting.answered()
    assert greeting.due(0.0) == b"b"
    assert greeting.due(1.0) == b"a"


def test_a_magellan_is_never_sent_more_than_five_bytes_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, end = VirtualClock(), SocketEnd("line")
    emulator = MagellanEmulator(end=end, clock=clock)
    heard: list[bytes] = []
    read = end.read

    def overhear() -> bytes:
        heard.append(read())
        return heard[-1]

    monkeypatch.setattr(end, "read", overhear)
    device = open_magellan(parse_address(emulator.address), clock, end.connect)
    for _ in range(500):
        clock.advance(0.001)
        device.newest()
    assert max(map(len, heard)) <= 5
    assert b"kQ\r" in heard
    device.close()
    emulator.close()


def test_a_button_release_that_was_lost_is_found_out_by_asking() -> None:
    bench = magellan()
    bench.hand.press(3)
    sample = bench.run(0.2)
    assert sample is not None
    assert sample.buttons == 8
    bench.emulator.faults.add("drop for 0.02")
    bench.hand.release(3)
    sample = bench.run(0.3)
    assert sample is not None
    assert sample.buttons == 0
    bench.close()


def test_a_last_record_of_zeros_that_was_lost_is_found_out_by_asking() -> None:
    bench = magellan()
    bench.hand.move(lambda _: AWAY)
    bench.run(0.5)
    bench.hand.move(None)
    bench.emulator.faults.add("drop for 0.065")
    sample = bench.run(0.4)
    assert sample is not None
    np.testing.assert_array_equal(sample.pose, np.eye(4))
    assert DeviceStatus.LOST not in bench.seen
    bench.close()


def test_a_deaf_magellan_that_still_streams_gives_motion_but_no_buttons() -> None:
    bench = magellan()
    bench.hand.move(lambda _: AWAY)
    bench.hand.press(0)
    bench.run(0.2)
    bench.emulator.faults.add("deaf")
    sample = bench.run(1.0)
    assert sample is not None
    assert sample.pose[0, 3] == pytest.approx(-TRAVEL)
    assert sample.buttons == 0, "a dead-man that nobody has confirmed does not count"
    bench.close()


@pytest.mark.parametrize("make", [magellan, spaceball])
def test_a_device_that_starts_again_is_set_up_again(make: type) -> None:
    bench = make()
    bench.emulator.faults.add("restart for 0.5")
    bench.time_until(DeviceStatus.LOST)
    bench.run(0.5)
    bench.time_until(DeviceStatus.READY)
    bench.hand.move(lambda _: AWAY)
    sample = bench.run(0.3)
    assert sample.pose[0, 3] == pytest.approx(-TRAVEL)
    bench.close()


@pytest.mark.parametrize("fault", ["corrupt p=0.3", "drop p=0.3", "torn p=0.2", "duplicate p=0.5"])
@pytest.mark.parametrize("make", [MagellanEmulator, SpaceballEmulator])
def test_a_bad_line_opens_all_the_same(make: type, fault: str) -> None:
    clock, end = VirtualClock(), SocketEnd("line")
    emulator = make(end=end, clock=clock, faults=FaultScript(parse_faults(fault)), seed=5)
    opener = open_magellan if make is MagellanEmulator else open_spaceball
    device = opener(parse_address(emulator.address), clock, end.connect)
    assert device.status is DeviceStatus.READY
    device.close()
    emulator.close()


@pytest.mark.parametrize("make", [magellan, spaceball])
def test_noise_on_the_line_never_moves_the_robot(make: type) -> None:
    bench, source = make(), random.Random(29)
    for _ in range(5000):
        bench.emulator.end.write(source.randbytes(20))
        sample = bench.run(0.001)
        assert sample is None or (sample.pose == np.eye(4)).all()
    bench.time_until(DeviceStatus.READY)
    bench.close()


def test_a_stranger_that_took_its_place_is_a_fault_and_is_not_pestered(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = magellan()
    bench.emulator.faults.add("other-version for 3")
    bench.emulator.faults.add("silence for 0.5")
    bench.time_until(DeviceStatus.FAULT)
    asked: list[bytes] = []
    obey = bench.emulator._obey  # type: ignore[attr-defined]

    def overhear(command: bytes) -> None:
        asked.append(command)
        obey(command)

    monkeypatch.setattr(bench.emulator, "_obey", overhear)
    bench.run(1.0)
    assert bench.device.status is DeviceStatus.FAULT
    assert "calls itself" in bench.device.reason
    assert len(asked) <= 5
    bench.time_until(DeviceStatus.READY)
    bench.close()


def test_full_deflection_can_be_told_in_the_address() -> None:
    clock, end = VirtualClock(), SocketEnd("line")
    emulator = MagellanEmulator(end=end, clock=clock, motion=ScriptedHand(lambda _: (0.0, 0.5, 0.0, 0.0, 0.0, 0.0)))
    device = open_magellan(parse_address(emulator.address + "&full=200"), clock, end.connect)
    for _ in range(300):
        clock.advance(0.001)
        sample = device.newest()
    assert sample is not None
    assert sample.pose[1, 3] == pytest.approx(TRAVEL)
    device.close()
    emulator.close()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("serial:?device=magellan", "which port"),
        ("serial:/dev/null?device=magellan&ful=3", "unknown option 'ful'"),
        ("serial:/dev/null?device=magellan&full=0", "full is a number"),
        ("serial:/dev/null?device=magellan&handshake=maybe", "handshake is one of on, off"),
    ],
)
def test_mistakes_in_an_address_are_told_in_one_line(url: str, words: str) -> None:
    with pytest.raises(AddressError, match=words) as caught:
        open_magellan(parse_address(url), VirtualClock())
    assert "\n" not in str(caught.value)


def test_keys_of_a_4000_flx_are_found_out_while_opening() -> None:
    bench = spaceball(flx=True)
    assert bench.device.capabilities.model == "Spaceball 4000 FLX"
    assert len(bench.device.capabilities.buttons) == 12
    bench.close()


def test_xoff_stops_questions_until_xon() -> None:
    bench = spaceball()
    bench.emulator.end.write(b"\x13")  # type: ignore[attr-defined]
    bench.run(0.05)
    assert bench.time_until(DeviceStatus.LOST) < 0.4, "nothing was asked, nothing answered"
    bench.time_until(DeviceStatus.READY)
    bench.close()


def test_a_magellan_never_raises_once_it_is_open() -> None:
    bench = magellan()
    assert isinstance(bench.device, Magellan)
    for fault in (
        "unplug for 0.1",
        "garbage for 0.2",
        "other-device for 0.5",
        "other-version for 0.5",
        "brown-out for 1",
    ):
        bench.emulator.faults.add(fault)
        bench.run(1.0)
    bench.time_until(DeviceStatus.READY)
    bench.close()
