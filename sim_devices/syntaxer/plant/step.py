"""Time: half a drift, a kick, half a drift; and the whole step of the plant in one call.

Drift, kick, drift is of second order and lets energy neither grow nor fade by itself.

A current loop is a first-order lag on what the voltage can drive: supply less back-EMF, over the resistance. Shorted
windings carry what their own back-EMF drives. The supply sags with the power taken; what motors give back goes into a
brake resistor, not into the supply.
"""

from __future__ import annotations

import math

from sim_devices.syntaxer.plant.energy import mass_matrix, motion_energy, subtract_steady_forces
from sim_devices.syntaxer.plant.friction import follow_plate, kick_slack_drums, loosen, rubbed, sliding, tauten
from sim_devices.syntaxer.plant.numbers import Physics
from sim_devices.syntaxer.plant.place import along_joints, look_or_catch, straighten
from sim_devices.syntaxer.plant.state import Inputs, PlantState, Work
from sim_devices.syntaxer.plant.stops import arm_stops, bar_stops, plate_stops
from station.devices.syntaxer.rotation import handle_weight
from station.devices.syntaxer.state import Parts, Struts
from station.devices.syntaxer.translation import arm_weights
from station.kernel import Floats, entry, kernel
from station.kernel.so3 import turn_further
from station.kernel.vectors import column, dot, plus, row, three

LONGEST_STEP = 0.000125  # of one drift, kick, drift [s]
LONGEST_CALL = 1.0  # that one call lives through [s]
MOST_FORCE, MOST_TORQUE = 60.0, 3.0  # of a hand; more is cut [N, N·m]
MOST_SOURCE = 60.0  # [V]
NONE = (0.0, 0.0, 0.0)
LEAST_SUPPLY = 0.1  # so that power over voltage stays finite [V]
MOST_SAG = 0.5  # of the source: more is not taken from it


@kernel
def drive_windings(
    physics: Physics, state: PlantState, commanded: Floats, brake: bool, source: float, step: float
) -> None:
    """Currents, supply and temperatures after `step` [s]."""
    towards = 1.0 - math.exp(-step / physics.current_lag)
    voltage, taken = state.supply, physics.standby
    for i in range(6):
        resistance = physics.resistance[i]
        back = physics.per_ampere[i] * state.rates[i]  # volts per rate are newton metres per ampere
        if brake:
            wanted = -back / resistance
        else:
            wanted = min(max(commanded[i], (-voltage - back) / resistance), (voltage - back) / resistance)
        current = state.currents[i] + towards * (wanted - state.currents[i])
        state.currents[i] = current
        lost = resistance * current * current
        if not brake:
            taken += max(lost + back * current, 0.0)
        cooled = (state.temperatures[i] - physics.ambient) / physics.cooling[i]
        state.temperatures[i] += step * (lost - cooled) / physics.heat[i]
        state.ledger.heat += step * lost
    sagged = source - physics.source_resistance * taken / max(voltage, LEAST_SUPPLY)
    towards = 1.0 - math.exp(-step / physics.source_lag)
    state.supply = max(voltage + towards * (max(sagged, MOST_SAG * source) - voltage), 0.0)


@kernel
def kick(
    parts: Parts,
    physics: Physics,
    state: PlantState,
    work: Work,
    wrench: Floats,
    step: float,
) -> None:
    """Change the rates by what acts for `step` [s] at the present place; keep the books of energy."""
    struts = parts.struts
    for i in range(3):
        work.before[i] = state.rates[i]
        work.before[3 + i] = dot(row(work.strings, i), three(state.spin, 0))
    tauten(state, work)
    mass_matrix(parts, physics, state, work)
    gather_efforts(parts, physics, state, work)
    subtract_steady_forces(parts, physics, state, work)
    along_joints(work, three(wrench, 0), three(wrench, 3), work.hand)
    for _ in range(4):  # one more than there are strings that could come loose
        for i in range(6):
            free = i >= 3 and state.slack[i - 3]
            work.after[i] = work.before[i] if free else state.rates[i]
        assemble(struts, physics, state, work, step)
        sliding(work)
        if not loosen(struts, physics, state, work, step):
            break
    book(physics, state, work, step)
    kick_slack_drums(struts, physics, state, work, step)
    spin = NONE
    for i in range(3):
        state.rates[i] = work.after[i]
        if not state.slack[i]:
            state.rates[3 + i] = work.after[3 + i]
        spin = plus(spin, column(work.turns, i), work.after[3 + i])
    state.spin[0], state.spin[1], state.spin[2] = spin


