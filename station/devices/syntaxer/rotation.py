"""The rotation stage (PARAMAT): a plate on a ball, held by three struts, strings in the middle of coil springs.

A string runs from an eye on the platform to a point on the plate and pulls with tension T; its spring pushes with
P - k·(l - l₀). The torque on the plate is -Jᵀ·(T - push), where J tells how the strings lengthen as the plate turns.
Without current T = P, so what is left is -Jᵀ·k·(l - l₀): back to neutral.

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

from station.devices.syntaxer.state import Loads, Parts, PlaceStatus, Struts
from station.kernel import Floats, Floats1, Floats2, entry, kernel
from station.kernel.so3 import applied, turn_further, write_identity
from station.kernel.vectors import cross, dot, length, minus, plus, row, solve, solve_transposed, three

TURNS = 20  # of Newton's method; the whole range takes at most six
NEAR = 1e-9  # a step this small [rad] is the last: the error after it is its square


@kernel
def string_lengths(struts: Struts, rotation: Floats, lengths: Floats, strings: Floats) -> None:
    """Lengths [m] and their rates per angular velocity [m/rad], one row per string, about fixed axes."""
    for i in range(3):
        point = applied(rotation, row(struts.point, i))
        line = minus(point, row(struts.anchor, i))
        lengths[i] = length(line)
        rate = cross(point, line)
        for j in range(3):
            strings[i, j] = rate[j] / lengths[i]


@entry(inline=True)
def paramat_forward(
    struts: Struts, wanted: Floats1, rotation: Floats2, lengths: Floats1, strings: Floats2
) -> PlaceStatus:
    """The rotation that gives the wanted lengths [m], by Newton's method from neutral; `strings` as it is there."""
    write_identity(rotation)
    string_lengths(struts, rotation, lengths, strings)
    for _ in range(TURNS):
        step = solve(strings, (wanted[0] - lengths[0], wanted[1] - lengths[1], wanted[2] - lengths[2]))
        size = length(step)
        if not size < 1.0:  # a step of a radian is no small correction: these lengths do not belong together
            return PlaceStatus.NO_ROTATION
        turn_further(rotation, step)
        string_lengths(struts, rotation, lengths, strings)
        if size < NEAR:
            return PlaceStatus.OK
    return PlaceStatus.NO_ROTATION


@entry(inline=True)
def paramat_inverse(struts: Struts, vector: Floats1, rotation: Floats2, lengths: Floats1, strings: Floats2) -> None:
    """Rotation matrix, lengths [m] and their rates [m/rad] for a rotation vector [rad]."""
    write_identity(rotation)
    turn_further(rotation, three(vector, 0))
    string_lengths(struts, rotation, lengths, strings)


@entry(inline=True)
def spring_torque(struts: Struts, lengths: Floats1, strings: Floats2, torque: Floats1) -> None:
    """What turns the plate back without current [N·m]."""
    for j in range(3):
        torque[j] = 0.0
        for i in range(3):
            torque[j] -= strings[i, j] * struts.spring[i] * (lengths[i] - struts.neutral[i])


@entry(inline=True)
def paramat_stiffness(struts: Struts, rotation: Floats2, tensions: Floats1, stiffness: Floats2) -> None:
    """How the torque falls as the plate turns further while the tensions [N] stay [N·m/rad], about fixed axes.

    Springs give Jᵀ·k·J; a strut that pulls or pushes on balance adds to it because its line turns with the plate.
    """
    for j in range(3):
        for m in range(3):
            stiffness[m, j] = 0.0
        axis = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
        for i in range(3):
            point = applied(rotation, row(struts.point, i))
            line = minus(point, row(struts.anchor, i))
            size = length(line)
            along = (line[0] / size, line[1] / size, line[2] / size)
            rate = cross(point, along)
            stretch = struts.spring[i] * dot(rate, axis)
            pull = tensions[i] - struts.pretension[i] + struts.spring[i] * (size - struts.neutral[i])
            moved = cross(axis, point)
            swung = plus(moved, along, -dot(along, moved))
            further = plus(cross(moved, along), cross(point, swung), 1.0 / size)
            for m in range(3):
                stiffness[m, j] += rate[m] * stretch + pull * further[m]


@entry(inline=True)
def handle_weight(loads: Loads, rotation: Floats2, strings: Floats2, tensions: Floats1) -> None:
    """Changes of string tension that carry the weight of the turning parts [N], written into the last three."""
    arm = applied(rotation, three(loads.centre, 0))
    moment = cross(arm, three(loads.gravity, 0))
    # The strings turn the plate by -stringsᵀ·tensions, which has to undo the moment of the weight.
    change = solve_transposed(strings, moment)
    for i in range(3):
        tensions[3 + i] = loads.handle * change[i]


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


def turned_by(parts: Parts, vector: ArrayLike) -> Turned:
    """Inverse kinematics: strings at a rotation vector [rad]."""
    at = Turned(np.array(vector, dtype=np.float64), np.eye(3), np.zeros(3), np.zeros((3, 3)))
    paramat_inverse(parts.struts, *at)
    return at


