"""What the numbers of inputs, settings, state and outputs are.

A name is where its number stands; flags are 1 for yes. Whatever permits something counts only if it is exactly 1, and
whatever forbids something counts unless it is exactly 0: what is no number is on the safe side.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# States, as in shared state.
OFF, READY, ENGAGED, HOLD, FAULT = range(5)
STATES = 5

# Events in order of priority: the worst first. The first that leads from a state somewhere is the one that counts.
ESTOP, CLOCK, ARM_STOPPED, ARM_FAULT, DEVICE_FAULT, HAPTICS_FAULT = 1, 2, 3, 4, 5, 6
CLOSURE_LOST, FOLLOWING_ERROR, SETPOINT_REFUSED, OVERRUN = 7, 8, 9, 10
LAST_FAULT = OVERRUN
SHUTDOWN, DEVICE_LOST, ARM_LOST, ARM_LEFT, STALE_TARGET = 11, 12, 13, 14, 15
HOLD_ASKED, RELEASED, RESET, ENGAGE, ALL_READY = 16, 17, 18, 19, 20
STARTER_LOST = 21  # came later: recordings know the others by their numbers
EVENTS = 22  # with 0, nothing

# How the controller is doing.
NO_ARM, ARM_OPENING, ARM_READY, ARM_ACTIVE, ARM_IS_STOPPED, ARM_HAS_FAULT, ARM_IS_LOST = range(7)

# What the shaping has stopped for, as `station.controllers.shaping` tells it.
SHAPING_FINE, SHAPING_TUBE, SHAPING_REFUSED, SHAPING_STALE = 0, 1, 2, 3

# Faults of the haptics that are no loss of the device; as bits, see `station.haptics`.
HAPTICS_BITS = 1 | 8 | 16 | 32  # not finite, clock, too many rows, no rotation

# What shaping is to do.
IDLE, FOLLOW, BRAKE, PARK = 0, 1, 2, 3

# What is missing until the hand moves the robot.
NOTHING, WAIT_DEVICE, WAIT_ARM, WAIT_START, WAIT_RELEASE, WAIT_PRESS, WAIT_ENGAGE, WAIT_RESET, WAIT_CAUSE = range(9)

# Inputs.
NOW = 0  # of this tick [s]
DEVICE_READY = 1  # the device is READY
DEVICE_BAD = 2  # the device says that it is unfit
SAMPLE_AGE = 3  # of the newest sample [s]
HAPTICS = 4  # faults of the last tick of forces, as bits
DEAD_MAN = 5  # held
ASKED_ENGAGE, ASKED_HOLD, ASKED_RESET, ASKED_ESTOP, ASKED_SHUTDOWN, ASKED_RELEASE = 6, 7, 8, 9, 10, 11  # commands
ASKED_PARK = 12  # level: move to the parking posture instead of following the hand
ARM = 13  # how the controller is doing, see above
MEASURED_AGE = 14  # since the newest measurement came in [s]
SOLVER_LOST = 15  # closures could not be kept
LATE = 16  # the tick before ended too late
SHAPING = 17  # what the shaping has stopped for, see above
AT_REST = 18  # setpoints stand still
FOLLOWS = 19  # the arm is where setpoints send it, or none are being sent
STARTER_SILENT = 20  # the process that started the servo gives no sign of life
INPUTS_SIZE = 22
FIRST_COMMAND, LAST_COMMAND = ASKED_ENGAGE, ASKED_RELEASE  # true for one tick

# Settings.
SAMPLE_LIMIT = 0  # age from which the device counts as lost [s]
MEASURED_LIMIT = 1  # age from which the arm counts as lost [s]
LATE_MOST = 2  # late ticks within about LATE_WINDOW that are a fault
LATE_WINDOW = 3  # [s]
START_WITHIN = 4  # the arm must become active within [s]
RESET_WITHIN = 5  # a reset waits so long for causes to go [s]
REPEAT = 6  # what the arm does not do is asked again after [s]
REST_WITHIN = 7  # the arm is told to hold even if setpoints are not at rest after [s]
BY_PRESS = 8  # 1: a fresh press of the dead-man engages by itself
SETTINGS_SIZE = 10

# State.
NOW_IN = 0  # state
CAUSE = 1  # event that led to it
SINCE = 2  # when [s]
STARTED, LAST_NOW = 3, 4
ARMED = 5  # the dead-man was seen up since everything was ready
FRESH = 6  # and was pressed since
REQUESTED = 7  # engaging was asked for and waits for the arm
REQUESTED_AT = 8  # [s]
SHUT = 9  # shut down: never again ready
RESET_UNTIL = 10  # a reset is waiting until [s]
LATE_COUNT = 11  # leaks away
LAST_SHAPING = 12
ASKED_AT = 13  # when the arm was last asked for something that is repeated [s]
REFUSED = 14  # commands that were not possible, in all
LEFT_AT = 15  # when ENGAGED was left [s]
RAISED = 16  # events of this tick, as bits
LOG_COUNT = 17  # transitions in all
LEAVING = 18  # the arm is to cease to follow before it is led anew
LOG = 20  # ring of rows: time [s], from, to, cause
LOG_ROW, LOG_LENGTH = 4, 64
STATE_SIZE = LOG + LOG_ROW * LOG_LENGTH

# Outputs.
OUT_STATE, OUT_CAUSE, OUT_FAULT = 0, 1, 2  # cause of the state; the same while FAULT, else 0
PERMITTED = 3  # the hand may move the robot
FORCE = 4  # the device may push
LINK = 5  # the arm's side answers; without it forces ramp down
RESYNC = 6  # predicted robot and setpoints begin: with what is being sent, else where the arm is
ACTIVATE, DEACTIVATE, STOP, RESET_ARM, RELEASE_TORQUE = 7, 8, 9, 10, 11  # for the arm, true for one tick
SHAPE = 12  # what shaping is to do
SEND = 13  # setpoints are to be sent
WAITING = 14  # what is missing
CHANGED = 15  # there was a transition in this tick
OUTPUTS_SIZE = 16
