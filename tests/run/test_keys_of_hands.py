"""Keys of the terminal with several hands: one is chosen, the stop is everybody's; joints led by keys."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from station.run.keyboard import Keyboard, watched
from station.servo.shared.words import Mode
from tests.servo.test_parts import SWITCHED, Hands, gantries, hands_on
from tests.servo.test_stopping import keyboard

pytestmark = pytest.mark.wall_clock


class Seat:
    """Somebody at a terminal, before a servo of several parts."""

    def __init__(self, bench: Hands, keys: Keyboard, fingers: int) -> None:
        self.bench, self.keys, self._fingers = bench, keys, fingers
        self.told: list[str] = []

    def type(self, text: str) -> None:
        os.write(self._fingers, text.encode())

    def eventually(self, true: Callable[[], bool]) -> bool:
        for _ in range(2000):
            self.bench.ticks(2)
            self.keys.look(self.told.append)
            if true():
                return True
            time.sleep(0.005)
        return False

    def says(self, text: str) -> bool:
        return self.eventually(lambda: any(text in line for line in self.told))


@contextmanager
def seated(scene: str, folder: Path, *names: str) -> Iterator[Seat]:
    with (
        hands_on(scene, folder, *names) as bench,
        keyboard() as (fingers, source),
        watched(bench.servo.part.writer.path, source) as keys,
    ):
        bench.ticks(20)
        yield Seat(bench, keys, fingers)


def test_a_key_chooses_the_hand_and_says_which(tmp_path: Path) -> None:
    with seated(gantries("left", "right", ""), tmp_path, "left", "right") as seat:
        assert "tab: next hand" in seat.keys.help[0]
        assert seat.keys.help[-1].startswith("keys are for left, which leads robot1 now")
        seat.type("\t")
        assert seat.says("keys are for right, which leads robot2 now (READY)")
        seat.type("\t")
        assert seat.says("keys are for robot3, which no device leads (READY)")
        seat.type("l")
        assert seat.says("robot3: no device leads it; commands do")
        seat.type("\tt")
        assert seat.says("left: tare: refused, not with this device or robot")


def test_hold_is_for_all_and_the_stop_is_everybodys(tmp_path: Path) -> None:
    with seated(gantries("left", "right"), tmp_path, "left", "right") as seat:
        seat.bench.press("left", "right")
        assert seat.bench.states == ["ENGAGED", "ENGAGED"]
        seat.type("h")
        assert seat.eventually(lambda: seat.bench.states == ["HOLD", "HOLD"])
        seat.type("\t ")
        assert seat.eventually(lambda: seat.bench.states == ["FAULT", "FAULT"])
        seat.type("r")
        assert seat.eventually(lambda: seat.bench.states == ["READY", "READY"])


def test_a_device_is_switched_by_a_key(tmp_path: Path) -> None:
    with seated(SWITCHED, tmp_path, "left", "right") as seat:
        seat.type("l")
        assert seat.says("left leads one already")
        seat.type("\t\tl")
        assert seat.says("left leads two now; press its dead-man anew")
        assert [bool(part.memory.leads) for part in seat.bench.servo.parts] == [False, False, True]


def test_joints_are_led_by_keys(tmp_path: Path) -> None:
    with seated(gantries("left", ""), tmp_path, "left") as seat:
        led, alone = seat.bench.servo.parts
        seat.type("\tj")
        assert seat.says("joints of robot2 are led by keys")
        assert alone.memory.mode is Mode.JOINTS
        assert led.memory.mode is Mode.POSITION
        seat.type("2++-+3-")
        assert seat.says("joint 3 to -2.0 mm")
        seat.bench.ticks(300)
        np.testing.assert_allclose(alone.shared.predicted_q, [0.0, 0.004, -0.002], atol=1e-9)
        seat.type("j")
        assert seat.says("the hand leads robot2")
        seat.told.clear()
        seat.type("+\t")  # no joint is led: not a step
        assert seat.says("keys are for left")
        assert alone.shared.predicted_q[2] == pytest.approx(-0.002)


def test_one_hand_alone_is_as_it_was(tmp_path: Path) -> None:
    with seated(gantries("left"), tmp_path, "left") as seat:
        assert len(seat.keys.help) == 1
        seat.type("\tlt")
        assert seat.says("tare: refused")
        assert seat.told == ["tare: refused, not with this device or robot"]


def test_a_constraint_is_switched_by_keys(tmp_path: Path) -> None:
    with seated("two_arms_bar", tmp_path, "1", "2") as seat:
        part = seat.bench.servo.part
        seat.type("c1")
        assert seat.says("constraint 1 off, left")
        assert seat.eventually(lambda: part.shared.constraints_on == 0)
        seat.type("cx1c1")  # only a number right after it counts
        assert seat.says("constraint 1 on, left")
        assert seat.eventually(lambda: part.shared.constraints_on == 1)
        assert part.shared.edit == 2
        seat.type("c7")
        assert seat.says("constraint 7 on: refused, beyond what this robot or device allows")
