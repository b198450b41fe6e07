"""What follows from where the joints are: handle, Jacobians, and whether the parts fit together at all."""

from __future__ import annotations

import math

from sim_devices.syntaxer.plant.cache import kernel
from sim_devices.syntaxer.plant.memory import (
    ARMS,
    JOINTS,
    LENGTHS,
    POSE,
    RATES,
    SAFE,
    SLACK,
    SPIN,
    STRINGS,
    TURNS,
    column_of,
    row_of,
)
from station.devices.syntaxer.kernels.delta import delta_place
from station.devices.syntaxer.kernels.layout import OK, Floats, Vector
from station.devices.syntaxer.kernels.paramat import string_lengths
from station.devices.syntaxer.kernels.vectors import cross, dot

LEAST_MARGIN = 0.1  # to a singularity; 0.42 at the stops of the bars, so only a broken one gets here
LEAST_TRACE = 1.0 + 2.0 * math.cos(0.7)  # of a rotation; the corner of the joystick's range is 0.45 rad from neutral


@kernel
def look(chains: Floats, struts: Floats, state: Floats, work: Floats) -> bool:
    """Handle and Jacobians at the present joints; False if there is no such place."""
    status, margin = delta_place(chains, state[JOINTS], state[POSE : POSE + 3, 3], work[ARMS : ARMS + 3])
    string_lengths(struts, state[POSE : POSE + 3], work[LENGTHS], work[STRINGS : STRINGS + 3])
    a, b, c = row_of(work, STRINGS), row_of(work, STRINGS + 1), row_of(work, STRINGS + 2)
    bc, ca, ab = cross(b, c), cross(c, a), cross(a, b)
    determinant = dot(a, bc)
    for i in range(3):
        work[TURNS + i, 0] = bc[i] / determinant
        work[TURNS + i, 1] = ca[i] / determinant
        work[TURNS + i, 2] = ab[i] / determinant
    trace = state[POSE, 0] + state[POSE + 1, 1] + state[POSE + 2, 2]
    return status == OK and margin > LEAST_MARGIN and trace > LEAST_TRACE


@kernel
def look_or_catch(chains: Floats, struts: Floats, state: Floats, work: Floats) -> bool:
    """`look`; where nothing fits, back to the last place that did, at rest. True if that was needed.

    Stops keep the plant within its place. This is for what breaks stops.
    """
    good = look(chains, struts, state, work)
    for i in range(3):
        if good:
            state[SAFE, i] = state[JOINTS, i]
        else:
            state[JOINTS, i], state[RATES, i], state[SPIN, i] = state[SAFE, i], 0.0, 0.0
            state[RATES, 3 + i] *= state[SLACK, i]
        for j in range(3):
            if good:
                state[SAFE + 1 + i, j] = state[POSE + i, j]
            else:
                state[POSE + i, j] = state[SAFE + 1 + i, j]
    if not good:
        look(chains, struts, state, work)
    return not good


@kernel
def along_joints(work: Floats, force: Vector, torque: Vector, into: int) -> None:
    """Efforts along the joints [N·m, N] of a wrench at the handle [N, N·m], written to row `into`."""
    for i in range(3):
        work[into, i] = dot(column_of(work, ARMS, i), force)
        work[into, 3 + i] = dot(column_of(work, TURNS, i), torque)


@kernel
def straighten(state: Floats) -> None:
    """Take rounding errors out of the rotation, by one step of Newton's method: R·(3 - RᵀR)/2."""
    x, y, z = column_of(state, POSE, 0), column_of(state, POSE, 1), column_of(state, POSE, 2)
    xy, yz, zx = dot(x, y), dot(y, z), dot(z, x)
    xx, yy, zz = 1.5 - 0.5 * dot(x, x), 1.5 - 0.5 * dot(y, y), 1.5 - 0.5 * dot(z, z)
    for i in range(3):
        state[POSE + i, 0] = xx * x[i] - 0.5 * (xy * y[i] + zx * z[i])
        state[POSE + i, 1] = yy * y[i] - 0.5 * (xy * x[i] + yz * z[i])
        state[POSE + i, 2] = zz * z[i] - 0.5 * (zx * x[i] + yz * y[i])
