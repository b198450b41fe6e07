"""Masses: the mass matrix along the joints and what centrifugal and Coriolis forces ask.

Bodies: arms (with rotors and sectors), bars, platform, plate with handle on its ball, drums of the strings. A bar is
even along its length: its mass at both ends, less a part that only relative motion of the ends sees (`BAR`). The drums
are not in MASS, since a drum whose string hangs through moves by itself.
"""

from __future__ import annotations

import math

from sim_devices.syntaxer.plant.cache import kernel
from sim_devices.syntaxer.plant.memory import (
    ARMS,
    EFFORT,
    JOINTS,
    MASS,
    RATES,
    SPIN,
    TURNS,
    column_of,
    handle_place,
    row_of,
    turned_by_handle,
)
from sim_devices.syntaxer.plant.numbers import BAR, HANDLE_GYRATION, INERTIA
from station.devices.syntaxer.kernels.delta import sphere_centre, swing
from station.devices.syntaxer.kernels.layout import ARM, CARRIED, CENTRE, COS, HANDLE, SIN, Floats, Vector
from station.devices.syntaxer.kernels.vectors import cross, dot, minus, plus, three

NONE = (0.0, 0.0, 0.0)


@kernel
def handle_momentum(mass: float, gyration: float, centre: Vector, spin: Vector) -> Vector:
    """Angular momentum of plate and handle about the ball [kg·m²/s]."""
    about_ball = plus(NONE, spin, mass * (gyration + dot(centre, centre)))
    return plus(about_ball, centre, -mass * dot(centre, spin))


@kernel
def mass_matrix(chains: Floats, loads: Floats, joints: Floats, common: Floats, state: Floats, work: Floats) -> None:
    """Write MASS."""
    carried = loads[CARRIED] + joints[0, BAR] + joints[1, BAR] + joints[2, BAR]
    centre = turned_by_handle(state, three(loads, CENTRE))
    handle, gyration = loads[HANDLE], common[HANDLE_GYRATION]
    for i in range(3):
        of_i, turn_i = column_of(work, ARMS, i), column_of(work, TURNS, i)
        swing_i = swing(chains, i, state[JOINTS, i])
        momentum = handle_momentum(handle, gyration, centre, turn_i)
        for j in range(3):
            of_j = column_of(work, ARMS, j)
            work[MASS + i, j] = carried * dot(of_i, of_j)
            work[MASS + 3 + i, 3 + j] = dot(column_of(work, TURNS, j), momentum)
            work[MASS + j, 3 + i] = work[MASS + 3 + i, j] = handle * dot(of_j, cross(turn_i, centre))
        work[MASS + i, i] += joints[i, INERTIA] + joints[i, BAR] * dot(swing_i, swing_i)
    for i in range(3):
        swing_i = swing(chains, i, state[JOINTS, i])
        for j in range(3):
            relative = joints[i, BAR] * dot(swing_i, column_of(work, ARMS, j))
            work[MASS + i, j] -= relative
            work[MASS + j, i] -= relative


@kernel
def elbow_pull(chains: Floats, state: Floats, i: int) -> Vector:
    """Acceleration of an elbow towards its axis while the arm turns steadily [m/s²]."""
    size = -chains[i, ARM] * state[RATES, i] ** 2
    outwards = size * math.cos(state[JOINTS, i])
    return size * math.sin(state[JOINTS, i]), outwards * chains[i, SIN], outwards * chains[i, COS]


@kernel
def steady_acceleration(chains: Floats, state: Floats, velocity: Vector) -> Vector:
    """Acceleration of the platform [m/s²] while all arms turn steadily: bars keep their length.

    From bar·(v - w) = 0 follows bar·(a - e) = -|v - w|², w and e being velocity and acceleration of the elbow.
    """
    place = handle_place(state)
    a = minus(place, sphere_centre(chains, 0, state[JOINTS, 0]))
    b = minus(place, sphere_centre(chains, 1, state[JOINTS, 1]))
    c = minus(place, sphere_centre(chains, 2, state[JOINTS, 2]))
    determinant = dot(a, cross(b, c))
    total = NONE
    for i in range(3):
        bar = a if i == 0 else (b if i == 1 else c)
        normal = cross(b, c) if i == 0 else (cross(c, a) if i == 1 else cross(a, b))
        apart = plus(velocity, swing(chains, i, state[JOINTS, i]), -state[RATES, i])
        asked = dot(bar, elbow_pull(chains, state, i)) - dot(apart, apart)
        total = plus(total, normal, asked / determinant)
    return total


@kernel
def subtract_steady_forces(
    chains: Floats, loads: Floats, joints: Floats, common: Floats, state: Floats, work: Floats
) -> None:
    """Take off EFFORT what motion at steady rates needs: centrifugal and Coriolis forces."""
    velocity = NONE
    for i in range(3):
        velocity = plus(velocity, column_of(work, ARMS, i), state[RATES, i])
    pull = steady_acceleration(chains, state, velocity)
    spin, centre = row_of(state, SPIN), turned_by_handle(state, three(loads, CENTRE))
    carried = loads[CARRIED] + joints[0, BAR] + joints[1, BAR] + joints[2, BAR]
    force = plus(NONE, pull, carried)
    force = plus(force, cross(spin, cross(spin, centre)), loads[HANDLE])
    for i in range(3):
        force = plus(force, elbow_pull(chains, state, i), -joints[i, BAR])
    momentum = handle_momentum(loads[HANDLE], common[HANDLE_GYRATION], centre, spin)
    torque = plus(cross(spin, momentum), cross(centre, pull), loads[HANDLE])
    for i in range(3):
        relative = joints[i, BAR] * dot(swing(chains, i, state[JOINTS, i]), pull)
        work[EFFORT, i] -= dot(column_of(work, ARMS, i), force) - relative
        work[EFFORT, 3 + i] -= dot(column_of(work, TURNS, i), torque)
