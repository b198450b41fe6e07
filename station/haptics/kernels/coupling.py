"""Spring and damper between hand and proxy: what the robot could not do is felt.

    force  = -K·(x_hand - x_proxy) - B·(v_hand - v_proxy)
    torque = -K_t·φ - B_t·(ω_hand - ω_proxy)        φ = log(q_hand·q_proxy⁻¹), about axes that can push

The proxy is where the solver could go (a god-object): it does not give way, so nothing else is needed for walls.
"""

from __future__ import annotations

import math

from station.devices.mapping.kernels.rotation import difference, vector_of
from station.haptics.kernels.cache import kernel
from station.haptics.kernels.layout import (
    ACTUATED,
    COUPLING,
    DAMPING,
    HAND,
    HAND_SPEED,
    HAND_TURN,
    MOST_FORCE,
    MOST_TORQUE,
    PARTS,
    PROXY,
    PROXY_SPEED,
    PROXY_TURN,
    STIFFNESS,
    TURN_DAMPING,
    TURN_STIFFNESS,
    Floats,
)
from station.haptics.kernels.vectors import quaternion_at


@kernel
def add_coupling(state: Floats, settings: Floats, inputs: Floats, gain: float) -> float:
    """Add the force of the coupling, times a gain; returns what its springs hold [J]."""
    turn = vector_of(difference(quaternion_at(inputs, HAND_TURN), quaternion_at(inputs, PROXY_TURN)))
    straight, turning = 0.0, 0.0
    for i in range(6):
        if settings[ACTUATED + i] == 0.0:
            continue
        stretch = inputs[HAND + i] - inputs[PROXY + i] if i < 3 else turn[i - 3]
        k = gain * settings[STIFFNESS if i < 3 else TURN_STIFFNESS]
        b = gain * settings[DAMPING if i < 3 else TURN_DAMPING]
        state[PARTS + 6 * COUPLING + i] -= k * stretch + b * (inputs[HAND_SPEED + i] - inputs[PROXY_SPEED + i])
        if i < 3:
            straight += stretch * stretch
        else:
            turning += stretch * stretch
    held = limited_spring(math.sqrt(straight), gain * settings[STIFFNESS], settings[MOST_FORCE])
    return held + limited_spring(math.sqrt(turning), gain * settings[TURN_STIFFNESS], settings[MOST_TORQUE])


@kernel
def limited_spring(stretch: float, stiffness: float, largest: float) -> float:
    """What a spring holds whose force is cut at the largest that is sent [J]: no more can be given back."""
    if stiffness * stretch <= largest:
        return 0.5 * stiffness * stretch * stretch
    return largest * stretch - 0.5 * largest * largest / stiffness
