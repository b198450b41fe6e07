"""An emulated arm whose controller counts something else than its joints move by."""

from __future__ import annotations

import numpy as np
import pytest

import station
from sim_devices.arm import ArmState
from tests.sim_devices.arm.benches import LEVER, Live, rise

GEARED = LEVER.replace('name "shoulder"', 'name "shoulder" gear 0.01').replace('name "elbow"', 'name "elbow" gear 2')
GEARS = np.array([0.01, 2.0])


def test_the_joints_go_where_the_counts_say_and_limits_are_counted_too() -> None:
    geared, plain = Live(station.loads(GEARED)).active(), Live(station.loads(LEVER)).active()
    path = rise(np.zeros(2), np.array([0.3, -0.4]), 0.4)
    geared.follow(lambda t: path(t) / GEARS, 0.6)
    plain.follow(path, 0.6)
    assert geared.arm.state is ArmState.ACTIVE
    assert geared.arm.body.q == pytest.approx(plain.arm.body.q, abs=1e-12)
    said, told = geared.arm.reading(), plain.arm.reading()
    assert said.q * GEARS == pytest.approx(told.q, abs=1e-12)
    assert said.effort / GEARS == pytest.approx(told.effort, abs=1e-9)
    shoulder, elbow = geared.arm.capabilities.joints
    assert (shoulder.high, shoulder.speed) == pytest.approx((50.0 * np.pi, 100.0 * np.pi))
    assert (shoulder.effort, elbow.effort) == pytest.approx((0.6, 60.0))


def test_a_setpoint_beyond_the_stop_is_refused_by_what_the_joint_would_do() -> None:
    bench = Live(station.loads(GEARED)).active()
    assert bench.arm.setpoint(np.array([0.1, 0.001]), None, None, 1)
    assert not bench.arm.setpoint(np.array([0.1]), None, None, 2)  # of another length
    assert not bench.arm.setpoint(np.array([0.0, 1.4]), None, None, 3)  # 160° of the elbow
    assert bench.arm.refused["position outside the limits"] == 1


def test_the_file_says_so() -> None:
    scene = station.loads(GEARED)
    assert [link.gear for link in scene.robots[0].links] == [0.01, 2.0]
    assert station.loads(station.dumps(scene)) == scene
