"""How old a sample is: the device's clock against ours, over a link whose delay is not known."""

from __future__ import annotations

HORIZON = 10.0  # time in which an estimate is renewed, for clocks that drift [s]


class LinkDelay:
    """How much later than usual things arrive.

    The smallest difference between arrival and device time seen lately stands for a link without delay; what is above
    it was held up on the way. Two windows take turns, so that the smallest is always over 10 to 20 s.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the clock of the device: it may have been switched off."""
        self._smallest = self._growing = float("inf")
        self._turn = float("-inf")

    def of(self, device_time: float, arrival: float) -> float:
        """Delay of a sample beyond the usual [s]."""
        difference = arrival - device_time
        if arrival - self._turn > HORIZON:
            self._smallest, self._growing, self._turn = self._growing, difference, arrival
        self._growing = min(self._growing, difference)
        self._smallest = min(self._smallest, self._growing)
        return difference - self._smallest
