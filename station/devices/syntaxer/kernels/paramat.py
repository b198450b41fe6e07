"""The rotation stage: a plate on a ball, held by three struts; each is a string in the middle of a coil spring.

A string runs from an eye on the platform to a point on the plate and pulls with tension T; its spring pushes with
P - k·(l - l₀). The torque on the plate is -Jᵀ·(T - push), where J tells how the strings lengthen as the plate turns.
Without current T = P, so what is left is -Jᵀ·k·(l - l₀): back to neutral.
"""

from __future__ import annotations

from station.devices.syntaxer.kernels.cache import kernel
from station.devices.syntaxer.kernels.layout import (
    ANCHOR,
    NEUTRAL,
    NO_ROTATION,
    OK,
    POINT,
    PRETENSION,
    SPRING,
    Floats,
)
from station.devices.syntaxer.kernels.vectors import cross, dot, length, minus, plus, solve, three, turn, turned, unturn

TURNS = 20  # of Newton's method; the whole range takes at most six
NEAR = 1e-9  # a step this small [rad] is the last: the error after it is its square


@kernel
def string_lengths(struts: Floats, rotation: Floats, lengths: Floats, strings: Floats) -> None:
    """Lengths [m] and their rates per angular velocity [m/rad], one row per string, about fixed axes."""
    for i in range(3):
        point = turned(rotation, three(struts[i], POINT))
        line = minus(point, three(struts[i], ANCHOR))
        lengths[i] = length(line)
        rate = cross(point, line)
        for j in range(3):
            strings[i, j] = rate[j] / lengths[i]


@kernel
def paramat_forward(struts: Floats, wanted: Floats, rotation: Floats, lengths: Floats, strings: Floats) -> int:
    """The rotation that gives the wanted lengths [m], by Newton's method from neutral; `strings` as it is there."""
    unturn(rotation)
    string_lengths(struts, rotation, lengths, strings)
    for _ in range(TURNS):
        step = solve(strings, (wanted[0] - lengths[0], wanted[1] - lengths[1], wanted[2] - lengths[2]))
        size = length(step)
        if not size < 1.0:  # a step of a radian is no small correction: these lengths do not belong together
            return NO_ROTATION
        turn(rotation, step)
        string_lengths(struts, rotation, lengths, strings)
        if size < NEAR:
            return OK
    return NO_ROTATION


@kernel
def paramat_inverse(struts: Floats, vector: Floats, rotation: Floats, lengths: Floats, strings: Floats) -> None:
    """Rotation matrix, lengths [m] and their rates [m/rad] for a rotation vector [rad]."""
    unturn(rotation)
    turn(rotation, three(vector, 0))
    string_lengths(struts, rotation, lengths, strings)


@kernel
def spring_torque(struts: Floats, lengths: Floats, strings: Floats, torque: Floats) -> None:
    """What turns the plate back without current [N·m]."""
    for j in range(3):
        torque[j] = 0.0
        for i in range(3):
            torque[j] -= strings[i, j] * struts[i, SPRING] * (lengths[i] - struts[i, NEUTRAL])


@kernel
def paramat_stiffness(struts: Floats, rotation: Floats, tensions: Floats, stiffness: Floats) -> None:
    """How the torque falls as the plate turns further while the tensions [N] stay [N·m/rad], about fixed axes.

    Springs give Jᵀ·k·J; a strut that pulls or pushes on balance adds to it because its line turns with the plate.
    """
    for j in range(3):
        for m in range(3):
            stiffness[m, j] = 0.0
        axis = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
        for i in range(3):
            point = turned(rotation, three(struts[i], POINT))
            line = minus(point, three(struts[i], ANCHOR))
            size = length(line)
            along = (line[0] / size, line[1] / size, line[2] / size)
            rate = cross(point, along)
            stretch = struts[i, SPRING] * dot(rate, axis)
            pull = tensions[i] - struts[i, PRETENSION] + struts[i, SPRING] * (size - struts[i, NEUTRAL])
            moved = cross(axis, point)
            swung = plus(moved, along, -dot(along, moved))
            further = plus(cross(moved, along), cross(point, swung), 1.0 / size)
            for m in range(3):
                stiffness[m, j] += rate[m] * stretch + pull * further[m]
