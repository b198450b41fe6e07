"""Waves at the end at the arm; see waves.py.

The arm's port ends in a damper b beside the surroundings, R = b·v - f, so v = (√(2b)·u + f)/(2b): nothing is
reflected in free space. In contact the lag of the arm's own loops would make force and yielding swing, so a further
damper D is there, to a mass that floats along: R = b·v + D·(v - v_f) - f, v_f' = (v - v_f)/contact_time. At rest it
takes nothing. Drift is taken out beside that port: an offset that moves where f does not resist it.
"""

from __future__ import annotations

import math

from station.bilateral.kernels.cache import kernel
from station.bilateral.kernels.layout import (
    CONTACT_DAMPING,
    CONTACT_TIME,
    DRIFT_TIME,
    FILTERED,
    FLOATS,
    HEARD,
    HELD_BACK,
    LAST_STEP,
    LAST_TARGET,
    LIMITED,
    MOST_SPEED,
    MOST_TURN_SPEED,
    OFFSET,
    PLACE,
    POSITION_SCALE,
    REFERENCE,
    TURN_CONTACT_DAMPING,
    Floats,
)
from station.bilateral.kernels.port import axes_of, mixing, shorten
from station.bilateral.kernels.waves import account_wave, impedance, next_waves, settle_waves


@kernel
def account_arm_waves(state: Floats, settings: Floats, dt: float, touches: bool) -> None:
    """Book the waves of the interval that has passed."""
    for i in range(axes_of(settings)):
        v = state[LAST_STEP + i] / dt
        resisting = impedance(settings, i) * v - state[FILTERED + i]
        resisting += lets_go(settings, i, touches) * (v - state[FLOATS + i])
        account_wave(state, settings, i, state[LAST_STEP + i], resisting, dt, -1.0)
        state[FLOATS + i] += (mixing(dt, settings[CONTACT_TIME]) if touches else 1.0) * (v - state[FLOATS + i])
    settle_waves(state, settings, dt)


@kernel
def lets_go(settings: Floats, i: int, touches: bool) -> float:
    """The damper that lets go, at the end of the waves' port [N·s/m | N·m·s/rad]."""
    if not touches:
        return 0.0
    return float(settings[CONTACT_DAMPING] if i < 3 else settings[TURN_CONTACT_DAMPING])


@kernel
def step_by_waves(state: Floats, settings: Floats, now: float, dt: float, touches: bool) -> int:
    """The step of the waves' port."""
    missing = next_waves(state, settings, now, dt, state[LAST_STEP : LAST_STEP + 6])
    for i in range(axes_of(settings)):
        b, more = impedance(settings, i), lets_go(settings, i, touches)
        push = math.sqrt(2.0 * b) * state[LAST_STEP + i] + state[FILTERED + i] + more * state[FLOATS + i]
        state[LAST_STEP + i] = push / (2.0 * b + more) * dt
    status = limit_step(state, settings, dt) | (HELD_BACK if missing else 0)
    for i in range(6):
        state[REFERENCE + i] += state[LAST_STEP + i]
        state[LAST_TARGET + i] = state[HEARD + PLACE + i]
    return status


@kernel
def take_out_drift(state: Floats, settings: Floats, dt: float, touches: bool) -> None:
    """Move the offset beside the waves' port so that the arm comes to where the hand is, unless a force resists."""
    mixed, against = mixing(dt, settings[DRIFT_TIME]), 0.0
    for i in range(axes_of(settings)):
        step = mixed * (state[LAST_TARGET + i] - state[REFERENCE + i] - state[OFFSET + i])
        against -= state[FILTERED + i] * step
    if touches and against > 0.0:
        return
    for i in range(axes_of(settings)):
        state[OFFSET + i] += mixed * (state[LAST_TARGET + i] - state[REFERENCE + i] - state[OFFSET + i])


@kernel
def limit_step(state: Floats, settings: Floats, dt: float) -> int:
    """Keep the step of the reference within the largest speeds; whether it was longer, as a status."""
    straight = shorten(state, LAST_STEP, settings[MOST_SPEED] * dt / settings[POSITION_SCALE])
    turning = shorten(state, LAST_STEP + 3, settings[MOST_TURN_SPEED] * dt)
    return LIMITED if straight or turning else 0
