"""What the numbers of inputs, settings and state are, for any number of joints n.

A name is where its number stands; after the header come n rows, one for each joint. SI units: [rad | m] and their
derivatives, by the kind of joint.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# What is wanted, as the supervisor says it.
IDLE, FOLLOW, BRAKE, PARK = 0, 1, 2, 3

# What it has stopped for; stays until it is started anew.
FINE, TUBE, REFUSED, STALE = 0, 1, 2, 3

# Why a setpoint was refused.
NOT_REFUSED, NOT_FINITE, OUT_OF_RANGE, JUMP, TOO_FAST, TOO_SUDDEN, TOO_JERKY, NOT_SMOOTH, CANNOT_STOP = range(9)

# What holds back, as bits.
AT_POSITION, AT_SPEED, AT_ACCELERATION, SLOWED, COMES_BACK, PRESSING = 1, 2, 4, 8, 16, 32

# Settings.
COUNT = 0  # n
PERIOD = 1  # between two ticks [s]
LONGEST = 2  # longest time that a tick stands for [s]
STRIDE = 9  # longest step in which that time is gone through [s]
GAIN = 3  # of the position loop [1/s]
TARGET_LIMIT = 4  # age of a target from which it is not followed [s]
MEASURED_LIMIT = 5  # age of a measurement from which the arm is not known to be in the tube [s]
LAG = 6  # of the arm behind its setpoint [s]
TUBE_ON = 7  # 1: the tube is watched
OUTSIDE = 8  # how far outside its limits a joint may start [rad | m]
S_JOINTS = 10  # rows of S_ROW
LOW, HIGH, SPEED, ACCELERATION, JERK, INNER, OUTER, LEAP = range(8)
S_ROW = 8

# Inputs.
NOW = 0  # [s]
WANTED = 1
START = 2  # 1: begin in this tick: go on with what is being sent, else from where the arm is
TARGET_TIME = 3  # when the target was made [s]
MEASURED_AGE = 4  # [s]
DELAY = 5  # of the link, there and back [s]; what is no number counts as none
PRESSED = (
    6  # how hard the tool presses on something, towards its target: 0 little enough, 1 as hard as it may, 2 harder
)
I_JOINTS = 8  # rows of I_ROW
TARGET, TARGET_V, MEASURED, MEASURED_V = range(4)
I_ROW = 4

# State.
RUNNING = 0  # there is a setpoint
STOPPED = 1  # what it has stopped for
TICKED, LAST_NOW, STEP = 2, 3, 4  # time that this tick stood for [s]
SLOW = 5  # what tube and press limit leave of the target's speed, 0 to 1
AT_REST = 6  # setpoints stand still
REFUSALS, REASON, REASON_JOINT = 7, 8, 9  # setpoints refused in all; why and for which joint the last was
ACTING = 10  # bits
PARK_LOADED, PARK_TIME, PARK_DONE = 11, 12, 13
BUCKET, BUCKET_AGE = 14, 15  # of the ring of what was sent
WORST = 16  # largest distance from the tube's middle, as part of the outer tube
WORST_JOINT = 17
FOLLOWING = 18  # 1: the arm is where it was sent, within the tube
J_JOINTS = 20  # rows of J_ROW
Q, V, A, NEW_Q, NEW_V, NEW_A, APART = range(7)  # sent; about to be sent; distance of the arm from it
J_ROW = 8

# Behind the rows: pieces of a parking move, then the ring of what was sent.
PIECES, PIECE = 12, 5  # at most; each: start [s], q, v, a, jerk
P_ROW = 1 + PIECES * PIECE  # number of pieces, pieces
BUCKETS, BUCKET_TIME = 256, 0.010  # [s] each: least and most that was sent, for each joint


def settings_size(joints: int) -> int:
    """Numbers of settings."""
    return S_JOINTS + S_ROW * joints


def inputs_size(joints: int) -> int:
    """Numbers of inputs."""
    return I_JOINTS + I_ROW * joints


def state_size(joints: int) -> int:
    """Numbers of state."""
    return J_JOINTS + (J_ROW + P_ROW + 2 * BUCKETS) * joints
