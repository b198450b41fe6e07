"""Robot geometry over the real link: how much nearer the tool is on poses that were not measured.

Emulated arms in MuJoCo, wrong by 1 mm and 0.2 degrees in everything, behind their ZeroMQ servers; a tracker with
0.05 mm of noise behind its own TCP port; the station's drivers, collection and estimate, on a virtual clock. Afterwards
the arm is led to other poses, and where the tool truly is there is compared with what nominal and calibrated robot say.

`python -m benchmarks.calibration_link` prints the table of docs/calibration.md; names of robots choose some.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.calibration import rms
from calibration.arm import ArmLead
from calibration.collection import read_collection
from calibration.errors import PoseError
from calibration.geometry import GeometryResult, ToolMeasurements, calibrate_geometry, tool_poses
from calibration.geometry.candidates import candidate_joints
from calibration.geometry.collecting import Wish, begin, collect_poses
from calibration.parameters import Floats
from calibration.turning import aligned
from sim_devices.instrument import TrackerSettings
from tests.calibration.benches import WRONG, Cell

POSES, FRESH, SEEDS = 60, 20, 3
WITHIN = float(np.radians(60.0))  # of where the robot begins, each joint that turns [rad]


class Case(NamedTuple):
    """A robot, its measured frame, how fast and how far it is led, and the tracker's noise."""

    name: str
    frame: int
    speed: float = 1.0  # share of the arm's limits
    along: float = np.inf  # of where the robot begins, each joint that slides [m]
    noise: float = 5e-5  # standard deviation per axis [m]


MACDAC, UR5E = Case("macdac", 6), Case("ur5e", 7)
CROSS_DELTA = Case("cross-delta-driven", 5, speed=0.7, along=1.0)
CASES = (MACDAC, UR5E, CROSS_DELTA)


class OverTheLink(NamedTuple):
    """Tool of one arm on poses that were not measured."""

    before: Floats  # distances from the truth, nominal robot at its best place [m]
    after: Floats  # calibrated [m]
    seconds: float  # of the arm's own time, for all measured poses [s]
    result: GeometryResult

    @property
    def factor(self) -> float:
        """By which the root mean square is smaller."""
        return rms(self.before) / rms(self.after)


def over_the_link(case: Case, seed: int, poses: int = POSES, fresh: int = FRESH) -> OverTheLink:
    """Collect, estimate, and look at other poses."""
    frame, wish = case.frame, Wish(case.frame, poses, 5 * poses, WITHIN, along=case.along)
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.closing(Cell(case.name, frame, seed, TrackerSettings(noise=case.noise), **WRONG)) as cell,
    ):
        held = begin(Path(folder) / "poses.jsonl", cell.mechanism, cell.surroundings, wish, cell.instrument.about)
        lead = cell.lead(case.speed)
        collect_poses(held, cell.mechanism, wish, cell.instrument, lead, lambda _: None)
        seconds = cell.clock.now()
        data = measured(Path(folder) / "poses.jsonl", case.noise)
        result = calibrate_geometry(cell.mechanism.robot, frame, data, validate=False)
        joints, truth = fresh_poses(cell, lead, wish, fresh)
        nominal = tool_poses(cell.mechanism.robot, frame, data.encoders, joints)[:, :3, 3]
    place = aligned(nominal, truth)[0]
    found = (result.stand @ tool_poses(result.robot, frame, data.encoders, joints))[:, :3, 3]
    before = nominal @ place[:3, :3].T + place[:3, 3] - truth
    return OverTheLink(np.linalg.norm(before, axis=1), np.linalg.norm(found - truth, axis=1), seconds, result)


def measured(path: Path, noise: float) -> ToolMeasurements:
    """What was collected."""
    held = read_collection(path)
    joints, positions = (np.array([one.values[word] for one in held.observations]) for word in ("joints", "position"))
    encoders = tuple(held.facts["encoders"])
    return ToolMeasurements(encoders=encoders, joints=joints, positions=positions, position_noise=noise)


def fresh_poses(cell: Cell, lead: ArmLead, wish: Wish, count: int) -> tuple[Floats, Floats]:
    """Encoder values at poses that were not measured [rad | m], and where the tool truly is for the tracker [m]."""
    joints, places = [], []
    for goal in candidate_joints(cell.mechanism, cell.surroundings, 3 * count, wish.within, wish.seed + 1, wish.along):
        with contextlib.suppress(PoseError):  # no free way
            joints.append(lead.go(goal).joints)
            places.append((cell.tracker.stand @ cell.tracker.truth)[:3, 3])
        if len(joints) == count:
            break
    return np.array(joints), np.array(places)


if __name__ == "__main__":
    print("| robot | tool before, rms | after, rms | better by, worst arm | chi-square per freedom | 60 poses take |")
    print("|---|---|---|---|---|---|")
    for case in [one for one in CASES if len(sys.argv) < 2 or one.name in sys.argv[1:]]:
        made = []
        for seed in range(1, SEEDS + 1):
            made.append(over_the_link(case, seed))
            print(f"{case.name}, arm {seed}: better by {made[-1].factor:.0f} ×", file=sys.stderr, flush=True)
        before, after = (
            1e3 * float(np.mean([rms(getattr(one, word)) for one in made])) for word in ("before", "after")
        )
        worst, took = min(one.factor for one in made), np.mean([one.seconds for one in made])
        explained = np.mean([one.result.judgement.chi_square / one.result.judgement.freedom for one in made])
        print(
            f"| {case.name} | {before:.2f} mm | {after:.3f} mm | {worst:.0f} × | {explained:.2f} | {took:.0f} s |",
            flush=True,
        )
