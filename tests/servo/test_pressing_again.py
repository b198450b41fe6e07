"""The dead-man let go and pressed again while the arm moves: setpoints go on as one motion, at any delay, on any link.

Judged by finite differences of every setpoint that the station sends, against the limits that it sends within.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from station.controllers.controller import Floats
from station.run.places import DEFAULT_BENCH
from station.servo.shared import ServoState
from tests.servo.arm_benches import OPENINGS, ArmBench, arm_bench
from tests.servo.rigs import note_setpoints

CIRCLE = "tighten 1 in 0.1; reach 0.22 0 0 in 0.4; circle radius=0.03 period=0.35 for 9"
BEGIN, END = 0.6, 2.6  # of pressing [s]
HELD, UP = (0.02, 0.05, 0.1, 0.2, 0.5), (0.005, 0.02, 0.05, 0.1, 0.2)  # for how long [s]
ROUNDING = 1e-9  # [rad]
DOWN, LIFTED = math.inf, -math.inf  # until when the dead-man is held [s]


class Sent:
    """All setpoints of a station, in runs without an interruption, each with where the arm was when it began."""

    def __init__(self, bench: ArmBench) -> None:
        self.bench, self.runs, self.began = bench, list[list[Floats]](), list[Floats]()
        self._tick = -2
        note_setpoints(bench.servo, self._note)

    def _note(self, q: Floats) -> None:
        tick = self.bench.servo.pace.tick
        if tick != self._tick + 1:
            self.runs.append([])
            self.began.append(self.bench.shared.measured_q.copy())
        self._tick = tick
        self.runs[-1].append(q)

    def check(self) -> None:
        """Place, speed, acceleration and jerk of all of it."""
        arm = self.bench.servo.part.arm
        assert arm is not None
        step = self.bench.servo.period
        _, _, speed, acceleration, jerk = np.array([limit[:5] for limit in arm.shaper.limits]).T
        for run, began in zip(self.runs, self.began, strict=True):
            q = np.array(run)
            assert np.abs(q[0] - began).max() < 0.002
            for order, limit in ((1, speed), (2, acceleration), (3, jerk)):
                assert (np.abs(np.diff(q, order, axis=0)) <= limit * step**order * 1.001 + ROUNDING).all()


@pytest.fixture(name="free_bench")
def _free_bench(tmp_path: Path) -> Path:
    """The default bench without anything to run into."""
    lines = DEFAULT_BENCH.read_text(encoding="utf8").splitlines()
    file = tmp_path / "free.mad"
    file.write_text("\n".join(line for line in lines if not line.startswith("obstacle")), encoding="utf8")
    return file


def press_at_random(bench: ArmBench, seed: int) -> set[ServoState]:
    """Press and let go as chance has it; the states that it went through."""
    servo, random = bench.servo, np.random.default_rng(seed)
    servo.part.memory.dead_man_button = -1  # the hand goes on; the dead-man is ours
    bench.until(BEGIN)
    held, states = False, set[ServoState]()
    while servo.clock.now() < END:
        held = not held
        servo.part.memory.held_until = DOWN if held else LIFTED
        until = servo.clock.now() + random.choice(HELD if held else UP)
        while servo.clock.now() < until:
            bench.ticks()
            states.add(bench.state())
    return states


@pytest.mark.parametrize(
    ("link", "delay", "seed"),
    [
        *((link, 0.0, 1) for link in OPENINGS),
        *(("serial", delay, seed) for delay in (0.01, 0.04, 0.1) for seed in (1, 2)),  # one way [s]
        *(("tcp", delay, 3) for delay in (0.01, 0.04, 0.1)),
        ("ur", 0.01, 1),
        ("ur", 0.04, 2),
        ("modbus", 0.01, 1),
    ],
)
def test_setpoints_keep_their_limits_however_the_dead_man_is_pressed(
    tmp_path: Path, free_bench: Path, link: str, delay: float, seed: int
) -> None:
    with arm_bench(
        tmp_path, hand=CIRCLE, link=link, delay=delay, loss=0.0, scene_file=free_bench, arm_file=free_bench
    ) as bench:
        sent = Sent(bench)
        states = press_at_random(bench, seed)
        if (link, delay) != ("modbus", 0.01):  # where the arm judges setpoints by when they come, 22 ms and more apart
            assert states <= {ServoState.READY, ServoState.ENGAGED, ServoState.HOLD}, bench.arm.reason
        assert ServoState.ENGAGED in states
        sent.check()
        assert max(np.abs(np.diff(run, axis=0)).max() for run in sent.runs if len(run) > 1) > 0.0005  # it moved [rad]


def test_the_check_sees_a_setpoint_that_begins_where_the_arm_was(tmp_path: Path, free_bench: Path) -> None:
    """As it would be if engaging again began at the measured pose: the arm lags behind."""
    with arm_bench(tmp_path, hand=CIRCLE, scene_file=free_bench, arm_file=free_bench) as bench:
        sent, arm = Sent(bench), bench.servo.part.arm
        assert arm is not None
        press_at_random(bench, 1)
        sent.check()
        sent.runs[-1].append(sent.runs[-1][-1] + 0.0036)
        with pytest.raises(AssertionError):
            sent.check()


def test_an_arm_that_is_held_off_its_way_is_led_anew_from_where_it_is(tmp_path: Path, free_bench: Path) -> None:
    """Setpoints come to rest, the arm holds by itself, and a new motion begins; nothing leaps to where it is."""
    with arm_bench(tmp_path, hand=CIRCLE, scene_file=free_bench, arm_file=free_bench) as bench:
        sent, servo, arm = Sent(bench), bench.servo, bench.servo.part.arm
        assert arm is not None
        servo.part.memory.dead_man_button, servo.part.memory.held_until = -1, LIFTED
        bench.until(BEGIN)
        servo.part.memory.held_until = DOWN
        bench.ticks(400)
        assert bench.state() is ServoState.ENGAGED
        servo.part.memory.held_until = LIFTED
        bench.ticks(5)
        tubes = arm.shaper.numbers.outer
        tubes[:], usual = 1e-6, tubes.copy()  # as if it were far off
        bench.ticks()
        servo.part.memory.held_until = DOWN
        bench.ticks(20)
        assert bench.state() is ServoState.HOLD
        tubes[:] = usual
        bench.ticks(600)
        assert bench.state() is ServoState.ENGAGED
        assert len(sent.runs) == 2
        sent.check()
