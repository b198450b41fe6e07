"""End-to-end latency: from a command that leaves the host to the sample that shows its current.

A current that jumps to and fro at random is sent and compared with the currents that come back. The way there and back
delays it, the current loop rounds it off: r' = (u(t - delay) - r)/lag. Both are estimated; their sum is the latency.
"""

from __future__ import annotations

import numpy as np

from calibration.errors import DataError
from calibration.parameters import Floats, Ints, Parameter, Rows

FEWEST = 100  # samples
LONGEST = 0.05  # delay that is looked for [s]
LAGS = (0.0002, 0.0004, 0.0008)  # to begin with [s]
STEP = 0.0005  # of the search [s]
LEAST = 1e-4  # standard deviation of a current that is said to have none [A]


class LatencyModel:
    """Currents that were sent and currents that came back."""

    def __init__(self, sent_at: Floats, sent: Floats, seen_at: Floats, seen: Floats, noise: float) -> None:
        """Take a record.

        Args:
            sent_at: when commands left (n) [s].
            sent: their current (n) [A], which holds until the next.
            seen_at: when samples came (m), of the same clock [s].
            seen: their current (m) [A].
            noise: standard deviation of a measured current [A].
        """
        if len(seen) < FEWEST or len(sent) < FEWEST:
            raise DataError(f"{len(sent)} commands and {len(seen)} samples; at least {FEWEST} of each are needed")
        if float(np.ptp(sent)) == 0.0:
            raise DataError("the current that was sent never changed; its latency cannot be told")
        self.sent_at, self.sent, self.seen, self.noise = sent_at, sent, seen, max(noise, LEAST)
        self._at = seen_at
        self._lag, self._level = -1.0, (np.zeros(0), np.zeros(0))  # of the last lag that was asked for
        # Off whole ticks, where currents that are sent at even times have kinks.
        tried = [(delay, lag) for lag in LAGS for delay in np.arange(0.5 * STEP, LONGEST, STEP).tolist()]
        costs = [float(np.sum((self._response(delay, lag)[0] - seen) ** 2)) for delay, lag in tried]
        best = int(np.argmin(costs))
        if costs[best] > 0.5 * float(np.sum((seen - seen.mean()) ** 2)):
            raise DataError(
                "the currents that came back have nothing to do with those that were sent; is force enabled?"
            )
        self._parameters = (
            Parameter(name="delay", unit="s", nominal=tried[best][0], typical=1e-3),
            Parameter(name="current lag", unit="s", nominal=tried[best][1], typical=3e-4),
        )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Delay there and back, and lag of the current loop."""
        return self._parameters

    @property
    def observations(self) -> int:
        """Samples."""
        return len(self.seen)

    def _levels(self, lag: float) -> tuple[Floats, Floats]:
        """Current when each command arrives [A], and how that changes with the lag; before the first nothing flows."""
        if lag != self._lag:
            count, waits = len(self.sent), np.diff(self.sent_at)
            level, slope = [0.0] * count, [0.0] * count
            fade, sent = np.exp(-waits / lag).tolist(), self.sent.tolist()
            fading = (waits / lag**2 * np.exp(-waits / lag)).tolist()
            for k in range(count - 1):
                off = level[k] - sent[k]
                level[k + 1] = sent[k] + off * fade[k]
                slope[k + 1] = slope[k] * fade[k] + off * fading[k]
            self._lag, self._level = lag, (np.array(level), np.array(slope))
        return self._level

    def _response(self, delay: float, lag: float) -> tuple[Floats, Floats, Floats]:
        """Currents that should come back [A], and how they change with delay and lag [A/s]."""
        lag, count = max(lag, 1e-6), len(self.sent)
        level, slope = self._levels(lag)
        at = self._at - delay
        last = np.clip(np.searchsorted(self.sent_at, at, side="right") - 1, 0, count - 1)
        since, begun = at - self.sent_at[last], at >= self.sent_at[0]
        fades = np.exp(-np.maximum(since, 0.0) / lag) * begun
        off = (level[last] - self.sent[last]) * fades
        return (
            self.sent[last] * begun + off,
            off / lag,
            slope[last] * fades + off * since / lag**2,
        )

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Predicted currents against those that came."""
        expected, by_delay, by_lag = self._response(float(values[0]), float(values[1]))
        jacobian = np.stack([by_delay, by_lag], axis=1)[which][:, None, :]
        return Rows((expected - self.seen)[which][:, None] / self.noise, jacobian / self.noise)
