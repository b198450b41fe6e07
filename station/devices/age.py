"""How old a sample is: the device's clock against ours, over a link whose delay is not known."""

from __future__ import annotations

import math

from station.kernel import Record, entry, field

HORIZON = 10.0  # time in which an estimate is renewed, for clocks that drift [s]


class DelayState(Record):
    """Differences between arrival and device time."""

    smallest: float = field("s", "that was seen lately: a link without delay", default=math.inf)
    growing: float = field("s", "the smallest since the last turn", default=math.inf)
    turn: float = field("s", "when both were renewed", default=-math.inf)


@entry(inline=True)
def delay_of(state: DelayState, device_time: float, arrival: float) -> float:
    """Delay of a sample beyond the usual [s]; the state remembers what is usual."""
    difference = arrival - device_time
    if arrival - state.turn > HORIZON:
        state.smallest, state.growing, state.turn = state.growing, difference, arrival
    state.growing = min(state.growing, difference)
    state.smallest = min(state.smallest, state.growing)
    return float(difference - state.smallest)


class LinkDelay:
    """How much later than usual things arrive.

    The smallest difference between arrival and device time seen lately stands for a link without delay; what is above
    it was held up on the way. Two windows take turns, so that the smallest is always over 10 to 20 s.
    """

    def __init__(self) -> None:
        self.state = DelayState()

    def reset(self) -> None:
        """Forget the clock of the device: it may have been switched off."""
        self.state.reset()

    def of(self, device_time: float, arrival: float) -> float:
        """Delay of a sample beyond the usual [s]."""
        return delay_of(self.state, device_time, arrival)
