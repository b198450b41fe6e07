"""Masses and energy: mass matrix along the joints, centrifugal and Coriolis forces, and where the energy is now.

Bodies: arms (with rotors and sectors), bars, platform, plate with handle on its ball, drums of the strings. A bar is
even along its length: its mass at both ends, less a part that only relative motion of the ends sees (`Physics.bar`).
The drums are not in `mass`, since a drum whose string hangs through moves by itself. Energy that went through is in
the ledger.
"""

from __future__ import annotations

import math

from sim_devices.syntaxer.plant.numbers import Physics
from sim_devices.syntaxer.plant.place import look
from sim_devices.syntaxer.plant.state import PlantState, Work, handle_place, turned_by_handle
from sim_devices.syntaxer.plant.stops import arm_stops, bar_stops, plate_stops
from station.devices.syntaxer.state import Chains, Parts, Vector
from station.devices.syntaxer.translation import sphere_centre, swing
from station.kernel import entry, kernel
from station.kernel.vectors import column, cross, dot, minus, plus, row, three

NONE = (0.0, 0.0, 0.0)


@kernel
def handle_momentum(mass: float, gyration: float, centre: Vector, spin: Vector) -> Vector:
    """Angular momentum of plate and handle about the ball [kg·m²/s]."""
    about_ball = plus(NONE, spin, mass * (gyration + dot(centre, centre)))
    return plus(about_ball, centre, -mass * dot(centre, spin))


@kernel
def mass_matrix(parts: Parts, physics: Physics, state: PlantState, work: Work) -> None:
    """Write `mass`."""
    chains, loads = parts.chains, parts.loads
    carried = loads.carried + physics.bar[0] + physics.bar[1] + physics.bar[2]
    centre = turned_by_handle(state, three(loads.centre, 0))
    handle, gyration = loads.handle, physics.handle_gyration
    for i in range(3):
        of_i, turn_i = column(work.arms, i), column(work.turns, i)
        swing_i = swing(chains, i, state.joints[i])
        momentum = handle_momentum(handle, gyration, centre, turn_i)
        for j in range(3):
            of_j = column(work.arms, j)
            work.mass[i, j] = carried * dot(of_i, of_j)
            work.mass[3 + i, 3 + j] = dot(column(work.turns, j), momentum)
            work.mass[j, 3 + i] = work.mass[3 + i, j] = handle * dot(of_j, cross(turn_i, centre))
        work.mass[i, i] += physics.inertia[i] + physics.bar[i] * dot(swing_i, swing_i)
    for i in range(3):
        swing_i = swing(chains, i, state.joints[i])
        for j in range(3):
            relative = physics.bar[i] * dot(swing_i, column(work.arms, j))
            work.mass[i, j] -= relative
            work.mass[j, i] -= relative


@kernel
def elbow_pull(chains: Chains, state: PlantState, i: int) -> Vector:
    """Acceleration of an elbow towards its axis while the arm turns steadily [m/s²]."""
    size = -chains.arm[i] * state.rates[i] ** 2
    outwards = size * math.cos(state.joints[i])
    return size * math.sin(state.joints[i]), outwards * chains.sine[i], outwards * chains.cosine[i]


@kernel
def steady_acceleration(chains: Chains, state: PlantState, velocity: Vector) -> Vector:
    """Acceleration of the platform [m/s²] while all arms turn steadily: bars keep their length.

    From bar·(v - w) = 0 follows bar·(a - e) = -|v - w|², w and e being velocity and acceleration of the elbow.
    """
    place = handle_place(state)
    a = minus(place, sphere_centre(chains, 0, state.joints[0]))
    b = minus(place, sphere_centre(chains, 1, state.joints[1]))
    c = minus(place, sphere_centre(chains, 2, state.joints[2]))
    determinant = dot(a, cross(b, c))
    total = NONE
    for i in range(3):
        bar = a if i == 0 else (b if i == 1 else c)
        normal = cross(b, c) if i == 0 else (cross(c, a) if i == 1 else cross(a, b))
        apart = plus(velocity, swing(chains, i, state.joints[i]), -state.rates[i])
        asked = dot(bar, elbow_pull(chains, state, i)) - dot(apart, apart)
        total = plus(total, normal, asked / determinant)
    return total


@kernel
def subtract_steady_forces(parts: Parts, physics: Physics, state: PlantState, work: Work) -> None:
    """Take off `effort` what motion at steady rates needs: centrifugal and Coriolis forces."""
    chains, loads = parts.chains, parts.loads
    velocity = NONE
    for i in range(3):
        velocity = plus(velocity, column(work.arms, i), state.rates[i])
    pull = steady_acceleration(chains, state, velocity)
    spin, centre = three(state.spin, 0), turned_by_handle(state, three(loads.centre, 0))
    carried = loads.carried + physics.bar[0] + physics.bar[1] + physics.bar[2]
    force = plus(NONE, pull, carried)
    force = plus(force, cross(spin, cross(spin, centre)), loads.handle)
    for i in range(3):
        force = plus(force, elbow_pull(chains, state, i), -physics.bar[i])
    momentum = handle_momentum(loads.handle, physics.handle_gyration, centre, spin)
    torque = plus(cross(spin, momentum), cross(centre, pull), loads.handle)
    for i in range(3):
        relative = physics.bar[i] * dot(swing(chains, i, state.joints[i]), pull)
        work.effort[i] -= dot(column(work.arms, i), force) - relative
        work.effort[3 + i] -= dot(column(work.turns, i), torque)


@kernel
def motion_energy(physics: Physics, state: PlantState, work: Work) -> float:
    """Kinetic energy [J] by `mass` and the rates in `after`."""
    energy = 0.0
    for i in range(6):
        for j in range(6):
            energy += 0.5 * work.mass[i, j] * work.after[i] * work.after[j]
    for i in range(3):
        rate = work.after[3 + i] if not state.slack[i] else state.rates[3 + i]
        energy += 0.5 * physics.inertia[3 + i] * rate * rate
    return energy


@entry
def stored(parts: Parts, physics: Physics, state: PlantState, work: Work) -> tuple[float, float]:
    """Kinetic and potential energy now [J]."""
    chains, struts, loads = parts.chains, parts.struts, parts.loads
    look(parts, state, work)
    mass_matrix(parts, physics, state, work)
    for i in range(3):
        work.after[i] = work.before[i] = state.rates[i]
        work.after[3 + i] = work.before[3 + i] = dot(row(work.strings, i), three(state.spin, 0))
    gravity = three(loads.gravity, 0)
    potential = arm_stops(chains, physics, state, work) + bar_stops(chains, physics, state, work)
    potential += plate_stops(physics, state, work)
    potential -= dot(plus(three(loads.balancer, 0), gravity, loads.carried), handle_place(state))
    potential -= loads.handle * dot(gravity, turned_by_handle(state, three(loads.centre, 0)))
    for i in range(3):
        moment = chains.moment[i] / chains.arm[i]
        potential -= moment * dot(gravity, sphere_centre(chains, i, state.joints[i]))
        stretch = work.lengths[i] - struts.neutral[i]
        potential += 0.5 * struts.spring[i] * stretch * stretch
        potential += struts.pretension[i] * (state.joints[3 + i] - work.lengths[i])
    return motion_energy(physics, state, work), potential
