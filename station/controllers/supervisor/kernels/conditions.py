"""What is true in this tick, as bits of events."""

from __future__ import annotations

import math

from station.controllers.supervisor.kernels.cache import kernel
from station.controllers.supervisor.kernels.layout import (
    ALL_READY,
    ARM,
    ARM_ACTIVE,
    ARM_FAULT,
    ARM_HAS_FAULT,
    ARM_IS_STOPPED,
    ARM_LEFT,
    ARM_LOST,
    ARM_READY,
    ARM_STOPPED,
    ASKED_ESTOP,
    ASKED_HOLD,
    CLOCK,
    CLOSURE_LOST,
    DEAD_MAN,
    DEVICE_BAD,
    DEVICE_FAULT,
    DEVICE_LOST,
    DEVICE_READY,
    ENGAGED,
    ESTOP,
    FOLLOWING_ERROR,
    HAPTICS,
    HAPTICS_BITS,
    HAPTICS_FAULT,
    HOLD_ASKED,
    LAST_FAULT,
    LAST_NOW,
    LAST_SHAPING,
    LATE,
    LATE_COUNT,
    LATE_MOST,
    LATE_WINDOW,
    LEFT_AT,
    MEASURED_AGE,
    MEASURED_LIMIT,
    NO_ARM,
    NOW_IN,
    OVERRUN,
    RELEASED,
    RESET,
    RESET_UNTIL,
    REST_WITHIN,
    SAMPLE_AGE,
    SAMPLE_LIMIT,
    SETPOINT_REFUSED,
    SHAPING,
    SHAPING_FINE,
    SHAPING_REFUSED,
    SHAPING_STALE,
    SHUT,
    SHUTDOWN,
    SOLVER_LOST,
    STALE_TARGET,
    STARTED,
    STARTER_LOST,
    STARTER_SILENT,
    Floats,
)

FAULT_BITS = (2 << LAST_FAULT) - 2  # all events that are faults


@kernel
def time_passed(state: Floats, now: float) -> float:
    """Time since the last tick [s]; negative if the clock went back or is no number."""
    if not math.isfinite(now):
        return -1.0
    passed = now - state[LAST_NOW] if state[STARTED] == 1.0 else 0.0
    state[LAST_NOW], state[STARTED] = now, 1.0
    return float(passed)


@kernel
def device_is_there(settings: Floats, inputs: Floats) -> bool:
    """Whether the device is ready and its newest sample fresh."""
    return bool(inputs[DEVICE_READY] == 1.0 and abs(inputs[SAMPLE_AGE]) <= settings[SAMPLE_LIMIT])


@kernel
def arm_is_there(settings: Floats, inputs: Floats) -> bool:
    """Whether the arm measures and its newest measurement is fresh; so it is if there is no arm at all."""
    if inputs[ARM] == NO_ARM:
        return True
    speaks = inputs[ARM] == ARM_READY or inputs[ARM] == ARM_ACTIVE
    return bool(speaks and abs(inputs[MEASURED_AGE]) <= settings[MEASURED_LIMIT])


@kernel
def all_is_ready(state: Floats, settings: Floats, inputs: Floats) -> bool:
    """Whether nothing but the person is missing."""
    may = state[SHUT] == 0.0 and inputs[STARTER_SILENT] == 0.0
    return bool(may and device_is_there(settings, inputs) and arm_is_there(settings, inputs))


@kernel
def conditions(state: Floats, settings: Floats, inputs: Floats, passed: float) -> int:
    """All events but ENGAGE, as bits; `passed` is the time since the last tick [s], negative if it is not known."""
    arm, shaping = inputs[ARM], _shaping_has_stopped(state, inputs)
    raised = _faults(inputs, shaping) | _bit(CLOCK, passed < 0.0)
    raised |= _bit(OVERRUN, _overrun(state, settings, inputs, passed))
    resetting = state[LAST_NOW] < state[RESET_UNTIL]
    raised |= _bit(RESET, resetting and raised & FAULT_BITS == 0 and not _slows_down(state, settings, inputs))
    there = arm_is_there(settings, inputs)
    told_apart = arm == ARM_IS_STOPPED or arm == ARM_HAS_FAULT  # from a loss
    raised |= _bit(ARM_LOST, not there and not told_apart)
    raised |= _bit(ARM_LEFT, there and arm == ARM_READY)
    raised |= _bit(DEVICE_LOST, not device_is_there(settings, inputs))
    raised |= _bit(STALE_TARGET, shaping == SHAPING_STALE)
    raised |= _bit(SHUTDOWN, state[SHUT] == 1.0)
    raised |= _bit(HOLD_ASKED, inputs[ASKED_HOLD] != 0.0)
    raised |= _bit(RELEASED, inputs[DEAD_MAN] != 1.0)
    raised |= _bit(ALL_READY, all_is_ready(state, settings, inputs))
    raised |= _bit(STARTER_LOST, inputs[STARTER_SILENT] != 0.0)
    state[LAST_SHAPING] = inputs[SHAPING] if math.isfinite(inputs[SHAPING]) else -1.0
    return raised


@kernel
def _bit(event: int, happens: bool) -> int:
    """The bit of an event, if it happens."""
    return 1 << event if happens else 0


@kernel
def _faults(inputs: Floats, shaping: float) -> int:
    """Events that are faults and are told as such."""
    raised = _bit(ESTOP, inputs[ASKED_ESTOP] != 0.0)
    raised |= _bit(ARM_STOPPED, inputs[ARM] == ARM_IS_STOPPED) | _bit(ARM_FAULT, inputs[ARM] == ARM_HAS_FAULT)
    raised |= _bit(DEVICE_FAULT, inputs[DEVICE_BAD] != 0.0)
    bits = inputs[HAPTICS]
    raised |= _bit(HAPTICS_FAULT, not 0.0 <= bits < 256.0 or int(bits) & HAPTICS_BITS != 0)
    raised |= _bit(CLOSURE_LOST, inputs[SOLVER_LOST] != 0.0)
    raised |= _bit(SETPOINT_REFUSED, shaping == SHAPING_REFUSED)
    known = shaping in (SHAPING_FINE, SHAPING_REFUSED, SHAPING_STALE)
    return raised | _bit(FOLLOWING_ERROR, not known)  # also for what is unknown


@kernel
def _slows_down(state: Floats, settings: Floats, inputs: Floats) -> bool:
    """Whether the arm still follows on its way to a stop: a reset would be overtaken by what it is about to say."""
    return bool(inputs[ARM] == ARM_ACTIVE and state[LAST_NOW] - state[LEFT_AT] <= settings[REST_WITHIN])


@kernel
def _shaping_has_stopped(state: Floats, inputs: Floats) -> float:
    """What shaping has stopped for in this very tick; it stays stopped until it is started anew."""
    return float(inputs[SHAPING]) if inputs[SHAPING] != state[LAST_SHAPING] else float(SHAPING_FINE)


@kernel
def _overrun(state: Floats, settings: Floats, inputs: Floats, passed: float) -> bool:
    """Count late ticks while the hand moves the robot; they leak away over the window."""
    if state[NOW_IN] != ENGAGED:
        state[LATE_COUNT] = 0.0
        return False
    leaked = max(0.0, passed) * settings[LATE_MOST] / settings[LATE_WINDOW]
    state[LATE_COUNT] = max(0.0, state[LATE_COUNT] - leaked) + (1.0 if inputs[LATE] != 0.0 else 0.0)
    return bool(state[LATE_COUNT] > settings[LATE_MOST])
