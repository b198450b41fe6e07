"""Energy at the hand and per cause, from positions.

A force is held from one sample to the next, so its work is exactly force times way, whatever the hand did between
(zero-order hold; no velocity is estimated). From the hand into the rendered forces, and into the device's own losses:

    rendered   += -f·(x_{k+1} - x_k)         f: what acted in the mean, if it comes late
    dissipated += b·|Δx|²/Δt + f_c·|Δx|      at least: the losses of any motion are no less than those of a steady one

b and f_c are a trusted share of the device's damping and dry friction: the rest is left to calm vibrations. The energy
that may be given back is their sum, less what is forgotten: what is more than springs hold and a reserve fades away,
for it has been dissipated and is not to be spent later. What was generated is never forgotten.

**Encoder steps.** A handle that rests on the edge between two encoder values seems to go to and fro; a stiff spring
would seem to generate K·Δ² each time. As long as the reading changes by no more than one step within two samples, the
handle is taken to have moved as little as the readings allow: to the edge between them, which is where it was when the
reading changed. In faster motion the reading itself is used, whose error is without bias.

**Delay.** A force that comes late by d is as a negative damper of K·d, so a ledger of what was *sent* would not see
what is generated. What acts is taken to follow what is sent with the time constant d of link, firmware and currents:

    f_acting' = (f_sent - f_acting)/d

By how much samples come late adds to it; it is told from the least difference of both clocks so far.

If a sample is late or missing, forces of several ticks share one way. Per axis the one counts that gives most to the
hand.
"""

from __future__ import annotations

import math

from station.devices.mapping.kernels.rotation import difference, vector_of
from station.haptics.kernels.cache import kernel
from station.haptics.kernels.layout import (
    ACTED,
    AGE,
    AHEAD,
    APPLIED,
    AVAILABLE,
    CAUSE_ENERGY,
    CAUSES,
    CONTACT,
    DELAY,
    DEVICE_DAMPING,
    DEVICE_TURN_DAMPING,
    DISSIPATED,
    FORGETTING,
    FRICTION,
    HAND,
    HAND_TURN,
    HIGH,
    LAST_SAMPLE,
    LATE,
    LOW,
    LOWEST,
    NOW,
    OFFSET,
    PERIOD,
    PLACE,
    POTENTIAL,
    PRESSED,
    READ,
    RENDERED,
    RESERVE,
    RESOLUTION,
    SAMPLE_TIME,
    SENT,
    STALE_AFTER,
    STARTED,
    STEP,
    STEP_TIME,
    TRUST,
    TURN,
    WRENCH,
    Floats,
)
from station.haptics.kernels.vectors import quaternion_at

JITTER = 1.25  # an interval may be this much longer than the period
REMEMBERED = 0.2  # time constant with which longer ones are forgotten [s]
DRIFT = 1e-4  # of the clock of a device against that of the station


@kernel
def let_act(state: Floats, dt: float) -> None:
    """Let pass the time since the last tick [s], in which what was sent then came to act."""
    delay, left, share = state[LATE], 0.0, 0.0  # left of the old force: in the end, and in the mean
    if delay > 0.0 and dt > 0.0:
        left = math.exp(-dt / delay)
        share = delay * (1.0 - left) / dt
    for i in range(6):
        sent, old = state[WRENCH + i], state[APPLIED + i]
        note_force(state, i, sent + share * (old - sent))
        state[APPLIED + i] = sent + left * (old - sent)
    state[ACTED] = 1.0


@kernel
def note_force(state: Floats, i: int, force: float) -> None:
    """Note what acted along an axis: alone after a fresh sample, else among what acted since the last one."""
    fresh = state[ACTED] == 0.0
    state[LOW + i] = force if fresh else min(state[LOW + i], force)
    state[HIGH + i] = force if fresh else max(state[HIGH + i], force)


