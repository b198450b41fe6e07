"""The mass of the arm between its own spring to the target and the skin at the handle, six axes at a time.

The mass lives here, not in the device: coupled through the skin it needs nothing of whoever moves the handle but its
place. It is integrated by the implicit midpoint rule, which keeps energy exactly and is stable at any step. Between two
calls the handle is taken to have moved evenly.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from station.compiled import Compiler

Floats = NDArray[np.float64]

kernel = Compiler("hand", [Path(__file__)])

# Rows of `impedance`, one column per axis.
MASS, STIFFNESS, DAMPING, SKIN, SKIN_DAMPING = 0, 1, 2, 3, 4
IMPEDANCE_ROWS = 5

# Rows of `state`.
PLACE = 0  # of the mass [m, rad]
SPEED = 1  # [m/s, rad/s]
HANDLE = 2  # place of the handle at the last call [m, rad]
STATE_ROWS = 3

# Entries of `limits`.
STRENGTH, TURNING_STRENGTH = 0, 1  # of the muscles [N, N·m]
TREMOR = 2  # amplitude of one sine with the power of the tremor [N]
LIMITS = 3

# Rows of `inputs`.
TARGET = 0  # where the arm wants to be now [m, rad]
TARGET_SPEED = 1  # [m/s, rad/s]
PUSH = 2  # of the muscles besides, by tremor; written here [N]
NOW = 3  # place of the handle [m, rad]
NOW_SPEED = 4  # [m/s, rad/s]
INPUT_ROWS = 5

LONGEST_STEP = 0.001  # of the mass [s]
MOST_STEPS = 1000
LONGEST_HOLD = 0.002  # for which a wrench is made to be held [s]


@kernel
def step_arm(
    impedance: Floats,
    sines: Floats,
    state: Floats,
    inputs: Floats,
    limits: Floats,
    now: float,
    period: float,
    wrench: Floats,
) -> None:
    """Live for `period` until `now` [s]; write the wrench on the handle [N, N·m] for a period like this one.

    A spring that is sampled and held gives energy: on average it acts half a period late. So it is taken where it will
    be half a period on, at the present speeds.
    """
    finite = True
    for i in range(6):
        wrench[i] = 0.0
        finite = finite and math.isfinite(inputs[NOW, i]) and math.isfinite(inputs[NOW_SPEED, i])
    if not finite:
        return
    tremble(sines, limits[TREMOR], now - 0.5 * period, inputs)
    steps = min(max(math.ceil(period / LONGEST_STEP - 1e-6), 0), MOST_STEPS)
    for n in range(steps):
        step = period / steps
        for first in (0, 3):
            move_mass(impedance, state, inputs, limits, period, step, (n + 0.5) * step, first)
    half = 0.5 * min(max(period, 0.0), LONGEST_HOLD)
    for i in range(6):
        state[HANDLE, i] = inputs[NOW, i]
        stretch, rate = state[PLACE, i] - inputs[NOW, i], state[SPEED, i] - inputs[NOW_SPEED, i]
        skin = impedance[SKIN, i]
        wrench[i] = skin * stretch + (impedance[SKIN_DAMPING, i] + skin * half) * rate


@kernel
def tremble(sines: Floats, size: float, now: float, inputs: Floats) -> None:
    """Write the force of the tremor [N]: a sum of sines for each axis."""
    for i in range(3):
        total = 0.0
        for j in range(sines.shape[1]):
            total += math.sin(sines[i, j, 0] * now + sines[i, j, 1])
        inputs[PUSH, i] = size * total / math.sqrt(sines.shape[1])


@kernel
def move_mass(
    impedance: Floats,
    state: Floats,
    inputs: Floats,
    limits: Floats,
    period: float,
    step: float,
    middle: float,
    first: int,
) -> None:
    """One step of three axes; `middle` is the time of its middle since the last call [s]."""
    size = 0.0
    for i in range(first, first + 3):
        size += muscle(impedance, state, inputs, period, step, middle, i, -1.0) ** 2
    limit = limits[first // 3]
    share = 1.0 if size <= limit * limit else limit / math.sqrt(size)
    for i in range(first, first + 3):
        speed = muscle(impedance, state, inputs, period, step, middle, i, share)
        state[PLACE, i] += step * speed
        state[SPEED, i] = 2.0 * speed - state[SPEED, i]


@kernel
def muscle(
    impedance: Floats,
    state: Floats,
    inputs: Floats,
    period: float,
    step: float,
    middle: float,
    i: int,
    share: float,
) -> float:
    """Force of the muscles of an axis in the middle of a step [N]; or, with a share of it, the speed there [m/s]."""
    inertia = 2.0 * impedance[MASS, i] / step
    hand_speed = (inputs[NOW, i] - state[HANDLE, i]) / period
    skin = impedance[SKIN, i] * (state[HANDLE, i] + middle * hand_speed - state[PLACE, i])
    skin += impedance[SKIN_DAMPING, i] * hand_speed + inertia * state[SPEED, i]
    skin_slope = inertia + 0.5 * step * impedance[SKIN, i] + impedance[SKIN_DAMPING, i]
    wanted = inputs[TARGET, i] - (period - middle) * inputs[TARGET_SPEED, i]
    own = impedance[STIFFNESS, i] * (wanted - state[PLACE, i]) + inputs[PUSH, i]
    own += impedance[DAMPING, i] * inputs[TARGET_SPEED, i]
    own_slope = 0.5 * step * impedance[STIFFNESS, i] + impedance[DAMPING, i]
    speed: float = (skin + own) / (skin_slope + own_slope)
    force: float = own - own_slope * speed
    if share < 0.0:
        return force
    return speed if share == 1.0 else float((skin + share * force) / skin_slope)
