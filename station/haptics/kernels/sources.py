"""What is not a spring: contact measured at the arm, compensation of the device, the device's own walls.

    contact:       filtered by a low-pass, times scale, fading from `fresh` to `stale` age, at most `largest`
    compensation:  s_m·m·a + s_f·f_c·tanh(v/v₀), at most `largest`; both shares below one by their range

None of these is passive by itself; they pass through the same ledger as all others.
"""

from __future__ import annotations

import math

from station.haptics.kernels.cache import kernel
from station.haptics.kernels.layout import (
    ACTUATED,
    COMPENSATION,
    COMPENSATION_MOST,
    CONTACT,
    CONTACT_CUTOFF,
    CONTACT_FRESH,
    CONTACT_MOST,
    CONTACT_SCALE,
    CONTACT_STALE,
    DEVICE,
    FILTERED,
    FRICTION,
    FRICTION_SHARE,
    FRICTION_SPEED,
    HAND_ACCELERATION,
    HAND_SPEED,
    INERTIA_SHARE,
    MASS,
    MEASURED,
    MEASURED_AGE,
    OWN,
    PARTS,
    PRESSED,
    Floats,
)

DEEPEST = 0.01  # way of the hand from the first touch to the full force, at most [m]
TOUCH = 0.05  # force at the hand from which something is touched [N]


@kernel
def add_contact(state: Floats, settings: Floats, inputs: Floats, gain: float, dt: float) -> float:
    """Contact forces measured at the arm; old ones fade, whatever they were. Returns what the contact holds [J].

    What is touched is taken for a spring: it gives back what was put in, as long as it is touched and not deeper than
    a contact is. Without that, what presses steadily would have to be paid from the reserve, and be felt as less.
    """
    mixed = 1.0 - math.exp(-2.0 * math.pi * settings[CONTACT_CUTOFF] * dt)
    fresh, stale = settings[CONTACT_FRESH], settings[CONTACT_STALE]
    weight = min(max((stale - inputs[MEASURED_AGE]) / (stale - fresh), 0.0), 1.0)
    total = 0.0
    for i in range(6):
        wanted = inputs[MEASURED + i] if weight > 0.0 else 0.0
        state[FILTERED + i] += mixed * (wanted - state[FILTERED + i])
        if i < 3:
            total += state[FILTERED + i] ** 2
    scale = settings[CONTACT_SCALE]
    size = scale * math.sqrt(total)
    if size > settings[CONTACT_MOST]:
        scale *= settings[CONTACT_MOST] / size
    total = 0.0
    for i in range(6):
        part = gain * weight * scale * state[FILTERED + i] * settings[ACTUATED + i]
        state[PARTS + 6 * CONTACT + i] += part
        if i < 3:
            total += part * part
    size = math.sqrt(total)
    most = DEEPEST * size if size > TOUCH else 0.0
    state[PRESSED] = min(max(state[PRESSED], 0.0), most)
    return float(state[PRESSED])


@kernel
def add_compensation(state: Floats, settings: Floats, inputs: Floats, gain: float) -> None:
    """A share of the device's own inertia and dry friction, along straight axes."""
    mass = settings[INERTIA_SHARE] * settings[MASS]
    friction = settings[FRICTION_SHARE] * settings[FRICTION]
    total = 0.0
    for i in range(3):
        part = mass * inputs[HAND_ACCELERATION + i]
        part += friction * math.tanh(inputs[HAND_SPEED + i] / settings[FRICTION_SPEED])
        part *= gain * settings[ACTUATED + i]
        state[PARTS + 6 * COMPENSATION + i] = part
        total += part * part
    size = math.sqrt(total)
    if size > settings[COMPENSATION_MOST]:
        for i in range(3):
            state[PARTS + 6 * COMPENSATION + i] *= settings[COMPENSATION_MOST] / size


@kernel
def add_device_walls(state: Floats, settings: Floats, inputs: Floats, gain: float) -> None:
    """What the mapping asks for at the edge of the device."""
    for i in range(6):
        state[PARTS + 6 * DEVICE + i] += gain * inputs[OWN + i] * settings[ACTUATED + i]
