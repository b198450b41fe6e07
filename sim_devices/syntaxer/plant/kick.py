"""One kick: the rates after a short time, from all efforts along the joints."""

from __future__ import annotations

from sim_devices.syntaxer.plant.cache import kernel
from sim_devices.syntaxer.plant.friction import sliding
from sim_devices.syntaxer.plant.inertia import mass_matrix, subtract_steady_forces
from sim_devices.syntaxer.plant.memory import (
    AFTER,
    ARMS,
    BEFORE,
    CURRENTS,
    EFFORT,
    HAND,
    JOINTS,
    LEDGER,
    LENGTHS,
    LIMITS,
    MASS,
    MOTOR,
    POSE,
    RATES,
    RIGHT,
    SCRATCH,
    SLACK,
    SPIN,
    STOPS,
    STRINGS,
    SYSTEM,
    TURNS,
    column_of,
    row_of,
)
from sim_devices.syntaxer.plant.numbers import (
    DAMPING,
    DISSIPATED,
    FRICTION,
    HAND_WORK,
    INERTIA,
    MOTOR_WORK,
    PER_AMPERE,
    PLATE_DAMPING,
)
from sim_devices.syntaxer.plant.place import along_joints
from sim_devices.syntaxer.plant.stops import arm_stops, bar_stops, plate_stops
from sim_devices.syntaxer.plant.strings import kick_slack_drums, loosen, rubbed, tauten
from station.devices.syntaxer.kernels.layout import NEUTRAL, PRETENSION, SPRING, Floats
from station.devices.syntaxer.kernels.statics import arm_weights, handle_weight
from station.devices.syntaxer.kernels.vectors import dot, plus, three

NONE = (0.0, 0.0, 0.0)


@kernel
def kick(
    chains: Floats,
    struts: Floats,
    loads: Floats,
    joints: Floats,
    common: Floats,
    state: Floats,
    work: Floats,
    wrench: Floats,
    step: float,
) -> None:
    """Change the rates by what acts for `step` [s] at the present place; keep the books of energy."""
    for i in range(3):
        work[BEFORE, i] = state[RATES, i]
        work[BEFORE, 3 + i] = dot(row_of(work, STRINGS + i), row_of(state, SPIN))
    tauten(state, work)
    mass_matrix(chains, loads, joints, common, state, work)
    gather_efforts(chains, struts, loads, common, state, work)
    subtract_steady_forces(chains, loads, joints, common, state, work)
    along_joints(work, three(wrench, 0), three(wrench, 3), HAND)
    for _ in range(4):  # one more than there are strings that could come loose
        for i in range(6):
            free = i >= 3 and state[SLACK, i - 3] != 0.0
            work[AFTER, i] = work[BEFORE, i] if free else state[RATES, i]
        assemble(struts, joints, common, state, work, step)
        sliding(work)
        if not loosen(struts, joints, state, work, step):
            break
    book(joints, common, state, work, step)
    kick_slack_drums(struts, joints, common, state, work, step)
    spin = NONE
    for i in range(3):
        state[RATES, i] = work[AFTER, i]
        if state[SLACK, i] == 0.0:
            state[RATES, 3 + i] = work[AFTER, 3 + i]
        spin = plus(spin, column_of(work, TURNS, i), work[AFTER, 3 + i])
    state[SPIN, 0], state[SPIN, 1], state[SPIN, 2] = spin


@kernel
def gather_efforts(chains: Floats, struts: Floats, loads: Floats, common: Floats, state: Floats, work: Floats) -> None:
    """Weight, springs and stops along the joints."""
    for i in range(6):
        work[EFFORT, i] = work[STOPS, i] = 0.0
    arm_stops(chains, common, state, work)
    bar_stops(chains, common, state, work)
    plate_stops(common, state, work)
    weights = work[SCRATCH]
    arm_weights(chains, loads, state[JOINTS], work[ARMS : ARMS + 3], weights)
    handle_weight(loads, state[POSE : POSE + 3], work[STRINGS : STRINGS + 3], weights)
    for i in range(3):
        work[EFFORT, i] -= weights[i]
        push = struts[i, PRETENSION] - struts[i, SPRING] * (work[LENGTHS, i] - struts[i, NEUTRAL])
        work[EFFORT, 3 + i] += weights[3 + i] + push


@kernel
def assemble(struts: Floats, joints: Floats, common: Floats, state: Floats, work: Floats, step: float) -> None:
    """System, right side and friction limits; drums of taut strings move with the plate, others by themselves."""
    for i in range(6):
        taut = i < 3 or state[SLACK, i - 3] == 0.0
        work[MOTOR, i] = joints[i, PER_AMPERE] * state[CURRENTS, i] if taut else 0.0
        work[LIMITS, i] = step * joints[i, FRICTION] if taut else 0.0
        momentum = step * (work[EFFORT, i] + work[STOPS, i] + work[MOTOR, i] + work[HAND, i])
        for j in range(6):
            work[SYSTEM + i, j] = work[MASS + i, j]
            momentum += work[MASS + i, j] * work[BEFORE, j]
        if taut:
            work[SYSTEM + i, i] += step * joints[i, DAMPING]
        if taut and i >= 3:
            work[SYSTEM + i, i] += joints[i, INERTIA]
            momentum += joints[i, INERTIA] * state[RATES, i]
            momentum -= step * struts[i - 3, PRETENSION]  # the spiral spring on the drum
        work[RIGHT, i] = momentum
    for i in range(3):
        for j in range(3):
            damping = common[PLATE_DAMPING] * dot(column_of(work, TURNS, i), column_of(work, TURNS, j))
            work[SYSTEM + 3 + i, 3 + j] += step * damping


@kernel
def book(joints: Floats, common: Floats, state: Floats, work: Floats, step: float) -> None:
    """Work of motors, hand, friction and stops: each impulse times the mean of the rates before and after."""
    dissipated = motor_work = hand_work = 0.0
    spin = NONE
    for i in range(3):
        spin = plus(spin, column_of(work, TURNS, i), work[AFTER, 3 + i])
    for i in range(6):
        mean = 0.5 * (work[BEFORE, i] + work[AFTER, i])
        damped = 0.0
        if i < 3 or state[SLACK, i - 3] == 0.0:
            damped += joints[i, DAMPING] * work[AFTER, i]
        if i >= 3:
            damped += common[PLATE_DAMPING] * dot(column_of(work, TURNS, i - 3), spin)
        dissipated += (step * (damped - work[STOPS, i]) - rubbed(work, i)) * mean
        motor_work += step * work[MOTOR, i] * mean
        hand_work += step * work[HAND, i] * mean
    state[LEDGER, DISSIPATED] += dissipated
    state[LEDGER, MOTOR_WORK] += motor_work
    state[LEDGER, HAND_WORK] += hand_work
