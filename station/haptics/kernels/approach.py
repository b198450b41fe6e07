"""Growing resistance before something acts: joint stops, singularities, obstacles. All share one law.

With d the distance told by the caller, g its gradient at the hand, v the twist of the hand:

    wrench = g·( min(k·(d₀ - d), f_max) + b·max(0, -g·v) )       for d < d₀, else 0

The first term is minus the gradient of a potential, the second takes energy and acts only against approach: there is
always a way out, and going out costs nothing. The gradient comes through the transposed Jacobian of whatever is between
hand and joint, so power is the same on both sides. f_max bounds the force at the hand: it is divided by |g|.
"""

from __future__ import annotations

import math

from station.haptics.kernels.cache import kernel
from station.haptics.kernels.layout import (
    ACTUATED,
    HAND,
    HAND_SPEED,
    NEARNESS,
    OBSTACLE,
    OBSTACLE_COUNT,
    OBSTACLE_ROWS,
    OBSTACLES,
    PARTS,
    ROW,
    SINGULAR,
    SINGULARITY,
    SLOW,
    SLOW_DOWN,
    STOP,
    STOP_COUNT,
    STOP_ROWS,
    STOPS,
    Floats,
)
from station.haptics.kernels.vectors import cross, minus, vector_at
from station.haptics.kernels.wells import barrier


@kernel
def add_barrier(state: Floats, settings: Floats, inputs: Floats, row: int, law: int, cause: int, gain: float) -> float:
    """Add the push of one row (distance, gradient); returns its potential [J]."""
    steepness, rate = 0.0, 0.0
    for i in range(6):
        g = inputs[row + 1 + i] * settings[ACTUATED + i]
        rate += g * inputs[HAND_SPEED + i]
        if i < 3:
            steepness += g * g
    steepness = math.sqrt(steepness)
    if steepness < 1e-9:  # nothing that the hand does along straight axes changes it: a bound at the hand says nothing
        steepness = 1.0
    largest = settings[law + 3] / steepness
    push, energy = barrier(inputs[row], settings[law], settings[law + 2], largest)
    if inputs[row] < settings[law + 2] and rate < 0.0:
        push = min(push - settings[law + 1] * rate, largest)
    for i in range(6):
        state[PARTS + 6 * cause + i] += gain * push * inputs[row + 1 + i] * settings[ACTUATED + i]
    return gain * energy


@kernel
def add_stops(state: Floats, settings: Floats, inputs: Floats, gain: float) -> float:
    """Resistance before joint stops; returns its potential [J]."""
    energy = 0.0
    for k in range(int(inputs[STOP_COUNT])):
        energy += add_barrier(state, settings, inputs, STOP_ROWS + ROW * k, STOP, STOPS, gain)
    return energy


@kernel
def add_singularity(state: Floats, settings: Floats, inputs: Floats, gain: float) -> float:
    """Resistance near a singularity; returns its potential [J]."""
    return add_barrier(state, settings, inputs, NEARNESS, SINGULAR, SINGULARITY, gain)


@kernel
def add_obstacles(state: Floats, settings: Floats, inputs: Floats, gain: float) -> float:
    """Repulsion by obstacles, acting at the near point; returns its potential [J] and keeps the slow-down."""
    energy, nearest = 0.0, math.inf
    hand, velocity = vector_at(inputs, HAND), vector_at(inputs, HAND_SPEED)
    spin = vector_at(inputs, HAND_SPEED + 3)
    at = PARTS + 6 * OBSTACLES
    for k in range(int(inputs[OBSTACLE_COUNT])):
        row = OBSTACLE_ROWS + ROW * k
        distance, normal = inputs[row], vector_at(inputs, row + 1)
        lever = cross(minus(vector_at(inputs, row + 4), hand), normal)
        nearest = min(nearest, distance)
        push, potential = barrier(distance, settings[OBSTACLE], settings[OBSTACLE + 2], settings[OBSTACLE + 3])
        rate = 0.0
        for i in range(3):
            rate += normal[i] * velocity[i] + lever[i] * spin[i]
        if distance < settings[OBSTACLE + 2] and rate < 0.0:
            push = min(push - settings[OBSTACLE + 1] * rate, settings[OBSTACLE + 3])
        for i in range(3):
            state[at + i] += gain * push * normal[i] * settings[ACTUATED + i]
            state[at + 3 + i] += gain * push * lever[i] * settings[ACTUATED + 3 + i]
        energy += gain * potential
    free = (nearest - settings[SLOW]) / (settings[SLOW + 1] - settings[SLOW])
    state[SLOW_DOWN] = 1.0 - gain * (1.0 - min(max(free, 0.0), 1.0))
    return energy
