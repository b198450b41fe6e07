"""What the numbers are. Rows are arrays of one number per driven joint, in SI units [rad | m] and derivatives."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Bounds, see settings.py.
STEP_WARN, STEP_STOP, KNOCK, STANDS, STRAIN, STRAIN_TIME, WEIGHT_WARN, WEIGHT_STOP, REST, TOLD, FREE = range(11)

# Rows of limits.
SPEED, ACCELERATION, EFFORT, SCALE = range(4)  # effort: infinite where it is not known; scale of a turn: 1 [m/rad]
LIMIT_ROWS = 4

# Rows of what was said.
SAID_Q, SAID_V, SAID_EFFORT = range(3)  # not a number where it is not measured
SAID_ROWS = 3

# Rows of state.
PLACE, PACE = 0, 1  # of the last reading that was taken
ANCHOR, STOOD = 2, 3  # where it stands, and for how long [s]
STRAINED = 4  # time that it has stood under an effort that nothing explains [s]
NOW, RESIDUAL = 5, 6  # effort that weight and tool do not explain, of this reading and low-passed [N·m | N]
BEGUN = 7  # where it began to be led
RIGHT = 8  # 1: its first motion was as told
SAME, WENT = 9, 10  # for how long it has said the very same [s], and how fast it went before that
STATE_ROWS = 11

# About all joints.
TIME, ARRIVAL = 0, 1  # of the last reading that was taken, by the arm's clock and by ours [s]
ASIDE = 2  # readings put aside since
GLITCHES = 3  # readings put aside in all, whose next was plausible again
ABOUT = 4

# What was found.
CODE, JOINT, OTHER, VALUE = range(4)
STOP, NEWS = 4, 5  # 1 until somebody has looked
FIRM = 6  # 1: this has stopped the arm
FOUND = 7
NOTHING, STEP, STRAINS, WEIGHT, ORDER, OPPOSITE, HELD, FROZEN = range(8)

# Bodies, rows of one per joint: mass [kg], first moment in the body's axes [kg·m].
MASS, MOMENT = 0, 1
BODY_ROW = 4
GRAVITY = 9.80665  # [m/s²]
SMOOTHING = 0.1  # time constant of residuals [s]
LONGEST = 0.25  # between two readings that are compared [s]
TURNING = 0.15  # of the speed that it reaches at its largest acceleration while it is watched: so slow is standing
STANDING_SPEED = 0.02  # a joint that is faster does not stand [rad/s]
WENT_LEAST = 0.05  # that a joint must have gone, to be found frozen [rad/s]
FROZEN_OVER = 0.15  # of the told motion that is missed: so much of a joint that went, and stopped dead
HELD_FOR = 0.1  # that a joint must have stood, to be found held [s]
NO_READING = 2.0  # times its largest: an effort beyond that says nothing
BRAKED = 0.2  # share of the weight: drives that hold less than this in all leave it to brakes
