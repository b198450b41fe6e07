"""Device → seat → reference → world, with scale and locks: the Jacobians of the mapping.

    straight or turning motion of the target = T·F·Tᵀ · R · F · diag(scale) · seat · motion of the hand

R is the rotation of the reference frame, T that of the tool, F has zeros for locked axes and is used once, on the
left (locks in the tool's axes) or on the right (in those of the reference). Its transpose takes a force at the robot
to the hand, so that the power is the same on both sides.
"""

from __future__ import annotations

import math

from station.devices.mapping.kernels.cache import kernel
from station.devices.mapping.kernels.layout import (
    ABSOLUTE,
    AXES_NOW,
    BACK_STRAIGHT,
    BACK_TURNING,
    FEEDBACK,
    FREE,
    GLIDE,
    IN_USE,
    INCREMENTAL,
    KIND,
    LOCKS_IN_TOOL,
    RATE,
    RATE_STRAIGHT,
    RATE_TURNING,
    REFERENCE,
    SCALE,
    SCALE_NOW,
    SCRATCH,
    SEAT,
    STRAIGHT,
    SWING,
    TURNING,
    VIEW,
    WORLD,
    Floats,
)
from station.devices.mapping.kernels.rotation import (
    Quaternion,
    Vector,
    axis_of,
    difference,
    length,
    product,
    quaternion_of,
    shortened,
    turn_by,
    unit,
    vector_of,
)


@kernel
def fill_jacobians(state: Floats, settings: Floats, robot: Floats, view: Floats, dt: float) -> None:
    """Everything that depends on where reference and tool are turned in this tick, of `dt` [s]."""
    glide(state, settings, robot, view, dt)
    _fill(state, settings, robot, 0, STRAIGHT, RATE_STRAIGHT, BACK_STRAIGHT)
    _fill(state, settings, robot, 3, TURNING, RATE_TURNING, BACK_TURNING)


@kernel
def glide(state: Floats, settings: Floats, robot: Floats, view: Floats, dt: float) -> None:
    """Take scale and axes as they are set: at once when the hand begins, else gliding there.

    A hand in motion would otherwise make a step of the target's speed out of any such change.
    """
    wanted, began = _axes_set(settings, robot, view), state[IN_USE] == 0.0
    state[IN_USE] = 1.0
    for i in range(6):
        now, then = state[SCALE_NOW + i], settings[SCALE + i]
        most = math.inf if began else max(abs(now), abs(then)) * dt / GLIDE
        state[SCALE_NOW + i] = then if abs(then - now) <= most else now + math.copysign(most, then - now)
    if not began:
        now_turned = turn_of(state, AXES_NOW)
        missing = vector_of(difference(wanted, now_turned))
        if length(missing) > SWING * dt:
            wanted = unit(product(turn_by(shortened(missing, SWING * dt)), now_turned))
    state[AXES_NOW], state[AXES_NOW + 1], state[AXES_NOW + 2], state[AXES_NOW + 3] = wanted


@kernel
def turn_of(state: Floats, at: int) -> Quaternion:
    """A rotation kept in the state."""
    return state[at], state[at + 1], state[at + 2], state[at + 3]


@kernel
def _axes_set(settings: Floats, robot: Floats, view: Floats) -> Quaternion:
    """world_from_reference as it is set; its axes are right, away and up as in the seat.

    A camera has x to the right, y down and z away (the convention of MAD): a quarter turn about x from that.
    """
    reference = int(settings[REFERENCE])
    if reference == WORLD:
        return 1.0, 0.0, 0.0, 0.0
    if reference == VIEW:
        return product(quaternion_of(view), (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0))
    return quaternion_of(robot)


@kernel
def _world_from_seat(state: Floats, settings: Floats, robot: Floats, half: int) -> None:
    """Reference and locks into the scratch: takes motion in the seat's axes to the world."""
    in_tool, axes = settings[LOCKS_IN_TOOL] == 1.0, turn_of(state, AXES_NOW)
    for k in range(3):
        free = 1.0 if in_tool else settings[FREE + half + k]
        x, y, z = axis_of(axes, k)
        column = (free * x, free * y, free * z)
        for i in range(3):
            state[SCRATCH + 3 * i + k] = column[i]
        if in_tool:
            for i in range(3):
                state[SCRATCH + 3 * i + k] = 0.0
            for axis in range(3):
                along = robot[0, axis] * column[0] + robot[1, axis] * column[1] + robot[2, axis] * column[2]
                along *= settings[FREE + half + axis]
                for i in range(3):
                    state[SCRATCH + 3 * i + k] += robot[i, axis] * along


@kernel
def _fill(state: Floats, settings: Floats, robot: Floats, half: int, place: int, rate: int, back: int) -> None:
    """One half of the motion: straight (half 0) or turning (half 3)."""
    _world_from_seat(state, settings, robot, half)
    full = settings[RATE + half // 3]
    for k in range(3):
        kind = int(settings[KIND + half + k])
        for i in range(3):
            scaled, plain = 0.0, 0.0
            for j in range(3):
                part = state[SCRATCH + 3 * i + j] * settings[SEAT + 3 * j + k]
                plain += part
                scaled += part * state[SCALE_NOW + half + j]
            at = 3 * i + k
            state[place + at] = scaled if kind == ABSOLUTE else 0.0
            state[rate + at] = full * scaled if kind == INCREMENTAL else 0.0
            felt = settings[FEEDBACK] * plain if kind == INCREMENTAL else 0.0
            state[back + at] = scaled if kind == ABSOLUTE else felt


@kernel
def applied(state: Floats, at: int, v: Vector) -> Vector:
    """A matrix kept in the state, times a vector."""
    return (
        state[at] * v[0] + state[at + 1] * v[1] + state[at + 2] * v[2],
        state[at + 3] * v[0] + state[at + 4] * v[1] + state[at + 5] * v[2],
        state[at + 6] * v[0] + state[at + 7] * v[1] + state[at + 8] * v[2],
    )


@kernel
def applied_back(state: Floats, at: int, v: Vector) -> Vector:
    """The transpose of a matrix kept in the state, times a vector."""
    return (
        state[at] * v[0] + state[at + 3] * v[1] + state[at + 6] * v[2],
        state[at + 1] * v[0] + state[at + 4] * v[1] + state[at + 7] * v[2],
        state[at + 2] * v[0] + state[at + 5] * v[1] + state[at + 8] * v[2],
    )
