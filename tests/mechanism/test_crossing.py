"""What drives see of a robot's motion: nothing at a singularity of its loops."""

from __future__ import annotations

import numpy as np
import pytest

from station.mechanism import Mechanism
from station.mechanism.assembly import squared_gap
from station.mechanism.crossing import seen_by_drives
from tests.mechanism.mechanisms import shipped


def by_numpy(arm: Mechanism) -> float:
    """The same by singular values."""
    mem = arm.memory
    squared_gap(mem, mem.q, True)
    unit = np.where(mem.joint_kind == 0, mem.length, 1.0)
    rows = mem.matrix[:, : len(mem.q)] / unit
    free = np.linalg.svd(rows)[2][mem.closure_rank :].T
    return float(np.linalg.svd(free[np.array(mem.driven)], compute_uv=False)[-1])


@pytest.mark.parametrize("name", ["3-rpr", "five-bar", "delta", "stewart", "hitachi-hpr", "syntaxer"])
def test_it_is_the_least_share_of_a_motion_that_they_see(name: str) -> None:
    arm = shipped(name)
    frame = next(c.targets[0].id for c in arm.robot.constraints if not c.closes_loop)
    for way in ((0.0, 0.0, 0.0), (0.02, 0.01, 0.0), (-0.01, 0.02, 0.01)):
        arm.step({frame: np.array([*way, 0.0, 0.0, 0.0])}, 1.0)
        arm.memory.v[:] = 0.0
        arm.step({frame: np.zeros(6)}, 1e-3)  # eliminates where it is
        assert seen_by_drives(arm.memory) == pytest.approx(by_numpy(arm), rel=1e-6)


def test_all_of_it_without_loops() -> None:
    assert seen_by_drives(shipped("ur5e").memory) == 1.0
