"""Joints that a cam moves follow their leader in the model of a calibration as they do in the solver."""

from __future__ import annotations

import numpy as np

import robots
import station
from calibration.geometry.model import tool_poses


def test_a_cam_puts_the_tool_where_the_solver_has_it() -> None:
    scene = station.load(robots.path("cam-lifter"))
    arm = scene["cam-lifter"]
    angles = np.radians([10.0, 45.0, 90.0, 120.0, 200.0, 300.0, 400.0])
    placed = tool_poses(arm.robot, 4, (1,), angles[:, None])
    for pose, angle in zip(placed, angles, strict=True):
        arm.set_joint(1, angle)
        np.testing.assert_allclose(pose, arm.pose(4), atol=1e-8)
