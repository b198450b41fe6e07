"""What the driver keeps of a session: numbers that go on over the next one."""

from __future__ import annotations

import numpy as np

# Places in the state, for kernels.
ARRIVAL = 0  # of the last sample of whatever session [s]; -inf: there was none
FIRST_NUMBER, FIRST_TIME = 1, 2  # to be added to what the device says [-, s]
BEGINS = 3  # 1: the next sample is the first of a session


class Numbering:
    """Sequence and time of samples go on where an earlier session ended, though the device begins again at 0."""

    def __init__(self) -> None:
        self.state = np.array([-np.inf, 0.0, 0.0, 1.0])

    def begin_session(self) -> None:
        """The device counts anew."""
        self.state[BEGINS] = 1.0
