"""How much may be said to an arm, so that whoever says too much takes no time from setpoints and stops."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

MOST_KNOWN = 64  # of whom it is kept what they said; whoever was heard longest ago is forgotten


class Allowance:
    """So many messages per second for each who speaks, and some more at once after a silence.

    Args:
        rate: for long [1/s].
        burst: at once.
    """

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self._left: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()  # messages, and since when [s]

    def grants(self, who: Hashable, now: float) -> bool:
        """Whether one more message of `who` is heard at `now` [s]."""
        left, since = self._left.pop(who, (self.burst, now))
        left = min(left + self.rate * max(now - since, 0.0), self.burst)
        granted = left >= 1.0
        self._left[who] = (left - granted, now)
        if len(self._left) > MOST_KNOWN:
            self._left.popitem(last=False)
        return granted
