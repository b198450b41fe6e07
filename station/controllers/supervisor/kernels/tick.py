"""`supervisor_tick`: one tick of the supervisor, on one array each of state, settings, inputs and outputs."""

from __future__ import annotations

from station.controllers.supervisor.kernels.cache import kernel
from station.controllers.supervisor.kernels.conditions import all_is_ready, conditions, time_passed
from station.controllers.supervisor.kernels.layout import (
    ASKED_AT,
    ASKED_ENGAGE,
    ASKED_RELEASE,
    ASKED_RESET,
    ASKED_SHUTDOWN,
    CAUSE,
    CHANGED,
    ENGAGE,
    ENGAGED,
    EVENTS,
    FAULT,
    LAST_NOW,
    LEFT_AT,
    LOG,
    LOG_COUNT,
    LOG_LENGTH,
    LOG_ROW,
    NOW,
    NOW_IN,
    OUT_CAUSE,
    OUT_FAULT,
    OUT_STATE,
    RAISED,
    REFUSED,
    RELEASE_TORQUE,
    REQUESTED,
    RESET_UNTIL,
    RESET_WITHIN,
    SHUT,
    SINCE,
    Floats,
)
from station.controllers.supervisor.kernels.orders import give_orders
from station.controllers.supervisor.kernels.press import NEVER, disarm, may_engage, note_leaving
from station.controllers.supervisor.table import LEADS_TO


@kernel
def forget_moments(state: Floats) -> None:
    """Take all that waits for a moment as over; also how a state begins."""
    state[ASKED_AT], state[RESET_UNTIL], state[LEFT_AT] = NEVER, NEVER, NEVER


@kernel
def supervisor_tick(state: Floats, settings: Floats, inputs: Floats, outputs: Floats) -> int:
    """One tick; fills the outputs and returns the state. At most one transition, that of the worst event."""
    passed = time_passed(state, inputs[NOW])
    if passed < 0.0:  # moments of another time mean nothing
        forget_moments(state)
    _take_commands(state, settings, inputs)
    note_leaving(state, inputs)
    raised = conditions(state, settings, inputs, passed)
    if may_engage(state, settings, inputs, all_is_ready(state, settings, inputs)):
        raised |= 1 << ENGAGE
    state[RAISED] = raised
    was = int(state[NOW_IN])
    outputs[CHANGED] = 0.0
    for event in range(1, EVENTS):
        if raised >> event & 1 == 1 and _is_news(state, event):
            _go(state, event)
            outputs[CHANGED] = 1.0
            break
    engaged_now = state[NOW_IN] == ENGAGED and was != ENGAGED
    give_orders(state, settings, inputs, outputs, engaged_now)
    outputs[OUT_STATE], outputs[OUT_CAUSE] = state[NOW_IN], state[CAUSE]
    outputs[OUT_FAULT] = state[CAUSE] if state[NOW_IN] == FAULT else 0.0
    _count_refusals(state, inputs, outputs)
    return int(state[NOW_IN])


@kernel
def _take_commands(state: Floats, settings: Floats, inputs: Floats) -> None:
    """Commands that last longer than a tick: a shutdown for ever, a reset for a while."""
    if inputs[ASKED_SHUTDOWN] != 0.0:
        state[SHUT] = 1.0
    if state[NOW_IN] != FAULT:
        state[RESET_UNTIL] = NEVER
    elif inputs[ASKED_RESET] == 1.0:
        state[RESET_UNTIL] = state[LAST_NOW] + settings[RESET_WITHIN]


@kernel
def _is_news(state: Floats, event: int) -> bool:
    """Whether an event leads somewhere from here, or to the same state for another cause."""
    to = LEADS_TO[int(state[NOW_IN]), event]
    return bool(to >= 0 and (to != state[NOW_IN] or event != state[CAUSE]))


@kernel
def _go(state: Floats, event: int) -> None:
    """Make a transition and write it down."""
    was, to = int(state[NOW_IN]), int(LEADS_TO[int(state[NOW_IN]), event])
    row = LOG + LOG_ROW * (int(state[LOG_COUNT]) % LOG_LENGTH)
    state[row], state[row + 1], state[row + 2], state[row + 3] = state[LAST_NOW], was, to, event
    state[LOG_COUNT] += 1.0
    state[NOW_IN], state[CAUSE], state[SINCE] = to, event, state[LAST_NOW]
    if was == ENGAGED:
        state[LEFT_AT], state[ASKED_AT] = state[LAST_NOW], NEVER
    if to == FAULT:
        state[RESET_UNTIL], state[ASKED_AT] = NEVER, NEVER
    if to != ENGAGED:
        disarm(state)


@kernel
def _count_refusals(state: Floats, inputs: Floats, outputs: Floats) -> None:
    """Commands that could not be followed when they came."""
    refused = inputs[ASKED_ENGAGE] == 1.0 and state[NOW_IN] != ENGAGED and state[REQUESTED] == 0.0
    if refused or (inputs[ASKED_RELEASE] == 1.0 and outputs[RELEASE_TORQUE] == 0.0):
        state[REFUSED] += 1.0
    if inputs[ASKED_RESET] == 1.0 and state[NOW_IN] != FAULT and outputs[CHANGED] == 0.0:
        state[REFUSED] += 1.0
