"""From the start of a process to its first step, compiled code cached: `python -m benchmarks.solver_start`."""

from __future__ import annotations

import math
import subprocess
import sys
import time

import numpy as np

from benchmarks.peers.case import ROBOTS
from benchmarks.peers.environments import ROOT, progress
from benchmarks.peers.score import Figures, Row, Table, flat, quick, show

CODE = """
import sys, time
started = float(sys.argv[1])
import station
imported = time.time() - started
arm = station.load(sys.argv[2])[sys.argv[3]]
loaded = time.time() - started
follow = int(sys.argv[4])
arm.step({follow: arm.pose(follow)}, 1e-3)
print(imported, loaded, time.time() - started)
"""
NAMES = ("imported s", "loaded s", "first step s", "first step worst s")
ARMS = (("panda", 9), ("stewart", 22))


def one_start(robot: str, follow: int) -> tuple[list[float], str]:
    """Seconds to import, load and step; or why not."""
    command = [sys.executable, "-c", CODE, repr(time.time()), str(ROBOTS / f"{robot}.mad"), robot, str(follow)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        return [], "did not run: " + (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    return [float(value) for value in done.stdout.split()], ""


def measure() -> list[Table]:
    """Several starts of each robot, after one that fills the cache."""
    repeats = 1 if quick() else 7
    rows = []
    for robot, follow in ARMS:
        progress(f"  start: {robot}, {repeats} times")
        note = one_start(robot, follow)[1]
        figures: Figures = dict.fromkeys(NAMES, math.nan)
        if not note:
            starts = np.array([one_start(robot, follow)[0] for _ in range(repeats)])
            values = [*np.median(starts, axis=0).tolist(), float(starts[:, 2].max())]
            figures = dict(zip(NAMES, values, strict=True))
        rows.append(Row(robot, figures, note))
    return [Table("First step of a warm process", f"median of {repeats} processes, cache filled before", rows)]


def run() -> Figures:
    """Figures by name."""
    return flat(measure())


if __name__ == "__main__":
    show(measure())
