"""What loops cannot do is felt: passive joints at their stops behind a closure, and loops that are stretched."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import robots
from station.haptics import Cause
from station.servo.shared import Acting, SetGain
from tests.servo.rigs import Bench, emulated, ideal

SEAT = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # device axes → world
CLOSED = 1e-9  # what the solver promises of loops, in every tick (docs/solver.md) [m, rad]
FELT = 0.5  # [N]

# The five-bar without the stops that keep its forearms from stretching: only the loop itself holds it.
STRETCHED = robots.path("five-bar").read_text(encoding="utf8")
for stop in ("limits { -155 -15 }", "limits { 15 155 }"):
    assert stop in STRETCHED
    STRETCHED = STRETCHED.replace(stop, "limits { -175 175 }")


class Pull(NamedTuple):
    """A pull along a direction of the world, from where the robot is in its file."""

    scene: str
    direction: tuple[float, float, float]
    way: float  # of the hand [m]


PULLS = {
    "cross-delta, sideways": Pull("cross-delta", (1.0, 0.0, 0.0), 0.9),
    "cross-delta, up": Pull("cross-delta", (0.0, 0.0, 1.0), 0.75),
    "cross-delta, askew": Pull("cross-delta", (0.6, 0.0, 0.8), 0.9),
    "five-bar, forearm at its stop": Pull("five-bar", (0.0, 1.0, 0.0), 0.12),
    "five-bar, stretched": Pull(STRETCHED, (0.0, 1.0, 0.0), 0.16),
    "five-bar, stretched askew": Pull(STRETCHED, (0.6, 0.8, 0.0), 0.2),
}


def coupling_alone(bench: Bench) -> None:
    for cause in (Cause.STOPS, Cause.SINGULARITY, Cause.CUES):
        bench.servo.part.orders.decide(SetGain(cause, 0.0))


def assert_closed(bench: Bench) -> None:
    assert max(bench.robot.closure_error) < CLOSED


def passive_at_a_stop(bench: Bench) -> bool:
    """Whether a joint that no motor drives is what holds the robot back."""
    acting = bench.shared.joint_acting
    return any(abs(int(acts)) == 1 and not joint.active for acts, joint in zip(acting, bench.robot.joints, strict=True))


@pytest.mark.parametrize("name", PULLS)
def test_a_limit_of_the_loops_is_felt_points_back_and_lets_go(name: str, tmp_path: Path) -> None:
    scene, world, way = PULLS[name]
    direction = SEAT.T @ np.array(world)
    with ideal(scene, tmp_path, force=40.0) as bench:
        coupling_alone(bench)
        bench.engage()
        start, joints = bench.shared.predicted_pose[:3, 3].copy(), bench.robot.q
        ways, pulls, forces = [], [], []
        for share in bench.move(way * direction, 2.0):
            assert_closed(bench)
            ways.append(share * way)
            pulls.append(bench.force @ direction)
            forces.append(np.linalg.norm(bench.force))
        place, along, size = np.array(ways), np.array(pulls), np.array(forces)
        assert size[-1] > 5.0
        begins = np.flatnonzero(size < FELT)[-1]  # nothing is felt before, and something ever after
        free = place < place[begins] - 0.01
        assert size[free].max() < FELT
        assert (along[begins + 30 :] < 0.0).all()
        rising = slice(begins, int(np.argmax(size > 0.98 * size.max())))
        assert (np.diff(size[rising]) > -0.05).all()  # it rises with depth, up to what is allowed
        assert np.linalg.norm(bench.shared.predicted_pose[:3, 3] - start) < way - 0.01
        assert bench.shared.acting & (Acting.JOINT_STOP | Acting.REACH | Acting.SINGULARITY)
        if "stop" in name:
            assert passive_at_a_stop(bench)
        for _ in bench.move(np.zeros(3), 2.0):
            assert_closed(bench)
        bench.ticks(1500)
        assert np.linalg.norm(bench.force) < 1e-3
        assert np.linalg.norm(bench.shared.predicted_pose[:3, 3] - start) < 1e-5
        if "stretched" not in name:  # a stretched elbow is free to bend to either side
            assert np.abs(bench.robot.q - joints).max() < 1e-3


def test_a_limit_of_the_loops_is_felt_over_the_emulated_syntaxer(tmp_path: Path) -> None:
    scene = robots.path("five-bar").read_text(encoding="utf8").replace("type spaceball", "type syntaxer")
    way = SEAT.T @ np.array([0.0, 1.0, 0.0])
    near = np.array([0.22, 0.0, 0.0])
    far = near + 0.12 * way
    hand = (
        "tighten 0.9 in 0.1; reach 0.22 0 0 in 0.6; press deadman; hold 0.1; "
        f"reach {far[0]:.4f} {far[1]:.4f} {far[2]:.4f} in 1; hold 0.3; reach 0.22 0 0 in 0.8; hold 0.4"
    )
    with emulated(scene, tmp_path, hand) as bench:
        coupling_alone(bench)
        pulls, places = [], []
        for _ in range(3300):
            bench.ticks()
            assert_closed(bench)
            pulls.append(float(bench.shared.wrench_parts[Cause.COUPLING, :3] @ way))
            places.append(float((bench.shared.hand_pose[:3, 3] - near) @ way))
        pull, place = np.array(pulls), np.array(places)
        assert pull.min() < -2.0
        deep = place > 0.1
        assert deep.any()
        assert (pull[deep] < -1.0).all()
        free = (place < 0.07) & (np.arange(len(place)) > 900)
        assert np.abs(pull[free]).max() < -0.25 * pull.min()  # there it is only what following costs at 0.25 m/s
        assert abs(pull[-1]) < 0.1
