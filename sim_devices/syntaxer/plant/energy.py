"""Where the energy is now; what went through is in the ledger."""

from __future__ import annotations

from sim_devices.syntaxer.plant.cache import kernel
from sim_devices.syntaxer.plant.inertia import mass_matrix
from sim_devices.syntaxer.plant.memory import (
    AFTER,
    BEFORE,
    JOINTS,
    LENGTHS,
    MASS,
    RATES,
    SLACK,
    SPIN,
    STRINGS,
    handle_place,
    row_of,
    turned_by_handle,
)
from sim_devices.syntaxer.plant.numbers import INERTIA
from sim_devices.syntaxer.plant.place import look
from sim_devices.syntaxer.plant.stops import arm_stops, bar_stops, plate_stops
from station.devices.syntaxer.kernels.delta import sphere_centre
from station.devices.syntaxer.kernels.layout import (
    ARM,
    BALANCER,
    CARRIED,
    CENTRE,
    GRAVITY,
    HANDLE,
    MOMENT,
    NEUTRAL,
    PRETENSION,
    SPRING,
    Floats,
)
from station.devices.syntaxer.kernels.vectors import dot, plus, three


@kernel
def motion_energy(joints: Floats, state: Floats, work: Floats) -> float:
    """Kinetic energy [J] by MASS and the rates in AFTER."""
    energy = 0.0
    for i in range(6):
        for j in range(6):
            energy += 0.5 * work[MASS + i, j] * work[AFTER, i] * work[AFTER, j]
    for i in range(3):
        rate = work[AFTER, 3 + i] if state[SLACK, i] == 0.0 else state[RATES, 3 + i]
        energy += 0.5 * joints[3 + i, INERTIA] * rate * rate
    return energy


@kernel
def stored(
    chains: Floats, struts: Floats, loads: Floats, joints: Floats, common: Floats, state: Floats, work: Floats
) -> tuple[float, float]:
    """Kinetic and potential energy now [J]."""
    look(chains, struts, state, work)
    mass_matrix(chains, loads, joints, common, state, work)
    for i in range(3):
        work[AFTER, i] = work[BEFORE, i] = state[RATES, i]
        work[AFTER, 3 + i] = work[BEFORE, 3 + i] = dot(row_of(work, STRINGS + i), row_of(state, SPIN))
    gravity = three(loads, GRAVITY)
    potential = arm_stops(chains, common, state, work) + bar_stops(chains, common, state, work)
    potential += plate_stops(common, state, work)
    potential -= dot(plus(three(loads, BALANCER), gravity, loads[CARRIED]), handle_place(state))
    potential -= loads[HANDLE] * dot(gravity, turned_by_handle(state, three(loads, CENTRE)))
    for i in range(3):
        moment = chains[i, MOMENT] / chains[i, ARM]
        potential -= moment * dot(gravity, sphere_centre(chains, i, state[JOINTS, i]))
        stretch = work[LENGTHS, i] - struts[i, NEUTRAL]
        potential += 0.5 * struts[i, SPRING] * stretch * stretch
        potential += struts[i, PRETENSION] * (state[JOINTS, 3 + i] - work[LENGTHS, i])
    return motion_energy(joints, state, work), potential