def rotation_from(parts: Parts, lengths: ArrayLike) -> Floats | None:
    """Forward kinematics: the rotation matrix at string lengths [m]; None if there is none near neutral."""
    wanted, rotation = np.array(lengths, dtype=np.float64), np.eye(3)
    status = paramat_forward(parts.struts, wanted, rotation, np.zeros(3), np.zeros((3, 3)))
    return rotation if status == PlaceStatus.OK else None


def return_torque(parts: Parts, at: Turned) -> Floats:
    """Torque of the springs back to neutral, without current [N·m]."""
    torque = np.zeros(3)
    spring_torque(parts.struts, at.lengths, at.strings, torque)
    return torque


def torque_of(parts: Parts, at: Turned, tensions: ArrayLike) -> Floats:
    """Torque on the plate by springs and tensions [N] together [N·m]."""
    change = np.asarray(tensions) - parts.struts.pretension
    torque: Floats = return_torque(parts, at) - at.strings.T @ change
    return torque


def stiffness(parts: Parts, at: Turned, tensions: ArrayLike) -> Floats:
    """Stiffness about fixed axes while the tensions [N] stay as they are [N·m/rad]."""
    matrix = np.zeros((3, 3))
    paramat_stiffness(parts.struts, at.rotation, np.array(tensions, dtype=np.float64), matrix)
    return matrix


def tension_room(parts: Parts, amperes: ArrayLike) -> tuple[Floats, Floats]:
    """How far tensions may fall and rise from the pretension [N], with currents of the string motors up to [A]."""
    struts = parts.struts
    pull = struts.pull_per_ampere * np.asarray(amperes, dtype=np.float64)[3:]
    low = np.maximum(struts.least - struts.pretension, -pull)
    high = np.minimum(struts.most - struts.pretension, pull)
    return low, high


def tensions_for(parts: Parts, at: Turned, torque: ArrayLike, amperes: ArrayLike) -> Tensions:
    """Tensions that add a torque [N·m] to that of the springs, shortened to what the limits leave."""
    change = -np.linalg.solve(at.strings.T, np.asarray(torque, dtype=np.float64))
    low, high = tension_room(parts, amperes)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(change > 0.0, high / change, np.where(change < 0.0, low / change, np.inf))
    share = min(1.0, float(shares.min()))
    return Tensions(parts.struts.pretension + share * change, share)


def tensions_for_stiffness(parts: Parts, at: Turned, wanted: ArrayLike, amperes: ArrayLike) -> Tensions:
    """Tensions that make the plate pull back by `wanted` times its rotation vector, axis by axis [N·m/rad]."""
    pull_back = -np.asarray(wanted, dtype=np.float64) * at.vector
    return tensions_for(parts, at, pull_back - return_torque(parts, at), amperes)


def stiffness_range(parts: Parts, axis: int, angle: float, amperes: ArrayLike) -> tuple[float, float]:
    """Lowest and highest stiffness that an axis can be given out to ±angle [rad] about it alone [N·m/rad]."""
    low, high = tension_room(parts, amperes)
    ends = []
    for way in (-angle, angle):
        vector = np.zeros(3)
        vector[axis] = way
        at = turned_by(parts, vector)
        # Tensions are linear in the stiffness k: change = offset + k·slope.
        slope = np.linalg.solve(at.strings.T, vector)
        offset = np.linalg.solve(at.strings.T, return_torque(parts, at))
        with np.errstate(divide="ignore", invalid="ignore"):
            walls = np.stack([(low - offset) / slope, (high - offset) / slope])
        walls = walls[:, np.abs(slope) > 1e-9]
        ends.append((walls.min(axis=0).max(), walls.max(axis=0).min()))
    return float(max(end[0] for end in ends)), float(min(end[1] for end in ends))


def cube(angle: float, steps: int = 5) -> Floats:
    """Rotation vectors all over the cube of ±angle about each axis, its skin and corners included [rad]."""
    return np.array(list(itertools.product(np.linspace(-angle, angle, steps), repeat=3)))


def torques_along(parts: Parts, strings: Floats, amperes: ArrayLike, weights: Floats) -> Floats:
    """Largest torques both ways about x, y, z [N·m] at n places, beside tensions that carry the weight [N]; n×3.

    Args:
        parts: of the device.
        strings: string per rotation at each place, n×3×3 [m/rad].
        amperes: largest currents [A].
        weights: changes of tension that carry the weight at each place, n×3 [N].
    """
    change = np.abs(np.linalg.inv(strings.swapaxes(1, 2)))  # of each tension, for each axis
    low, high = tension_room(parts, amperes)
    room = np.minimum(high - weights, weights - low)
    with np.errstate(divide="ignore"):
        torques: Floats = np.maximum(0.0, (room[:, :, None] / change).min(axis=1))
    return torques
