"""Emergency stops by hand: a button of the device, a key of the terminal."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import numpy as np
import pytest

import station
from station.run.keyboard import watched
from station.servo.shared import Event, Reset, ServoState
from tests.servo.rigs import GANTRY, Bench, ideal

pytestmark = pytest.mark.wall_clock

WITH_BUTTON = GANTRY.replace("scale { 1 1 1 }", "scale { 1 1 1 } deadman 0 estop 1", 1)
STOP = 2  # bit of button 1


def is_stopped(bench: Bench) -> bool:
    stopped = bench.servo.part.state is ServoState.FAULT and bench.shared.fault is Event.ESTOP
    return bool(stopped and np.linalg.norm(bench.device.felt) == 0.0)


def test_a_button_of_the_device_stops_everything_in_the_same_tick(tmp_path: Path) -> None:
    with ideal(WITH_BUTTON, tmp_path) as bench:
        bench.engage()
        bench.lead([0.03, 0.0, 0.0], 0.1)  # against a stop
        assert np.linalg.norm(bench.force) > 0.1
        bench.device.buttons |= STOP
        bench.ticks()
        assert is_stopped(bench)
        bench.servo.part.orders.decide(Reset())
        bench.ticks(5)
        assert is_stopped(bench)  # as long as it is held
        bench.device.buttons = 0
        bench.ticks()
        bench.servo.part.orders.decide(Reset())
        bench.ticks(5)
        assert bench.servo.part.state is ServoState.READY


def test_a_button_for_two_things_is_refused() -> None:
    with pytest.raises(station.MadError, match="'deadman' and 'estop' cannot be the same button"):
        station.loads(GANTRY.replace("scale { 1 1 1 }", "scale { 1 1 1 } deadman 1 estop 1", 1))


@contextmanager
def keyboard() -> Iterator[tuple[int, TextIO]]:
    """A terminal: what is written to the first comes out of the second."""
    fingers, screen = os.openpty()
    with os.fdopen(screen, "r") as source:
        yield fingers, source
    os.close(fingers)


def test_the_space_bar_is_an_emergency_stop_and_r_resets(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path) as bench, keyboard() as (fingers, source):
        bench.engage()
        with watched(bench.servo.part.writer.path, source) as keys:
            assert keys.there
            os.write(fingers, b"x ")
            assert eventually(bench, lambda: is_stopped(bench))
            os.write(fingers, b"r")
            bench.device.buttons = 0
            assert eventually(bench, lambda: bench.servo.part.state is ServoState.READY)


def test_a_key_that_is_refused_says_why(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path) as bench, keyboard() as (fingers, source):
        said: list[str] = []
        with watched(bench.servo.part.writer.path, source) as keys:
            os.write(fingers, b"ht")  # there is no arm whose sensor could be tared
            assert eventually(bench, lambda: keys.look(said.append) or said)
        assert said == ["tare: refused, not with this device or robot"]


def test_without_a_terminal_no_key_is_watched(tmp_path: Path) -> None:
    nothing = tmp_path / "nothing"
    nothing.write_text("   ", encoding="utf8")
    with (
        ideal(GANTRY, tmp_path) as bench,
        nothing.open(encoding="utf8") as source,
        watched(bench.servo.part.writer.path, source) as keys,
    ):
        assert not keys.there


def eventually(bench: Bench, holds: object) -> bool:
    """Tick until something holds; keys come by a thread."""
    assert callable(holds)
    for _ in range(500):
        bench.ticks()
        if holds():
            return True
        time.sleep(0.01)
    return False
