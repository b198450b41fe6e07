"""What a mechanism takes: little memory, and never more."""

from __future__ import annotations

import gc
import os
import tracemalloc
from pathlib import Path

import pytest

from station.mechanism import Contact, Preference
from tests.mechanism.mechanisms import SHIPPED, shipped

DT = 1e-3
PUSH = [0.1, 0.0, 0.05, 0.0, 0.2, 0.0]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_mechanism_is_small(name: str) -> None:
    assert len(bytes(shipped(name).memory)) < 1_000_000


@pytest.mark.parametrize("name", ["panda", "stewart"])
def test_steps_take_no_memory(name: str) -> None:
    arm = shipped(name)
    frame = max(arm._frames)
    pose, prefer = arm.pose(frame), Preference(centre_rate=1.0)

    def run(count: int) -> None:
        for k in range(count):
            arm.step({frame: pose if k % 2 else PUSH}, DT)
            if k % 20 == 0:
                arm.step({frame: PUSH}, DT, prefer=prefer, contacts=[Contact(frame, [0, 0, 0], [0, 0, 1], 9.0)])

    run(2000)
    gc.collect()
    resident = _resident()
    tracemalloc.start()
    try:
        run(500)
        before = tracemalloc.get_traced_memory()[0]
        run(20_000)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 20_000
    assert _resident() - resident < 2_000_000


def _resident() -> int:
    """Memory of this process [bytes]."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
