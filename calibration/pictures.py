"""Pictures of docs/calibration.md: `python -m calibration.pictures docs/pictures`, part of `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import robots
import station
from calibration.geometry import ToolMeasurements, calibrate_geometry, robot_subject, tool_poses
from calibration.geometry.candidates import candidate_joints, information_of
from calibration.geometry.settings import GeometrySettings
from calibration.report.picture import picture
from calibration.results import Result

DATE = "2026-01-01T00:00:00+00:00"  # pictures are the same whenever they are made
POSES = 40


def geometry() -> Result:
    """An emulated UR5e that is wrong by 1 mm and 0.2°, measured at the poses that tell most, with one blunder."""
    from sim_devices.arm import ArmSettings
    from sim_devices.arm.truth import truth_of

    arm = station.load(robots.path("ur5e"))["ur5e"]
    wrong = ArmSettings(wrong_length=1e-3, wrong_angle=float(np.radians(0.2)), wrong_zero=float(np.radians(0.2)))
    true = truth_of(arm.robot, 6, wrong, 3)
    candidates = candidate_joints(arm, None, 300)
    chosen = information_of(arm, 7, candidates, (5e-5, 2e-4), GeometrySettings(), turns=False).chosen(POSES)
    joints, encoders = candidates[chosen], (1, 2, 3, 4, 5, 6)
    places = tool_poses(true.robot, 7, encoders, joints - true.zeros)[:, :3, 3]
    places += 5e-5 * np.random.default_rng(1).normal(size=places.shape)
    places[17] += [0.003, 0.0, 0.0]
    data = ToolMeasurements(encoders=encoders, joints=joints, positions=places)
    values = {**calibrate_geometry(arm.robot, 7, data).data(), "serial_number": "SIM-0003"}
    return Result(
        method="robot geometry", subject=robot_subject(arm.robot), values=values, data_hash=data.hash(), date=DATE
    )


def main() -> None:
    """Write all pictures into a folder."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures")
    (folder / "calibration-geometry.png").write_bytes(picture(geometry()))


if __name__ == "__main__":
    main()
