"""`Pulse`: whether the clock of an arm goes. One that stands is an arm that is connected but dead."""

from __future__ import annotations

STANDSTILL = 0.01  # of an arm's clock, after which it counts as frozen; steps of physics may take a while [s]


class Pulse:
    """Looks at the arm's time at every measurement."""

    def __init__(self) -> None:
        self._time, self._since = float("nan"), float("-inf")  # of the arm; of this program, when that was new [s]

    def stands(self, time: float, now: float) -> bool:
        """Whether the arm's `time` [s] has been the same for too long at `now` [s]."""
        if time != self._time:
            self._time, self._since = time, now
        return now - self._since > STANDSTILL
