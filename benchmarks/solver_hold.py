"""A target out of reach, pulled away and held: who chatters? `python -m benchmarks.solver_hold`."""

from __future__ import annotations

import numpy as np

from benchmarks.peers import case as cases
from benchmarks.peers.bodies import Array, movable
from benchmarks.peers.motion import eased
from benchmarks.peers.rounds import OURS, Entrant, Outcome, compete
from benchmarks.peers.score import Figures, Table, errors, flat, quick, rate, show, times

PULL = 0.6  # along x [m]
REST = 1e-4  # slower than this counts as standing still [rad/s]
ENTRANTS = (
    Entrant(OURS, "ours", None, note="position, speed and acceleration limits"),
    Entrant("pink, default", "with_pink", "rest", {}, "damping 1e-12, position and speed limits"),
    Entrant("pink, lm 1.0", "with_pink", "rest", {"lm": 1.0}, "as above"),
    Entrant("mink, default", "with_mink", "rest", {}, "damping 1e-12, position and speed limits"),
    Entrant("mink, lm 1.0", "with_mink", "rest", {"lm": 1.0}, "as above"),
    Entrant("placo, default", "with_placo", "placo", {}, "position and speed limits"),
    Entrant("placo, reg 1e-4", "with_placo", "placo", {"regularization": 1e-4}, "as above"),
)


def pulled(home: Array, pull: int, hold: int) -> Array:
    """Poses that go `PULL` along x within `pull` ticks, then stay for `hold` ticks."""
    targets = np.tile(home, (pull + hold, 1, 1))
    targets[:, 0, 3] += PULL * eased(np.arange(1, pull + hold + 1) / pull)
    return targets


def sign_flips(speeds: Array) -> float:
    """Changes of direction per second of the joint that does it most; speeds (T, n) below `REST` are none."""
    worst = 0
    for column in speeds.T:
        directions = np.sign(column[np.abs(column) > REST])
        worst = max(worst, int(np.count_nonzero(np.diff(directions))))
    return worst / (len(speeds) * cases.TICK)


def contest(title: str, pull: int, hold: int, rounds: int) -> Table:
    """One table; the last second of the hold is judged, the largest velocity step over everything."""
    judged = min(1000, hold // 2)
    arm = cases.load("panda")
    case = arm.following(pulled(arm.home(), pull, hold))
    limits = np.array([body.acceleration for body in movable(case.bodies)])

    def judge(outcome: Outcome, ours: Outcome) -> Figures:
        q = np.vstack([case.start, outcome.joints])
        speeds = np.diff(q, axis=0) / cases.TICK
        jumps = np.abs(np.diff(speeds, axis=0, prepend=0.0))
        distance, angle = errors(case, outcome.joints)
        return {
            "RMS rad/s": float(np.sqrt(np.mean(speeds[-judged:] ** 2))),
            "flips/s": sign_flips(speeds[-judged:]),
            "speed step max rad/s": float(jumps.max()),
            "× acceleration limit": float((jumps / (limits * cases.TICK)).max()),
            "failures": outcome.failures / outcome.passes,
            "short mm": 1e3 * distance[-1],
            "turned rad": angle[-1],
            **times(outcome, ours),
        }

    conditions = (
        f"panda, target pulled {PULL} m along x in {pull / 1000:g} s (smooth), held {hold / 1000:g} s, of which the "
        f"last {judged / 1000:g} s is judged; 1 kHz, speeds below {REST} rad/s do not flip"
    )
    return Table(title, conditions, rate(ENTRANTS, compete({case.robot: case}, ENTRANTS, rounds)[case.robot], judge))


def measure() -> list[Table]:
    """A pull that joints can follow, and one that runs into their speed limits."""
    if quick():
        return [contest("Unreachable hold", 3000, 600, 1)]
    return [contest("Unreachable hold", 3000, 2000, 2), contest("Unreachable hold, fast pull", 1000, 2000, 2)]


def run() -> Figures:
    """Figures by name."""
    return flat(measure())


if __name__ == "__main__":
    show(measure())
