"""How old a sample is: the device's clock against ours, over a link whose delay is not known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from station.compiled import Compiler

Floats = NDArray[np.float64]

kernel = Compiler("age", [Path(__file__)])

HORIZON = 10.0  # time in which an estimate is renewed, for clocks that drift [s]
SMALLEST, GROWING, TURN = 0, 1, 2  # places in the state [s]
STATE = 3


@kernel
def delay_of(state: Floats, device_time: float, arrival: float) -> float:
    """Delay of a sample beyond the usual [s]; the state remembers what is usual."""
    difference = arrival - device_time
    if arrival - state[TURN] > HORIZON:
        state[SMALLEST], state[GROWING], state[TURN] = state[GROWING], difference, arrival
    state[GROWING] = min(state[GROWING], difference)
    state[SMALLEST] = min(state[SMALLEST], state[GROWING])
    return float(difference - state[SMALLEST])


class LinkDelay:
    """How much later than usual things arrive.

    The smallest difference between arrival and device time seen lately stands for a link without delay; what is above
    it was held up on the way. Two windows take turns, so that the smallest is always over 10 to 20 s.
    """

    def __init__(self) -> None:
        self.state = np.zeros(STATE)
        self.reset()

    def reset(self) -> None:
        """Forget the clock of the device: it may have been switched off."""
        self.state[[SMALLEST, GROWING, TURN]] = np.inf, np.inf, -np.inf

    def of(self, device_time: float, arrival: float) -> float:
        """Delay of a sample beyond the usual [s]."""
        return delay_of(self.state, device_time, arrival)
