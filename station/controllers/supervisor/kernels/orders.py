"""What device, mapping, shaping and arm are told in this tick."""

from __future__ import annotations

from station.controllers.supervisor.kernels.cache import kernel
from station.controllers.supervisor.kernels.conditions import FAULT_BITS, arm_is_there, device_is_there
from station.controllers.supervisor.kernels.layout import (
    ACTIVATE,
    ARM,
    ARM_ACTIVE,
    ARM_HAS_FAULT,
    ARM_IS_LOST,
    ARM_IS_STOPPED,
    ARM_READY,
    ASKED_AT,
    ASKED_ESTOP,
    ASKED_PARK,
    ASKED_RELEASE,
    ASKED_RESET,
    AT_REST,
    BRAKE,
    CAUSE,
    DEACTIVATE,
    DEAD_MAN,
    ENGAGED,
    ESTOP,
    FAULT,
    FOLLOW,
    FORCE,
    FRESH,
    IDLE,
    LAST_NOW,
    LEAVING,
    LEFT_AT,
    LINK,
    NO_ARM,
    NOTHING,
    NOW_IN,
    OFF,
    PARK,
    PERMITTED,
    RAISED,
    RELEASE_TORQUE,
    REPEAT,
    REQUESTED,
    RESET_ARM,
    RESET_UNTIL,
    REST_WITHIN,
    RESYNC,
    SEND,
    SHAPE,
    SHUTDOWN,
    SINCE,
    STOP,
    WAIT_ARM,
    WAIT_CAUSE,
    WAIT_DEVICE,
    WAIT_ENGAGE,
    WAIT_PRESS,
    WAIT_RELEASE,
    WAIT_RESET,
    WAIT_START,
    WAITING,
    Floats,
)
from station.controllers.supervisor.table import CUTS_FORCE


@kernel
def give_orders(state: Floats, settings: Floats, inputs: Floats, outputs: Floats, engaged_now: bool) -> None:
    """Fill the outputs from the state; `engaged_now`: the hand begins to move the robot in this tick."""
    where = int(state[NOW_IN])
    engaged, has_arm = where == ENGAGED, inputs[ARM] != NO_ARM
    parking = engaged and inputs[ASKED_PARK] != 0.0
    outputs[PERMITTED] = 1.0 if engaged and not parking else 0.0
    off = where == OFF and not _fades(state, settings)
    cut = off or (where == FAULT and CUTS_FORCE[int(state[CAUSE])]) or inputs[ASKED_ESTOP] != 0.0
    outputs[FORCE] = 1.0 if device_is_there(settings, inputs) and not cut else 0.0
    outputs[LINK] = 1.0 if arm_is_there(settings, inputs) else 0.0
    starts = state[REQUESTED] == 1.0 and inputs[ARM] != ARM_ACTIVE
    outputs[RESYNC] = 1.0 if has_arm and (engaged_now or starts) else 0.0
    outputs[SHAPE] = PARK if parking else FOLLOW if engaged else _shape_at_rest(inputs)
    outputs[SEND] = 1.0 if has_arm and outputs[SHAPE] != IDLE else 0.0
    _ask_arm(state, settings, inputs, outputs)
    outputs[WAITING] = _missing(state, settings, inputs)


@kernel
def _fades(state: Floats, settings: Floats) -> bool:
    """Whether the force may still ramp down at the end of a run."""
    return bool(state[CAUSE] == SHUTDOWN and state[LAST_NOW] - state[SINCE] <= settings[REST_WITHIN])


@kernel
def _shape_at_rest(inputs: Floats) -> float:
    """While the hand does not move the robot: brake, as long as the arm may still be following."""
    follows = inputs[ARM] == ARM_ACTIVE or inputs[ARM] == ARM_IS_LOST
    return float(BRAKE if follows else IDLE)


@kernel
def _ask_arm(state: Floats, settings: Floats, inputs: Floats, outputs: Floats) -> None:
    """Wishes for the arm, each for one tick; what it does not do is asked again."""
    arm, now = inputs[ARM], state[LAST_NOW]
    again = now - state[ASKED_AT] >= settings[REPEAT]
    engaged, resetting = state[NOW_IN] == ENGAGED, now < state[RESET_UNTIL]
    at_rest = inputs[AT_REST] == 1.0 or now - state[LEFT_AT] > settings[REST_WITHIN]
    stopping = state[NOW_IN] == FAULT and state[CAUSE] == ESTOP and arm != ARM_IS_STOPPED and not resetting
    outputs[STOP] = 1.0 if arm != NO_ARM and (inputs[ASKED_ESTOP] != 0.0 or (stopping and again)) else 0.0
    activate = state[REQUESTED] == 1.0 and arm == ARM_READY and again
    unwanted = not engaged and (state[REQUESTED] == 0.0 or state[LEAVING] == 1.0)
    deactivate = arm == ARM_ACTIVE and unwanted and at_rest and again
    if deactivate:  # that it still follows may be old news from now on
        state[LEAVING] = 1.0
    outputs[ACTIVATE] = 1.0 if activate else 0.0
    outputs[DEACTIVATE] = 1.0 if deactivate else 0.0
    if outputs[STOP] == 1.0 or activate or deactivate:
        state[ASKED_AT] = now
    needs_reset = arm in (ARM_IS_STOPPED, ARM_HAS_FAULT)
    pressed = inputs[ASKED_ESTOP] != 0.0  # then the arm stays stopped, its brakes on, whatever else is asked
    # Again and again: an arm that has not come to a stand yet refuses.
    resets = resetting and needs_reset and not pressed and (inputs[ASKED_RESET] == 1.0 or again)
    outputs[RESET_ARM] = 1.0 if resets else 0.0
    if resets:
        state[ASKED_AT] = now
    may_release = arm != NO_ARM and arm != ARM_ACTIVE and not engaged and state[REQUESTED] == 0.0
    outputs[RELEASE_TORQUE] = 1.0 if inputs[ASKED_RELEASE] == 1.0 and may_release else 0.0


@kernel
def _missing(state: Floats, settings: Floats, inputs: Floats) -> float:
    """What is missing until the hand moves the robot: the first thing to be done."""
    if state[NOW_IN] == ENGAGED:
        missing = NOTHING
    elif state[NOW_IN] == FAULT:
        missing = WAIT_CAUSE if int(state[RAISED]) & FAULT_BITS != 0 else WAIT_RESET
    elif not device_is_there(settings, inputs):
        missing = WAIT_DEVICE
    elif not arm_is_there(settings, inputs):
        missing = WAIT_ARM
    elif state[REQUESTED] == 1.0:
        missing = WAIT_START
    elif inputs[DEAD_MAN] != 1.0:
        missing = WAIT_PRESS
    else:
        missing = WAIT_ENGAGE if state[FRESH] == 1.0 else WAIT_RELEASE
    return float(missing)
