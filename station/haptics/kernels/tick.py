"""`haptics_tick`: one tick of all forces, on one array each of state, settings, guides and inputs."""

from __future__ import annotations

from station.haptics.kernels.approach import add_obstacles, add_singularity, add_stops
from station.haptics.kernels.bounding import bound_energy
from station.haptics.kernels.cache import kernel
from station.haptics.kernels.checks import faults_of, within
from station.haptics.kernels.coupling import add_coupling
from station.haptics.kernels.cues import add_cue
from station.haptics.kernels.guides import add_guides
from station.haptics.kernels.layout import (
    ACTED,
    ACTING,
    AGE,
    APPLIED,
    AVAILABLE,
    BOUNDING,
    CAUSES,
    CLOCK,
    COMPENSATION,
    CONTACT,
    COUPLING,
    CUES,
    DEVICE,
    DEVICE_LOST,
    EFFECTS,
    ENGAGEMENT,
    FAULTS,
    FRESH,
    GUIDES,
    LAST_NOW,
    LIMITS,
    METHOD,
    NOT_FINITE,
    NOW,
    OBSERVER,
    OBSTACLES,
    PARTS,
    PASSIVITY,
    PASSIVITY_ACTS,
    PERIOD,
    PLAYING,
    POTENTIAL,
    RATIO,
    SENT,
    SINGULARITY,
    SLOW_DOWN,
    STALE_AFTER,
    STARTED,
    STOPS,
    WRENCH,
    ZONES,
    Floats,
)
from station.haptics.kernels.ledger import forget, let_act, note_force, take_sample
from station.haptics.kernels.limits import limit_power, limit_slew, saturate, warm
from station.haptics.kernels.passivity import control_passivity
from station.haptics.kernels.ramps import gain_of, move_ramps
from station.haptics.kernels.sources import add_compensation, add_contact, add_device_walls


@kernel
def haptics_tick(state: Floats, settings: Floats, guides: Floats, inputs: Floats, wrench: Floats) -> int:
    """Write the wrench on the hand, device axes [N, N·m]; returns faults as bits, 0 if all is well."""
    faults = faults_of(state, settings, inputs)
    state[FAULTS], state[ACTING] = faults, 0.0
    if faults != 0:
        _let_go(state, faults, inputs)
        wrench[:6] = 0.0
        return faults
    dt = inputs[NOW] - state[LAST_NOW] if state[STARTED] == 1.0 else settings[PERIOD]
    dt = min(dt, settings[STALE_AFTER])
    state[LAST_NOW] = inputs[NOW]
    let_act(state, dt)
    if inputs[FRESH] == 1.0:
        take_sample(state, settings, inputs)
    else:
        state[AGE] += dt
    move_ramps(state, settings, guides, inputs, dt)
    _add_effects(state, settings, guides, inputs, dt)
    forget(state, settings, dt)
    _sum_up(state, settings, wrench, dt)
    if not within(wrench, 0, 6):  # no input is known that leads here; if one does, the hand must not feel it
        state[FAULTS] = NOT_FINITE
        _let_go(state, NOT_FINITE, inputs)
        wrench[:6] = 0.0
        return NOT_FINITE
    for i in range(6 * CAUSES):
        state[SENT + i] = state[PARTS + i]
    warm(state, settings, dt)
    return 0


@kernel
def _add_effects(state: Floats, settings: Floats, guides: Floats, inputs: Floats, dt: float) -> None:
    """All effects, each in its own six numbers, and what their springs hold."""
    for i in range(6 * CAUSES):
        state[PARTS + i] = 0.0
    energy = add_coupling(state, settings, inputs, gain_of(state, COUPLING))
    energy += add_stops(state, settings, inputs, gain_of(state, STOPS))
    energy += add_singularity(state, settings, inputs, gain_of(state, SINGULARITY))
    energy += add_obstacles(state, settings, inputs, gain_of(state, OBSTACLES))
    energy += add_guides(state, settings, guides, inputs, gain_of(state, GUIDES), gain_of(state, ZONES))
    energy += add_contact(state, settings, inputs, gain_of(state, CONTACT), dt)
    add_compensation(state, settings, inputs, gain_of(state, COMPENSATION))
    add_cue(state, settings, inputs, gain_of(state, CUES), dt)
    add_device_walls(state, settings, inputs, gain_of(state, DEVICE))
    state[POTENTIAL] = energy


@kernel
def _sum_up(state: Floats, settings: Floats, wrench: Floats, dt: float) -> None:
    """The sum of all effects, then limits, then passivity; what these take away are causes of their own."""
    for i in range(6):
        wrench[i] = 0.0
        for cause in range(EFFECTS):
            wrench[i] += state[PARTS + 6 * cause + i]
        state[PARTS + 6 * LIMITS + i] = -wrench[i]
    acting = saturate(state, settings, wrench)
    acting |= limit_power(state, settings, wrench)
    acting |= limit_slew(state, settings, wrench, dt)
    for i in range(6):
        state[PARTS + 6 * LIMITS + i] += wrench[i]
        state[PARTS + 6 * PASSIVITY + i] = -wrench[i]
        state[WRENCH + i] = wrench[i]
    method = int(settings[METHOD])
    acts = False
    if method == OBSERVER:
        acts = control_passivity(state, settings, dt)
    elif method == BOUNDING:
        acts = bound_energy(state, settings, dt)
    else:
        state[RATIO] = 1.0
    for i in range(6):
        wrench[i] = state[WRENCH + i]
    saturate(state, settings, wrench)  # a damper of passivity must not exceed the device either
    for i in range(6):
        state[WRENCH + i] = wrench[i]
        state[PARTS + 6 * PASSIVITY + i] += wrench[i]
    state[ACTING] = acting | (PASSIVITY_ACTS if acts else 0)


@kernel
def _let_go(state: Floats, faults: int, inputs: Floats) -> None:
    """No force at once; it comes back along the ramp of engagement, and energy that was owed stays owed."""
    for i in range(6):
        note_force(state, i, state[WRENCH + i])
    state[ACTED] = 1.0
    for i in range(6):
        note_force(state, i, state[APPLIED + i])
        note_force(state, i, 0.0)
        state[WRENCH + i] = 0.0
    for i in range(6 * CAUSES):
        state[PARTS + i] = 0.0
        state[SENT + i] = 0.0
    state[ENGAGEMENT], state[PLAYING], state[SLOW_DOWN], state[RATIO] = 0.0, 0.0, 1.0, 0.0
    state[AVAILABLE] = min(state[AVAILABLE], 0.0)
    state[POTENTIAL] = 0.0
    if faults & (DEVICE_LOST | CLOCK) != 0:
        state[STARTED] = 0.0
    elif faults & NOT_FINITE == 0:
        state[AGE] += max(0.0, inputs[NOW] - state[LAST_NOW])
        state[LAST_NOW] = inputs[NOW]
