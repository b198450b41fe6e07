"""What the numbers of a mapping's state and settings are; constants, so that kernels know them when compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# How an axis is taken.
NONE, ABSOLUTE, INCREMENTAL = 0, 1, 2

# In whose axes the hand moves the target.
WORLD, VIEW, TOOL = 0, 1, 2

# Shapes of a region.
NO_REGION, BOX, CYLINDER, SPHERE = 0, 1, 2, 3

# Whether the hand moves the robot; in order of what is asked first.
NO_SAMPLE, NOT_PERMITTED, GUIDING, RELEASE_FIRST, WAITING, CLUTCHED, ENGAGED = 0, 1, 2, 3, 4, 5, 6

# Why it last ceased to.
NEVER, RELEASED, CLUTCH_HELD, LOST, UNREADABLE, GLITCH, FORBIDDEN, ROBOT_UNKNOWN = 0, 1, 2, 3, 4, 5, 6, 7

# ---- settings ----
SEAT = 0  # rotation seat_from_device, by rows
SCALE = SEAT + 9  # robot motion per hand motion, along and about the seat's axes
KIND = SCALE + 6  # how each axis of the device is taken
MIDDLE = KIND + 6  # where the deflection of an incremental axis is zero [m | rad]
LOW = MIDDLE + 6  # largest deflections from there, LOW below zero [m | rad]
HIGH = LOW + 6
REFERENCE = HIGH + 6
FREE = REFERENCE + 1  # 0 where an axis is locked, else 1
LOCKS_IN_TOOL = FREE + 6  # 1: locks are along the tool's axes, 0: along those of the reference
RATE = LOCKS_IN_TOOL + 1  # speed at full deflection, straight [m/s] and turning [rad/s]
DEAD_ZONE = RATE + 2  # part of the travel
EXPONENT = DEAD_ZONE + 1
BLEND = EXPONENT + 1  # share of the curved part
FEEDBACK = BLEND + 1  # how much of the wrench incremental axes give to the hand
LEAD = FEEDBACK + 1  # how far rates take the target away from the robot [m], [rad]
DEAD_MAN = LEAD + 2  # button; -1: none
CLUTCH = DEAD_MAN + 1  # button; -1: none
HAND_SPEED = CLUTCH + 1  # fastest hand [m/s], [rad/s]
REFUSALS = HAND_SPEED + 2  # refused samples in a row that disengage
STALE_AFTER = REFUSALS + 1  # [s]
PERIOD = STALE_AFTER + 1  # between samples, as the device has it [s]
EDGE = PERIOD + 1  # shape, centre 3 [m], half size 3 [m], axis, stiffness, damping, force
BUBBLE = EDGE + 11  # the same for the ball
BUBBLE_RATE = BUBBLE + 11  # speed per depth [1/s]; 0: no bubble
BUBBLE_SPEED = BUBBLE_RATE + 1  # largest [m/s], of the hand's scale
GUIDE = BUBBLE_SPEED + 1  # start 3 [m], stiffness, damping, force, radius [m], ramp [s]
SETTINGS_SIZE = GUIDE + 8

# Parts of a wall, from EDGE or BUBBLE on.
SHAPE, CENTRE, HALF, AXIS, STIFFNESS, DAMPING, FORCE = 0, 1, 4, 7, 8, 9, 10
# Parts of the pull, from GUIDE on.
START, PULL_STIFFNESS, PULL_DAMPING, PULL_FORCE, ARRIVED, RAMP = 0, 3, 4, 5, 6, 7

# ---- state ----
MODE = 0
CAUSE = 1  # why it last ceased to be engaged
ARMED = 2  # whether the dead-man has been seen up since the last trouble
KNOWN = 3  # whether there is a hand pose
NOW = 4  # of the last tick [s]
TICKED = 5  # whether there was a tick
SAMPLE_TIME = 6  # device time of the last sample, believed or not [s]
ARRIVAL = 7  # of the last believed sample [s]
SEQUENCE = 8  # of the last sample
BUTTONS = 9
REFUSED_IN_ROW = 10
REFUSED = 11  # in all
DISENGAGED = 12  # times that it ceased for any cause but release and clutch
GUIDED = 13  # whether guidance is on
PULL = 14  # share of the pull, growing to 1
BUBBLE_ARMED = 15  # whether the hand has been inside the ball since it engaged
RATE_ARMED = 16  # of each axis: whether it has been at rest since it engaged
HAND = RATE_ARMED + 6  # last believed hand pose: position 3 [m], quaternion 4 (w first)
SPEED = HAND + 7  # its velocity, device frame [m/s, rad/s]
PASSED = SPEED + 6  # hand pose as far as it has been passed on to the target
TARGET = PASSED + 7  # position 3 [m] and quaternion 4, world
STRAIGHT = TARGET + 7  # Jacobian target ← hand, straight motion, by rows
TURNING = STRAIGHT + 9  # the same for turning motion
RATE_STRAIGHT = TURNING + 9  # world velocity per full deflection [m/s]
RATE_TURNING = RATE_STRAIGHT + 9  # [rad/s]
BACK_STRAIGHT = RATE_TURNING + 9  # its transpose takes a force at the robot to the hand
BACK_TURNING = BACK_STRAIGHT + 9
OWN = BACK_TURNING + 9  # force of walls and pull, device frame [N]
SCRATCH = OWN + 3
IN_USE = SCRATCH + 9  # 1: scale and axes are in use, as follows
SCALE_NOW = IN_USE + 1  # scale as it is used: it glides to what is set
AXES_NOW = SCALE_NOW + 6  # world_from_reference as it is used: quaternion 4
STATE_SIZE = AXES_NOW + 4

GLIDE = 0.5  # time in which a scale that is changed while engaged gets there [s]
SWING = 6.0  # how fast axes turn that are changed while engaged, as by another view [rad/s]
AT_REST = 0.05  # a deflection below this part of the travel (or within the dead zone) is rest
