"""Kleinfinger-Khalil rows: where a joint axis is, said in six numbers.

In Rz(gamma)·Tz(epsil)·Rx(alpha)·Tx(d)·Rz(theta)·Tz(r) the joint turns or slides by theta or r and nothing more, so a
frame can be chosen on any axis such that its joint value is the URDF's own: `d` is the distance between the two axes,
`epsil` and `r` lead along each of them to their common normal.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from station.mad.scene import Parameters
from station.mad.urdf import tidy

PARALLEL = 1e-12  # sine of the angle between axes that count as parallel
NEARLY_PARALLEL = 1e-2  # below this the common normal is so far away that its numbers lose digits

Array = NDArray[np.float64]


def row(axis: Array, point: Array, slides: bool) -> Parameters | None:
    """Parameters, at joint value 0, of a joint on the axis through `point` [m] along the unit vector `axis`.

    A turning joint has its origin at `point`; a sliding one where its axis meets the common normal. None if the axis
    is nearly but not quite parallel to z: then a frame on the axis says it better.
    """
    across = math.hypot(axis[0], axis[1])
    if across <= PARALLEL:
        return _parallel(axis[2] > 0.0, point, slides)
    if across < NEARLY_PARALLEL:
        return None
    gamma, alpha = math.atan2(axis[0], -axis[1]), math.atan2(across, axis[2])
    d = point[0] * math.cos(gamma) + point[1] * math.sin(gamma)
    r = (point[0] * axis[0] + point[1] * axis[1]) / across**2
    epsil = point[2] - r * axis[2]
    scale = math.hypot(*point, r)
    return _tidiest(gamma, alpha, d, 0.0 if slides else r, epsil, scale)


def _parallel(up: bool, point: Array, slides: bool) -> Parameters:
    x, y, z = point
    scale = math.hypot(x, y, z)
    d = tidy.length(math.hypot(x, y), scale)
    gamma = math.atan2(y, x) if d else 0.0
    r, epsil = (0.0, z) if slides else (z if up else -z, 0.0)
    return _tidiest(gamma, 0.0 if up else math.pi, d, r, epsil, scale)


def _tidiest(gamma: float, alpha: float, d: float, r: float, epsil: float, scale: float) -> Parameters:
    """Of the two rows that reach the same axis, the one that turns less about z."""
    gamma, alpha, d = tidy.angle(gamma), tidy.angle(alpha), tidy.length(d, scale)
    other = tidy.angle(gamma - math.copysign(math.pi, gamma))
    if (abs(other), other < 0.0) < (abs(gamma), gamma < 0.0):
        gamma, d = other, 0.0 - d
        alpha = alpha if alpha == math.pi else 0.0 - alpha  # half a turn is the same both ways
    return Parameters(0.0, tidy.length(r, scale), alpha, d, gamma, tidy.length(epsil, scale))


def turned_onto(axis: Array) -> Array:
    """A 3×3 rotation that takes z onto the unit vector `axis`; the smallest one if that points up."""
    x, y, z = axis
    if z < 0.0:  # half a turn about x first: 1 / (1 + z) would lose digits
        half = np.diag([1.0, -1.0, -1.0])
        return half @ turned_onto(half @ axis)
    k = 1.0 / (1.0 + z)
    return np.array([[1.0 - k * x * x, -k * x * y, x], [-k * x * y, 1.0 - k * y * y, y], [-x, -y, z]])
