"""Amplifiers, windings, supply and heat.

A current loop is a first-order lag on what the voltage can drive: supply less back-EMF, over the resistance. Shorted
windings carry what their own back-EMF drives. The supply sags with the power taken; what motors give back goes into a
brake resistor, not into the supply.
"""

from __future__ import annotations

import math

from sim_devices.syntaxer.plant.cache import kernel
from sim_devices.syntaxer.plant.memory import CURRENTS, LEDGER, RATES, SUPPLY, TEMPERATURES
from sim_devices.syntaxer.plant.numbers import (
    AMBIENT,
    COOLING,
    CURRENT_LAG,
    HEAT,
    HEAT_SPENT,
    PER_AMPERE,
    RESISTANCE,
    SOURCE_LAG,
    SOURCE_RESISTANCE,
    STANDBY,
)
from station.devices.syntaxer.kernels.layout import Floats

LEAST_SUPPLY = 0.1  # so that power over voltage stays finite [V]
MOST_SAG = 0.5  # of the source: more is not taken from it


@kernel
def drive_windings(
    joints: Floats, common: Floats, state: Floats, commanded: Floats, brake: bool, source: float, step: float
) -> None:
    """Currents, supply and temperatures after `step` [s]."""
    towards = 1.0 - math.exp(-step / common[CURRENT_LAG])
    voltage, taken = state[SUPPLY, 0], common[STANDBY]
    for i in range(6):
        resistance = joints[i, RESISTANCE]
        back = joints[i, PER_AMPERE] * state[RATES, i]  # volts per rate are newton metres per ampere
        if brake:
            wanted = -back / resistance
        else:
            wanted = min(max(commanded[i], (-voltage - back) / resistance), (voltage - back) / resistance)
        current = state[CURRENTS, i] + towards * (wanted - state[CURRENTS, i])
        state[CURRENTS, i] = current
        lost = resistance * current * current
        if not brake:
            taken += max(lost + back * current, 0.0)
        cooled = (state[TEMPERATURES, i] - common[AMBIENT]) / joints[i, COOLING]
        state[TEMPERATURES, i] += step * (lost - cooled) / joints[i, HEAT]
        state[LEDGER, HEAT_SPENT] += step * lost
    sagged = source - common[SOURCE_RESISTANCE] * taken / max(voltage, LEAST_SUPPLY)
    towards = 1.0 - math.exp(-step / common[SOURCE_LAG])
    state[SUPPLY, 0] = max(voltage + towards * (max(sagged, MOST_SAG * source) - voltage), 0.0)
