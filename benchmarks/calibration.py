"""Robot geometry: how long it takes, and how much nearer the tool is on poses that were not measured.

`python -m benchmarks.calibration` prints the table of docs/calibration.md; `--picture FILE` draws it.
"""

from __future__ import annotations

import sys
import time
from typing import NamedTuple

import numpy as np

from benchmarks.calibration_cases import CROSS_DELTA, MACDAC, PANDA, UR5E, Case, Floats, planted
from calibration.geometry import GeometryResult, calibrate_geometry, tool_poses
from calibration.turning import aligned

SEEDS = 5


class Improvement(NamedTuple):
    """Tool of one robot on poses that were not measured."""

    before: Floats  # distances from the truth, nominal robot at its best place [m]
    after: Floats  # calibrated [m]
    result: GeometryResult

    @property
    def factor(self) -> float:
        """By which the root mean square is smaller."""
        return rms(self.before) / rms(self.after)


def rms(values: Floats) -> float:
    """Root mean square."""
    return float(np.sqrt(np.mean(values**2)))


def improvement(case: Case, seed: int, poses: int = 60) -> Improvement:
    """Calibrate a robot and look at other poses, against the truth."""
    made = planted(case, seed, poses)
    result = calibrate_geometry(made.robot, case.frame, made.data, validate=False)
    nominal = tool_poses(made.robot, case.frame, made.data.encoders, made.fresh)[:, :3, 3]
    place = aligned(nominal, made.truth)[0]
    found = (result.stand @ tool_poses(result.robot, case.frame, made.data.encoders, made.fresh))[:, :3, 3]
    before = nominal @ place[:3, :3].T + place[:3, 3] - made.truth
    return Improvement(np.linalg.norm(before, axis=1), np.linalg.norm(found - made.truth, axis=1), result)


def timed(case: Case, poses: int, validate: bool) -> float:
    """Seconds for a calibration, from measurements to a judged robot."""
    made = planted(case, 1, poses, 0)
    begin = time.perf_counter()
    calibrate_geometry(made.robot, case.frame, made.data, validate=validate)
    return time.perf_counter() - begin


def run() -> dict[str, float]:
    """All figures by name."""
    figures = {
        "7-axis arm, 200 poses, estimate and judge [s]": timed(PANDA, 200, False),
        "7-axis arm, 200 poses, with cross-validation [s]": timed(PANDA, 200, True),
        "parallel robot, 1000 poses, estimate and judge [s]": timed(CROSS_DELTA, 1000, False),
        "parallel robot, 1000 poses, with cross-validation [s]": timed(CROSS_DELTA, 1000, True),
    }
    for case in (MACDAC, UR5E, CROSS_DELTA):
        made = [improvement(case, seed) for seed in range(1, SEEDS + 1)]
        figures[f"{case.name}: tool before, rms [mm]"] = 1e3 * float(np.mean([rms(one.before) for one in made]))
        figures[f"{case.name}: tool after, rms [mm]"] = 1e3 * float(np.mean([rms(one.after) for one in made]))
        figures[f"{case.name}: better by, worst of {SEEDS} arms"] = min(one.factor for one in made)
    return figures


if __name__ == "__main__":
    for label, value in run().items():
        print(f"{label:<56} {value:.4g}")
    if "--picture" in sys.argv:
        from benchmarks.calibration_plot import draw

        draw(sys.argv[sys.argv.index("--picture") + 1])
