"""Guides and attraction zones: passive virtual mechanisms, a spring and a damper to the nearest point.

    force = -(w(r)·k·r + w(r)·b·ṙ)·n,   r·n = x_hand - nearest point,   ṙ = n·v_hand

The damper acts across the guide only, so that one slides along it freely. An axis also turns the tool along it:

    torque = w(r)·(k_t·(tool × axis) - b_t·(ω without its part along the tool))

whose potential is k_t·(1 - tool·axis). Its weight w is taken as it is, so the turning part is passive where w is
constant, and left to the ledger where one enters or leaves.
"""

from __future__ import annotations

from station.devices.mapping.kernels.rotation import Vector
from station.haptics.kernels.cache import kernel
from station.haptics.kernels.layout import (
    ACTUATED,
    AXIS,
    G_DAMPING,
    G_DIRECTION,
    G_MOST,
    G_RADIUS,
    G_STIFFNESS,
    G_TOOL,
    G_TURN_DAMPING,
    G_TURN_STIFFNESS,
    GUIDE_GAIN,
    GUIDES,
    HAND,
    HAND_SPEED,
    HAND_TURN,
    KIND,
    MOST_GUIDES,
    NO_GUIDE,
    PARTS,
    ZONE,
    ZONES,
    Floats,
)
from station.haptics.kernels.nearest import nearest_point
from station.haptics.kernels.vectors import cross, dot, minus, plus, quaternion_at, size, times, turned, vector_at
from station.haptics.kernels.wells import well


@kernel
def add_guides(
    state: Floats, settings: Floats, guides: Floats, inputs: Floats, guide_gain: float, zone_gain: float
) -> float:
    """Add the forces of all guides and zones; returns what their springs hold [J]."""
    energy = 0.0
    for g in range(MOST_GUIDES):
        kind = int(guides[g, KIND])
        gain = state[GUIDE_GAIN + g] * (zone_gain if kind == ZONE else guide_gain)
        if kind == NO_GUIDE or gain == 0.0:
            continue
        at = PARTS + 6 * (ZONES if kind == ZONE else GUIDES)
        force, torque, held = pull_of(guides[g], inputs)
        for i in range(3):
            state[at + i] += gain * force[i] * settings[ACTUATED + i]
            state[at + 3 + i] += gain * torque[i] * settings[ACTUATED + 3 + i]
        energy += gain * held
    return energy


@kernel
def pull_of(guide: Floats, inputs: Floats) -> tuple[Vector, Vector, float]:
    """Force [N], torque [N·m] and potential [J] of one guide."""
    hand, velocity = vector_at(inputs, HAND), vector_at(inputs, HAND_SPEED)
    away = minus(hand, nearest_point(guide, hand))
    far = size(away)
    pull, energy, weight = well(far, guide[G_STIFFNESS], guide[G_RADIUS], guide[G_MOST])
    force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if far > 1e-12:
        normal = times(away, 1.0 / far)
        force = times(normal, -(pull + weight * guide[G_DAMPING] * dot(normal, velocity)))
    if int(guide[KIND]) == AXIS:
        torque, more = _turning(guide, inputs, weight)
        energy += more
    return force, torque, energy


@kernel
def _turning(guide: Floats, inputs: Floats, weight: float) -> tuple[Vector, float]:
    """What turns the tool along the axis: torque [N·m] and potential [J]."""
    tool = turned(quaternion_at(inputs, HAND_TURN), vector_at(guide, G_TOOL))
    axis, spin = vector_at(guide, G_DIRECTION), vector_at(inputs, HAND_SPEED + 3)
    across = plus(spin, tool, -dot(spin, tool))
    torque = plus(times(cross(tool, axis), guide[G_TURN_STIFFNESS]), across, -guide[G_TURN_DAMPING])
    return times(torque, weight), weight * guide[G_TURN_STIFFNESS] * (1.0 - dot(tool, axis))
