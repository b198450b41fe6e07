"""All benchmarks of the kinematics solver, side by side with its peers: `python -m benchmarks.solver [--quick]`.

The peers' environments are made on first use in `.venv-peers/` (see peers/environments.py). `--quick` or
STATION_BENCH_QUICK=1 is a smoke run of less than a minute whose figures mean nothing.
"""

from __future__ import annotations

from benchmarks import (
    solver_hold,
    solver_loops,
    solver_memory,
    solver_reach,
    solver_scaling,
    solver_start,
    solver_step,
)
from benchmarks.peers.environments import progress
from benchmarks.peers.score import Figures, Table, flat, show

PARTS = (solver_step, solver_loops, solver_hold, solver_reach, solver_scaling, solver_memory, solver_start)


def measure() -> list[Table]:
    """Run every part."""
    tables = []
    for part in PARTS:
        progress(f"{part.__name__.rpartition('.')[2]} …")
        tables += part.measure()
    return tables


def run() -> Figures:
    """Figures by name."""
    return flat(measure())


if __name__ == "__main__":
    show(measure())
