"""The wrist singularity of the ur5e over the emulated syntaxer: hand, plant, firmware, bytes, driver, servo.

The hand moves the flange sideways without turning it, which brings axes 4 and 6 into one line. Orientation is locked:
otherwise the torque of the same effect turns the handle, and with it the tool out of the singularity.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import robots
from station.devices.device import Floats
from station.haptics import Cause
from station.servo.servo import Servo
from station.servo.shared import Acting, ServoState, SetGain
from tests.servo.rigs import Bench, emulated, ideal
from tests.servo.test_singularity import tried

SEAT = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # device axes → world
MIDDLE = np.array([0.22, 0.0, 0.0])  # of the device [m]
POSTURE = np.radians([90.0, -60.0, 90.0, -30.0, -12.0, 0.0])  # the fifth joint is 12° from the singularity
UR5E = robots.path("ur5e").read_text(encoding="utf8")
SCENE = UR5E.replace("device 1 { type spaceball }", "device 1 { type syntaxer  lock ( rx ry rz ) }")
# With a slow wrist, which reaches its limits: at 180°/s the solver's own care near a singularity comes first.
SLOW = SCENE.replace("speed 180  acceleration 1000", "speed 30  acceleration 1000")
THERE = 0.122  # way of the hand to the singularity [m]
APPROACHING = 2.4  # until when [s]


class Seen(NamedTuple):
    """A session, from the press of the dead-man on."""

    times: Floats  # [s]
    measure: Floats
    push: Floats  # of the effect [N]
    along: Floats  # of it, towards the singularity [N]
    fast: Floats  # 1 while a speed limit acts
    place: Floats  # of the hand, towards the singularity [m]


def way_there(folder: Path) -> Floats:
    """Direction of the hand in which the measure falls fastest."""
    with ideal("ur5e", folder) as plan:
        begin(plan.servo)
        slope = tried(plan.servo)
    return np.asarray(-(SEAT.T @ slope) / np.linalg.norm(slope))


def begin(servo: Servo, posture: Floats = POSTURE) -> None:
    servo.part.rig.robot.q = posture
    servo.part.follow(servo.part.followed)


def reach(place: Floats, seconds: float) -> str:
    return f"reach {place[0]:.5f} {place[1]:.5f} {place[2]:.5f} in {seconds}; "


def script(far: Floats, after: str) -> str:
    opening = f"tighten 0.8 in 0.1; {reach(MIDDLE, 0.6)} press deadman; hold 0.2; "
    return f"{opening} {reach(far, 1.5)} {after}"


def play(bench: Bench, way: Floats, seconds: float, posture: Floats = POSTURE) -> Seen:
    """Run a session; the hand moves the robot all the time, and no joint is faster than it may be."""
    begin(bench.servo, posture)
    bench.servo.part.orders.decide(SetGain(Cause.CUES, 0.0))
    rows = []
    while bench.servo.clock.now() < seconds:
        bench.ticks()
        if bench.servo.clock.now() < 0.8:
            continue
        assert bench.servo.part.state is ServoState.ENGAGED
        assert (np.abs(bench.robot.velocity) <= bench.robot.memory.v_max * (1.0 + 1e-9)).all()
        force = bench.shared.wrench_parts[Cause.SINGULARITY, :3].copy()
        acting = bench.shared.acting
        place = (bench.shared.hand_pose[:3, 3] - MIDDLE) @ way
        limited = 1.0 if Acting.JOINT_SPEED in acting else 0.0
        rows.append(
            (bench.servo.clock.now(), bench.shared.singularity, np.linalg.norm(force), force @ way, limited, place)
        )
    return Seen(*np.array(rows).T)


@pytest.mark.parametrize(("scene", "aside", "fast"), [(SCENE, 0.0, False), (SLOW, 3.0, True), (SLOW, 6.0, True)])
def test_it_is_felt_before_speed_limits_act_and_lets_go_on_the_way_back(
    scene: str, aside: float, fast: bool, tmp_path: Path
) -> None:
    """Straight through it, or past it with the fourth joint some degrees `aside`: there the wrist has to flip."""
    way = way_there(tmp_path)
    far = MIDDLE + 0.13 * way
    hand = script(far, f"hold 0.3; {reach(MIDDLE, 1.2)} hold 0.6")
    with emulated(scene, tmp_path, hand) as bench:
        begins = bench.servo.part.rig.renderer.settings.singularity.range
        seen = play(bench, way, 4.4, POSTURE + np.radians([0.0, 0.0, 0.0, aside, 0.0, 0.0]))
        coming = seen.times < APPROACHING
        assert seen.measure[coming].min() < 0.15 * begins  # got there
        felt = int(np.argmax(seen.push > 0.1))
        assert 0.5 * begins < seen.measure[felt] < begins
        assert seen.push[(seen.measure > begins) & coming].max() == 0.0
        before = coming & (seen.place < THERE - 0.01) & (seen.push > 0.1)
        assert before.sum() > 100
        assert (seen.along[before] < 0.0).all()  # points back
        assert np.corrcoef(seen.measure[before], seen.push[before])[0, 1] < -0.95  # rises as it comes nearer
        assert bool(seen.fast.any()) is fast
        if fast:
            limited = int(np.argmax(seen.fast > 0.0))
            assert felt < limited  # felt first,
            assert seen.push[limited] > 0.3  # and clearly
        assert seen.measure[-1] > begins
        assert np.linalg.norm(bench.shared.wrench[:3]) < 0.5


@pytest.mark.parametrize("seed", range(8))
def test_from_the_singularity_there_is_a_way_out_in_every_direction(seed: int, tmp_path: Path) -> None:
    way = way_there(tmp_path)
    direction = np.random.default_rng(seed).normal(size=3)
    direction /= np.linalg.norm(direction)
    there = MIDDLE + THERE * way
    hand = script(there, f"hold 0.3; {reach(there + 0.05 * direction, 1.0)} hold 1.2")
    with emulated(SCENE, tmp_path, hand) as bench:
        seen = play(bench, way, 2.7)
        assert seen.measure[-1] < 0.1 * bench.servo.part.rig.renderer.settings.singularity.range
        robot, handle = bench.shared.predicted_pose[:3, 3].copy(), bench.shared.hand_pose[:3, 3].copy()
        while bench.servo.clock.now() < 4.9:
            bench.ticks()
            assert bench.servo.part.state is ServoState.ENGAGED
        moved = SEAT @ (bench.shared.hand_pose[:3, 3] - handle)
        followed = bench.shared.predicted_pose[:3, 3] - robot
        assert moved @ (SEAT @ direction) > 0.025  # the hand is not held
        assert np.linalg.norm(followed - moved) < 0.003  # and the robot goes with it
