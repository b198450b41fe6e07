"""The light in the handle of the syntaxer, and a hand that looks at it: a loss in mid-turn shifts nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from firmware_bridge.syntaxer.protocol import Led
from station.servo.shared import ServoState
from tests.servo.arm_benches import arm_bench

HAND = (  # twice to each place: a person corrects
    "tighten 0.6 in 0.1; reach 0.22 0 0 in 0.6; reach 0.22 0 0 in 0.6; press deadman; hold 0.3; "
    "reach 0.22 0.05 0.04 in 0.6; hold 0.3; reach 0.22 0 0 in 0.6; reach 0.22 0 0 in 1; hold 1"
)
LOOKING = "watch deadman; " + HAND
ENGAGED, IN_REACH, AT_REST = 1.4, 1.9, 2.35  # [s]


def shift_after_a_loss(folder: Path, hand: str, fault: str, at: float) -> float:
    """How far from its beginning the tool ends, if device or arm are silent for 0.1 s in mid-turn [m]."""
    faults = {fault: f"silence at {at} for 0.1"}
    with arm_bench(folder, faults.get("arm", ""), faults.get("device", ""), hand) as bench:
        bench.until(ENGAGED)
        begin = bench.shared.measured_pose[:3, 3].copy()
        bench.until(at + 0.15)
        assert bench.state() is ServoState.HOLD
        assert bench.emulator.firmware.outputs.led != Led.GREEN
        bench.until(7.0)
        follows = bench.state() is ServoState.ENGAGED
        assert follows == (hand == LOOKING)
        assert bench.emulator.firmware.outputs.led == (Led.GREEN if follows else Led.BLUE)
        return float(np.linalg.norm(bench.shared.measured_pose[:3, 3] - begin))


@pytest.mark.parametrize(
    ("fault", "at", "most"),
    [
        ("device", AT_REST, 0.004),
        ("device", IN_REACH, 0.012),
        ("arm", AT_REST, 0.004),
        ("arm", IN_REACH, 0.012),
    ],
)
def test_a_hand_that_looks_brings_the_robot_back(fault: str, at: float, most: float, tmp_path: Path) -> None:
    assert shift_after_a_loss(tmp_path, LOOKING, fault, at) < most


def test_a_hand_that_does_not_look_leaves_the_robot_where_it_was_lost(tmp_path: Path) -> None:
    assert shift_after_a_loss(tmp_path, HAND, "device", AT_REST) > 0.05


def test_the_light_is_green_exactly_while_a_robot_follows_the_hand(tmp_path: Path) -> None:
    """With the arm lost the device still pushes, as at stops of the predicted robot, but nothing follows."""
    seen, before = set(), None
    with arm_bench(tmp_path, arm_faults="silence at 1.6 for 0.2", hand=HAND) as bench:
        for _ in range(2000):
            bench.ticks()
            if bench.state() is before:  # a light that is told is seen a tick later
                seen.add((bench.state(), Led(bench.emulator.firmware.outputs.led), bench.device.force_enabled))
            before = bench.state()
    assert seen == {
        (ServoState.READY, Led.BLUE, False),
        (ServoState.ENGAGED, Led.GREEN, True),
        (ServoState.HOLD, Led.BLUE, True),
    }
