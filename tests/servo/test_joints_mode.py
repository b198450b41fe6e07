"""Mode JOINTS: driven joints go where they are asked to, passive ones follow; hands lead them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import robots
from station.mad.units import JointType
from station.servo.shared import JointTargets, Mode, Reason, SetMode
from tests.servo.rigs import Bench, ideal


def ask(bench: Bench, link: int, by: float) -> None:
    """Ask one joint for another value, all others for what they have."""
    values = bench.robot.q
    values[bench.robot.joint_number(link)] += by
    assert bench.servo.part.orders.decide(JointTargets(tuple(values.tolist()))) is Reason.ACCEPTED


@pytest.mark.parametrize(("name", "link"), [("delta", 1), ("stewart", 3), ("macdac", 1), ("planar-hybrid", 3)])
def test_a_driven_joint_gets_there_and_the_other_driven_ones_stay(name: str, link: int, tmp_path: Path) -> None:
    scene = robots.path(name).read_text(encoding="utf8")
    with ideal(scene, tmp_path) as bench:
        assert bench.servo.part.orders.decide(SetMode(Mode.JOINTS)) is Reason.ACCEPTED
        robot, number = bench.robot, bench.robot.joint_number(link)
        before, by = robot.q, 0.2 if robot.joints[number].type is JointType.REVOLUTE else 0.03
        ask(bench, link, by)
        most = 0.0
        for _ in range(2500):
            bench.ticks()
            most = max(most, float(robot.q[number] - before[number]))
        assert robot.q[number] - before[number] == pytest.approx(by, abs=2e-6)
        assert most <= by + 2e-6  # no overshoot
        assert max(robot.closure_error) < 1e-9
        if robot.memory.driven.sum() <= robot.mobility:
            others = robot.memory.driven & (np.arange(len(before)) != number)
            np.testing.assert_allclose(robot.q[others], before[others], rtol=0, atol=1e-8)


def test_a_hand_leads_joints_switched_while_engaged_without_a_jump(tmp_path: Path) -> None:
    with ideal("ur5e", tmp_path) as bench:
        bench.engage()
        robot, part, seen = bench.robot, bench.servo.part, []
        for tick in range(900):
            if tick == 300:
                assert part.orders.decide(SetMode(Mode.JOINTS)) is Reason.ACCEPTED
                begun = robot.q
            if tick == 600:
                led = robot.q
                assert part.orders.decide(SetMode(Mode.POSITION)) is Reason.ACCEPTED
            bench.device.velocity = np.array([0.0, 0.0, 0.05])
            bench.device.place[2] += 5e-5
            bench.ticks()
            assert part.state.name == "ENGAGED"
            seen.append(robot.q)
        assert np.abs(np.diff(seen, axis=0)).max() < 0.001  # [rad] in a tick
        moved = led - begun
        assert moved[2] == pytest.approx(0.3 * 0.05 * 1.0 / robot.memory.length, rel=0.06)  # the third axis, alone
        assert np.abs(np.delete(moved, 2)).max() < 1e-6
        assert np.abs(bench.force).max() < 0.5  # nothing holds anything back


def test_a_stop_is_felt_by_the_hand_that_leads_its_joint(tmp_path: Path) -> None:
    with ideal("scara", tmp_path) as bench:
        assert bench.servo.part.orders.decide(SetMode(Mode.JOINTS)) is Reason.ACCEPTED
        bench.engage()
        low, high = bench.robot.joints[2].limits  # type: ignore[misc]
        bench.lead([0.0, 0.0, 3.0 * (high - low)], 4.0)
        assert bench.robot.q[2] in (pytest.approx(low, abs=1e-6), pytest.approx(high, abs=1e-6))
        assert np.abs(bench.force).max() > 2.0  # [N]
