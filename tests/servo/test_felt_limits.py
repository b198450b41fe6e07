"""What the robot cannot do is felt: stops, speed limits, singularities; and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from station.haptics import Cause
from station.servo.shared import Acting, JointTargets, Mode, Reason, SetGain, SetMode
from tests.servo.rigs import GANTRY, Bench, emulated, ideal

# A slider along the world's x with stops at ±0.5 m; the coupling is that of the worked example in virtual_humans.md.
SLIDER = """RAFF v2.0 Slider
device 1 {{ scale {{ 1 1 1 }}  haptics {{ stiffness 800  damping 4  force 40 }} }}
robot slider {{ base {{ ori {{ 0 90 0 }} }}
  link 1 {{ parameters {{ 0 0 0 0 }}  type prismatic  pred 0  limits {{ -500 500 }} {more} }}
  frame 2 {{ pos {{ 0 0 0 }} pred 1 }}
  constraint {{ frame 2 device ( 0 1 ) }} }}"""


@pytest.fixture
def slider(tmp_path: Path) -> Iterator[Bench]:
    with ideal(SLIDER.format(more=""), tmp_path) as bench:
        only_coupling(bench)
        yield bench


def only_coupling(bench: Bench) -> None:
    for cause in (Cause.STOPS, Cause.SINGULARITY, Cause.CUES):
        bench.servo.part.orders.decide(SetGain(cause, 0.0))


def test_a_held_stop_is_felt_as_the_spring_says(slider: Bench) -> None:
    slider.engage()
    direction = hand_direction(slider)
    slider.lead(0.52 * direction, 1.0)
    slider.ticks(200)
    assert slider.robot.q[0] == pytest.approx(0.5, abs=1e-12)
    assert slider.force @ direction == pytest.approx(-16.0, abs=1e-6)  # 800 N/m · (0.52 - 0.5) m


def hand_direction(bench: Bench) -> Any:
    """Where the hand goes for the robot to go towards its upper stop."""
    for axis in np.vstack([np.eye(3), -np.eye(3)]):
        before = bench.robot.q[0]
        start = bench.device.place.copy()
        bench.lead(start + 0.01 * axis, 0.1)
        moved = bench.robot.q[0] - before
        bench.lead(start, 0.1)
        if moved > 0.005:
            return axis
    raise AssertionError("no direction of the hand moves the slider")


def test_nothing_is_felt_away_from_limits(slider: Bench) -> None:
    slider.engage()
    direction = hand_direction(slider)
    largest = 0.0
    for _ in slider.move(0.3 * direction, 1.0):
        largest = max(largest, float(np.linalg.norm(slider.force)))
    slider.ticks(100)
    assert largest < 0.1
    assert np.linalg.norm(slider.force) < 1e-9
    assert slider.robot.q[0] == pytest.approx(0.3, abs=1e-6)


def test_the_force_at_a_stop_grows_with_depth_points_back_and_goes_on_return(slider: Bench) -> None:
    slider.engage()
    direction = hand_direction(slider)
    slider.lead(0.499 * direction, 1.0)
    felt = []
    for share in slider.move(0.53 * direction, 1.0):
        felt.append((0.499 + 0.031 * share, slider.force @ direction))
        assert slider.robot.q[0] <= 0.5
    depths, forces = np.array(felt).T
    beyond = depths > 0.502
    assert (forces[beyond] < 0.0).all()
    assert (np.diff(forces[beyond]) < 1e-9).all()
    slider.lead(0.45 * direction, 0.5)
    slider.ticks(50)
    assert np.linalg.norm(slider.force) < 1e-6
    assert slider.robot.q[0] == pytest.approx(0.45, abs=1e-6)


def test_a_speed_limit_is_felt_as_a_drag(tmp_path: Path) -> None:
    with ideal(SLIDER.format(more="speed 100"), tmp_path) as bench:
        only_coupling(bench)
        bench.engage()
        direction = hand_direction(bench)
        bench.lead(0.05 * direction, 1.0)
        assert np.linalg.norm(bench.force) < 0.5
        pulls = []
        for _ in bench.move(0.15 * direction, 0.25):
            pulls.append(bench.force @ direction)
            assert abs(bench.robot.velocity[0]) <= 0.1 * (1 + 1e-9)
            acting = bench.shared.acting
        assert Acting.JOINT_SPEED in acting
        assert pulls[-1] < -10.0
        bench.ticks(2000)
        assert np.linalg.norm(bench.force) < 1e-3


def test_a_speed_limit_is_felt_over_the_emulated_syntaxer_and_lets_go_when_the_hand_waits(tmp_path: Path) -> None:
    slow = GANTRY.replace("limits { -20 20 }", "limits { -200 200 }  speed 60")
    hand = (
        "tighten 0.7 in 0.1; reach 0.22 -0.04 0 in 0.6; press deadman; hold 0.1; reach 0.22 -0.03 0 in 0.8; "  # slowly
        "reach 0.22 0.05 0 in 0.5; hold 2"  # at some 0.2 m/s
    )
    with emulated(slow, tmp_path, hand) as bench:
        only_coupling(bench)
        along, limited = [], []
        for _ in range(3900):
            bench.ticks()
            along.append(float(bench.shared.wrench_parts[Cause.COUPLING, 1]))
            limited.append(Acting.JOINT_SPEED in bench.shared.acting)
            assert np.abs(bench.robot.velocity).max() <= 0.06 * (1.0 + 1e-9)
        drag, acts = np.array(along), np.array(limited)
        first = int(np.argmax(acts[900:])) + 900
        assert acts.any()
        assert first > 1500  # not while it moves slowly
        assert np.abs(drag[900:first]).max() < 0.5
        assert drag[first : first + 500].min() < -2.0  # it holds the hand back
        assert abs(drag[-1]) < 0.2  # and lets go once the robot has caught up
        assert not acts[-500:].any()


def test_a_stop_is_felt_coming_before_it_acts(tmp_path: Path) -> None:
    with ideal(SLIDER.format(more=""), tmp_path) as bench:
        bench.servo.part.orders.decide(SetGain(Cause.CUES, 0.0))
        bench.engage()
        direction = hand_direction(bench)
        bench.lead(0.4 * direction, 1.0)
        before = None
        for share in bench.move(0.49 * direction, 1.0):
            if before is None and bench.force @ direction < -0.05:
                before = 0.4 + 0.09 * share
        assert before is not None
        assert before < 0.495
        parts = bench.shared.wrench_parts
        assert parts[Cause.STOPS, :3] @ direction < 0.0
        assert np.linalg.norm(parts[Cause.COUPLING, :3]) < 0.3


def test_joint_targets_move_the_robot_and_the_hand_only_feels(slider: Bench) -> None:
    assert slider.servo.part.orders.decide(SetMode(Mode.JOINTS)) is Reason.ACCEPTED
    assert slider.servo.part.orders.decide(JointTargets((0.25,))) is Reason.ACCEPTED
    assert slider.servo.part.orders.decide(JointTargets((0.75,))) is Reason.OUT_OF_RANGE
    slider.ticks(500)
    assert slider.robot.q[0] == pytest.approx(0.25, abs=1e-9)
