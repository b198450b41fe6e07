"""From one assembly to another: with `crossing yes` the singularity between them is felt and crossed, else it holds."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from station.haptics import Cause
from station.kernel import Floats
from station.servo.shared import SetGain
from tests.servo.rigs import Bench, ideal
from tests.servo.test_felt_closures import SEAT, STRETCHED

CROSSING = STRETCHED.replace("device 1 { type spaceball }", "device 1 { type spaceball  haptics { crossing yes } }")
assert CROSSING != STRETCHED
DOWN = SEAT.T @ np.array([0.0, -1.0, 0.0])  # of the hand, so that the pen goes to the motors
SPEED = 0.1  # of the hand [m/s]


class Way(NamedTuple):
    pushes: Floats  # force of the singularity against the way, tick by tick [N]
    sides: Floats  # sine of the angle between the forearms
    speeds: Floats  # of the joints in each tick [rad/s]
    gap: float  # largest of the loop [m]


def side(bench: Bench) -> float:
    """Sine of the angle between the forearms: 0 where they are in line, and two assemblies meet."""
    first, second, third, fourth = bench.robot.q
    return math.sin((third + fourth) - (first + second))


def pushed(bench: Bench, metres: float) -> Way:
    """The hand goes down by so much, whatever it feels."""
    pushes, sides, speeds, gap = [], [], [], 0.0
    for _ in bench.move(bench.device.place + metres * DOWN, metres / SPEED):
        pushes.append(-float(bench.shared.wrench_parts[Cause.SINGULARITY, :3] @ DOWN))
        sides.append(side(bench))
        speeds.append(np.abs(bench.robot.velocity).copy())
        gap = max(gap, bench.robot.closure_error.metres)
    return Way(np.array(pushes), np.array(sides), np.array(speeds), gap)


def began(bench: Bench) -> float:
    bench.servo.part.orders.decide(SetGain(Cause.CUES, 0.0))
    bench.engage()
    return side(bench)


def test_a_firm_push_crosses_with_a_bounded_force_and_bounded_speeds(tmp_path: Path) -> None:
    with ideal(CROSSING, tmp_path, force=8.0) as bench:
        before, law = began(bench), bench.servo.part.rig.renderer.settings.singularity
        assert law.crossing
        way = pushed(bench, 0.32)
        assert np.sign(way.sides[-1]) == -np.sign(before)  # in the other assembly
        crossed = int(np.argmax(np.sign(way.sides) != np.sign(before)))
        # Felt before, against the way; bounded; and behind it the push helps on.
        assert way.pushes[:crossed].max() > 0.5
        assert np.abs(way.pushes).max() <= law.force + 1e-6
        assert way.pushes[crossed + 20 :].min() < -0.5
        assert way.pushes[0] == way.pushes[-1] == 0.0
        limits = np.array([joint.speed or math.inf for joint in bench.robot.joints])
        assert (way.speeds <= limits * (1.0 + 1e-9)).all()
        assert way.speeds.max() <= 10.0
        assert way.gap < 1e-9


def test_who_does_not_push_through_is_pushed_back(tmp_path: Path) -> None:
    with ideal(CROSSING, tmp_path, force=8.0) as bench:
        before = began(bench)
        way = pushed(bench, 0.32)
        crossed = int(np.argmax(np.sign(way.sides) != np.sign(before)))
    with ideal(CROSSING, tmp_path, force=8.0) as bench:
        before = began(bench)
        short = SPEED * bench.servo.period * (crossed - 25)
        way = pushed(bench, short)
        assert np.sign(way.sides[-1]) == np.sign(before)
        assert way.pushes[-1] > 0.5


def test_off_no_push_crosses(tmp_path: Path) -> None:
    """The robot stops short of it without chatter, keeps its loops and limits, and comes back with the hand."""
    with ideal(STRETCHED, tmp_path, force=8.0) as bench:
        before = began(bench)
        assert not bench.servo.part.rig.renderer.settings.singularity.crossing
        way = pushed(bench, 0.32)
        assert (np.sign(way.sides) == np.sign(before)).all()
        assert np.abs(way.pushes).max() == 0.0  # of the singularity; what holds it is felt by the coupling
        assert way.gap < 1e-9
        assert bench.force @ DOWN < -1.0
        bench.ticks(2500)  # along where it is held back, to where it is nearest to the hand
        held = bench.robot.q
        for _ in range(200):
            bench.ticks()
            assert np.abs(bench.robot.q - held).max() < 1e-6
            assert np.sign(side(bench)) == np.sign(before)
        bench.lead(bench.device.place - 0.32 * DOWN, 3.2)
        bench.ticks(1000)
        assert side(bench) == pytest.approx(before, abs=1e-3)
        assert np.abs(bench.force).max() < 1e-3


def test_off_a_slow_hand_is_followed_smoothly_until_it_is_held_back(tmp_path: Path) -> None:
    """No chatter: from tick to tick speeds change by no more than the acceleration of braking."""
    with ideal(STRETCHED, tmp_path, force=8.0) as bench:
        began(bench)
        way = pushed(bench, 0.3)
        assert np.abs(np.diff(way.speeds[100:], axis=0)).max() / bench.servo.period < 20.0


def test_serial_robots_and_those_whose_drives_see_all_are_as_ever(tmp_path: Path) -> None:
    for name in ("ur5e", "cross-delta"):
        with ideal(name, tmp_path) as bench:
            bench.engage()
            memory = bench.robot.memory
            memory.assembly_wait = 0
            bench.lead(0.02 * DOWN, 0.1)
            assert memory.keeps_assembly
            assert (memory.contact_frame != -1).all()


@pytest.mark.parametrize("word", ["maybe", "1"])
def test_other_words_are_refused(word: str, tmp_path: Path) -> None:
    with (
        pytest.raises(ValueError, match="yes"),
        ideal(CROSSING.replace("crossing yes", f"crossing {word}"), tmp_path),
    ):
        pass
