"""Oracles of the fact sheet on virtual humans, through the whole tick: mapping, solver, forces, limits.

Every test names the section whose numbers it reproduces. Hands here are ideal: a damper that forces push about (as the
first-order dynamics of section 2.2), or a place that a test dictates. What the sheet asks of a first-order robot, the
damper is to the coupling: the robot itself obeys at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from station.haptics import Body, Cause, Method, Stability
from station.servo.rig import Wanted
from station.servo.shared import SetGain
from tests.servo.rigs import Bench, ideal

# A slider along the world's x, ±100 mm. Across it the robot cannot move: there the coupling is a spring both ways.
SLIDER = """RAFF v2.0 Slider
device 1 {{ scale {{ 1 1 1 }}  haptics {{ stiffness {stiffness}  damping {damping}  force 100 }} }}
robot slider {{ base {{ ori {{ 0 90 0 }} }}
  link 1 {{ parameters {{ 0 0 0 0 }}  type prismatic  pred 0  limits {{ -100 100 }}  speed 5000 }}
  frame 2 {{ pos {{ 400 0 0 }} pred 1 }}
  constraint {{ frame 2 device ( 0 1 ) }} }}"""
# Three sliders at right angles, half a metre each way: nothing is felt but guides.
ROOM = """RAFF v2.0 Room
device 1 { scale { 1 1 1 } }
robot room { base { }
  link 1 { parameters { 0 0 0 0 }    type prismatic  pred 0  limits { -500 500 } }
  link 2 { parameters { 90 0 90 0 }  type prismatic  pred 1  limits { -500 500 } }
  link 3 { parameters { 0 0 90 0 }   type prismatic  pred 2  limits { -500 500 } }
  frame 4 { pos { 0 0 0 } pred 3 }
  constraint { frame 4 device ( 0 1 ) } }"""
BODY, TRUST = Body(), Stability().trust  # what is believed of a device that nobody knows
ALONG = np.array([0.0, 1.0, 0.0])  # of the hand, for the slider to move along its joint
ACROSS = np.array([0.0, 0.0, 1.0])
SEAT = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # device axes → world


@contextmanager
def slider(
    folder: Path, stiffness: float, damping: float = 0.0, method: Method = Method.COUPLING_ONLY, rate: float = 1000.0
) -> Iterator[Bench]:
    """Engaged in the middle, with the coupling alone, as stiff as told whatever the bound is; forces are not slewed."""
    scene = SLIDER.format(stiffness=max(stiffness, 1.0), damping=damping)
    with ideal(scene, folder, Wanted(method=method, rate=rate), force=100.0, rate=rate) as bench:
        tuning = bench.servo.part.rig.renderer.tuning
        for numbers in (tuning.now, tuning.wanted):
            numbers.coupling.stiffness, numbers.limits.slew = stiffness, 1e6
        for cause in (Cause.STOPS, Cause.SINGULARITY, Cause.CUES):
            bench.servo.part.orders.decide(SetGain(cause, 0.0))
        bench.engage()
        bench.ticks(400)
        yield bench


def at(bench: Bench, place: Any, velocity: Any = (0.0, 0.0, 0.0)) -> Any:
    """Put the hand somewhere for one tick; returns the force on it [N]."""
    bench.device.place, bench.device.velocity = np.asarray(place, float), np.asarray(velocity, float)
    bench.ticks()
    return bench.force


# Section 2.3: what sampling does to a spring ------------------------------------------------------------


def test_sampling_creates_the_energy_of_table_2_1(tmp_path: Path) -> None:
    """Three steps into a spring, held, and out again: 0, 0, 1, 3, 3, 0, -2, -3 of k·δx²."""
    stiffness, step = 800.0, 1e-4
    with slider(tmp_path, stiffness) as bench:
        energy, told, last = 0.0, [], None
        for nth in (0, 1, 2, 3, 3, 2, 1, 0):
            place = nth * step
            if last is not None:
                energy += -last[0] * (place - last[1])
            told.append(energy / (stiffness * step**2))
            last = (float(at(bench, place * ACROSS) @ ACROSS), place)
    assert told == pytest.approx([0, 0, 1, 3, 3, 0, -2, -3], abs=1e-6)


@pytest.mark.parametrize("steps", [3, 30])
def test_created_energy_is_stiffness_times_depth_times_step(steps: int, tmp_path: Path) -> None:
    stiffness, depth = 800.0, 3e-3
    step = depth / steps
    with slider(tmp_path, stiffness) as bench:
        energy, force, before = 0.0, 0.0, 0.0
        for nth in [*range(steps + 1), *range(steps, -1, -1)]:
            energy -= force * (nth * step - before)
            force, before = float(at(bench, nth * step * ACROSS) @ ACROSS), nth * step
        ledger = bench.shared.energy_rendered
    assert energy == pytest.approx(-stiffness * depth * step, rel=1e-6)
    # The station's own ledger says the same, but for the first and last encoder step, which it doubts.
    assert ledger == pytest.approx(energy, abs=2 * stiffness * depth * 30e-6)


@pytest.mark.parametrize("method", [Method.OBSERVER, Method.BOUNDING])
def test_with_passivity_control_the_same_hand_gets_less_than_a_millijoule(method: Method, tmp_path: Path) -> None:
    """Beyond what the device itself takes, and of that only what is counted on."""
    stiffness, depth, step = 800.0, 9e-3, 3e-3  # 3 m/s, as fast as a hand is believed to be: it would get 21.6 mJ
    with slider(tmp_path, stiffness, method=method) as bench:
        energy, force, before = 0.0, 0.0, 0.0
        for nth in (0, 1, 2, 3, 3, 2, 1, 0):
            place = nth * step
            moved = (place - before) / bench.servo.period
            energy += TRUST * BODY.damping * (place - before) * moved - force * (place - before)
            force, before = float(at(bench, place * ACROSS, moved * ACROSS) @ ACROSS), place
    assert stiffness * depth * step > 0.02
    assert energy > -1e-3


@pytest.mark.parametrize(("ratio", "converges"), [(0.16, True), (1.0, True), (1.9, True), (2.1, False)])
def test_a_hand_that_is_a_damper_converges_below_twice_its_damping(
    ratio: float, converges: bool, tmp_path: Path
) -> None:
    """0 < k·δt/b < 2 (2.11), each step times 1 - k·δt/b: 0.84 for 800 N/m, 1 ms and 5 N·s/m (sections 2.3 and 16)."""
    damping, period = 5.0, 1e-3
    with slider(tmp_path, ratio * damping / period) as bench:
        place, places = 1e-4, []
        for _ in range(30):
            places.append(place)
            place += period / damping * float(at(bench, place * ACROSS) @ ACROSS)
    sizes = np.abs(places)
    ratios = np.array(places[1:]) / np.array(places[:-1]) if ratio != 1.0 else np.zeros(1)
    assert bool(sizes[-1] < sizes[0]) is converges
    if ratio != 1.0:
        assert ratios == pytest.approx(1.0 - ratio, abs=1e-6)
    else:
        assert sizes[1:].max() < 1e-9  # there at once


def test_beyond_that_bound_the_observer_keeps_a_hand_from_running_away(tmp_path: Path) -> None:
    damping, period = 1.0, 1e-3  # all that the ledger believes of an unknown device
    reached = []
    for method in (Method.COUPLING_ONLY, Method.OBSERVER):
        with slider(tmp_path, 2.1 * damping / period, method=method) as bench:
            place, largest = 1e-3, 0.0
            for _ in range(400):
                largest = max(largest, abs(place))
                place += period / damping * float(at(bench, place * ACROSS) @ ACROSS)
            reached.append(largest)
    assert reached[0] > 0.01  # up to where the device's own limits end it
    assert reached[1] < 3e-3


# Sections 4.4 and 7: joint limits, and how they are felt ------------------------------------------------


def test_a_limit_that_is_foreseen_takes_exactly_what_is_too_much(tmp_path: Path) -> None:
    """W_c = b·(q̇ - (q_max - q)/δt) = 30 and q = q_max, for b = 2, δt = 0.01, q = 0.95, q_max = 1, q̇ = 20.

    Lengths are in decimetres: a hand of 20 m/s would not be believed. The coupling is a damper alone.
    """
    with slider(tmp_path, 0.0, damping=20.0, rate=100.0) as bench:
        for nth in range(96):
            at(bench, nth * 1e-3 * ALONG)
        bench.ticks(10)
        assert bench.robot.q[0] == pytest.approx(0.095, abs=1e-12)
        force = at(bench, 0.115 * ALONG, 2.0 * ALONG)  # 20 mm in a tick of 10 ms
        assert bench.robot.q[0] == 0.1  # to the last bit
        assert force @ ALONG == pytest.approx(-30.0, abs=1e-9)


def test_no_joint_passes_its_limit_by_a_bit_on_any_drive(tmp_path: Path) -> None:
    """q within [q_min, q_max] to 1e-12 on random drives (sections 4.4 and 16)."""
    with ideal("macdac", tmp_path, force=40.0) as bench:
        limits = np.array([joint.limits for joint in bench.robot.joints])
        rng = np.random.default_rng(5)
        bench.engage()
        place = np.zeros(3)
        for _ in range(60):
            place = np.clip(place + rng.normal(0.0, 0.2, 3), -0.9, 0.9)
            for _ in bench.move(place, 0.1):
                assert (bench.robot.q >= limits[:, 0] - 1e-12).all()
                assert (bench.robot.q <= limits[:, 1] + 1e-12).all()


def test_away_from_limits_at_rest_nothing_is_felt(tmp_path: Path) -> None:
    """Section 16, 'Feeling a joint limit'; the 16 N at a limit are in test_felt_limits.py."""
    with slider(tmp_path, 800.0) as bench:
        bench.lead(0.08 * ALONG, 0.5)
        bench.ticks(100)
        assert np.abs(bench.force).max() < 1e-9


# Section 16: robot and environment, first-order dynamics ------------------------------------------------


def test_there_is_always_an_answer_at_a_stretched_arm(tmp_path: Path) -> None:
    """'b s.p.d. and q̇ finite at a stretched arm': a hand that pulls a stretched ur5e on, and across, in every tick."""
    with ideal("ur5e", tmp_path, force=8.0) as bench:
        bench.robot.q = np.zeros(len(bench.robot.q))
        bench.servo.part.follow(bench.servo.part.followed)
        bench.engage()
        speeds = np.array([joint.speed for joint in bench.robot.robot.links if joint.speed is not None])
        for direction in (*np.eye(3), *-np.eye(3)):
            for _ in bench.move(0.3 * direction, 0.5):
                assert np.isfinite(bench.robot.velocity).all()
                assert (np.abs(bench.robot.velocity) <= speeds * (1.0 + 1e-9)).all()
                assert np.isfinite(bench.force).all()
            bench.lead(np.zeros(3), 0.5)
