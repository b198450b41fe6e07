"""What is led and along which axes: small things that need no mapping, which takes a moment to load."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from station.devices.software.deflection import pose_of
from station.kernel.so3 import rotation_vector
from station.mad.scene import Axis, ReferenceFrame, Robot
from station.mechanism.mechanism import ALL_AXES
from station.view.camera import Camera
from station.view.design.errors import DesignError

Pose = NDArray[np.float64]

# Right, away and up of the reference frame, from the axes of all our devices: x to the operator, y right, z up.
SEATED = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def of_device(shares: Sequence[float]) -> tuple[float, ...]:
    """Deflections along and about right, away and up as deflections of a device that stands before the operator."""
    six = np.asarray(shares, np.float64)
    return (*map(float, SEATED.T @ six[:3]), *map(float, SEATED.T @ six[3:]))


def axes_of(reference: ReferenceFrame, pose: Pose, view: Pose) -> Pose:
    """Axes of a reference frame as columns; those of the view are right, away and up."""
    if reference is ReferenceFrame.TOOL:
        return np.asarray(pose[:3, :3])
    if reference is ReferenceFrame.VIEW:
        return np.column_stack([view[:3, 0], view[:3, 2], -view[:3, 1]])
    return np.eye(3)


def led_frame(robot: Robot) -> tuple[int, str]:
    """The frame that a hand leads and the axes that count: as a constraint says, else the last tool, frame or link."""
    for constraint in robot.constraints:
        if not constraint.closes_loop:
            names = [axis.name.lower() for axis in Axis if axis in constraint.axes]
            return constraint.targets[0].id, " ".join(names) or ALL_AXES
    for group in (robot.tools, robot.frames, robot.links):
        if group:
            return group[-1].id, ALL_AXES
    raise DesignError(f"robot {robot.name} has nothing that could be led")


def stepped(pose: Pose, way: Pose, axes: Pose) -> Pose:
    """A pose moved and turned along and about axes (columns) [m | rad]."""
    target = pose.copy()
    target[:3, 3] += axes @ way[:3]
    target[:3, :3] = pose_of(np.concatenate([np.zeros(3), axes @ way[3:]]))[:3, :3] @ pose[:3, :3]
    return target


def view_pose(camera: Camera) -> Pose:
    """Of a camera as devices count it: x right, y down, z away, at what it looks at [m]."""
    pose = np.eye(4)
    pose[:3, :3] = camera.axes() * [1.0, -1.0, -1.0]
    pose[:3, 3] = camera.centre
    return pose


def turn_between(pose: Pose, other: Pose) -> Pose:
    """The turn from one pose to another as a vector along its axis [rad], world axes."""
    return rotation_vector(other[:3, :3] @ pose[:3, :3].T)
