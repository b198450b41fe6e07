"""Parallel robots stay together: every kind of closure, couplings, and the shipped robots while they move."""

from __future__ import annotations

import math

import numpy as np
import pytest

import station
from sim_devices.arm import ArmState
from station.mad.curve import curve_of
from station.mad.units import JointType
from station.mechanism import Mechanism
from tests.sim_devices.arm.benches import Live, rise, shipped

MOST_GAP = 100e-6  # of any loop while it moves and after a fall [m, rad × size]
PARALLEL = [
    "3-rpr",
    "bennett",
    "cross-delta",
    "delta",
    "five-bar",
    "hitachi-hpr",
    "planar-hybrid",
    "stewart",
    "syntaxer",
]


def leading(mechanism: Mechanism, share: float) -> dict[int, float]:
    """Targets for the driven joints, a little off where they are, towards the middle of their range."""
    targets = {}
    for joint, q in zip(mechanism.joints, mechanism.q, strict=True):
        if joint.active:
            far = 0.15 if joint.type is JointType.REVOLUTE else 0.02
            middle = sum(joint.limits) / 2 if joint.limits else q + far
            targets[joint.id] = float(q + share * far * (1.0 if middle >= q else -1.0))
    return targets


@pytest.mark.parametrize("name", PARALLEL)
def test_loops_stay_closed_while_it_moves_and_when_it_falls(name: str) -> None:
    scene = shipped(name)
    mechanism = scene[scene.robots[0].name]
    bench = Live(scene).active()
    ids = [link.id for link in bench.arm.body.links]
    order = [[joint.id for joint in mechanism.joints].index(one) for one in ids]
    begin = bench.arm.reading().q
    # All driven joints move, as far as the loops let them: the mechanism says where that is.
    there = mechanism.q
    for link, value in leading(mechanism, 1.0).items():
        if mechanism.mobility == len(ids):
            mechanism.set_joint(link, value)
            there = mechanism.q
    path = rise(begin, there[order] - begin, 0.5)
    gap = 0.0
    for k in range(600):
        bench.arm.setpoint(path(k / 1000), None, None, k)
        bench.wait(0.001)
        gap = max(gap, bench.arm.body.closure_gap)
    assert bench.arm.state is ArmState.ACTIVE, bench.arm.reason
    assert np.abs(bench.arm.body.q - there[order]).max() < 2e-3
    assert gap < MOST_GAP
    bench.arm.release()
    for _ in range(1000):
        bench.wait(0.001)
        gap = max(gap, bench.arm.body.closure_gap)
    assert gap < 10 * MOST_GAP  # it hits its stops


FOUR_BAR = """RAFF v2.0 FourBar
robot four-bar {{
  base {{ ori {{ 90 0 0 }} }}
  link 1 {{ type revolute pred 0 parameters {{ theta 90 r 0 alpha 0 d 0 }} limits {{ 30 150 }} effort 20
           mass 1 com {{ 100 0 0 }} inertia {{ xx 0.001 yy 0.004 zz 0.004 }} }}
  link 2 {{ type revolute pred 1 parameters {{ theta -90 r 0 alpha 0 d 200 }} passive
           mass 1 com {{ 150 0 0 }} inertia {{ xx 0.001 yy 0.008 zz 0.008 }} }}
  link 3 {{ type revolute pred 0 parameters {{ theta 90 r 0 alpha 0 d 300 }} passive
           mass 1 com {{ 100 0 0 }} inertia {{ xx 0.001 yy 0.004 zz 0.004 }} }}
  frame 4 {{ pos {{ 300 0 0 }} pred 2 }}
  frame 5 {{ pos {{ 200 0 0 }} pred 3 }}
  constraint {{ frame 4 frame 5 type {kind} }}
}}
"""


@pytest.mark.parametrize("kind", ["revolute", "ball", "cylindrical"])
def test_a_four_bar_closed_by_each_kind_of_joint_is_a_parallelogram(kind: str) -> None:
    bench = Live(station.loads(FOUR_BAR.format(kind=kind))).active()
    start = bench.arm.reading().q
    bench.follow(rise(start, np.array([0.3]), 0.4), 0.6)
    one, two, three = bench.arm.body.all_q
    assert one == pytest.approx(np.pi / 2 + 0.3, abs=2e-3)
    assert three == pytest.approx(one, abs=1e-4)
    assert two == pytest.approx(-one, abs=1e-4)


SLIDER = """RAFF v2.0 Slider
robot slider {{
  base {{ }}
  link 1 {{ name "a" type prismatic pred 0 parameters {{ theta 0 r 100 alpha 0 d 0 }} limits {{ 0 400 }} effort 200
           mass 1 inertia {{ xx 0.001 yy 0.001 zz 0.001 }} }}
  link 2 {{ name "b" type prismatic pred 0 parameters {{ theta 0 r {second} alpha 0 d 100 }} limits {{ -1000 1000 }}
           passive mass 1 inertia {{ xx 0.001 yy 0.001 zz 0.001 }} }}
  {tie}
}}
"""


def test_a_coupled_joint_follows_with_its_ratio_and_offset() -> None:
    tie = "coupling { link 2 equals ( link 1 -2 ) offset 500 }"
    bench = Live(station.loads(SLIDER.format(second=300, tie=tie))).active()
    bench.follow(rise(bench.arm.reading().q, np.array([0.05]), 0.4), 0.6)
    a, b = bench.arm.body.all_q
    assert a == pytest.approx(0.15, abs=1e-3)
    assert b == pytest.approx(0.5 - 2.0 * a, abs=1e-5)


def test_a_cam_lifts_its_follower_along_its_curve() -> None:
    """Twice as high in the middle as at the ends: the slope changes its sign on the way."""
    points = " ".join(f"{x} {200 + 100 * math.sin(math.pi * x / 400):.6f}" for x in range(0, 401, 20))
    tie = f"coupling {{ link 2 leader 1 cam ( {points} ) }}"
    scene = station.loads(SLIDER.format(second=270, tie=tie))
    bench = Live(scene).active()
    for way, seconds in ((0.2, 1.2), (-0.25, 1.5)):
        bench.follow(rise(bench.arm.reading().q, np.array([way]), 1.0), seconds)
        a, b = bench.arm.body.all_q
        curve = curve_of(scene.robots[0].couplings[0])
        assert curve is not None
        assert b == pytest.approx(float(curve.value(a)), abs=1e-5)
    assert a == pytest.approx(0.05, abs=2e-3)


@pytest.mark.parametrize("kind", ["type planar", "type prismatic", "axes ( z )", "axes ( z rx ry )", "type universal"])
def test_closures_that_leave_motion_free_hold_the_rest(kind: str) -> None:
    frames = f"frame 3 {{ pred 1 }} frame 4 {{ pos {{ -100 0 0 }} pred 2 }} constraint {{ frame 3 frame 4 {kind} }}"
    bench = Live(station.loads(SLIDER.format(second=100, tie=frames))).active()
    if "prismatic" in kind:  # z is free: the second slide falls
        bench.wait(0.1)
        assert bench.arm.body.all_q[1] != pytest.approx(0.1, abs=1e-3)
        return
    bench.follow(rise(bench.arm.reading().q, np.array([0.05]), 0.4), 0.6)
    a, b = bench.arm.body.all_q
    assert a == pytest.approx(0.15, abs=1e-3)
    assert b == pytest.approx(a, abs=1e-4)
