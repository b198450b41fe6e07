"""What encoders at the motors of arms and drums show."""

from __future__ import annotations

import numpy as np

from sim_devices.syntaxer.plant.cache import kernel
from sim_devices.syntaxer.plant.memory import JOINTS
from station.devices.syntaxer.kernels.layout import (
    ANGLE_PER_COUNT,
    LENGTH_PER_COUNT,
    NEUTRAL,
    ZERO,
    Floats,
    Whole,
)

WORD = 1 << 32  # counters have 32 bits and go round


@kernel
def read_counters(chains: Floats, struts: Floats, state: Floats, home: Whole, offset: Whole, counts: Whole) -> None:
    """Counters as the firmware sees them: whole, 32 bits with sign."""
    for i in range(6):
        if i < 3:
            turned = (state[JOINTS, i] - chains[i, ZERO]) / chains[i, ANGLE_PER_COUNT]
        else:
            turned = (state[JOINTS, i] - struts[i - 3, NEUTRAL]) / struts[i - 3, LENGTH_PER_COUNT]
        count = (int(np.rint(turned)) + home[i] + offset[i] + WORD // 2) % WORD
        counts[i] = count - WORD // 2
