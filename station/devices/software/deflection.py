"""Deflections: what a hand asks of devices that are pushed and spring back, with speed for its answer."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from station.devices.device import Axis, AxisKind, Capabilities, Floats

TRAVEL = 0.0015  # what full deflection stands for, real (a Magellan's cap) or not [m]
TURN = math.radians(4.0)  # the same for rotation [rad]
FULL = np.array((TRAVEL,) * 3 + (TURN,) * 3)
FULL.flags.writeable = False
AXES = ("x", "y", "z", "rx", "ry", "rz")


def cap_capabilities(
    model: str, buttons: Sequence[str], rate: float, serial_number: str = "", dead_man: int | None = None
) -> Capabilities:
    """Six incremental axes, no force; `rate` is that of the device while it is deflected [Hz]."""
    slide = Axis(kind=AxisKind.INCREMENTAL, low=-TRAVEL, high=TRAVEL)
    turn = Axis(kind=AxisKind.INCREMENTAL, low=-TURN, high=TURN)
    axes = (slide, slide, slide, turn, turn, turn)
    return Capabilities(
        model=model, serial_number=serial_number, axes=axes, buttons=tuple(buttons), rate=rate, dead_man=dead_man
    )


def pose_of(deflection: Floats) -> Floats:
    """A deflection [m | rad, as a rotation vector] as a pose: 4×4 [m]."""
    pose = np.eye(4)
    pose[:3, 3] = deflection[:3]
    x, y, z = float(deflection[3]), float(deflection[4]), float(deflection[5])
    angle = math.sqrt(x * x + y * y + z * z)
    if angle > 0.0:
        cross = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
        pose[:3, :3] += math.sin(angle) / angle * cross + (1.0 - math.cos(angle)) / angle**2 * (cross @ cross)
    return pose
