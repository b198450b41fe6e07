"""Worker: memory of our solver over many steps; prints one line of JSON. Arguments: MAD file, robot, frame, steps."""

from __future__ import annotations

import gc
import json
import os
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import station

MIB = 1024.0 * 1024.0
PERIOD = 2000  # ticks of one round of the circle
COPIES = 20  # loads, to find the size of one


def resident() -> float:
    """Memory of this process that is in RAM [MiB]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MIB


def circle(arm: Any, frame: int, count: int) -> None:
    """Follow a circle of 0.1 m for that many steps."""
    angles = np.linspace(0.0, 2.0 * np.pi, PERIOD, endpoint=False)
    home = arm.pose(frame)
    targets = np.tile(home, (PERIOD, 1, 1))
    targets[:, 1, 3] += 0.1 * np.sin(angles)
    targets[:, 2, 3] += 0.1 * (np.cos(angles) - 1.0)
    for number in range(count):
        arm.step({frame: targets[number % PERIOD]}, 1e-3)


def traced(work: Callable[[], Any]) -> float:
    """Bytes that Python and numpy hold more after a second run of `work` than after a first [KiB]."""
    tracemalloc.start()
    first = work()
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    result = work()
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del first, result
    return (after - before) / 1024.0


def main() -> None:
    """Measure and print."""
    file, robot, frame, steps = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    arm = station.load(file)[robot]
    some = min(10_000, steps)
    circle(arm, frame, some)
    gc.collect()
    started = resident()
    circle(arm, frame, steps)
    gc.collect()
    figures = {
        "RSS at start MiB": started,
        "RSS growth MiB": resident() - started,
        "traced growth KiB": traced(lambda: circle(arm, frame, some)),
        "scene and mechanism KiB": traced(lambda: [station.load(file)[robot] for _ in range(COPIES)]) / COPIES,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
