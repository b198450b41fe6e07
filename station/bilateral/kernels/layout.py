"""What the numbers of packets, settings, inputs and state are. A name is where its first number stands.

All that travels is in the units and axes of the hand: the end at the arm converts. Forces are those *on* the hand and
*on* the tool. Six axes: three straight [m, N], three turning [rad, N·m]; a turn is the integral of the angular speed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Methods and architectures.
DIRECT, PASSIVITY, WAVE = 0, 1, 2
POSITION_FORCE, POSITION_POSITION, FOUR_CHANNEL = 0, 1, 2

# Status, as bits.
NOT_FINITE = 1  # own inputs were no numbers: no force, and the arm stays
SILENT = 2  # nothing was ever heard
STALE = 4  # the newest packet is old: the force is fading, or gone; the arm stays
LIMITED = 8  # the force is at its limit, the arm at its largest speed
HELD_BACK = 16  # energy is missing: force or motion is held back
DEBT = 32  # more was given than came in, and is being taken back
DRIFTING = 64  # the arm is not where the hand was, by more than a millimetre or some milliradians
UNTARED = 128  # of a station: what the arm's force sensor tells counts as it is, its bias was not found
PRESSING = 256  # of a station: the arm presses as hard as it may, and its setpoints go no further

# A packet: the same both ways.
SEQUENCE = 0  # counts packets of this sender, from 1
TIME = 1  # of the sender's clock [s]
ECHO = 2  # time of the newest packet that the sender had heard, as that said [s]; or one of these:
NOTHING_HEARD, NO_ECHO = -1.0, -2.0  # the place of an arm that has heard nothing means nothing; a plain controller
PLACE = 3  # 6: of hand or arm [m, rad]
SPEED = 9  # 6: the same [m/s, rad/s]
FORCE = 15  # 6: on the hand or on the tool [N, N·m]
ENERGY = 21  # since the start [J]; of the hand: that it put in; of the arm: that its surroundings gave by themselves
WAVES = 22  # 6: integral of the waves since the start [√J·√s]
WAVE_ENERGY = 28  # that these carry since the start [J]
PACKET_SIZE = 29

# Inputs of an end.
NOW = 0  # [s]
OWN_PLACE = 1  # 6: of hand or arm, its own units [m, rad]
OWN_FORCE = 7  # 6: that acted on the hand since the last tick; that is measured on the tool [N, N·m]
INPUTS_SIZE = 13

# Settings.
METHOD, ARCHITECTURE, PERIOD, AXES, ACTIVE = 0, 1, 2, 3, 4
FORCE_SCALE, POSITION_SCALE = 5, 6
CUTOFF, FRESH, OLD = 7, 8, 9
MOST_FORCE, MOST_TORQUE = 10, 11
STIFFNESS, TURN_STIFFNESS, DAMPING, TURN_DAMPING = 12, 13, 14, 15
SHARE = 16  # of the force channel at the hand: 1 position-force, 0 position-position
FIRMNESS, TURN_FIRMNESS = 17, 18
ALLOWANCE, FORGETTING, DAMPING_CAP, TOUCH, TURN_TOUCH = 19, 20, 21, 22, 23
ARM_ALLOWANCE, AHEAD, DRIFT_TIME = 24, 25, 26
MOST_SPEED, MOST_TURN_SPEED, RETREAT = 27, 28, 29
YIELD_TIME = 30
IMPEDANCE, TURN_IMPEDANCE, WAVE_TIME = 31, 32, 33
CONTACT_DAMPING, TURN_CONTACT_DAMPING, CONTACT_TIME = 34, 35, 36
SOFTEST, TURN_SOFTEST = 37, 38
SENSOR_TIME = 39
WAVE_RESERVE = 40
SETTINGS_SIZE = 41

# State of an end.
STARTED, LAST_NOW, SENT = 0, 1, 2  # SENT: packets
LAST_PLACE = 3  # 6
VELOCITY = 9  # 6: of the own side, smoothed [m/s, rad/s], units of the hand
HAS_HEARD, HEARD_AT = 15, 16
REFUSED, LATE, LOST = 17, 18, 19  # packets: not finite or out of range; old or doubled; never seen
HEARD = 20  # the newest packet
FILTERED = HEARD + PACKET_SIZE  # 6: force of the other side [N, N·m]
AVAILABLE = FILTERED + 6  # energy that may be given at this port [J]
INTO = AVAILABLE + 1  # energy that went into this port, ever growing [J]
OUT_OF = INTO + 1  # energy that came out of it, ever growing [J]
TAKEN = OUT_OF + 1  # ENERGY of the newest packet that has been used [J]
GIVEN = TAKEN + 1  # what the own packets say of energy [J]
NET = GIVEN + 1  # arm: what its surroundings have, less than nothing while they hold energy [J]
WAVES_USED = NET + 1  # 6
WAVE_SPENT = WAVES_USED + 6
WAVES_SENT = WAVE_SPENT + 1  # 6
WAVE_SENT = WAVES_SENT + 6
REFERENCE = WAVE_SENT + 1  # 6: where the arm is told to be, units of the hand, before what it yields
OFFSET = REFERENCE + 6  # 6: what drift compensation has added to it
YIELDS = OFFSET + 6  # 6: what the arm yields to forces
LAST_STEP = YIELDS + 6  # 6: of the reference in the last tick, and of the wave's port
LAST_TARGET = LAST_STEP + 6  # 6
HAND_ORIGIN = LAST_TARGET + 6  # 6: where hand and arm were when the arm first heard of the hand
ARM_ORIGIN = HAND_ORIGIN + 6  # 6
DRIFT = ARM_ORIGIN + 6  # 2: how far the arm is told to be from where the hand was [m], [rad]
FLOATS = DRIFT + 2  # 6: speed of the mass at the end of the waves' port in contact [m/s, rad/s]
LENT = FLOATS + 6  # energy that was lent to the other side's waves [J], ever growing
SMOOTHED = LENT + 1  # 6: steps of the arm as late as its force sensor [m, rad]
USUAL_AGE = SMOOTHED + 6  # of the newest packet, both clocks' difference included [s]; and how far it is from that
AGE_SPREAD = USUAL_AGE + 1
RATIO = AGE_SPREAD + 1  # part of the force, or of the motion, that is let through
STATUS = RATIO + 1
STATE_SIZE = STATUS + 1
