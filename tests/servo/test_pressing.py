"""The press limit on the bench: the hand runs the arm into a stand that only the arm knows of, and keeps pushing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from station.bilateral import BilateralStatus
from station.controllers.controller import Floats
from station.devices.parameter import SettingsError
from station.run.places import BENCH_WORLD
from station.servo.rig import Wanted
from station.servo.shared import ServoState
from tests.servo.arm_benches import ArmBench, arm_bench
from tests.servo.test_full_bench import assert_the_arm_was_told_nothing_beyond_its_limits

MOST = 140.0  # [N], unless said otherwise
SOFT = "tip_time=0.1,contact_force=400"  # the arm of the default bench; it stops by itself at 400 N
TOUCHES, PRESSES, BACK = 2.9, 4.3, 6.3  # [s]
UNLIMITED = 1e5  # [N]


def pushing(way: str) -> str:
    """A hand that engages 40 mm above the stand, goes that way, pushes on for 1.2 s and comes back."""
    begin = "tighten 0.5; reach 0.22 0 0 in 1; reach 0.22 0 0 in 1; press deadman; hold 0.3; "
    return begin + way + "; hold 1.2; reach 0.22 0 0 in 0.8; hold 0.5"


def forces_until(bench: ArmBench, time: float) -> Floats:
    """On the tool, tick by tick [N]."""
    sizes = []
    while bench.servo.clock.now() < time - 1e-9:
        bench.ticks()
        sizes.append(float(np.linalg.norm(bench.shared.measured_wrench[:3])))
    return np.array(sizes)


@pytest.mark.parametrize("way", ["strength 3; reach 0.22 0 -0.06 in 1", "reach 0.22 0 -0.1 in 1"])
def test_what_the_tool_runs_into_is_pressed_no_harder_than_allowed(tmp_path: Path, way: str) -> None:
    with arm_bench(tmp_path, hand=pushing(way), world=str(BENCH_WORLD), settings=SOFT) as bench:
        bench.until(TOUCHES)
        assert forces_until(bench, PRESSES - 0.4).max() < 400.0  # the first blow is the arm's momentum
        while_pressing = forces_until(bench, PRESSES)
        assert while_pressing.mean() > 0.3 * MOST  # it does press
        assert while_pressing.max() < 1.05 * MOST
        assert bench.shared.predicted_pose[2, 3] < bench.shared.measured_pose[2, 3] - 0.002  # the hand goes on
        assert bench.state() is ServoState.ENGAGED
        forces_until(bench, BACK)
        assert bench.state() is ServoState.ENGAGED
        assert bench.behind < 0.01
        assert np.linalg.norm(bench.shared.measured_wrench[:3]) < 5.0
        assert not bench.shared.reflection_status & BilateralStatus.PRESSING
        assert_the_arm_was_told_nothing_beyond_its_limits(bench)


def test_that_it_can_press_no_harder_is_shown(tmp_path: Path) -> None:
    hand = pushing("reach 0.22 0 -0.08 in 2")
    with arm_bench(tmp_path, hand=hand, world=str(BENCH_WORLD), settings=SOFT, wanted=Wanted(press=60.0)) as bench:
        bench.until(TOUCHES)
        assert not bench.shared.reflection_status & BilateralStatus.PRESSING
        shown = 0
        while bench.servo.clock.now() < PRESSES + 1.0:
            bench.ticks()
            shown += bool(bench.shared.reflection_status & BilateralStatus.PRESSING)
        assert shown > 50


def test_without_it_the_arm_stops_by_itself(tmp_path: Path) -> None:
    hand = pushing("reach 0.22 0 -0.1 in 1")
    wanted = Wanted(press=UNLIMITED)
    with arm_bench(tmp_path, hand=hand, world=str(BENCH_WORLD), settings=SOFT, wanted=wanted) as bench:
        bench.until(PRESSES)
        assert bench.state() is ServoState.FAULT


@pytest.mark.parametrize("press", [0.0, -1.0, float("nan"), float("inf")])
def test_a_limit_that_makes_no_sense_is_one_line(press: float) -> None:
    with pytest.raises(SettingsError, match=r"press .*allowed"):
        Wanted(press=press)
