"""Far targets, from one seed, against roboticstoolbox and ikpy: `python -m benchmarks.solver_reach`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.peers import case as cases
from benchmarks.peers.bodies import forward, movable
from benchmarks.peers.case import Case
from benchmarks.peers.rounds import OURS, Entrant, Outcome, compete
from benchmarks.peers.score import Figures, Table, errors, flat, quick, rate, ratio, show

TRUE_TOLERANCE = 1e-5  # of distance [m] and of angle [rad], each for itself
SLACK = 1e-9  # by which a joint value may exceed its stop in rounding [rad]
SLOW = 100  # poses for the slow one
ENTRANTS = (
    Entrant(OURS, "ours", None, note="stops on"),
    Entrant(
        "roboticstoolbox, LM Chan",
        "with_rtb",
        "rest",
        {},
        "compiled, k 0.1, tol 5e-11 (|error| ≤ 1e-5), stops on, its default searches and iterations",
    ),
    Entrant("ikpy", "with_ikpy", "rest", {}, f"scipy, stops on, first {SLOW} poses", targets=SLOW),
)


def random_targets(arm: Case, count: int) -> Case:
    """Poses of joint values drawn evenly between the stops; the seed is midway between them.

    The generator's seed must not be one that a solver draws its restarts from, or these would be the answers.
    """
    lower = np.array([body.lower for body in movable(arm.bodies)])
    upper = np.array([body.upper for body in movable(arm.bodies)])
    q = np.random.default_rng(1897).uniform(lower, upper, (count, len(lower)))
    seeded = replace(arm, start=0.5 * (lower + upper))
    return seeded.following(forward(arm.bodies, q)[arm.frame], independent=True)


def contest(robot: str, count: int, rounds: int) -> Table:
    """One robot."""
    case = random_targets(cases.load(robot), count)
    lower = np.array([body.lower for body in movable(case.bodies)]) - SLACK
    upper = np.array([body.upper for body in movable(case.bodies)]) + SLACK

    def judge(outcome: Outcome, ours: Outcome) -> Figures:
        q = outcome.joints
        distance, angle = errors(case, q)
        good = (distance <= TRUE_TOLERANCE) & (angle <= TRUE_TOLERANCE)
        inside = np.all((q >= lower) & (q <= upper), axis=1)
        spent = 1e-3 * np.concatenate([np.array(one) for one in outcome.us])
        return {
            "success %": 100.0 * float(np.mean(good & inside)),
            "within 1 mm, 1 mrad %": 100.0 * float(np.mean((distance <= 1e-3) & (angle <= 1e-3) & inside)),
            "mean ms": float(spent.mean()),
            "p50 ms": float(np.percentile(spent, 50)),
            "p99 ms": float(np.percentile(spent, 99)),
            "ours/peer p50": ratio(outcome, ours),
            "ours/peer mean": ratio(outcome, ours, np.mean),
            "unsolved": int(np.count_nonzero(~(good & inside))),
            "poses": len(q),
        }

    conditions = (
        f"{count} random reachable poses, seed midway between the stops, success at {TRUE_TOLERANCE:g} m and "
        f"{TRUE_TOLERANCE:g} rad inside the stops, times with failures, one thread"
    )
    return Table(
        f"Reach, {robot}", conditions, rate(ENTRANTS, compete({case.robot: case}, ENTRANTS, rounds)[case.robot], judge)
    )


def measure() -> list[Table]:
    """Run both robots."""
    count, rounds = (200, 2) if quick() else (10_000, 10)
    return [contest(robot, count, rounds) for robot in ("panda", "ur5e")]


def run() -> Figures:
    """Figures by name."""
    return flat(measure())


if __name__ == "__main__":
    show(measure())
