"""`take_measured`: what an arm has said, put where the tick and its readers look for it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from station.controllers.shaping.kernels.layout import I_JOINTS, I_ROW, MEASURED, MEASURED_V
from station.controllers.tare import LARGEST
from station.mechanism.kernels.memory import Block
from station.mechanism.kernels.tree import forward, frame_pose
from station.servo.kernels.cache import measuring

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


# Rows of what the arm has said of its joints.
SAID_Q, SAID_V, HELD = 0, 1, 2  # [rad | m], [rad/s | m/s] (not a number: not measured), held back on purpose
SAID_ROWS = 3
# What else there is to know.
FRAME = 0  # number of the frame that follows the hand
IN_LOOPS = 1  # 1: passive joints follow by loops, which Python solves
ABOUT_SIZE = 2


@measuring
def is_finite(said: Floats) -> bool:
    """Whether the arm has told where all of its joints are."""
    fine = True
    for i in range(said.shape[1]):
        fine = fine and math.isfinite(said[SAID_Q, i])
    return fine


@measuring
def tell_shaping(said: Floats, inputs: Floats) -> None:
    """For the tolerance tube: where the arm is, what it holds back on purpose left out."""
    for i in range(said.shape[1]):
        row = I_JOINTS + I_ROW * i
        inputs[row + MEASURED] = said[SAID_Q, i] - said[HELD, i]
        inputs[row + MEASURED_V] = said[SAID_V, i]


@measuring
def place_measured(
    said: Floats,
    about: Floats,
    driven: Ints,
    block: Block,
    q: Floats,
    rotation: Floats,
    position: Floats,
    pose: Floats,
) -> None:
    """The measured robot: joints, bodies, and the frame that follows the hand."""
    if about[IN_LOOPS] == 0.0:
        for i in range(driven.size):
            q[driven[i]] = said[SAID_Q, i]
        forward(block, q, rotation, position)
    frame_pose(block, int(about[FRAME]), rotation, position, pose)


@measuring
def show_measured(
    said: Floats, driven: Ints, q: Floats, pose: Floats, shown_q: Floats, shown_v: Floats, shown_pose: Floats
) -> None:
    """The same for all who read the shared state."""
    for i in range(q.size):
        shown_q[i] = q[i]
    for i in range(driven.size):
        if math.isfinite(said[SAID_V, i]):
            shown_v[driven[i]] = said[SAID_V, i]
    for i in range(4):
        for k in range(4):
            shown_pose[i, k] = pose[i, k]


@measuring
def turn_wrench(wrench: Floats, pose: Floats, bias: Floats, felt: Floats, shown: Floats) -> bool:
    """What the tool measures, without its bias and in axes of the world.

    Returns False for what no sensor can tell: then nothing is felt, and no number is shown.
    """
    sound = True
    for i in range(6):
        sound = sound and abs(wrench[i]) <= LARGEST  # false for NaN
    for i in range(3):
        felt[i] = felt[3 + i] = 0.0
        for k in range(3):
            if sound:
                felt[i] += pose[i, k] * (wrench[k] - bias[k])
                felt[3 + i] += pose[i, k] * (wrench[3 + k] - bias[3 + k])
    for i in range(6):
        shown[i] = felt[i] if sound else math.nan
    return bool(sound)
