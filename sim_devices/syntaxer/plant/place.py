"""What follows from where the joints are: handle, Jacobians, whether the parts fit together at all, and counters."""

from __future__ import annotations

import math

import numpy as np

from sim_devices.syntaxer.plant.state import PlantState, Work
from station.devices.syntaxer.rotation import string_lengths
from station.devices.syntaxer.state import Parts, PlaceStatus, Vector
from station.devices.syntaxer.translation import delta_place
from station.kernel import Floats, Ints1, entry, kernel
from station.kernel.vectors import column, cross, dot, row

LEAST_MARGIN = 0.1  # to a singularity; 0.42 at the stops of the bars, so only a broken one gets here
LEAST_TRACE = 1.0 + 2.0 * math.cos(0.7)  # of a rotation; the corner of the joystick's range is 0.45 rad from neutral


WORD = 1 << 32  # counters have 32 bits and go round


@kernel
def look(parts: Parts, state: PlantState, work: Work) -> bool:
    """Handle and Jacobians at the present joints; False if there is no such place."""
    chains, struts = parts.chains, parts.struts
    status, margin = delta_place(chains, state.joints, state.pose[:3, 3], work.arms)
    string_lengths(struts, state.pose, work.lengths, work.strings)
    a, b, c = row(work.strings, 0), row(work.strings, 1), row(work.strings, 2)
    bc, ca, ab = cross(b, c), cross(c, a), cross(a, b)
    determinant = dot(a, bc)
    for i in range(3):
        work.turns[i, 0] = bc[i] / determinant
        work.turns[i, 1] = ca[i] / determinant
        work.turns[i, 2] = ab[i] / determinant
    trace = state.pose[0, 0] + state.pose[1, 1] + state.pose[2, 2]
    return status == PlaceStatus.OK and margin > LEAST_MARGIN and trace > LEAST_TRACE


@entry(inline=True)
def look_or_catch(parts: Parts, state: PlantState, work: Work) -> bool:
    """`look`; where nothing fits, back to the last place that did, at rest. True if that was needed.

    Stops keep the plant within its place. This is for what breaks stops.
    """
    good = look(parts, state, work)
    for i in range(3):
        if good:
            state.safe_angles[i] = state.joints[i]
        else:
            state.joints[i], state.rates[i], state.spin[i] = state.safe_angles[i], 0.0, 0.0
            if not state.slack[i]:
                state.rates[3 + i] = 0.0
        for j in range(3):
            if good:
                state.safe_rotation[i, j] = state.pose[i, j]
            else:
                state.pose[i, j] = state.safe_rotation[i, j]
    if not good:
        look(parts, state, work)
    return not good


@kernel
def along_joints(work: Work, force: Vector, torque: Vector, into: Floats) -> None:
    """Efforts along the joints [N·m, N] of a wrench at the handle [N, N·m], written to `into`."""
    for i in range(3):
        into[i] = dot(column(work.arms, i), force)
        into[3 + i] = dot(column(work.turns, i), torque)


@kernel
def straighten(state: PlantState) -> None:
    """Take rounding errors out of the rotation, by one step of Newton's method: R·(3 - RᵀR)/2."""
    x, y, z = column(state.pose, 0), column(state.pose, 1), column(state.pose, 2)
    xy, yz, zx = dot(x, y), dot(y, z), dot(z, x)
    xx, yy, zz = 1.5 - 0.5 * dot(x, x), 1.5 - 0.5 * dot(y, y), 1.5 - 0.5 * dot(z, z)
    for i in range(3):
        state.pose[i, 0] = xx * x[i] - 0.5 * (xy * y[i] + zx * z[i])
        state.pose[i, 1] = yy * y[i] - 0.5 * (xy * x[i] + yz * z[i])
        state.pose[i, 2] = zz * z[i] - 0.5 * (zx * x[i] + yz * y[i])


@entry
def read_counters(parts: Parts, state: PlantState, offset: Ints1, counts: Ints1) -> None:
    """Counters as the firmware sees them: whole, 32 bits with sign."""
    chains, struts = parts.chains, parts.struts
    for i in range(6):
        if i < 3:
            turned = (state.joints[i] - chains.zero[i]) / chains.angle_per_count[i]
        else:
            turned = (state.joints[i] - struts.neutral[i - 3]) / struts.length_per_count[i - 3]
        count = (int(np.rint(turned)) + parts.home[i] + offset[i] + WORD // 2) % WORD
        counts[i] = count - WORD // 2
