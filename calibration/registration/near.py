"""About where a work-piece is, as people type it and are told it: place [mm] and turn [°], by commas."""

from __future__ import annotations

import numpy as np

from calibration.options import finite_numbers
from calibration.parameters import Floats
from calibration.units import DEGREE, MM
from station.mad.placement import from_position
from station.mad.scene import Angles, Vector
from station.mad.urdf.tidy import angles_of


def pose_of(text: str) -> Floats:
    """From X,Y,Z,A (turned about z) or X,Y,Z,A,B,C (about x, y and z, as `ori` of a MAD file); (4, 4) [m]."""
    says = f"--near {text}: give X,Y,Z [mm] and an angle about z [°] by commas, or the three angles of a MAD file"
    numbers = finite_numbers(text, 6 if text.count(",") == 5 else 4, says)
    place, turns = numbers[:3], numbers[3:] if len(numbers) == 6 else [0.0, 0.0, numbers[3]]
    pose = from_position(Vector(*(MM * one for one in place)), Angles(*(DEGREE * one for one in turns)))
    return np.asarray(pose, dtype=np.float64)


def text_of(pose: Floats) -> str:
    """As `pose_of` takes it, rounded for a person."""
    x, y, z = pose[:3, 3] / MM
    a, b, c = (round(one / DEGREE, 1) + 0.0 for one in angles_of(pose[:3, :3]))  # no -0.0
    turn = f"{c:.1f}" if a == b == 0.0 else f"{a:.1f},{b:.1f},{c:.1f}"
    return f"{x:.1f},{y:.1f},{z:.1f},{turn}"
