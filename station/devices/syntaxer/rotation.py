"""The rotation stage (PARAMAT): rotations, string lengths, tensions, stiffness.

Three motors and three freedoms: at every rotation one set of tensions gives a wanted torque, so the tensions of a plate
at rest in neutral are those of the springs, and pretension alone cannot stiffen it. The stiffness of each axis is
adjusted by letting the tensions follow the rotation. How far that goes is set by the pretension: a string may slacken
by what lies between it and the least tension, and no further.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from station.devices.syntaxer.kernels import layout, paramat
from station.devices.syntaxer.kernels.layout import OK, Floats
from station.devices.syntaxer.packing import Packed


class Turned(NamedTuple):
    """The plate at a rotation."""

    vector: Floats  # rotation vector [rad]
    rotation: Floats  # 3×3
    lengths: Floats  # of the strings [m]
    strings: Floats  # string per rotation, one row per string, about fixed axes [m/rad]


class Tensions(NamedTuple):
    """What the strings are to pull."""

    tensions: Floats  # [N]
    share: float  # of what was asked for that fits between the limits, 0 to 1


def turned_by(packed: Packed, vector: ArrayLike) -> Turned:
    """Inverse kinematics: strings at a rotation vector [rad]."""
    at = Turned(np.array(vector, dtype=np.float64), np.eye(3), np.zeros(3), np.zeros((3, 3)))
    paramat.paramat_inverse(packed.struts, *at)
    return at


def rotation_from(packed: Packed, lengths: ArrayLike) -> Floats | None:
    """Forward kinematics: the rotation matrix at string lengths [m]; None if there is none near neutral."""
    wanted, rotation = np.array(lengths, dtype=np.float64), np.eye(3)
    status = paramat.paramat_forward(packed.struts, wanted, rotation, np.zeros(3), np.zeros((3, 3)))
    return rotation if status == OK else None


def return_torque(packed: Packed, at: Turned) -> Floats:
    """Torque of the springs back to neutral, without current [N·m]."""
    torque = np.zeros(3)
    paramat.spring_torque(packed.struts, at.lengths, at.strings, torque)
    return torque


def torque_of(packed: Packed, at: Turned, tensions: ArrayLike) -> Floats:
    """Torque on the plate by springs and tensions [N] together [N·m]."""
    change = np.asarray(tensions) - packed.struts[:, layout.PRETENSION]
    torque: Floats = return_torque(packed, at) - at.strings.T @ change
    return torque


def stiffness(packed: Packed, at: Turned, tensions: ArrayLike) -> Floats:
    """Stiffness about fixed axes while the tensions [N] stay as they are [N·m/rad]."""
    matrix = np.zeros((3, 3))
    paramat.paramat_stiffness(packed.struts, at.rotation, np.array(tensions, dtype=np.float64), matrix)
    return matrix


def tension_room(packed: Packed, amperes: ArrayLike) -> tuple[Floats, Floats]:
    """How far tensions may fall and rise from the pretension [N], with currents of the string motors up to [A]."""
    struts = packed.struts
    pull = struts[:, layout.PULL_PER_AMPERE] * np.asarray(amperes, dtype=np.float64)[3:]
    low = np.maximum(struts[:, layout.LEAST] - struts[:, layout.PRETENSION], -pull)
    high = np.minimum(struts[:, layout.MOST] - struts[:, layout.PRETENSION], pull)
    return low, high


def tensions_for(packed: Packed, at: Turned, torque: ArrayLike, amperes: ArrayLike) -> Tensions:
    """Tensions that add a torque [N·m] to that of the springs, shortened to what the limits leave."""
    change = -np.linalg.solve(at.strings.T, np.asarray(torque, dtype=np.float64))
    low, high = tension_room(packed, amperes)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(change > 0.0, high / change, np.where(change < 0.0, low / change, np.inf))
    share = min(1.0, float(shares.min()))
    return Tensions(packed.struts[:, layout.PRETENSION] + share * change, share)


def tensions_for_stiffness(packed: Packed, at: Turned, wanted: ArrayLike, amperes: ArrayLike) -> Tensions:
    """Tensions that make the plate pull back by `wanted` times its rotation vector, axis by axis [N·m/rad]."""
    pull_back = -np.asarray(wanted, dtype=np.float64) * at.vector
    return tensions_for(packed, at, pull_back - return_torque(packed, at), amperes)


def stiffness_range(packed: Packed, axis: int, angle: float, amperes: ArrayLike) -> tuple[float, float]:
    """Lowest and highest stiffness that an axis can be given out to ±angle [rad] about it alone [N·m/rad]."""
    low, high = tension_room(packed, amperes)
    ends = []
    for way in (-angle, angle):
        vector = np.zeros(3)
        vector[axis] = way
        at = turned_by(packed, vector)
        # Tensions are linear in the stiffness k: change = offset + k·slope.
        slope = np.linalg.solve(at.strings.T, vector)
        offset = np.linalg.solve(at.strings.T, return_torque(packed, at))
        with np.errstate(divide="ignore", invalid="ignore"):
            walls = np.stack([(low - offset) / slope, (high - offset) / slope])
        walls = walls[:, np.abs(slope) > 1e-9]
        ends.append((walls.min(axis=0).max(), walls.max(axis=0).min()))
    return float(max(end[0] for end in ends)), float(min(end[1] for end in ends))


def cube(angle: float, steps: int = 5) -> Floats:
    """Rotation vectors all over the cube of ±angle about each axis, its skin and corners included [rad]."""
    return np.array(list(itertools.product(np.linspace(-angle, angle, steps), repeat=3)))


def torque_along(packed: Packed, at: Turned, axis: int, amperes: ArrayLike, weight: ArrayLike) -> float:
    """Largest torque both ways about an axis [N·m] beside tensions that carry the weight [N]."""
    change = -np.linalg.inv(at.strings.T)[:, axis]
    low, high = tension_room(packed, amperes)
    room = np.minimum(high - np.asarray(weight), np.asarray(weight) - low)
    with np.errstate(divide="ignore"):
        return max(0.0, float((room / np.abs(change)).min()))
