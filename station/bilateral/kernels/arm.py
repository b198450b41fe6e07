"""`arm_tick`: the end at the arm. What the hand says in, where the arm is to be out.

Where the hand is, scaled, from where both were when the arm first heard of the hand: the target. Then, by architecture:

    position-force      the target
    position-position   the target, yielding by (force on the tool)/K: the arm's half of the coupling
    four-channel        the target, yielding by (force on the tool - force on the hand)/K: equal forces, equal places

**Passivity in the time domain.** Energy that goes into the surroundings, -Σ f·Δx, taken as the worse of the ways of
reference and arm, is paid by what the hand put in and an allowance per contact, from the arm's own supply. The wanted
speed is v = Δtarget/Δt + (target - reference)/drift_time; if f demands more power than (what is there)/ahead, v is
shortened along f by just so much (a passivity controller of the admittance type). The second term is the drift
compensation (V. Chawda, H. V. Quang, M. K. O'Malley, J.-H. Ryu; A. Coelho et al. 2019): the reference falls behind
while energy is missing and comes back as fast as energy allows; without contact it costs none.

Waves are in arm_waves.py.
"""

from __future__ import annotations

import math

from station.bilateral.kernels.arm_waves import account_arm_waves, limit_step, step_by_waves, take_out_drift
from station.bilateral.kernels.cache import kernel
from station.bilateral.kernels.layout import (
    AHEAD,
    ARCHITECTURE,
    ARM_ALLOWANCE,
    ARM_ORIGIN,
    AVAILABLE,
    DIRECT,
    DRIFT,
    DRIFT_TIME,
    DRIFTING,
    ENERGY,
    FILTERED,
    FORCE,
    FORCE_SCALE,
    FORGETTING,
    FOUR_CHANNEL,
    GIVEN,
    HAND_ORIGIN,
    HAS_HEARD,
    HEARD,
    HELD_BACK,
    INPUTS_SIZE,
    INTO,
    LAST_PLACE,
    LAST_STEP,
    LAST_TARGET,
    METHOD,
    NET,
    NOT_FINITE,
    NOW,
    OFFSET,
    OUT_OF,
    OWN_FORCE,
    OWN_PLACE,
    PLACE,
    POSITION_FORCE,
    POSITION_SCALE,
    RATIO,
    REFERENCE,
    RETREAT,
    SENSOR_TIME,
    SILENT,
    SMOOTHED,
    SPEED,
    STALE,
    STARTED,
    STATUS,
    STIFFNESS,
    TAKEN,
    TOUCH,
    TURN_STIFFNESS,
    TURN_TOUCH,
    VELOCITY,
    WAVE,
    YIELD_TIME,
    YIELDS,
    Floats,
)
from station.bilateral.kernels.packets import begin_packet, is_time, trust_of, within
from station.bilateral.kernels.port import SMOOTH, axes_of, elapsed, length, mixing
from station.bilateral.kernels.waves import tell_waves

NOTICED = 1e-3  # drift that is told [m], and times five [rad]


@kernel
def arm_tick(state: Floats, settings: Floats, inputs: Floats, reference: Floats, packet: Floats) -> int:
    """Write where the arm is to be [m, rad] and the next packet for the hand; returns the status as bits.

    What is not finite leaves the reference where it is.
    """
    if not (is_time(inputs[NOW]) and within(inputs, OWN_PLACE, INPUTS_SIZE - OWN_PLACE)):
        state[STATUS] = NOT_FINITE
        return NOT_FINITE
    dt = elapsed(state, settings, inputs[NOW])
    if state[STARTED] == 0.0:
        _begin(state, inputs)
    if state[HAS_HEARD] == 1.0 and state[STARTED] == 1.0:  # where both are now belongs together
        for i in range(6):
            state[HAND_ORIGIN + i] = state[LAST_TARGET + i] = state[HEARD + PLACE + i]
            state[REFERENCE + i] = state[HAND_ORIGIN + i]
            state[ARM_ORIGIN + i] = state[LAST_PLACE + i] = inputs[OWN_PLACE + i]
        state[STARTED] = 2.0
    touches = _sense(state, settings, inputs, dt)
    status = 0
    if state[STARTED] == 2.0:
        status = _move(state, settings, inputs, dt, touches)
    for i in range(6):
        moved = state[REFERENCE + i] + state[OFFSET + i] + state[YIELDS + i] - state[HAND_ORIGIN + i]
        reference[i] = state[ARM_ORIGIN + i] + _scale(settings, i) * moved
    _tell(state, settings, inputs, packet)
    if state[STARTED] != 2.0:
        status |= SILENT | STALE
    state[STATUS] = status
    return status


@kernel
def _begin(state: Floats, inputs: Floats) -> None:
    """Stay where it is until something is heard."""
    for i in range(6):
        state[ARM_ORIGIN + i] = state[LAST_PLACE + i] = inputs[OWN_PLACE + i]
    state[STARTED] = 1.0


@kernel
def _scale(settings: Floats, i: int) -> float:
    """Motion of the arm per motion of the hand."""
    return float(settings[POSITION_SCALE] if i < 3 else 1.0)


