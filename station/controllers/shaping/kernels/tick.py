"""`shaping_tick`: one tick of shaping, on one array each of state, settings and inputs."""

from __future__ import annotations

import math

from station.controllers.shaping.kernels.cache import kernel
from station.controllers.shaping.kernels.follow import brake, follow
from station.controllers.shaping.kernels.gate import is_finite, refusal
from station.controllers.shaping.kernels.layout import (
    ACTING,
    AT_REST,
    COUNT,
    FINE,
    FOLLOW,
    FOLLOWING,
    I_JOINTS,
    I_ROW,
    IDLE,
    J_JOINTS,
    J_ROW,
    LAST_NOW,
    LONGEST,
    NEW_A,
    NEW_Q,
    NEW_V,
    NOT_FINITE,
    NOT_REFUSED,
    NOW,
    PARK,
    PARK_LOADED,
    PERIOD,
    REASON,
    REASON_JOINT,
    REFUSALS,
    REFUSED,
    RUNNING,
    SLOW,
    SLOWED,
    STALE,
    START,
    STEP,
    STOPPED,
    STRIDE,
    TARGET,
    TARGET_LIMIT,
    TARGET_TIME,
    TARGET_V,
    TICKED,
    TUBE,
    TUBE_ON,
    WANTED,
    A,
    Floats,
    Q,
    V,
)
from station.controllers.shaping.kernels.park import park
from station.controllers.shaping.kernels.press import hold_back
from station.controllers.shaping.kernels.start import begin
from station.controllers.shaping.kernels.tube import is_in_tube, remember_sent


@kernel
def shaping_tick(state: Floats, settings: Floats, inputs: Floats, setpoint: Floats) -> int:
    """Write the setpoint, 3×n: positions, speeds, accelerations; returns what it has stopped for, 0 if nothing.

    While there is none (not started, or idle) the setpoint is not a number, which no controller sends.
    """
    dt, backwards = _time_step(state, settings, inputs[NOW])
    state[STEP], state[ACTING] = dt, 0.0
    if inputs[START] == 1.0 and begin(state, settings, inputs):
        backwards = False  # what was before is over
    wanted = inputs[WANTED]
    moving = wanted in (FOLLOW, PARK)
    if wanted == IDLE or state[RUNNING] == 0.0:
        _be_idle(state, setpoint)
        return int(state[STOPPED])
    state[SLOW] = 1.0
    state[FOLLOWING] = 1.0 if settings[TUBE_ON] != 1.0 or is_in_tube(state, settings, inputs) else 0.0
    if moving and state[STOPPED] == FINE:
        state[STOPPED] = STALE if backwards else _reason_to_stop(state, settings, inputs)
        if wanted == FOLLOW:
            hold_back(state, inputs)
    if dt > 0.0:
        _move_on(state, settings, inputs, wanted, dt)
    _write(state, settings, setpoint)
    remember_sent(state, settings, dt)
    return int(state[STOPPED])


@kernel
def _time_step(state: Floats, settings: Floats, now: float) -> tuple[float, bool]:
    """Time that this tick stands for [s], and whether the clock is wrong: then a period, so that it brakes."""
    if not math.isfinite(now):
        return float(settings[PERIOD]), True
    passed = now - state[LAST_NOW] if state[TICKED] == 1.0 else 0.0
    state[LAST_NOW], state[TICKED] = now, 1.0
    if passed < 0.0:
        return float(settings[PERIOD]), True
    return min(passed, float(settings[LONGEST])), False


@kernel
def _reason_to_stop(state: Floats, settings: Floats, inputs: Floats) -> int:
    """What forbids going on: a target that is old or no number, an arm that is not where it was sent."""
    if state[FOLLOWING] != 1.0:
        return TUBE
    if inputs[WANTED] != FOLLOW:
        return FINE
    for i in range(int(settings[COUNT])):
        told = I_JOINTS + I_ROW * i
        if not (math.isfinite(inputs[told + TARGET]) and math.isfinite(inputs[told + TARGET_V])):
            _note_refusal(state, NOT_FINITE)
            state[REASON_JOINT] = i
            return REFUSED
    return FINE if abs(inputs[NOW] - inputs[TARGET_TIME]) <= settings[TARGET_LIMIT] else STALE


@kernel
def _move_on(state: Floats, settings: Floats, inputs: Floats, wanted: float, dt: float) -> None:
    """Go through the time of this tick.

    A late one is gone through stride by stride, so that what is sent is a motion within limits by the clock on the
    wall: an arm that has coasted on meanwhile is met where it is.
    """
    strides = max(math.ceil(dt / settings[STRIDE] - 1e-9), 1)
    for _ in range(strides):
        if state[RUNNING] == 1.0:
            _move(state, settings, inputs, wanted if state[STOPPED] == FINE else -1.0, dt / strides)


@kernel
def _move(state: Floats, settings: Floats, inputs: Floats, wanted: float, dt: float) -> None:
    """Make the next setpoint and check it; what does not pass is replaced by a controlled stop."""
    if wanted == FOLLOW:
        follow(state, settings, inputs, dt)
    elif wanted == PARK and state[PARK_LOADED] == 1.0:
        park(state, settings, dt)
    else:
        brake(state, settings, dt)
    if wanted == FOLLOW and state[SLOW] < 1.0:
        state[ACTING] = int(state[ACTING]) | SLOWED
    reason = refusal(state, settings, dt)
    if reason != NOT_REFUSED:
        _note_refusal(state, reason)
        state[STOPPED] = REFUSED
        brake(state, settings, dt)
        if not is_finite(state, settings):  # not even that: nothing is sent, and the arm stops by itself
            state[RUNNING] = 0.0
            return
    for i in range(int(settings[COUNT])):
        row = J_JOINTS + J_ROW * i
        state[row + Q], state[row + V], state[row + A] = state[row + NEW_Q], state[row + NEW_V], state[row + NEW_A]


@kernel
def _note_refusal(state: Floats, reason: int) -> None:
    """Count a refusal and keep why."""
    state[REFUSALS] += 1.0
    state[REASON] = reason


@kernel
def _be_idle(state: Floats, setpoint: Floats) -> None:
    """No setpoint."""
    state[RUNNING], state[AT_REST] = 0.0, 1.0
    for k in range(3):
        for i in range(setpoint.shape[1]):
            setpoint[k, i] = math.nan


@kernel
def _write(state: Floats, settings: Floats, setpoint: Floats) -> None:
    """The setpoint as positions, speeds, accelerations; and whether it stands still."""
    still = True
    for i in range(int(settings[COUNT])):
        row = J_JOINTS + J_ROW * i
        setpoint[0, i], setpoint[1, i], setpoint[2, i] = state[row + Q], state[row + V], state[row + A]
        still = still and state[row + V] == 0.0 and state[row + A] == 0.0
    if state[RUNNING] == 0.0:
        setpoint[:, :] = math.nan
    state[AT_REST] = 1.0 if still or state[RUNNING] == 0.0 else 0.0
