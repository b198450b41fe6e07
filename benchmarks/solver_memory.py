"""Memory over a million steps, and of one mechanism: `python -m benchmarks.solver_memory`."""

from __future__ import annotations

import json
import math
import subprocess
import sys

from benchmarks.peers.case import ROBOTS
from benchmarks.peers.environments import ROOT, progress
from benchmarks.peers.score import Figures, Row, Table, flat, quick, show

NAMES = ("RSS at start MiB", "RSS growth MiB", "traced growth KiB", "scene and mechanism KiB")


def measure() -> list[Table]:
    """Run it in a process of its own."""
    steps = 5_000 if quick() else 1_000_000
    progress(f"  memory: {steps} steps")
    worker = [sys.executable, "-m", "benchmarks.peers.workers.soak", str(ROBOTS / "panda.mad"), "panda", "9"]
    done = subprocess.run([*worker, str(steps)], capture_output=True, text=True, cwd=ROOT, check=False)
    figures: Figures = dict.fromkeys(NAMES, math.nan)
    note = ""
    if done.returncode == 0:
        figures |= json.loads(done.stdout)
    else:
        note = "did not run: " + (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    return [
        Table("Memory", f"panda on a circle, {steps} steps after up to 10,000 to warm up", [Row("ours", figures, note)])
    ]


def run() -> Figures:
    """Figures by name."""
    return flat(measure())


if __name__ == "__main__":
    show(measure())
