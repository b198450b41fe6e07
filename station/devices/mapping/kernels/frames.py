"""Device → seat → reference → world, with scale and locks: the Jacobians of the mapping.

    straight or turning motion of the target = T·F·Tᵀ · R · F · diag(scale) · seat · motion of the hand

R is the rotation of the reference frame, T that of the tool, F has zeros for locked axes and is used once, on the
left (locks in the tool's axes) or on the right (in those of the reference). Its transpose takes a force at the robot
to the hand, so that the power is the same on both sides.
"""

from __future__ import annotations

from station.devices.mapping.kernels.cache import kernel
from station.devices.mapping.kernels.layout import (
    ABSOLUTE,
    BACK_STRAIGHT,
    BACK_TURNING,
    FEEDBACK,
    FREE,
    INCREMENTAL,
    KIND,
    LOCKS_IN_TOOL,
    RATE,
    RATE_STRAIGHT,
    RATE_TURNING,
    REFERENCE,
    SCALE,
    SCRATCH,
    SEAT,
    STRAIGHT,
    TURNING,
    VIEW,
    WORLD,
    Floats,
)
from station.devices.mapping.kernels.rotation import Vector


@kernel
def fill_jacobians(state: Floats, settings: Floats, robot: Floats, view: Floats) -> None:
    """Everything that depends on where reference and tool are turned in this tick."""
    _fill(state, settings, robot, view, 0, STRAIGHT, RATE_STRAIGHT, BACK_STRAIGHT)
    _fill(state, settings, robot, view, 3, TURNING, RATE_TURNING, BACK_TURNING)


@kernel
def reference_entry(settings: Floats, robot: Floats, view: Floats, i: int, k: int) -> float:
    """Entry of world_from_reference, whose axes are right, away and up as in the seat.

    A camera has x to the right, y down and z away (the convention of MAD).
    """
    reference = int(settings[REFERENCE])
    if reference == WORLD:
        return 1.0 if i == k else 0.0
    if reference == VIEW:
        return float(view[i, 0] if k == 0 else (view[i, 2] if k == 1 else -view[i, 1]))
    return float(robot[i, k])


@kernel
def _world_from_seat(state: Floats, settings: Floats, robot: Floats, view: Floats, half: int) -> None:
    """Reference and locks into the scratch: takes motion in the seat's axes to the world."""
    in_tool = settings[LOCKS_IN_TOOL] == 1.0
    for k in range(3):
        free = 1.0 if in_tool else settings[FREE + half + k]
        column = (
            free * reference_entry(settings, robot, view, 0, k),
            free * reference_entry(settings, robot, view, 1, k),
            free * reference_entry(settings, robot, view, 2, k),
        )
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
def _fill(
    state: Floats, settings: Floats, robot: Floats, view: Floats, half: int, place: int, rate: int, back: int
) -> None:
    """One half of the motion: straight (half 0) or turning (half 3)."""
    _world_from_seat(state, settings, robot, view, half)
    full = settings[RATE + half // 3]
    for k in range(3):
        kind = int(settings[KIND + half + k])
        for i in range(3):
            scaled, plain = 0.0, 0.0
            for j in range(3):
                part = state[SCRATCH + 3 * i + j] * settings[SEAT + 3 * j + k]
                plain += part
                scaled += part * settings[SCALE + half + j]
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
