"""`hand_tick`: the end at the hand. What the arm says in, the force on the hand out.

    position-force      f = low-pass of the force on the tool
    position-position   f = K·(x_arm - x) + B·(v_arm - v)
    four-channel        f = share·(the first) + (1 - share)·(the second)

**Passivity in the time domain.** Energy that went from the hand into the force, E = -Σ f·Δx (exact, as forces are
held), and what the arm's surroundings gave by themselves. Beyond it and a small allowance nothing is given back:

    |f|²/(2c) + |τ|²/(2c_t) ≤ E + allowance

The force is never more than what a spring of stiffness c would have that holds this energy. So a force that comes late
to a hand at rest grows as that hand presses on, with at most the stiffness c; nothing chatters, as nothing is divided
by a speed. What is given nevertheless, since a hand may be faster than a sample, is taken back by a damper with a cap.
What has been dissipated is not to be spent later: what is more than the softest spring would hold at this force,
f²/(2·softest), is forgotten.

**Waves.** R = b·v - √(2b)·w, see waves.py.
"""

from __future__ import annotations

import math

from station.bilateral.kernels.cache import kernel
from station.bilateral.kernels.layout import (
    ACTIVE,
    ALLOWANCE,
    AVAILABLE,
    CUTOFF,
    DAMPING,
    DAMPING_CAP,
    DEBT,
    DIRECT,
    ECHO,
    ENERGY,
    FILTERED,
    FIRMNESS,
    FORCE,
    FORGETTING,
    GIVEN,
    HAS_HEARD,
    HEARD,
    HELD_BACK,
    INPUTS_SIZE,
    INTO,
    LAST_PLACE,
    LIMITED,
    METHOD,
    MOST_FORCE,
    MOST_TORQUE,
    NOT_FINITE,
    NOTHING_HEARD,
    NOW,
    OUT_OF,
    OWN_FORCE,
    OWN_PLACE,
    PLACE,
    RATIO,
    SHARE,
    SILENT,
    SOFTEST,
    SPEED,
    STALE,
    STARTED,
    STATUS,
    STIFFNESS,
    TAKEN,
    TURN_DAMPING,
    TURN_FIRMNESS,
    TURN_SOFTEST,
    TURN_STIFFNESS,
    VELOCITY,
    WAVE,
    Floats,
)
from station.bilateral.kernels.packets import begin_packet, is_time, round_trip, trust_of, within
from station.bilateral.kernels.port import SMOOTH, axes_of, elapsed, length, mixing, shorten
from station.bilateral.kernels.waves import account_wave, impedance, next_waves, settle_waves, tell_waves


@kernel
def hand_tick(state: Floats, settings: Floats, inputs: Floats, wrench: Floats, packet: Floats) -> int:
    """Write the force on the hand [N, N·m] and the next packet for the arm; returns the status as bits."""
    if not (is_time(inputs[NOW]) and within(inputs, OWN_PLACE, INPUTS_SIZE - OWN_PLACE)):
        for i in range(6):
            wrench[i] = 0.0
        state[STATUS] = NOT_FINITE
        return NOT_FINITE
    dt = elapsed(state, settings, inputs[NOW])
    _account(state, settings, inputs, dt)
    trust = trust_of(state, settings, inputs[NOW])
    status = 0 if trust == 1.0 else STALE if state[HAS_HEARD] == 1.0 else SILENT | STALE
    method = int(settings[METHOD])
    state[RATIO] = 1.0
    if method == WAVE:
        status |= _from_waves(state, settings, inputs[NOW], dt, trust, wrench)
    else:
        _wanted(state, settings, inputs, dt, trust, wrench)
    if shorten(wrench, 0, settings[MOST_FORCE]):
        status |= LIMITED
    if shorten(wrench, 3, settings[MOST_TORQUE]):
        status |= LIMITED
    if method != DIRECT:
        status |= _keep_passive(state, settings, dt, wrench)
    _tell(state, inputs, packet)
    state[STATUS] = status
    return status


