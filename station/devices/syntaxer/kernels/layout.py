"""Columns of the constant arrays that all kernels take: `chains` (3 rows), `struts` (3 rows) and `loads` (one row).

`station.devices.syntaxer.packing` fills them from a geometry. SI units.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Vector = tuple[float, float, float]

# A row of `chains`: one arm with its pair of bars.
COS, SIN = 0, 1  # of its azimuth on the plate
REACH = 2  # motor axis from the centre, less bar joint from the centre of the platform [m]
ARM, BAR = 3, 4  # lengths [m]
MOMENT = 5  # mass times distance that turns with the arm, its share of the bars included [kg·m]
ZERO = 6  # arm angle at the home count [rad]
ANGLE_PER_COUNT = 7  # [rad]
TORQUE_PER_AMPERE = 8  # at the arm [N·m/A]
MOTOR_LOW, MOTOR_HIGH = 9, 10  # stops of the arm [rad]
BAR_LOW, BAR_HIGH = 11, 12  # stops of the bars against the arm, in the plane of the arm [rad]
SIDEWAYS = 13  # how far the bars lean out of that plane [rad]
CHAIN_COLUMNS = 14

# A row of `struts`: a string with its coil spring around it.
ANCHOR = 0  # and the next two: on the platform, from the ball [m]
POINT = 3  # and the next two: on the moving plate, from the ball [m]
NEUTRAL = 6  # length when the plate is not turned [m]
SPRING = 7  # rate [N/m]
PRETENSION = 8  # of the string without current, and push of the spring at the neutral length [N]
LEAST, MOST = 9, 10  # tension allowed [N]
LENGTH_PER_COUNT = 11  # [m]
PULL_PER_AMPERE = 12  # [N/A]
STRUT_COLUMNS = 13

# `loads`: what hangs on the platform.
CARRIED = 0  # mass that moves with the platform, its share of the bars included [kg]
HANDLE = 1  # mass that turns with the plate [kg]
CENTRE = 2  # and the next two: where that mass is, from the ball, on the plate [m]
GRAVITY = 5  # and the next two: device frame [m/s²]
BALANCER = 8  # and the next two: steady force of a balancer on the platform, device frame [N]
LOAD_COLUMNS = 11

# What a kernel answers.
OK = 0
NO_SOLUTION = 1  # the bars are too short or too long for these angles; the place is out of reach
BEYOND_SINGULARITY = 2  # the parts fit together only beyond a singularity, where the device cannot have got
NO_ROTATION = 3  # no rotation near the neutral one gives these string lengths
