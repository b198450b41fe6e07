"""Keys of the terminal as the device `keyboard:`: held while they are repeated, with Shift alone, beside a window."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from station.clock import VirtualClock
from station.devices.address import parse_address
from station.devices.device import DeviceStatus
from station.devices.software.keyboard import keyboards
from station.run.keyboard import watched
from station.run.terminal_hand import TerminalHand
from station.servo.rig import Wanted, put_together
from station.servo.servo import Servo
from station.servo.shared import CommandClient, PanelInput, ServoState, StateReader
from station.servo.shared.commands import HELD_FOR
from station.servo.shared.runtime import COMMANDS
from tests.servo.rigs import GANTRY, loaded
from tests.servo.test_stopping import keyboard

pytestmark = pytest.mark.wall_clock

ENGAGED = ServoState.ENGAGED
STEP = 0.02  # [s]


class Led:
    """A servo that is led by keys, on a clock of its own."""

    def __init__(self, servo: Servo, clock: VirtualClock) -> None:
        self.servo, self.clock = servo, clock

    def live(self, seconds: float) -> None:
        for _ in range(round(seconds / self.servo.period)):
            self.servo.tick()

    def state(self) -> ServoState:
        return ServoState(self.servo.part.state)

    @property
    def place(self) -> list[float]:
        return [float(value) for value in self.servo.part.memory.frame_pose[:3, 3]]


@contextmanager
def led(folder: Path, url: str = "keyboard:") -> Iterator[Led]:
    clock = VirtualClock(1.0)
    device = keyboards.made(parse_address(url), clock)
    with Servo(put_together(loaded(GANTRY), device, Wanted()), clock=clock, folder=folder) as servo:
        yield Led(servo, clock)


@contextmanager
def hand(bench: Led, alone: bool = True, url: str = "keyboard:") -> Iterator[tuple[TerminalHand, CommandClient]]:
    path = bench.servo.part.writer.path
    with StateReader(path) as state, CommandClient(path.with_suffix(COMMANDS)) as client:
        yield TerminalHand(url, state, alone, bench.clock), client


def hold(bench: Led, keys: TerminalHand, client: CommandClient, text: str, seconds: float) -> None:
    """Time with a key that repeats, or with none."""
    for _ in range(round(seconds / STEP)):
        keys.hear(text)
        keys.tick(client)
        bench.live(STEP)


def test_a_capital_letter_leads_while_it_is_repeated(tmp_path: Path) -> None:
    with led(tmp_path) as bench, hand(bench) as (keys, client):
        hold(bench, keys, client, "", 0.2)
        assert bench.state() == ServoState.READY  # it lives, and nothing is held
        before = bench.place
        hold(bench, keys, client, "W", 1.0)
        assert bench.state() is ENGAGED
        away = [now - then for now, then in zip(bench.place, before, strict=True)]
        assert away[1] > 0.01  # away from the person
        assert abs(away[0]) < 1e-6
        hold(bench, keys, client, "", HELD_FOR + 0.1)
        assert bench.state() != ENGAGED
        stood = bench.place
        hold(bench, keys, client, "", 0.3)
        assert bench.place == pytest.approx(stood, abs=1e-6)


@pytest.mark.parametrize("text", ["w", "W" * 20, "E!", " "])
def test_what_is_not_held_down_with_shift_does_not_lead(text: str, tmp_path: Path) -> None:
    with led(tmp_path) as bench, hand(bench) as (keys, client):
        hold(bench, keys, client, "", 0.1)
        keys.hear(text)
        hold(bench, keys, client, text if text == "w" else "", 0.4)
        assert bench.state() is ServoState.READY


def test_another_key_takes_over_and_the_first_is_let_go(tmp_path: Path) -> None:
    with led(tmp_path) as bench, hand(bench) as (keys, client):
        hold(bench, keys, client, "", 0.1)
        hold(bench, keys, client, "W", 0.5)
        before = bench.place
        hold(bench, keys, client, "D", 1.0)
        moved = [now - then for now, then in zip(bench.place, before, strict=True)]
        assert moved[0] > 0.01  # to the right
        assert moved[1] < 0.005


def test_beside_a_window_the_terminal_is_silent_until_a_key_is_held(tmp_path: Path) -> None:
    with led(tmp_path) as bench, hand(bench, alone=False) as (keys, client):
        hold(bench, keys, client, "", 0.2)
        assert bench.servo.part.device.status is DeviceStatus.OPENING
        with CommandClient(bench.servo.part.writer.path.with_suffix(COMMANDS)) as window:
            for dead_man in (*(0,) * 5, *(1,) * 20):
                window.send(PanelInput((0.0,) * 6, dead_man))
                hold(bench, keys, client, "", STEP)
        assert bench.state() is ENGAGED


def test_other_keys_of_an_address_lead_with_shift_too(tmp_path: Path) -> None:
    url = "keyboard:?keys=n=x+m=-x+tab=dead-man"
    with led(tmp_path, url) as bench, hand(bench, url=url) as (keys, client):
        assert "address" in keys.help
        hold(bench, keys, client, "", 0.1)
        hold(bench, keys, client, "N", 0.6)
        assert bench.state() is ENGAGED


def test_keys_of_a_real_terminal_lead(tmp_path: Path) -> None:
    with (
        led(tmp_path) as bench,
        keyboard() as (fingers, source),
        watched(bench.servo.part.writer.path, source, device="keyboard:", alone=True) as keys,
    ):
        assert any("Shift" in line for line in keys.help)
        for _ in range(400):  # held from the very first sample on, it would be no fresh press
            bench.live(STEP)
            time.sleep(STEP)
            if bench.state() is ServoState.READY:
                break
        for _ in range(400):  # on a busy machine a key may not be repeated in time
            os.write(fingers, b"W")
            bench.live(STEP)
            time.sleep(STEP)
            if bench.state() is ENGAGED:
                break
        assert bench.state() is ENGAGED