@kernel
def _account(state: Floats, settings: Floats, inputs: Floats, dt: float) -> None:
    """Book what happened since the last tick."""
    work, smooth, method = 0.0, mixing(dt, SMOOTH), int(settings[METHOD])
    for i in range(axes_of(settings)):
        step = inputs[OWN_PLACE + i] - state[LAST_PLACE + i] if state[STARTED] == 1.0 else 0.0
        work -= inputs[OWN_FORCE + i] * step
        state[VELOCITY + i] += smooth * (step / dt - state[VELOCITY + i])
        if method == WAVE:
            account_wave(state, settings, i, step, -inputs[OWN_FORCE + i], dt, 1.0)
    if method == WAVE:
        settle_waves(state, settings, dt)
    for i in range(6):
        state[LAST_PLACE + i] = inputs[OWN_PLACE + i]
    state[STARTED] = 1.0
    state[INTO] += max(work, 0.0)
    state[OUT_OF] += max(-work, 0.0)
    state[AVAILABLE] += work
    state[GIVEN] += work
    if settings[ACTIVE] == 1.0 and state[HAS_HEARD] == 1.0:  # only grows, whatever the other side says
        state[AVAILABLE] += max(0.0, state[HEARD + ENERGY] - state[TAKEN])
        state[TAKEN] = max(state[TAKEN], state[HEARD + ENERGY])


@kernel
def _wanted(state: Floats, settings: Floats, inputs: Floats, dt: float, trust: float, wrench: Floats) -> None:
    """The force by the architecture, fading with what is known."""
    mixed, share = mixing(dt, 0.5 / (math.pi * settings[CUTOFF])), settings[SHARE]
    for i in range(6):
        wrench[i] = 0.0
        if i >= axes_of(settings) or state[HAS_HEARD] == 0.0:
            continue
        state[FILTERED + i] += mixed * (state[HEARD + FORCE + i] - state[FILTERED + i])
        wrench[i] = share * state[FILTERED + i]
        if share < 1.0 and state[HEARD + ECHO] != NOTHING_HEARD:
            k = settings[STIFFNESS] if i < 3 else settings[TURN_STIFFNESS]
            b = settings[DAMPING] if i < 3 else settings[TURN_DAMPING]
            stretch = state[HEARD + PLACE + i] - inputs[OWN_PLACE + i]
            wrench[i] += (1.0 - share) * (k * stretch + b * (state[HEARD + SPEED + i] - state[VELOCITY + i]))
        wrench[i] *= trust


@kernel
def _from_waves(state: Floats, settings: Floats, now: float, dt: float, trust: float, wrench: Floats) -> int:
    """The force by the waves of the arm."""
    missing = next_waves(state, settings, now, dt, wrench)
    for i in range(6):
        b = impedance(settings, i)
        wrench[i] = trust * (math.sqrt(2.0 * b) * wrench[i] - b * state[VELOCITY + i])
    return HELD_BACK if missing else 0


@kernel
def _keep_passive(state: Floats, settings: Floats, dt: float, wrench: Floats) -> int:
    """No more than what there is energy for."""
    status, force, torque = 0, length(wrench, 0), length(wrench, 3)
    held = 0.5 * force * force / settings[SOFTEST] + 0.5 * torque * torque / settings[TURN_SOFTEST]
    # Waves come back: what the hand gave to them is not lost within a round trip.
    remembered = settings[FORGETTING] + (round_trip(state) if int(settings[METHOD]) == WAVE else 0.0)
    if state[AVAILABLE] > held:
        state[AVAILABLE] += mixing(dt, remembered) * (held - state[AVAILABLE])
    needed = 0.5 * force * force / settings[FIRMNESS] + 0.5 * torque * torque / settings[TURN_FIRMNESS]
    there = max(0.0, state[AVAILABLE] + settings[ALLOWANCE])
    if needed > there:
        state[RATIO] = math.sqrt(there / needed)
        for i in range(6):
            wrench[i] *= state[RATIO]
        status = HELD_BACK
    if state[AVAILABLE] < 0.0:
        square = 0.0
        for i in range(3):
            square += state[VELOCITY + i] ** 2
        damping = settings[DAMPING_CAP]
        if square * dt * damping > -state[AVAILABLE]:
            damping = -state[AVAILABLE] / (square * dt)
        for i in range(3):
            wrench[i] -= damping * state[VELOCITY + i]
        if state[AVAILABLE] < -settings[ALLOWANCE]:
            status |= DEBT
    return status


@kernel
def _tell(state: Floats, inputs: Floats, packet: Floats) -> None:
    """The next packet for the arm."""
    begin_packet(state, packet, inputs[NOW])
    for i in range(6):
        packet[PLACE + i], packet[SPEED + i] = inputs[OWN_PLACE + i], state[VELOCITY + i]
        packet[FORCE + i] = inputs[OWN_FORCE + i]
    packet[ENERGY] = state[GIVEN]
    tell_waves(state, packet)
