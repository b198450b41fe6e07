"""Singularities of the ur5e, wrist and elbow: felt before speed limits act, and with a way out. See also
`test_wrist_singularity.py`, over the emulated syntaxer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from station.haptics import Cause
from station.servo.servo import Servo
from station.servo.shared import Acting, SetGain
from tests.servo.rigs import Bench, ideal

# Where the hand begins, and which joint is at 0° at the singularity that lies downhill of there.
POSTURES = {
    "wrist": (np.radians([0.0, -60.0, 90.0, -30.0, -20.0, 0.0]), 4),
    "elbow": (np.radians([0.0, -60.0, 90.0, -120.0, -30.0, 0.0]), 2),
}
SPEED = 0.05  # of the hand [m/s]


@pytest.mark.parametrize("name", POSTURES)
def test_a_singularity_is_felt_before_speed_limits_act_and_lets_go_on_the_way_back(name: str, tmp_path: Path) -> None:
    posture, joint = POSTURES[name]
    with ideal("ur5e", tmp_path, force=8.0) as bench:
        bench.servo.part.orders.decide(SetGain(Cause.CUES, 0.0))
        bench.robot.q = posture
        bench.servo.part.follow(bench.servo.part.followed)
        bench.engage()
        range_of_effect = bench.servo.part.rig.renderer.settings.singularity.range
        # The hand goes where the measure falls fastest, as found by a small motion along each axis.
        path, felt, limited_at, felt_at = [bench.device.place.copy()], [], None, None
        for _ in range(1500):
            direction = downhill(bench)
            bench.lead(bench.device.place + 5 * SPEED * bench.servo.period * direction, 5 * bench.servo.period)
            path.append(bench.device.place.copy())
            measure = bench.shared.singularity
            push = float(np.linalg.norm(bench.shared.wrench_parts[Cause.SINGULARITY, :3]))
            felt.append((measure, push))
            if felt_at is None and push > 0.3:
                felt_at = measure
            if limited_at is None and bench.shared.acting & Acting.JOINT_SPEED:
                limited_at = measure
            if measure < 0.3 * range_of_effect:
                break
        measures, pushes = np.array(felt).T
        assert measures[-1] < 0.3 * range_of_effect  # got there
        assert abs(bench.robot.q[joint]) < 0.5 * abs(posture[joint])  # and to the one that was meant
        assert felt_at is not None
        assert limited_at is None or felt_at > limited_at  # felt first
        assert pushes[measures > range_of_effect].max() == 0.0
        assert pushes[-1] > 0.5
        force = bench.shared.wrench_parts[Cause.SINGULARITY, :3].copy()
        assert force @ (path[-1] - path[-20]) < 0.0  # points back
        for place in reversed(path):  # the way out, with nothing to hold it
            bench.lead(place, 5 * bench.servo.period)
            along = path[0] - path[-1]
            assert bench.shared.wrench_parts[Cause.SINGULARITY, :3] @ along > -0.2
        bench.ticks(1000)
        assert bench.shared.singularity > range_of_effect
        assert np.linalg.norm(bench.force) < 0.1
        assert np.abs(bench.robot.q - posture).max() < np.radians(2.0)


def downhill(bench: Bench) -> Any:
    """Direction of the hand in which the measure falls fastest: looked up where it is known, else tried."""
    servo = bench.servo
    slope = np.array(servo.part.memory.singularity_gradient[:3])
    if np.linalg.norm(slope) < 1e-9:
        slope = tried(servo)
    seat = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    return -(seat.T @ slope) / np.linalg.norm(slope)


def tried(servo: Servo) -> Any:
    """Slope of the measure along the world's axes, by small motions of a copy of the robot [1/m]."""
    robot = servo.part.rig.robot
    length = robot.memory.length

    def measure(q: Any) -> float:
        rows = robot.jacobian_at("flange", q)
        rows[3:] *= length
        values = np.linalg.svd(rows)[1]
        return float(values[-1] / values[0])

    q, rows = robot.q, robot.jacobian("flange")
    steps = np.linalg.pinv(rows)[:, :3] * 1e-4
    return np.array([(measure(q + steps[:, k]) - measure(q)) / 1e-4 for k in range(3)])
