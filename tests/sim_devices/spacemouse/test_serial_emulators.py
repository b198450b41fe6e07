"""Emulated Magellan and Spaceball: what they answer, when they speak, on a pseudo-terminal too."""

from __future__ import annotations

import threading

import pytest

from firmware_bridge.spacemouse.magellan import open_magellan
from firmware_bridge.spacemouse.magellan_records import Kind, MagellanParser, Record
from firmware_bridge.spacemouse.spaceball_records import SpaceballParser
from sim_devices.ends import PtyEnd, SocketEnd
from sim_devices.faults import FaultScript, parse_faults
from sim_devices.spacemouse import MagellanEmulator, ScriptedHand, SpaceballEmulator
from sim_devices.spacemouse.hand import PatientHand
from station.clock import WALL, VirtualClock
from station.devices import open_device
from station.devices.address import parse_address


class Line:
    """An emulated Magellan and a terminal to talk to it."""

    def __init__(self, faults: str = "") -> None:
        self.clock, self.hand = VirtualClock(), ScriptedHand()
        self.end = SocketEnd("line")
        self.emulator = MagellanEmulator(
            end=self.end, clock=self.clock, faults=FaultScript(parse_faults(faults)), motion=self.hand
        )
        self.port = self.end.connect()

    def say(self, words: bytes, seconds: float = 0.2) -> bytes:
        self.port.write(words)
        heard = b""
        for _ in range(round(seconds * 1000)):
            self.clock.advance(0.001)
            heard += self.port.read()
        return heard

    def close(self) -> None:
        self.port.close()
        self.emulator.close()


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (b"m3\r", b"m3\r"),
        (b"mQ\r", b"m0\r"),
        (b"c3B\r", b"c3B\r"),
        (b"kQ\r", b"k000\r"),
        (b"z\r", b"z\r"),
        (b"p?B\r", b"p?B\r"),
        (b"x\r", b"e1x\r"),
        (b"m\x01\r", b"e1m\x01\r"),
        (b"@RESET\r", b""),
    ],
)
def test_commands_are_answered_as_the_manual_says(line: Line, command: bytes, answer: bytes) -> None:
    assert line.say(command) == answer
    line.close()


def test_it_introduces_itself(line: Line) -> None:
    assert line.say(b"vQ\r").startswith(b"vMAGELLAN")
    line.close()


def test_a_deflected_cap_streams_every_60_ms_and_ends_with_one_record_of_zeros(line: Line) -> None:
    line.say(b"m3\r")
    line.say(b"pBB\r")
    line.hand.move(lambda _: (0.0, 0.1, 0.0, 0.0, 0.0, 0.0))
    streamed = MagellanParser().feed(line.say(b"", 0.6))
    assert 9 <= len(streamed) <= 10
    assert set(streamed) == {Record(Kind.MOTION, (40, 0, 0, 0, 0, 0))}
    line.hand.move(None)
    ended = MagellanParser().feed(line.say(b"", 1.0))
    assert ended[-1].values == (0,) * 6
    assert sum(record.values == (0,) * 6 for record in ended) == 1
    line.close()


def test_before_its_mode_is_set_it_tells_no_motion(line: Line) -> None:
    line.hand.move(lambda _: (1.0,) * 6)
    assert line.say(b"", 0.5) == b""
    line.close()


def test_bytes_take_their_time_on_the_line(line: Line) -> None:
    assert line.say(b"vQ\r", 0.04) == b""
    assert line.say(b"", 0.04) != b""
    line.close()


def test_the_same_seed_gives_the_same_bytes() -> None:
    def record() -> bytes:
        line = Line("corrupt p=0.5; drop p=0.2")
        line.say(b"m3\r")
        line.hand.move(lambda t: (t, 0.0, 0.0, 0.0, 0.0, 0.0))
        heard = line.say(b"", 2.0)
        line.close()
        return heard

    assert record() == record()


def test_a_spaceball_greets_after_a_reset_and_is_deaf_meanwhile() -> None:
    clock, end = VirtualClock(), SocketEnd("line")
    emulator = SpaceballEmulator(end=end, clock=clock)
    port = end.connect()
    clock.advance(1.0)
    port.read()
    port.write(b"\r@RESET\r")
    clock.advance(0.1)
    port.write(b"k\r")
    clock.advance(0.5)
    assert port.read() == b""
    clock.advance(0.5)
    kinds = [record.kind.name for record in SpaceballParser().feed(port.read())]
    assert kinds == ["TEXT", "TEXT"]
    port.close()
    emulator.close()


def test_on_a_pseudo_terminal_and_wall_time_the_driver_sets_the_speed_and_reads() -> None:
    emulator = MagellanEmulator(motion=lambda _: (0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
    stop = threading.Event()

    def live() -> None:
        while not stop.is_set():
            emulator.run(0.01)

    thread = threading.Thread(target=live)
    thread.start()
    device = open_magellan(parse_address(emulator.address), WALL)
    assert isinstance(emulator.end, PtyEnd)
    assert emulator.end.baud == 9600
    end = WALL.now() + 20.0
    while (sample := device.newest()) is None or sample.pose[2, 3] == 0.0:
        assert WALL.now() < end
        WALL.sleep_until(WALL.now() + 0.001)
    assert sample.pose[2, 3] == pytest.approx(0.0015)
    device.close()
    stop.set()
    thread.join()
    emulator.close()


def test_a_patient_hand_waits_until_the_device_is_asked_on_and_on() -> None:
    hand = PatientHand(ScriptedHand(lambda now: (now, 0.0, 0.0, 0.0, 0.0, 0.0), {0: (0.0, 9.0)}))
    for now in (0.0, 0.01, 0.02, 1.0, 1.1, 1.2, 2.0):  # a greeting, a look, a silence
        hand.hear(now)
        assert (hand.deflection(now)[0], hand.buttons(now)) == (0.0, 0)
    for now in (2.1, 2.2, 2.3, 2.4):
        hand.hear(now)
    assert hand.buttons(2.4) == 1
    assert hand.deflection(2.8)[0] == pytest.approx(0.5, abs=0.11)  # its time began when it did


@pytest.mark.parametrize("kind", ["magellan", "spaceball"])
def test_the_hand_at_a_cap_begins_when_a_station_looks_at_it_all_the_time(kind: str) -> None:
    clock = VirtualClock()
    with open_device(f"sim:{kind}?patient=1&hand=press deadman; hold 5", clock) as device:
        clock.advance(3.0)  # opened, and not looked at: as while a servo gets ready
        device.newest()
        pressed = []
        for _ in range(1500):
            clock.advance(0.001)
            sample = device.newest()
            pressed.append(sample is not None and bool(sample.buttons & 1))
    assert not any(pressed[:250])
    assert pressed[-1]
