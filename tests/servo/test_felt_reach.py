"""The edge of reach: a hand pulls an arm further than it can go, feels it, and comes back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import robots
from station.haptics import Cause
from station.servo.shared import Acting, SetGain
from tests.servo.rigs import Bench, emulated, ideal

SEAT = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # device axes → world
MIDDLE = np.array([0.22, 0.0, 0.0])  # of the syntaxer [m]
PLACE_ALONE = "axes ( x y z )"

# Place alone follows the hand, so that nothing but length holds the arm: turning is free.
UR5E = robots.path("ur5e").read_text(encoding="utf8")
MACDAC = robots.path("macdac").read_text(encoding="utf8").replace("RAFF v1.0", "RAFF v2.0")
MACDAC = MACDAC.replace("sensor 1 { type spaceball }", "device 1 { type syntaxer }")
MACDAC = MACDAC.replace("frame 6 sensor ( 0 1 )", f"frame 6 device ( 0 1 ) {PLACE_ALONE}")


def ur5e() -> str:
    lines = [line for line in UR5E.splitlines() if "device ( 0 1 )" in line]
    assert len(lines) == 1, lines
    return UR5E.replace("device ( 0 1 )", f"device ( 0 1 ) {PLACE_ALONE}")


ARMS = {
    "ur5e": (ur5e(), np.radians([0.0, -60.0, 90.0, -120.0, -90.0, 0.0])),
    "macdac": (MACDAC, np.radians([0.0, -40.0, 60.0, 20.0, 0.0])),
}


def begin(bench: Bench, q: np.ndarray) -> np.ndarray:
    """Put the arm somewhere, with the coupling alone; returns the way out, world axes."""
    for cause in (Cause.STOPS, Cause.SINGULARITY, Cause.CUES):
        bench.servo.part.orders.decide(SetGain(cause, 0.0))
    limits = np.array([each.limits or (-np.inf, np.inf) for each in bench.robot.joints])
    bench.robot.q = np.clip(q, limits[:, 0] + 0.1, limits[:, 1] - 0.1)
    bench.servo.part.follow(bench.servo.part.followed)
    place = bench.servo.part.memory.frame_pose[:3, 3].copy()
    shoulder = bench.robot.pose(bench.robot.joints[1].id)[:3, 3]
    return np.asarray((place - shoulder) / np.linalg.norm(place - shoulder))


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_beyond_reach_a_hand_is_pulled_back_and_the_arm_comes_back_with_it(
    name: str, seed: int, tmp_path: Path
) -> None:
    scene, q = ARMS[name]
    with ideal(scene, tmp_path, force=40.0) as bench:
        out = begin(bench, q)
        askew = np.random.default_rng(seed).normal(size=3)
        world = out + 0.4 * seed * askew / np.linalg.norm(askew)
        direction = SEAT.T @ (world / np.linalg.norm(world))
        bench.engage()
        start = bench.shared.predicted_pose[:3, 3].copy()
        way, pulls, sizes, reached = 0.98, [], [], []
        for _ in bench.move(way * direction, 4.0):
            pulls.append(bench.force @ direction)
            sizes.append(np.linalg.norm(bench.force))
            reached.append(np.linalg.norm(bench.shared.predicted_pose[:3, 3] - start))
        pull, size = np.array(pulls), np.array(sizes)
        assert size[-1] > 10.0
        assert max(reached) < way - 0.02
        edge = int(np.flatnonzero(size < 0.5)[-1])
        assert (pull[edge + 50 :] < 0.0).all()  # points back
        top = edge + int(np.argmax(size[edge:] > 0.98 * size.max()))
        assert (np.diff(size[edge:top]) > -0.2).all()  # rises with depth
        bench.ticks(300)
        held = bench.shared.acting
        assert held & (Acting.REACH | Acting.SINGULARITY | Acting.JOINT_STOP)
        largest, before = 0.0, bench.shared.predicted_pose[:3, 3].copy()
        for _ in bench.move(np.zeros(3), 4.0):
            place = bench.shared.predicted_pose[:3, 3].copy()
            largest, before = max(largest, float(np.linalg.norm(place - before))), place
        bench.ticks(2000)
        assert np.linalg.norm(bench.force) < 0.01  # it is gone
        assert np.linalg.norm(bench.shared.predicted_pose[:3, 3] - start) < 1e-3  # and the arm is back
        assert largest < 0.01  # without a leap on the way


def test_the_edge_of_reach_is_felt_over_the_emulated_syntaxer(tmp_path: Path) -> None:
    nearly_stretched = np.radians([0.0, -50.0, 12.0, -60.0, -90.0, 0.0])
    with ideal(UR5E, tmp_path) as plan:
        out = begin(plan, nearly_stretched)
    way = SEAT.T @ out
    far = MIDDLE + 0.07 * way
    hand = (
        "tighten 0.9 in 0.1; reach 0.22 0 0 in 0.6; press deadman; hold 0.1; "
        f"reach {far[0]:.4f} {far[1]:.4f} {far[2]:.4f} in 1; hold 0.3; reach 0.22 0 0 in 1; hold 0.6"
    )
    with emulated(UR5E, tmp_path, hand) as bench:
        begin(bench, nearly_stretched)
        begun = bench.servo.part.memory.frame_pose[:3, 3].copy()
        pulls, places, reached = [], [], []
        for _ in range(3700):
            bench.ticks()
            pulls.append(float(bench.shared.wrench_parts[Cause.COUPLING, :3] @ way))
            places.append(float((bench.shared.hand_pose[:3, 3] - MIDDLE) @ way))
            reached.append(float((bench.shared.predicted_pose[:3, 3] - begun) @ out))
        pull, place = np.array(pulls), np.array(places)
        deep = place > max(reached) + 0.01
        assert deep.sum() > 200
        assert (pull[deep] < -1.0).all()
        assert pull.min() < -3.0
        assert abs(pull[-1]) < 0.3
        assert abs(reached[-1] - place[-1]) < 0.005