@kernel
def _sense(state: Floats, settings: Floats, inputs: Floats, dt: float) -> bool:
    """Book what happened since the last tick; whether something is touched.

    FILTERED becomes the force on the tool, in units of the hand.
    """
    work_told = work_done = 0.0
    smooth, late = mixing(dt, SMOOTH), mixing(dt, settings[SENSOR_TIME])
    for i in range(6):
        if i >= axes_of(settings):
            state[FILTERED + i] = 0.0
            continue
        force = state[FILTERED + i] = settings[FORCE_SCALE] * inputs[OWN_FORCE + i]
        step = (inputs[OWN_PLACE + i] - state[LAST_PLACE + i]) / _scale(settings, i)
        work_told -= force * state[LAST_STEP + i]
        # The force is as late as its sensor: with the way of now, a stiff wall would seem to give more than it got.
        state[SMOOTHED + i] += late * (step - state[SMOOTHED + i])
        work_done -= force * state[SMOOTHED + i]
        state[VELOCITY + i] += smooth * (step / dt - state[VELOCITY + i])
        state[LAST_PLACE + i] = inputs[OWN_PLACE + i]
    touches = length(state, FILTERED) > settings[TOUCH] or length(state, FILTERED + 3) > settings[TURN_TOUCH]
    if int(settings[METHOD]) == WAVE:
        account_arm_waves(state, settings, dt, touches)
    work = max(work_told, work_done)
    if not touches:
        work = 0.0
        fading = 1.0 - mixing(dt, settings[FORGETTING])
        state[NET] *= fading
        state[AVAILABLE] *= fading
    state[INTO] += max(-work, 0.0)
    state[OUT_OF] += max(work, 0.0)
    state[NET] -= work
    if state[NET] > 0.0:  # more came back than went in: the surroundings move by themselves
        state[GIVEN] += state[NET]
        state[NET] = 0.0
    state[AVAILABLE] += state[HEARD + ENERGY] - state[TAKEN] - work
    state[TAKEN] = state[HEARD + ENERGY]
    return bool(touches)


@kernel
def _move(state: Floats, settings: Floats, inputs: Floats, dt: float, touches: bool) -> int:
    """Move the reference on; LAST_STEP becomes how far."""
    trust = trust_of(state, settings, inputs[NOW])
    method, status = int(settings[METHOD]), 0
    state[RATIO] = 1.0
    for i in range(6):
        state[LAST_STEP + i] = 0.0
    if trust < 1.0:
        return STALE  # it stays where it is, until the hand is heard again
    _yield(state, settings, dt)
    if method == WAVE:
        status |= step_by_waves(state, settings, inputs[NOW], dt, touches)
        take_out_drift(state, settings, dt, touches)
    else:
        for i in range(axes_of(settings)):
            target, drift_time = state[HEARD + PLACE + i], settings[DRIFT_TIME]
            drift = state[LAST_TARGET + i] - state[REFERENCE + i]
            part = 1.0 if method == DIRECT else mixing(dt, drift_time)
            state[LAST_STEP + i] = target - state[LAST_TARGET + i] + part * drift
            state[LAST_TARGET + i] = target
        status |= limit_step(state, settings, dt)
        if method != DIRECT and touches:
            status |= _keep_passive(state, settings, LAST_STEP, state[AVAILABLE] + settings[ARM_ALLOWANCE], dt)
        for i in range(6):
            state[REFERENCE + i] += state[LAST_STEP + i]
    return status | _note_drift(state)


@kernel
def _keep_passive(state: Floats, settings: Floats, at: int, there: float, dt: float) -> int:
    """Shorten a step along the force so that it needs no more power than there is energy for."""
    needed = square = 0.0
    for i in range(6):
        needed -= state[FILTERED + i] * state[at + i]
        square += state[FILTERED + i] ** 2
    allowed = max(there * dt / settings[AHEAD], -settings[RETREAT] * dt * math.sqrt(square))
    if needed <= allowed or square == 0.0:
        return 0
    for i in range(6):
        state[at + i] += (needed - allowed) / square * state[FILTERED + i]
    state[RATIO] = 0.0
    return HELD_BACK


@kernel
def _yield(state: Floats, settings: Floats, dt: float) -> None:
    """Let the arm give way to forces, as a spring would."""
    architecture = int(settings[ARCHITECTURE])
    if architecture == POSITION_FORCE:
        return
    mixed = mixing(dt, settings[YIELD_TIME])
    for i in range(axes_of(settings)):
        force = state[FILTERED + i]
        if architecture == FOUR_CHANNEL:
            force -= state[HEARD + FORCE + i]
        k = settings[STIFFNESS] if i < 3 else settings[TURN_STIFFNESS]
        state[YIELDS + i] += mixed * (force / k - state[YIELDS + i])


@kernel
def _note_drift(state: Floats) -> int:
    """How far the arm is told to be from where the hand was."""
    straight = turning = 0.0
    for i in range(3):
        straight += (state[LAST_TARGET + i] - state[REFERENCE + i] - state[OFFSET + i]) ** 2
        turning += (state[LAST_TARGET + 3 + i] - state[REFERENCE + 3 + i] - state[OFFSET + 3 + i]) ** 2
    state[DRIFT], state[DRIFT + 1] = math.sqrt(straight), math.sqrt(turning)
    return DRIFTING if state[DRIFT] > NOTICED or state[DRIFT + 1] > 5.0 * NOTICED else 0


@kernel
def _tell(state: Floats, settings: Floats, inputs: Floats, packet: Floats) -> None:
    """The next packet for the hand, in its units."""
    begin_packet(state, packet, inputs[NOW])
    for i in range(6):
        moved = (inputs[OWN_PLACE + i] - state[ARM_ORIGIN + i]) / _scale(settings, i)
        packet[PLACE + i] = state[HAND_ORIGIN + i] + moved
        packet[SPEED + i], packet[FORCE + i] = state[VELOCITY + i], state[FILTERED + i]
    packet[ENERGY] = state[GIVEN]
    tell_waves(state, packet)
