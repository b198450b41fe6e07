"""Counts to pose, wrench to currents, beside the general solver: `python -m benchmarks.devices_kinematics`."""

from __future__ import annotations

import numpy as np

import robots
import station
from benchmarks.devices_machine import contest, rows_of, steady
from benchmarks.peers.score import Figures, Table, flat, quick, show
from station.devices.falcon.kinematics import FalconModel
from station.devices.syntaxer import SyntaxerModel

PEER = "general solver, arms only"
PLACES = 512  # on a circle of the handle, taken in turn
RADIUS = 0.03  # [m]
MOTORS, HANDLE = (1, 6, 11), 19  # links of robots/syntaxer.mad
SLOW = 10  # the general solver takes part with every tenth sample


def circle() -> list[tuple[float, float]]:
    """Places beside the middle [m]."""
    angles = 2.0 * np.pi * np.arange(PLACES) / PLACES
    return [(RADIUS * float(np.cos(angle)), RADIUS * float(np.sin(angle))) for angle in angles]


def measure() -> list[Table]:
    """Run the contest."""
    samples, rounds = (1000, 2) if quick() else (20_000, 5)
    model, falcon = SyntaxerModel(), FalconModel()
    robot = station.load(robots.path("syntaxer"))["syntaxer"]
    wrench, force = np.array([2.0, -1.0, 0.5, 0.02, -0.01, 0.01]), np.array([2.0, -1.0, 0.5])
    joints = [model.joints_at((model.middle[0], y, z), (0.1, y, z)).values for y, z in circle()]
    counts = [model.counts_of(values).astype(np.int64) for values in joints]
    wanted = [dict(zip(MOTORS, values[:3].tolist(), strict=True)) for values in joints]
    legs = [falcon.counts(np.array([0.0, y, z])) for y, z in circle()]
    legs_of = [[float(count) for count in values] for values in legs if values is not None]
    assert len(legs_of) == PLACES

    def syntaxer(i: int) -> None:
        model.pose(counts[i % PLACES])
        model.currents(wrench)

    def of_falcon(i: int) -> None:
        place = falcon.position_of_counts(legs_of[i % PLACES])
        assert place is not None
        falcon.words_for(place, force)

    def general(i: int) -> None:
        robot.step({}, 1.0, joints=wanted[i % PLACES])
        robot.pose(HANDLE)

    general(0)
    spent = contest(
        {
            "syntaxer, pose + currents": syntaxer,
            "syntaxer, pose": lambda i: model.pose(counts[i % PLACES]),
            "syntaxer, currents": lambda _: model.currents(wrench),
            "Falcon, place + words": of_falcon,
            PEER: general,
        },
        samples,
        rounds,
        {PEER: SLOW},
    )
    notes = {
        "syntaxer, pose + currents": "forward, Jacobians, currents of a wrench, weight carried; at most 10 µs wanted",
        "syntaxer, pose": "with Jacobians and weight",
        "Falcon, place + words": "three axes",
        PEER: "one step of robots/syntaxer.mad to the same arm angles, and the pose: no strings, no currents",
    }
    conditions = f"handle on a circle of {RADIUS} m, {samples} × {rounds}"
    return [Table("kinematics", conditions, rows_of(spent, PEER, notes))]


def run() -> Figures:
    """Figures by name."""
    return flat(steady("kinematics", measure))


if __name__ == "__main__":
    show(steady("kinematics", measure))
