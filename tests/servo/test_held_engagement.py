"""Where the device has no dead-man button, who sends Engage is the dead-man: held, renewed, one at a time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from station.clock import VirtualClock
from station.run.keyboard import watched
from station.servo.rig import Wanted, put_together
from station.servo.servo import Servo
from station.servo.shared import (
    Command,
    CommandClient,
    CommandError,
    EmergencyStop,
    Engage,
    Event,
    Hold,
    Reason,
    ServoState,
)
from station.servo.shared.commands import HELD_FOR, SAID_EVERY
from tests.servo.rigs import GANTRY, Bench, IdealDevice, loaded
from tests.servo.test_stopping import eventually, keyboard

pytestmark = pytest.mark.wall_clock

ENGAGED, HOLD = ServoState.ENGAGED, ServoState.HOLD
CLIENT = """
import sys, time
from pathlib import Path
from station.servo.shared import CommandClient, Engage
from station.servo.shared.commands import SAID_EVERY
with CommandClient(Path(sys.argv[1])) as client:
    press = Engage.pressed()
    while True:
        client.send(press)
        time.sleep(SAID_EVERY)
"""


@contextmanager
def buttonless(folder: Path) -> Iterator[Bench]:
    """A bench whose device has no button at all."""
    clock = VirtualClock(1.0)
    hand = IdealDevice(clock)
    hand.capabilities = replace(hand.capabilities, buttons=())
    with Servo(put_together(loaded(GANTRY), hand, Wanted()), clock=clock, folder=folder) as servo:
        bench = Bench(servo, hand)
        bench.ticks(5)
        yield bench


def ask(bench: Bench, command: Command) -> Reason:
    """What the servo says to a command, which it gets between two ticks."""
    reason = bench.servo.part.orders.decide(command)
    bench.ticks()
    return reason


def hold_on(bench: Bench, press: Engage, seconds: float) -> None:
    """Say it again and again."""
    for _ in range(round(seconds / SAID_EVERY)):
        assert ask(bench, press) is Reason.ACCEPTED
        bench.ticks(round(SAID_EVERY / bench.servo.period) - 1)


def test_engaging_lasts_as_long_as_it_is_said_again(tmp_path: Path) -> None:
    with buttonless(tmp_path) as bench:
        press = Engage.pressed()
        hold_on(bench, press, 1.0)
        assert bench.servo.part.state is ENGAGED
        bench.ticks(round(HELD_FOR / bench.servo.period))
        assert bench.servo.part.state is HOLD
        assert bench.shared.cause is Event.RELEASED


def test_a_press_that_has_run_out_does_not_engage_again(tmp_path: Path) -> None:
    with buttonless(tmp_path) as bench:
        press = Engage.pressed()
        hold_on(bench, press, 0.1)
        bench.ticks(200)
        for _ in range(20):
            assert ask(bench, press) is Reason.DEAD_MAN
        assert bench.servo.part.state is HOLD
        assert ask(bench, Engage.pressed()) is Reason.ACCEPTED
        assert bench.servo.part.state is ENGAGED


def test_one_client_at_a_time_holds_the_dead_man(tmp_path: Path) -> None:
    with buttonless(tmp_path) as bench:
        first, second = Engage.pressed(), Engage.pressed()
        assert ask(bench, first) is Reason.ACCEPTED
        assert ask(bench, second) is Reason.TAKEN
        bench.ticks(round(HELD_FOR / bench.servo.period) - 2)  # in the very tick in which the first has run out
        assert bench.servo.part.state is ENGAGED
        assert ask(bench, second) is Reason.TAKEN
        bench.ticks()
        assert bench.servo.part.state is HOLD
        assert ask(bench, second) is Reason.ACCEPTED


@pytest.mark.parametrize("order", [Hold(), EmergencyStop()], ids=["hold", "stop"])
def test_hold_and_stop_end_a_press(tmp_path: Path, order: Command) -> None:
    with buttonless(tmp_path) as bench:
        press = Engage.pressed()
        hold_on(bench, press, 0.1)
        assert ask(bench, order) is Reason.ACCEPTED
        assert bench.servo.part.state is not ENGAGED
        assert ask(bench, press) in (Reason.DEAD_MAN, Reason.FAULT)
        bench.ticks(5)
        assert bench.servo.part.state is not ENGAGED


def test_a_client_that_is_killed_while_it_engages_leaves_the_robot_held(tmp_path: Path) -> None:
    with buttonless(tmp_path) as bench:
        client = subprocess.Popen([sys.executable, "-c", CLIENT, str(bench.servo.part.intake.path)])
        try:
            assert eventually(bench, lambda: bench.servo.part.state is ENGAGED)
            os.kill(client.pid, signal.SIGKILL)
            client.wait()
            bench.ticks(round(HELD_FOR / bench.servo.period) + 2)  # what it had sent last is taken in the first
            assert bench.servo.part.state is HOLD
        finally:
            client.kill()
            client.wait()


def test_a_press_of_a_device_with_a_dead_man_button_is_no_dead_man(tmp_path: Path) -> None:
    clock = VirtualClock(1.0)
    hand = IdealDevice(clock)
    with Servo(put_together(loaded(GANTRY), hand, Wanted()), clock=clock, folder=tmp_path) as servo:
        bench = Bench(servo, hand)
        bench.ticks(5)
        assert ask(bench, Engage.pressed()) is Reason.DEAD_MAN
        assert servo.part.state is ServoState.READY


def test_a_key_of_the_terminal_engages_while_it_is_repeated(tmp_path: Path) -> None:
    with (
        buttonless(tmp_path) as bench,
        keyboard() as (fingers, source),
        watched(bench.servo.part.writer.path, source, engages=True),
    ):
        os.write(fingers, b"e")  # the first alone may be a slip of the finger
        held_down(bench, fingers, 0.15, repeat=False)
        assert bench.servo.part.state is ServoState.READY
        for _ in range(20):  # a machine that stands still for a moment has not held it down
            if bench.servo.part.state is not ENGAGED:
                held_down(bench, fingers, 0.3)
        assert bench.servo.part.state is ENGAGED
        held_down(bench, fingers, 0.3, repeat=False)
        assert bench.servo.part.state is HOLD


def test_what_waited_in_the_terminal_is_no_key_held_down(tmp_path: Path) -> None:
    with (
        buttonless(tmp_path) as bench,
        keyboard() as (fingers, source),
        watched(bench.servo.part.writer.path, source, engages=True),
    ):
        os.write(fingers, 20 * b"e")
        held_down(bench, fingers, 0.3, repeat=False)
        assert bench.servo.part.state is ServoState.READY


def test_with_a_dead_man_button_the_terminal_has_no_such_key(tmp_path: Path) -> None:
    with (
        buttonless(tmp_path) as bench,
        keyboard() as (fingers, source),
        watched(bench.servo.part.writer.path, source) as keys,
    ):
        assert "engage" not in keys.help
        held_down(bench, fingers, 0.3)
        assert bench.servo.part.state is ServoState.READY
        assert bench.shared.commands_accepted == 0


def held_down(bench: Bench, fingers: int, seconds: float, repeat: bool = True) -> None:
    """Let the servo tick with the wall's time, with a key that repeats every 20 ms."""
    begin = time.monotonic()
    for number in range(round(seconds / 0.02)):
        if repeat:
            os.write(fingers, b"e")
        while time.monotonic() < begin + 0.02 * (number + 1):
            time.sleep(0.002)
        bench.ticks(20)


def test_a_client_refuses_a_press_that_is_no_number() -> None:
    with pytest.raises(CommandError, match="press"):
        Engage(-1)


def test_a_client_finds_out_that_it_was_too_slow(tmp_path: Path) -> None:
    with buttonless(tmp_path) as bench, CommandClient(bench.servo.part.intake.path) as client:
        press = Engage.pressed()
        client.send(press)
        bench.ticks(round(HELD_FOR / bench.servo.period) + 10)
        number = client.send(press)
        bench.ticks()
        answer = client.acknowledgement(number)
        assert answer is not None
        assert answer.told("engage") == "engage: refused, the dead-man is not held"
