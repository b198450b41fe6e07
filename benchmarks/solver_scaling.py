"""How a step grows with the mechanism: serial chains and chains of loops: `python -m benchmarks.solver_scaling`."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.peers import case as cases
from benchmarks.peers.bodies import Array, forward
from benchmarks.peers.case import Case
from benchmarks.peers.chains import looped, serial
from benchmarks.peers.motion import phase
from benchmarks.peers.rounds import OURS, Entrant, Outcome, compete
from benchmarks.peers.score import Figures, Row, Table, closure_gaps, errors, flat, quick, show

SERIAL = (7, 15, 30, 60)  # joints
LOOPS = (1, 2, 3, 4, 5, 6, 7, 8)
FREQUENCY = 1.0  # [Hz]
SWING = 0.1  # of the first joint or crank [rad]
OUR_SOLVER = Entrant(OURS, "ours", None)


def swing(case: Case, ticks: int) -> Array:
    """Poses of the tool while the first joint swings and the other driven ones stand still."""
    held = [column for column in range(len(case.start)) if not case.closures or column % 3 == 0]
    path = np.tile(case.start, (ticks, 1))
    path[:, 0] += SWING * np.sin(2 * np.pi * FREQUENCY * phase(ticks, cases.TICK, 0.2))
    if case.closures:
        for tick in range(ticks):
            others = [column for column in range(len(case.start)) if column not in held]
            path[tick, others] = path[max(tick - 1, 0), others]
            path[tick] = cases.assembled(case, path[tick], held=held)
    return forward(case.bodies, path)[case.frame]


def contest(title: str, conditions: str, texts: dict[str, str], ticks: int, rounds: int) -> Table:
    """Run all sizes alternately; the last rows are exponents of time over joints."""
    with tempfile.TemporaryDirectory() as folder:
        sized = {}
        for label, text in texts.items():
            file = Path(folder) / f"{label.replace(' ', '-')}.mad"
            file.write_text(text)
            case = cases.load(file, title.split()[0].lower())
            sized[label] = case.following(swing(case, ticks))
        outcomes = {label: found[OURS] for label, found in compete(sized, [OUR_SOLVER], rounds).items()}
    rows = [Row(label, figures_of(case, outcomes[label]), outcomes[label].reason) for label, case in sized.items()]
    sizes = np.log([row.figures["joints"] for row in rows])
    spent = np.log([row.figures["p50 µs"] for row in rows])
    half = int(np.abs(sizes - (sizes[-1] - np.log(2.0))).argmin())
    doubling = float((spent[-1] - spent[half]) / (sizes[-1] - sizes[half]))
    overall = math.nan if np.isnan(spent).any() else float(np.polyfit(sizes, spent, 1)[0])
    rows.append(Row("exponent over joints, all", {"p50 µs": overall}, "fixed cost of a call included"))
    rows.append(Row("exponent, last doubling", {"p50 µs": doubling}))
    return Table(title, conditions, rows)


def figures_of(case: Case, outcome: Outcome) -> Figures:
    """Time and accuracy at one size."""
    figures: Figures = {"joints": len(case.start), "p50 µs": math.nan, "p99 µs": math.nan, "tracking max µm": math.nan}
    if not outcome.missing:
        figures["p50 µs"] = float(np.median([np.median(one) for one in outcome.us]))
        figures["p99 µs"] = float(np.percentile(np.concatenate([np.array(one) for one in outcome.us]), 99))
        figures["tracking max µm"] = 1e6 * float(errors(case, outcome.joints)[0].max())
        figures |= closure_gaps(case, outcome.joints) if case.closures else {}
    return figures


def measure() -> list[Table]:
    """Run both families."""
    ticks, rounds = (100, 2) if quick() else (500, 6)
    chains = {f"{joints} joints": serial(joints) for joints in (SERIAL[:2] if quick() else SERIAL)}
    loops = {f"{count} loops": looped(count) for count in (LOOPS[:2] if quick() else LOOPS)}
    conditions = f"first joint swings {SWING} rad at {FREQUENCY:g} Hz, tool pose followed at 1 kHz, {ticks} steps"
    return [
        contest("Serial chain scaling", conditions, chains, ticks, rounds),
        contest("Looped chain scaling", f"four-bar loops on each other, {conditions}", loops, ticks, rounds),
    ]


def run() -> Figures:
    """Figures by name."""
    return flat(measure())


if __name__ == "__main__":
    show(measure())
