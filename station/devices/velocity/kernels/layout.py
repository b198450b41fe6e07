"""What the numbers of an estimator's state and settings are; constants, so that kernels know them when compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

AXES = 6  # x y z [m], then rotation about x y z [rad]
CAPACITY = 128  # samples that are kept: 32 ms at 4 kHz

# Methods.
DIFFERENCE, LOWPASS, LEAST_SQUARES, END_FIT, BEST_FIT = 0, 1, 2, 3, 4

# What became of a sample.
USED, FIRST, DUPLICATE, BACKWARDS, AFTER_GAP, NOT_FINITE = 0, 1, 2, 3, 4, 5

# Settings.
METHOD = 0
WINDOW = 1  # longest time that is looked back [s]
GAP = 2  # longest silence that history survives [s]
CUTOFF = 3  # of the low-pass [Hz]
NOISE = 4  # largest error of each axis between two samples [m | rad]
LARGEST = NOISE + AXES  # bound of each axis' answer [m/s | rad/s]
SETTINGS_SIZE = LARGEST + AXES

# State.
COUNT = 0  # samples in the ring
NEWEST = 1  # where the newest is
SPEED = 2  # the answer [m/s | rad/s]
USED_SAMPLES = SPEED + AXES  # how many samples the answer of each axis rests on
TIMES = USED_SAMPLES + AXES  # ring of stamps [s]
PLACES = TIMES + CAPACITY  # ring of positions, six per sample [m | rad]
STATE_SIZE = PLACES + AXES * CAPACITY

SHORTEST = 1e-7  # stamps closer than this are one instant [s]
FARTHEST = 1e6  # a position beyond this is no position [m | rad]
