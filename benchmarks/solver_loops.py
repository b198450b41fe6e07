"""Steps with closed loops, against placo, mink and pinocchio by hand: `python -m benchmarks.solver_loops`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.peers import case as cases
from benchmarks.peers.bodies import Array, forward
from benchmarks.peers.case import Case
from benchmarks.peers.motion import phase, turned
from benchmarks.peers.rounds import OURS, Entrant, Outcome, compete
from benchmarks.peers.score import Figures, Table, closure_gaps, errors, flat, quick, rate, show, times

FREQUENCY = 1.0  # [Hz]
RISE = 0.5  # from rest to full speed [s]

OUR_SOLVER = Entrant(OURS, "ours", None, note="position, speed and acceleration limits")
OUR_FOLLOWING = Entrant("ours, following()", "ours", None, {"following": True}, "without result objects, as in a tick")
PLACO = Entrant("placo, update + solve", "with_placo", "placo", {}, "hard closures, position and speed limits")
PLACO_SOLVE = Entrant("placo, solve only", "with_placo", "placo", {"solve_only": True}, "as above")
PLACO_MASKED = Entrant("placo, masked by hand", "with_placo", "placo", {"mask": "xy"}, "closure rows x and y only")
MINK = Entrant("mink, daqp", "with_mink", "rest", {}, "hard closures, position and speed limits")
BY_HAND = Entrant("pinocchio + numpy, DLS", "with_pinocchio", "rest", {}, "task and closure rows stacked, no limits")


def platform_motion(home: Array, ticks: int, reach: float, turn: float) -> Array:
    """Poses that sway by `reach` [m] and, about a slanted axis, by `turn` [rad]."""
    angle = 2 * np.pi * FREQUENCY * phase(ticks, cases.TICK, RISE)
    targets = np.tile(home, (ticks, 1, 1))
    targets[:, 0, 3] += reach * np.sin(angle)
    targets[:, 1, 3] += reach * 0.5 * (1 - np.cos(angle))
    targets[:, 2, 3] += reach * 0.5 * (np.cos(angle) - 1)
    tilt = turn * np.sin(angle)[:, None] * np.ones(3) / np.sqrt(3)
    targets[:, :3, :3] = turned(tilt) @ home[:3, :3]
    return targets


def pen_motion(case: Case, ticks: int) -> Array:
    """Poses of the pen while both motors swing by 0.2 rad: a planar linkage can follow no other poses than its own."""
    angle = 2 * np.pi * FREQUENCY * phase(ticks, cases.TICK, RISE)
    motors = (0, 2)
    q, path = case.start, []
    for one, other in zip(0.2 * np.sin(angle), 0.2 * (np.cos(angle) - 1.0), strict=True):
        q = q.copy()
        q[list(motors)] = case.start[list(motors)] + (one, other)
        q = cases.assembled(case, q, held=motors)
        path.append(q)
    return forward(case.bodies, np.array(path))[case.frame]


def contest(title: str, conditions: str, case: Case, entrants: Sequence[Entrant], rounds: int) -> Table:
    """One table: times, closure, tracking, failures."""

    def judge(outcome: Outcome, ours: Outcome) -> Figures:
        distance, angle = errors(case, outcome.joints)
        return {
            **times(outcome, ours),
            **closure_gaps(case, outcome.joints),
            "tracking max µm": 1e6 * distance.max(),
            "tracking max µrad": 1e6 * angle.max(),
            "failures": outcome.failures / outcome.passes,
            "of steps": len(case.targets),
        }

    conditions += (
        f"; {FREQUENCY:g} Hz, 1 kHz, {len(case.targets)} steps × {rounds} rounds, failures per round, one thread"
    )
    return Table(title, conditions, rate(entrants, compete({case.robot: case}, entrants, rounds)[case.robot], judge))


def measure() -> list[Table]:
    """Run all three contests."""
    ticks, rounds = (300, 2) if quick() else (1500, 10)
    stewart, delta, five_bar = (cases.load(name) for name in ("stewart", "cross-delta", "five-bar"))
    stewart = stewart.following(platform_motion(stewart.home(), ticks, 0.03, 0.1))
    delta = delta.following(platform_motion(delta.home(), ticks, 0.03, 0.0))
    five_bar = five_bar.following(pen_motion(five_bar, 300 if quick() else 1000))
    return [
        contest(
            "Stewart 6-UPS step",
            "21 joints, 15 closure + 6 task rows, sway of 0.03 m and 0.1 rad",
            stewart,
            (OUR_SOLVER, OUR_FOLLOWING, PLACO_SOLVE, PLACO, MINK, BY_HAND),
            rounds,
        ),
        contest(
            "Cross-delta step",
            "15 joints, 12 closure + 6 task rows, sway of 0.03 m",
            delta,
            (OUR_SOLVER, OUR_FOLLOWING, PLACO_SOLVE, PLACO, MINK, BY_HAND),
            rounds,
        ),
        contest(
            "Five-bar step, unmasked",
            "planar, 4 joints, ball closure of 3 rows of which 1 is redundant + 6 task rows",
            five_bar,
            (OUR_SOLVER, PLACO, PLACO_MASKED, MINK, BY_HAND),
            2 if quick() else 5,
        ),
    ]


def run() -> Figures:
    """Figures by name."""
    return flat(measure())


if __name__ == "__main__":
    show(measure())
