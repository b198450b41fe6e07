"""Switches, engagement and loss: everything that comes or goes does so along a ramp."""

from __future__ import annotations

from station.haptics.kernels.cache import kernel
from station.haptics.kernels.layout import (
    EFFECTS,
    ENGAGED,
    ENGAGEMENT,
    FIRST_GAIN,
    GAIN,
    GUIDE_GAIN,
    LAST_ENGAGED,
    LAST_GAIN,
    LINK,
    MOST_GUIDES,
    RAMP,
    RAMP_DOWN,
    RAMP_IN,
    SETTINGS_SIZE,
    SWITCH,
    WANTED,
    Floats,
)

GLIDES = 3.0  # time constants of the glide in a ramp


@kernel
def towards(value: float, wanted: float, up: float, down: float) -> float:
    """A value moved towards a wanted one, at most so far up or down."""
    return min(wanted, value + up) if wanted > value else max(wanted, value - down)


@kernel
def glide(settings: Floats, dt: float) -> None:
    """Move gains in use towards those wanted, most of the way within a ramp; other settings act at once."""
    part = min(1.0, GLIDES * dt / settings[SETTINGS_SIZE + RAMP])
    for i in range(SETTINGS_SIZE):
        wanted = settings[SETTINGS_SIZE + i]
        left = wanted - settings[i]
        gliding = FIRST_GAIN <= i <= LAST_GAIN and abs(left) > 1e-9 * abs(wanted)
        settings[i] = settings[i] + part * left if gliding else wanted


@kernel
def move_ramps(state: Floats, settings: Floats, guides: Floats, inputs: Floats, dt: float) -> None:
    """Move all switches, the guides and the engagement on by a time [s]."""
    glide(settings, dt)
    step = dt / settings[RAMP]
    for cause in range(EFFECTS):
        state[GAIN + cause] = towards(state[GAIN + cause], settings[SWITCH + cause], step, step)
    for g in range(MOST_GUIDES):
        state[GUIDE_GAIN + g] = towards(state[GUIDE_GAIN + g], guides[g, WANTED], step, step)
    wanted = 1.0 if inputs[ENGAGED] == 1.0 and inputs[LINK] == 1.0 else 0.0
    up, down = dt / settings[RAMP_IN], dt / settings[RAMP_DOWN]
    state[ENGAGEMENT] = towards(state[ENGAGEMENT], wanted, up, down)


@kernel
def gain_of(state: Floats, cause: int) -> float:
    """How much of an effect is felt now, from 0 to 1."""
    return float(state[GAIN + cause] * (state[ENGAGEMENT] if cause <= LAST_ENGAGED else 1.0))
