"""Tools and cameras as they are drawn, in their own frames: z points to the work, the origin is where it happens."""

from __future__ import annotations

import numpy as np

from station.mad.scene import Camera, Tool
from station.view.geometry.mesh import Mesh, coloured, joined, placed
from station.view.geometry.primitives import box, cylinder, lathe
from station.view.theme import PAINT


def tool_mesh(tool: Tool, size: float) -> Mesh:
    """A gripper with two fingers, open, or a point. `size` is the radius of the link it is on [m]."""
    if tool.gripper is None:
        return coloured(lathe([(0.0, 0.0), (0.25 * size, -0.7 * size), (0.0, -0.7 * size)][::-1]), PAINT.tool)
    opening = max(tool.gripper.stroke)
    length = max(1.1 * opening, 1.2 * size)
    thick = max(0.18 * opening, 0.2 * size)
    palm = box((max(1.6 * thick, 1.3 * size), opening + 2.4 * thick, 1.2 * thick), (0.0, 0.0, -length))
    fingers = [
        box((thick, 0.6 * thick, length), (0.0, side * 0.5 * (opening + 0.6 * thick), -0.5 * length))
        for side in (-1.0, 1.0)
    ]
    return coloured(joined([palm, *fingers]), PAINT.tool)


def gripper_depth(tool: Tool, size: float) -> float:
    """How far the palm is behind the origin [m]."""
    return max(1.1 * max(tool.gripper.stroke), 1.2 * size) if tool.gripper is not None else 0.0


def camera_mesh(_camera: Camera, size: float) -> Mesh:
    """A box with a lens that looks along z; all of it behind the eye."""
    pose = np.eye(4)
    pose[2, 3] = -0.35 * size
    lens = placed(cylinder(0.4 * size, 0.7 * size, 0.05 * size), pose)
    return joined(
        [
            coloured(box((1.3 * size, 1.0 * size, 1.2 * size), (0.0, 0.0, -1.2 * size)), PAINT.camera),
            coloured(lens, PAINT.rail),
        ]
    )