@kernel
def gather_efforts(parts: Parts, physics: Physics, state: PlantState, work: Work) -> None:
    """Weight, springs and stops along the joints."""
    chains, struts, loads = parts.chains, parts.struts, parts.loads
    for i in range(6):
        work.effort[i] = work.stops[i] = 0.0
    arm_stops(chains, physics, state, work)
    bar_stops(chains, physics, state, work)
    plate_stops(physics, state, work)
    weights = work.scratch
    arm_weights(chains, loads, state.joints, work.arms, weights)
    handle_weight(loads, state.pose, work.strings, weights)
    for i in range(3):
        work.effort[i] -= weights[i]
        push = struts.pretension[i] - struts.spring[i] * (work.lengths[i] - struts.neutral[i])
        work.effort[3 + i] += weights[3 + i] + push


@kernel
def assemble(struts: Struts, physics: Physics, state: PlantState, work: Work, step: float) -> None:
    """System, right side and friction limits; drums of taut strings move with the plate, others by themselves."""
    for i in range(6):
        taut = i < 3 or not state.slack[i - 3]
        work.motor[i] = physics.per_ampere[i] * state.currents[i] if taut else 0.0
        work.limits[i] = step * physics.friction[i] if taut else 0.0
        momentum = step * (work.effort[i] + work.stops[i] + work.motor[i] + work.hand[i])
        for j in range(6):
            work.system[i, j] = work.mass[i, j]
            momentum += work.mass[i, j] * work.before[j]
        if taut:
            work.system[i, i] += step * physics.damping[i]
        if taut and i >= 3:
            work.system[i, i] += physics.inertia[i]
            momentum += physics.inertia[i] * state.rates[i]
            momentum -= step * struts.pretension[i - 3]  # the spiral spring on the drum
        work.right[i] = momentum
    for i in range(3):
        for j in range(3):
            damping = physics.plate_damping * dot(column(work.turns, i), column(work.turns, j))
            work.system[3 + i, 3 + j] += step * damping


@kernel
def book(physics: Physics, state: PlantState, work: Work, step: float) -> None:
    """Work of motors, hand, friction and stops: each impulse times the mean of the rates before and after."""
    dissipated = motor_work = hand_work = 0.0
    spin = NONE
    for i in range(3):
        spin = plus(spin, column(work.turns, i), work.after[3 + i])
    for i in range(6):
        mean = 0.5 * (work.before[i] + work.after[i])
        damped = 0.0
        if i < 3 or not state.slack[i - 3]:
            damped += physics.damping[i] * work.after[i]
        if i >= 3:
            damped += physics.plate_damping * dot(column(work.turns, i - 3), spin)
        dissipated += (step * (damped - work.stops[i]) - rubbed(work, i)) * mean
        motor_work += step * work.motor[i] * mean
        hand_work += step * work.hand[i] * mean
    state.ledger.dissipated += dissipated
    state.ledger.motor_work += motor_work
    state.ledger.hand_work += hand_work


@kernel
def within(value: float, most: float) -> float:
    """A number cut to ±most; 0 if it is none."""
    return 0.0 if math.isnan(value) else min(max(value, -most), most)


@kernel
def drift(state: PlantState, step: float) -> None:
    """Joints move on at their rates."""
    for i in range(6):
        state.joints[i] += step * state.rates[i]
    turn_further(state.pose, plus(NONE, three(state.spin, 0), step))


@kernel
def arrive(parts: Parts, physics: Physics, state: PlantState, work: Work) -> None:
    """Look where the joints are after a drift."""
    if look_or_catch(parts, state, work):
        state.ledger.dissipated += motion_energy(physics, state, work)
    follow_plate(state, work)


@entry
def step_plant(parts: Parts, physics: Physics, state: PlantState, work: Work, inputs: Inputs, time: float) -> None:
    """Live for `time` [s]."""
    commanded, wrench = inputs.commanded, inputs.wrench
    for i in range(6):
        commanded[i] = within(commanded[i], physics.most_current[i])
        wrench[i] = within(wrench[i], MOST_FORCE if i < 3 else MOST_TORQUE)
    source, brake = max(within(inputs.source, MOST_SOURCE), 0.0), inputs.brake
    whole = max(within(time, LONGEST_CALL), 0.0)
    steps = math.ceil(whole / LONGEST_STEP - 1e-6)
    for _ in range(steps):
        step = whole / steps
        drift(state, 0.5 * step)
        arrive(parts, physics, state, work)
        drive_windings(physics, state, commanded, brake, source, step)
        kick(parts, physics, state, work, wrench, step)
        drift(state, 0.5 * step)
    straighten(state)
    arrive(parts, physics, state, work)
    velocity = NONE
    for i in range(3):
        velocity = plus(velocity, column(work.arms, i), state.rates[i])
    for i in range(3):
        state.velocity[i], state.velocity[3 + i] = velocity[i], state.spin[i]
