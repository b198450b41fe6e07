"""Talking to a device from compiled code, without Python in between: `Device.swift`.

A driver that can do it gives two kernels by address (`station.calling`) and the numbers that they share. Whatever is
not usual, they leave to `newest` and `command`, which see to it: a lost link, a fault, a handshake.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from station.calling import Signature

# Places in `numbers`. The newest sample, as in `Sample`; poses row by row.
POSE, VELOCITY, BUTTONS, GRIP, DEVICE_TIME, SEQUENCE = 0, 16, 22, 23, 24, 25
WRENCH = 26  # 6: on the hand, to be sent [N, N·m]
FORCE = 32  # 1: forces are let through
AS_USUAL = 33  # 1: READY, and the last sample was good: `receive` and `transmit` may be called
HEARD = 34  # when the last good sample came [s]
STANDS = 35  # 1: no robot follows the hand just now, for a light that tells the person
SIZE = 36

FRESH, NOTHING_NEW, LOOK = 0, 1, 2  # of `receive`; LOOK: call `newest`, which knows what has come
SENT, NOT_SENT = 0, 1  # of `transmit`; NOT_SENT: call `command`

RECEIVE = Signature(types.int64, types.int64, types.float64)  # (memory, now [s])
TRANSMIT = Signature(types.int64, types.int64, types.float64)  # (memory, now [s])


class Swift(NamedTuple):
    """How compiled code reaches a device."""

    receive: int  # address of a kernel; after FRESH the sample is in `numbers`
    transmit: int  # sends the WRENCH in `numbers`, zeros unless FORCE
    memory: int  # what both are called with
    numbers: NDArray[np.float64]
