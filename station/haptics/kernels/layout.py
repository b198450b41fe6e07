"""What the numbers of inputs, settings, guides and state are. All in the frame of the device, SI units.

A name is where its first number stands; the comment says how many there are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Causes of force. The first ten are effects and can be switched; the last two are what is taken away from their sum.
COUPLING, STOPS, SINGULARITY, OBSTACLES, GUIDES, ZONES, CONTACT, COMPENSATION, CUES, DEVICE = range(10)
LIMITS, PASSIVITY = 10, 11
EFFECTS, CAUSES = 10, 12
LAST_ENGAGED = CONTACT  # causes up to this one act only while the hand moves the robot

# Faults, as bits: force is zero as long as one is set, but for STALE_SAMPLE, which ramps it down.
NOT_FINITE, DEVICE_LOST, STALE_SAMPLE, CLOCK, TOO_MANY_ROWS, NO_ROTATION = 1, 2, 4, 8, 16, 32

# What is holding back, as bits.
AT_FORCE_LIMIT, AT_SLEW_LIMIT, AT_POWER_LIMIT, PASSIVITY_ACTS, HOT = 1, 2, 4, 8, 16

# Methods of stability.
COUPLING_ONLY, OBSERVER, BOUNDING = 0, 1, 2

MOST_STOPS, MOST_OBSTACLES, MOST_GUIDES, MOST_POINTS = 24, 16, 8, 32
ROW = 7

# Inputs.
NOW = 0  # of this tick [s]
SAMPLE_TIME = 1  # when the hand was where it is said to be [s]
FRESH = 2  # 1: the place of the hand is new in this tick
READY = 3  # 1: the device is there and takes forces
ENGAGED = 4  # 1: the hand moves the robot
LINK = 5  # 1: the arm side answers
HAND = 6  # 3: place of the handle [m]
HAND_TURN = 9  # 4: quaternion of the handle
HAND_SPEED = 13  # 6: estimate [m/s, rad/s]
HAND_ACCELERATION = 19  # 3: estimate [m/s²]
PROXY = 22  # 3: the predicted robot, mapped back to the hand [m]
PROXY_TURN = 25  # 4
PROXY_SPEED = 29  # 6 [m/s, rad/s]
NEARNESS = 35  # 7: distance to singularity (any measure that is 0 there), its gradient at the hand [1/m, 1/rad]
MEASURED = 42  # 6: wrench measured at the arm, as the hand is to feel it [N, N·m]
MEASURED_AGE = 48  # [s]
OWN = 49  # 6: what the mapping asks for at the edge of the device [N, N·m]
CUE = 55  # a cue to play, 0: none; a new number in CUE_COUNT starts it
CUE_COUNT = 56
STOP_COUNT, OBSTACLE_COUNT = 57, 58
STOP_ROWS = 60  # each 7: distance to the stop [rad | m], its gradient at the hand [(rad | m)/(m | rad)]
OBSTACLE_ROWS = STOP_ROWS + ROW * MOST_STOPS  # each 7: distance [m], normal away from the obstacle, point [m]
INPUTS_SIZE = OBSTACLE_ROWS + ROW * MOST_OBSTACLES

# Settings: twice as many numbers, first those in use, then those wanted; gains glide from one to the other.
SWITCH = 0  # 10: 1 for each effect that is on
ACTUATED = 10  # 6: 1 for each axis that can push
STIFFNESS, TURN_STIFFNESS, DAMPING, TURN_DAMPING = 16, 17, 18, 19  # coupling
STOP = 20  # 4: stiffness, damping, range, largest [N·m/rad | N/m, …, rad | m, N]
SINGULAR = 24  # 4: stiffness [J], damping [J·s], range, largest [N]
OBSTACLE = 28  # 4: stiffness [N/m], damping [N·s/m], range [m], largest [N]
SLOW = 32  # 2: distances where motion stops and where slowing begins [m]
CONTACT_SCALE, CONTACT_CUTOFF, CONTACT_FRESH, CONTACT_STALE, CONTACT_MOST = 34, 35, 36, 37, 38
MASS, FRICTION, DEVICE_DAMPING, DEVICE_TURN_DAMPING = 39, 40, 41, 42  # of the device, as trusted
INERTIA_SHARE, FRICTION_SHARE, FRICTION_SPEED, COMPENSATION_MOST = 43, 44, 45, 46
CUE_FORCE, CUE_AXIS = 47, 48
METHOD = 49
PERIOD = 50  # [s]
ALLOWANCE, RESERVE, FORGETTING = 51, 52, 53  # [J], [J], [s]
SPEED_FLOOR, DAMPING_CAP, RECOVERY, SURPRISE = 54, 55, 56, 57  # [m/s], [N·s/m], [s], [m/s²]
RESOLUTION = 58  # 2: encoder step at the handle [m, rad]
FOR_LONG, PEAK = 60, 66  # 6 each: what the device can give [N, N·m]
WARMING = 72  # [s]
SLEW, TURN_SLEW = 73, 74  # [N/s, N·m/s]
POWER = 75  # [W]
RAMP, RAMP_IN, RAMP_DOWN = 76, 77, 78  # [s]
STALE_AFTER = 79  # [s]
MOST_FORCE, MOST_TORQUE = 80, 81  # [N, N·m]
TRUST = 82  # share of the device's losses that the ledger counts on
DELAY = 83  # until a force that was sent acts [s]
SETTINGS_SIZE = 84
FIRST_GAIN, LAST_GAIN = STIFFNESS, CUE_FORCE  # what lies between glides

# One guide: a row of an array.
KIND, WANTED, G_STIFFNESS, G_DAMPING, G_RADIUS, G_MOST = 0, 1, 2, 3, 4, 5
G_POINT, G_DIRECTION, G_SIZE, G_TURN_STIFFNESS, G_TURN_DAMPING = 6, 9, 12, 13, 14
G_TOOL, G_POINT_COUNT, G_POINTS = 15, 18, 19  # direction of the tool in the handle; points of a curve
GUIDE_SIZE = G_POINTS + 3 * MOST_POINTS
NO_GUIDE, POINT, LINE, PLANE, AXIS, CURVE, CONE, ZONE = range(8)

# State.
STARTED, LAST_NOW, LAST_SAMPLE, AGE = 0, 1, 2, 3
PLACE, TURN = 4, 7  # 3 and 4: where the ledger takes the handle to have been in the last sample
STEP, STEP_TIME = 11, 17  # 6: how far the hand went in the last interval [m, rad]; how long that was [s]
WRENCH = 18  # 6: what was sent last
LOW, HIGH = 24, 30  # 6 each: least and most that acted since the last sample
PARTS = 36  # 12×6 by cause
SENT = PARTS + 6 * CAUSES  # 12×6: the parts since the last sample
GAIN = SENT + 6 * CAUSES  # 10: where the switches are on their way
ENGAGEMENT = GAIN + EFFECTS  # from 0 to 1
GUIDE_GAIN = ENGAGEMENT + 1  # 8
POTENTIAL = GUIDE_GAIN + MOST_GUIDES  # energy that springs hold [J]
AVAILABLE = POTENTIAL + 1  # energy that may be given to the hand [J]
RENDERED = AVAILABLE + 1  # energy that went from the hand into the forces [J]
DISSIPATED = RENDERED + 1  # energy that the device itself surely took [J]
LOWEST = DISSIPATED + 1  # least of RENDERED + DISSIPATED so far [J]
CAUSE_ENERGY = LOWEST + 1  # 12
RATIO = CAUSE_ENERGY + CAUSES  # part of the force that passivity lets through
FILTERED = RATIO + 1  # 6: measured contact
HEAT = FILTERED + 6  # 2 [N², (N·m)²]
PLAYING, PLAYED, COUNTED = HEAT + 2, HEAT + 3, HEAT + 4  # cue, time since its start [s], last CUE_COUNT
SLOW_DOWN = HEAT + 5  # 0 to 1
ACTING = HEAT + 6  # bits
FAULTS = HEAT + 7  # bits
AHEAD = HEAT + 8  # how long the next interval may be: the longest of late [s]
SPENT = HEAT + 9  # energy given since the last sample, as foreseen [J]
READ = HEAT + 10  # 2×3: what the encoders said in the last two samples [m]
APPLIED = HEAT + 16  # 6: what acts now, of what was sent [N, N·m]
ACTED = HEAT + 22  # 1: LOW and HIGH hold something since the last sample
OFFSET = HEAT + 23  # least that a sample was older than its tick, by the clocks of device and station [s]
LATE = HEAT + 24  # from a sample until its force acts: delay, and by how much samples came late of late [s]
PRESSED = HEAT + 25  # energy that the hand has put into the contact that it feels [J]
STATE_SIZE = HEAT + 26
