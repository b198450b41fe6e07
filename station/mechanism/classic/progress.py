"""When to stop: tolerance met, no progress any more, or too many iterations; the best is kept.

Every method ends by one of these, so that each has a hard bound and an answer.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from station.mechanism.classic.chain import Chain
from station.mechanism.classic.results import Errors, Floats, Goal, Solution, Status

PATIENCE = 50  # iterations over which the smallest error (position or rotation) must become smaller …
LEAST_GAIN = 1e-4  # … by at least this part of itself
STANDSTILL = 1e-13  # largest change of a joint in one iteration that counts as none [rad | m]


class Progress:
    """The best values so far and the verdict after each iteration; start it with the values before the first."""

    def __init__(self, chain: Chain, goal: Goal) -> None:
        self.chain, self.goal = chain, goal
        self.iterations = -1
        self.best = np.inf
        self.q = chain.initial
        self._last: Floats | None = None
        self._smallest = Errors(np.inf, np.inf)
        self._history: deque[Errors] = deque(maxlen=PATIENCE)

    def after(self, q: Floats, errors: Errors) -> Status | None:
        """Take note of joint values and their errors; a status where it is time to stop."""
        self.iterations += 1
        measure = self.goal.measure(errors)
        if measure < self.best:
            self.best, self.q = measure, q.copy()
        if self.best <= 1.0:
            return Status.SOLVED
        if self.iterations >= self.goal.max_iterations:
            return Status.CAPPED
        still = self._last is not None and bool(np.abs(q - self._last).max() <= STANDSTILL)
        self._last = q.copy()
        return Status.STALLED if still or self._is_weary(errors) else None

    def _is_weary(self, errors: Errors) -> bool:
        """Neither error has become smaller for long: a method may trade one for the other, but not for ever."""
        self._smallest = Errors(*map(min, self._smallest, errors))
        relevant = self._smallest[:1] if self.goal.position_only else self._smallest
        weary = len(self._history) == PATIENCE and all(
            now >= (1.0 - LEAST_GAIN) * then for now, then in zip(relevant, self._history[0], strict=False)
        )
        self._history.append(self._smallest)
        return weary

    def solution(self, status: Status) -> Solution:
        """The best values as an answer."""
        return answer(self.chain, self.goal, self.q, status, self.iterations)


def answer(chain: Chain, goal: Goal, q: Floats, status: Status, iterations: int, reason: str = "") -> Solution:
    """Joint values as an answer, measured against the goal; `reason` says more about a failure."""
    errors = chain.errors(q, goal.target)
    missing = f"{errors.position:.6g} m" + ("" if goal.position_only else f" and {errors.rotation:.6g} rad")
    message = f"{status.value} after {iterations} iterations, {missing} from the target"
    if status is not Status.SOLVED:
        stopped = ", ".join(map(str, chain.stopped(q)))
        message += f"; {reason}" if reason else ""
        message += f"; at a stop: link {stopped}" if stopped else ""
    return Solution(status, q, iterations, errors.position, errors.rotation, message)
