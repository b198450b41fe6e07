"""`Tare`: what a force sensor tells while nothing touches the tool. One rule for the station and for the end at an arm.

It is found once: over the first stretch of time in which the arm holds by itself, stands still, and tells a force that
is small and steady. Once the arm has followed, it may stand in touch with something, and nobody can tell that from a
bias: nothing is learnt any more, until a person asks for it. If nothing was found before, readings count as they are.
With a calibrated sensor the same is done with corrected readings: what is taken away then is its drift since.
"""

from __future__ import annotations

import math

import numpy as np

from station.controllers.controller import Floats

TIME = 0.1  # over which the mean is taken [s]
LEAST = 3  # readings in each half of it
GAP = 0.5  # time between two readings after which it begins anew [s]
STILL = 1e-3  # farthest that a joint may go meanwhile [rad | m]
# Largest difference between the means of the two halves: this, and what their noise explains, but never more [N, N·m].
STEADY, NEVER_MORE = np.array([0.1] * 3 + [0.01] * 3), np.array([0.5] * 3 + [0.05] * 3)
DEVIATIONS = 4.0  # of a mean, that noise explains
MOST = 5.0  # force beyond which a tool is taken to touch something, not to be ill adjusted [N]
MOST_ASKED = 100.0  # the same when a person says that nothing is touched, such as the weight of an unknown tool [N]
LARGEST = 1e6  # no sensor tells more [N, N·m]


class Tare:
    """The bias of one sensor, in its own frame. `hear` for each reading while the arm holds by itself."""

    def __init__(self, bias: Floats | None = None) -> None:
        self.bias: Floats = np.zeros(6) if bias is None else bias  # [N, N·m]; where the caller wants it
        self.known = False  # whether it was ever found
        self.looking = True  # for it
        self._most = MOST
        self._start, self._last = math.nan, math.nan  # of the stretch, and of readings [s]
        self._q: Floats = np.zeros(0)
        self._sums, self._squares, self._counts = np.zeros((2, 6)), np.zeros((2, 6)), [0, 0]  # of the two halves

    def ask(self) -> None:
        """A person says that nothing touches the tool: look for it anew. The old one holds until then."""
        self.looking, self._most = True, MOST_ASKED
        self._start = math.nan

    def follows(self) -> None:
        """The arm follows setpoints: what was not found by now is not looked for any more."""
        self.looking = False

    def hear(self, now: float, q: Floats, wrench: Floats) -> None:
        """A reading at `now` [s], with the joints of the arm [rad | m]."""
        if not self.looking:
            return
        if not bool((np.abs(wrench) <= LARGEST).all()):  # false for NaN
            self._start = math.nan
            return
        if not (now - self._start >= 0.0 and now - self._last <= GAP and self._is_still(q)):
            self._begin(now, q)
        past = now - self._start
        half = int(self._counts[1] > 0 or (past >= 0.5 * TIME and self._counts[0] >= LEAST))
        self._sums[half] += wrench
        self._squares[half] += wrench**2
        self._counts[half] += 1
        self._last = now
        if past >= TIME and self._counts[1] >= LEAST:
            self._end()

    def _is_still(self, q: Floats) -> bool:
        return q.shape == self._q.shape and bool((np.abs(q - self._q) <= STILL).all())

    def _begin(self, now: float, q: Floats) -> None:
        self._start, self._q = now, q.copy()
        self._sums[:] = self._squares[:] = 0.0
        self._counts = [0, 0]

    def _end(self) -> None:
        mean = self._sums.sum(axis=0) / sum(self._counts)
        if self._is_steady() and float(np.linalg.norm(mean[:3])) < self._most:
            self.bias[:] = mean
            self.known, self.looking = True, False
        self._start = math.nan

    def _is_steady(self) -> bool:
        """Whether both halves tell the same; noise is that of the calmer one, so that what dies away is not noise."""
        counts = np.array(self._counts)[:, None]
        means = self._sums / counts
        noise = np.sqrt(np.maximum(self._squares / counts - means**2, 0.0) / counts).min(axis=0)
        allowed = np.minimum(STEADY + DEVIATIONS * noise, NEVER_MORE)
        return bool((np.abs(means[1] - means[0]) <= allowed).all())
