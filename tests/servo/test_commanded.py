"""The commanded robot: joints that were sent last and where they put the followed frame, loops closed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import robots
from station.mechanism import Mechanism
from station.servo.shared import ServoState
from tests.servo.arm_benches import arm_bench


@pytest.mark.parametrize("link", ["tcp", "serial"])
def test_the_commanded_pose_is_that_of_the_joints_that_were_sent(tmp_path: Path, link: str) -> None:
    with arm_bench(tmp_path, link=link) as bench:
        twin, behind, led = Mechanism(bench.robot.robot), 0.0, 0
        for _ in range(1400):
            bench.ticks()
            shared = bench.shared
            if bench.state() is not ServoState.ENGAGED:
                continue
            led += 1
            twin.q = shared.commanded_q
            np.testing.assert_allclose(shared.commanded_pose, twin.pose(bench.servo.part.rig.followed.id), atol=1e-12)
            behind = max(behind, float(np.abs(shared.commanded_pose - shared.predicted_pose).max()))
        assert led > 300
        assert behind > 1e-5  # it is not just the predicted one


@pytest.mark.parametrize("name", ["five-bar", "delta"])
def test_passive_joints_of_the_commanded_robot_follow_by_its_loops(tmp_path: Path, name: str) -> None:
    with arm_bench(tmp_path, scene_file=robots.path(name), arm_file=robots.path(name)) as bench:
        twin, led, apart = Mechanism(bench.robot.robot), 0, 0.0
        for _ in range(1400):
            bench.ticks()
            shared = bench.shared
            if bench.state() is not ServoState.ENGAGED:
                continue
            led += 1
            twin.memory.q[:] = shared.commanded_q
            twin._refresh()
            gap = twin.closure_error
            lag = float(np.abs(shared.commanded_q - shared.predicted_q).max())
            assert gap.metres <= 5e-3 * lag + 1e-9  # what is left is of second order
            np.testing.assert_allclose(shared.commanded_pose, twin.pose(bench.servo.part.rig.followed.id), atol=1e-12)
            apart = max(apart, lag)
        assert led > 300
        assert apart > 1e-4
