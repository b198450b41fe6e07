"""Dead-man, fresh press, and the wait for the arm.

A press is fresh if the dead-man was seen up, with everything ready, since the hand last moved the robot. So a button
that is stuck, or held through a loss, never engages.
"""

from __future__ import annotations

from station.controllers.supervisor.kernels.cache import kernel
from station.controllers.supervisor.kernels.layout import (
    ARM,
    ARM_ACTIVE,
    ARM_IS_LOST,
    ARMED,
    ASKED_AT,
    ASKED_ENGAGE,
    ASKED_HOLD,
    BY_PRESS,
    DEAD_MAN,
    FOLLOWS,
    FRESH,
    HOLD,
    LAST_NOW,
    LEAVING,
    NO_ARM,
    NOW_IN,
    READY,
    REFUSED,
    REQUESTED,
    REQUESTED_AT,
    START_WITHIN,
    Floats,
)

NEVER = -1e300


@kernel
def disarm(state: Floats) -> None:
    """Forget the press: the dead-man must be let go and pressed anew."""
    state[ARMED], state[FRESH], state[REQUESTED] = 0.0, 0.0, 0.0


@kernel
def may_engage(state: Floats, settings: Floats, inputs: Floats, ready: bool) -> bool:
    """Follow the dead-man; returns whether the hand is to move the robot from this tick on."""
    waiting = state[NOW_IN] == READY or state[NOW_IN] == HOLD
    if not (waiting and ready):
        disarm(state)
        return False
    if inputs[DEAD_MAN] != 1.0:
        state[ARMED], state[FRESH], state[REQUESTED] = 1.0, 0.0, 0.0
        return False
    if state[ARMED] == 0.0:
        return False
    pressed = state[FRESH] == 0.0
    state[FRESH] = 1.0
    if inputs[ASKED_HOLD] != 0.0:
        disarm(state)
        return False
    if (pressed and settings[BY_PRESS] == 1.0) or inputs[ASKED_ENGAGE] == 1.0:
        _request(state)
    if state[REQUESTED] == 0.0:
        return False
    if inputs[ARM] == ARM_ACTIVE and inputs[FOLLOWS] != 1.0:
        # It is not where it is being sent. It must not be sent back by a leap: it stops, holds, and begins anew.
        state[LEAVING] = 1.0
    if inputs[ARM] == NO_ARM or (inputs[ARM] == ARM_ACTIVE and state[LEAVING] == 0.0):
        return True
    if state[LAST_NOW] - state[REQUESTED_AT] > settings[START_WITHIN]:  # the arm does not want: press again
        disarm(state)
        state[REFUSED] += 1.0
    return False


@kernel
def note_leaving(state: Floats, inputs: Floats) -> None:
    """Forget that the arm was to cease to follow, once it has; a lost one may still follow."""
    if state[LEAVING] == 1.0 and inputs[ARM] != ARM_ACTIVE and inputs[ARM] != ARM_IS_LOST:
        state[LEAVING], state[ASKED_AT] = 0.0, NEVER


@kernel
def _request(state: Floats) -> None:
    """Begin to wait for the arm."""
    if state[REQUESTED] == 0.0:
        state[REQUESTED], state[REQUESTED_AT], state[ASKED_AT] = 1.0, state[LAST_NOW], NEVER