@kernel
def take_sample(state: Floats, settings: Floats, inputs: Floats) -> None:
    """Account for the way since the last sample, and remember the new place."""
    passed = inputs[SAMPLE_TIME] - state[LAST_SAMPLE]
    if state[STARTED] == 1.0 and passed > 0.0:
        turn = vector_of(difference(quaternion_at(inputs, HAND_TURN), quaternion_at(state, TURN)))
        for i in range(3):
            place = _least_motion(state, settings, inputs[HAND + i], i)
            state[STEP + i], state[PLACE + i] = place - state[PLACE + i], place
            state[STEP + 3 + i] = turn[i]
            state[READ + 3 + i], state[READ + i] = state[READ + i], inputs[HAND + i]
        state[STEP_TIME] = passed
        _account(state, settings)
    else:
        state[STEP_TIME] = settings[PERIOD]
        for i in range(6):
            state[STEP + i] = 0.0
        for i in range(3):
            state[PLACE + i] = state[READ + i] = state[READ + 3 + i] = inputs[HAND + i]
    for i in range(4):
        state[TURN + i] = inputs[HAND_TURN + i]
    fading = 1.0 - min(1.0, state[STEP_TIME] / REMEMBERED)
    state[AHEAD] = max(JITTER * settings[PERIOD], state[STEP_TIME], fading * state[AHEAD])
    _note_lateness(state, settings, inputs[NOW] - inputs[SAMPLE_TIME], fading)
    state[STARTED], state[LAST_SAMPLE], state[AGE], state[ACTED] = 1.0, inputs[SAMPLE_TIME], 0.0, 0.0


@kernel
def _note_lateness(state: Floats, settings: Floats, offset: float, fading: float) -> None:
    """How late a force acts that is made from this sample; offset: of the two clocks, and how old it is [s]."""
    if state[STARTED] == 0.0:
        state[OFFSET], state[LATE] = offset, settings[DELAY]
    state[OFFSET] = min(state[OFFSET] + DRIFT * state[STEP_TIME], offset)
    late = min(offset - state[OFFSET], settings[STALE_AFTER])
    state[LATE] = settings[DELAY] + max(late, fading * (state[LATE] - settings[DELAY]))


@kernel
def _least_motion(state: Floats, settings: Floats, read: float, i: int) -> float:
    """Where the handle is along an axis, given what its encoder says [m]."""
    step = settings[RESOLUTION]
    if abs(read - state[READ + 3 + i]) > 1.01 * step:
        return read
    return float(min(max(state[PLACE + i], read - 0.5 * step), read + 0.5 * step))


@kernel
def _account(state: Floats, settings: Floats) -> None:
    """Work and losses of one interval."""
    work, straight, turning = 0.0, 0.0, 0.0
    for i in range(6):
        step = state[STEP + i]
        work -= max(state[LOW + i] * step, state[HIGH + i] * step)
        if i < 3:
            straight += step * step
        else:
            turning += step * step
    lost = settings[DEVICE_DAMPING] * straight + settings[DEVICE_TURN_DAMPING] * turning
    lost = settings[TRUST] * (lost / state[STEP_TIME] + settings[FRICTION] * math.sqrt(straight))
    state[RENDERED] += work
    state[DISSIPATED] += lost
    state[AVAILABLE] += work + lost
    state[LOWEST] = min(state[LOWEST], state[RENDERED] + state[DISSIPATED])
    for cause in range(CAUSES):
        for i in range(6):
            state[CAUSE_ENERGY + cause] -= state[SENT + 6 * cause + i] * state[STEP + i]
    for i in range(6):
        state[PRESSED] -= state[SENT + 6 * CONTACT + i] * state[STEP + i]


@kernel
def forget(state: Floats, settings: Floats, dt: float) -> None:
    """Let fade what has been dissipated: all that is more than springs hold and a reserve."""
    excess = state[AVAILABLE] - state[POTENTIAL] - settings[RESERVE]
    if excess > 0.0:
        state[AVAILABLE] -= excess * min(1.0, dt / settings[FORGETTING])
