"""Time: half a drift, a kick, half a drift; and the whole step of the plant in one call.

Drift, kick, drift is of second order and lets energy neither grow nor fade by itself.
"""

from __future__ import annotations

import math

from sim_devices.syntaxer.plant.cache import kernel
from sim_devices.syntaxer.plant.electric import drive_windings
from sim_devices.syntaxer.plant.energy import motion_energy
from sim_devices.syntaxer.plant.kick import kick
from sim_devices.syntaxer.plant.memory import (
    ARMS,
    JOINTS,
    LEDGER,
    POSE,
    RATES,
    SPIN,
    VELOCITY,
    column_of,
    row_of,
)
from sim_devices.syntaxer.plant.numbers import DISSIPATED, MOST_CURRENT
from sim_devices.syntaxer.plant.place import look_or_catch, straighten
from sim_devices.syntaxer.plant.strings import follow_plate
from station.devices.syntaxer.kernels.layout import Floats
from station.devices.syntaxer.kernels.vectors import plus, turn

LONGEST_STEP = 0.000125  # of one drift, kick, drift [s]
LONGEST_CALL = 1.0  # that one call lives through [s]
MOST_FORCE, MOST_TORQUE = 60.0, 3.0  # of a hand; more is cut [N, N·m]
MOST_SOURCE = 60.0  # [V]
NONE = (0.0, 0.0, 0.0)

# Entries of `inputs`.
COMMANDED = 0  # and the next five [A]
WRENCH = 6  # and the next five [N, N·m]
BRAKE = 12  # 0 or 1
SOURCE = 13  # [V]
INPUTS = 14


@kernel
def within(value: float, most: float) -> float:
    """A number cut to ±most; 0 if it is none."""
    return 0.0 if math.isnan(value) else min(max(value, -most), most)


@kernel
def drift(state: Floats, step: float) -> None:
    """Joints move on at their rates."""
    for i in range(6):
        state[JOINTS, i] += step * state[RATES, i]
    turn(state[POSE : POSE + 3], plus(NONE, row_of(state, SPIN), step))


@kernel
def arrive(chains: Floats, struts: Floats, joints: Floats, state: Floats, work: Floats) -> None:
    """Look where the joints are after a drift."""
    if look_or_catch(chains, struts, state, work):
        state[LEDGER, DISSIPATED] += motion_energy(joints, state, work)
    follow_plate(state, work)


@kernel
def step_plant(
    chains: Floats,
    struts: Floats,
    loads: Floats,
    joints: Floats,
    common: Floats,
    state: Floats,
    work: Floats,
    inputs: Floats,
    time: float,
) -> None:
    """Live for `time` [s]."""
    commanded, wrench = inputs[COMMANDED : COMMANDED + 6], inputs[WRENCH : WRENCH + 6]
    for i in range(6):
        commanded[i] = within(commanded[i], joints[i, MOST_CURRENT])
        wrench[i] = within(wrench[i], MOST_FORCE if i < 3 else MOST_TORQUE)
    source, brake = max(within(inputs[SOURCE], MOST_SOURCE), 0.0), inputs[BRAKE] != 0.0
    whole = max(within(time, LONGEST_CALL), 0.0)
    steps = math.ceil(whole / LONGEST_STEP - 1e-6)
    for _ in range(steps):
        step = whole / steps
        drift(state, 0.5 * step)
        arrive(chains, struts, joints, state, work)
        drive_windings(joints, common, state, commanded, brake, source, step)
        kick(chains, struts, loads, joints, common, state, work, wrench, step)
        drift(state, 0.5 * step)
    straighten(state)
    arrive(chains, struts, joints, state, work)
    velocity = NONE
    for i in range(3):
        velocity = plus(velocity, column_of(work, ARMS, i), state[RATES, i])
    for i in range(3):
        state[VELOCITY, i], state[VELOCITY, 3 + i] = velocity[i], state[SPIN, i]
