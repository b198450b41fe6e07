"""One step of a 7-joint arm at 1 kHz on a circle, against placo, pink and mink: `python -m benchmarks.solver_step`."""

from __future__ import annotations

import numpy as np

from benchmarks.peers import case as cases
from benchmarks.peers.bodies import Array
from benchmarks.peers.motion import phase
from benchmarks.peers.rounds import OURS, Entrant, Outcome, compete
from benchmarks.peers.score import Figures, Table, errors, flat, quick, rate, show, times

RADIUS = 0.1  # [m]
FREQUENCY = 0.5  # [Hz]
ENTRANTS = (
    Entrant(OURS, "ours", None, note="position, speed and acceleration limits"),
    Entrant("ours, following()", "ours", None, {"following": True}, "the same without result objects, as in a tick"),
    Entrant("placo, solve only", "with_placo", "placo", {"solve_only": True}, "position and speed limits"),
    Entrant("placo, update + solve", "with_placo", "placo", {}, "position and speed limits"),
    Entrant("pink, daqp", "with_pink", "rest", {}, "position and speed limits"),
    Entrant("mink, daqp", "with_mink", "rest", {}, "position and speed limits"),
    Entrant("pinocchio + numpy, DLS", "with_pinocchio", "rest", {}, "no limits"),
)


def circle(home: Array, ticks: int) -> Array:
    """Poses on a vertical circle through `home`, from rest to full speed in the first half second."""
    angle = 2 * np.pi * FREQUENCY * phase(ticks, cases.TICK, 0.5)
    targets = np.tile(home, (ticks, 1, 1))
    targets[:, 1, 3] += RADIUS * np.sin(angle)
    targets[:, 2, 3] += RADIUS * (np.cos(angle) - 1.0)
    return targets


def measure() -> list[Table]:
    """Run the contest."""
    ticks, rounds = (500, 2) if quick() else (2500, 10)
    arm = cases.load("panda")
    case = arm.following(circle(arm.home(), ticks))

    def judge(outcome: Outcome, ours: Outcome) -> Figures:
        distance, angle = errors(case, outcome.joints)
        accuracy = {"error max µm": 1e6 * distance.max(), "error max µrad": 1e6 * angle.max()}
        return {**times(outcome, ours), **accuracy, "failures": outcome.failures}

    title = "Panda step"
    conditions = f"7 joints, circle of {RADIUS} m at {FREQUENCY} Hz, 1 kHz, {ticks} steps × {rounds} rounds, one thread"
    return [Table(title, conditions, rate(ENTRANTS, compete({case.robot: case}, ENTRANTS, rounds)[case.robot], judge))]


def run() -> Figures:
    """Figures by name."""
    return flat(measure())


if __name__ == "__main__":
    show(measure())
