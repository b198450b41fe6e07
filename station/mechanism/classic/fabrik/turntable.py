"""FABRIK on a turntable that carries a planar arm, whose plane holds the turntable's axis.

Why it is exact. The tip never leaves the plane through the turntable's axis and square to the other axes. So the
turntable has to bring that plane over the target, which has two solutions half a turn apart, and the rest is the planar
arm. With the tip beside that plane, the points of the arm would not be those of rods that turn about one point.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from station.mechanism.classic.chain import Chain, answer
from station.mechanism.classic.fabrik.planar import SAME_PLACE, PlanarArm, admissible
from station.mechanism.classic.results import Floats, Goal, Solution, Status


@dataclass(frozen=True, eq=False)
class TurntableArm:
    """Joint 0 turns the plane in which joints 1 to `stop` - 1 move the tip; the others are held."""

    chain: Chain
    stop: int
    held: Floats  # (n) [rad | m]

    def points(self, q: Floats) -> Floats:
        """Where the moving axes of the planar arm and the tip are [m]."""
        return self._arm(float(q[0])).points(q)

    def angles(self, points: Floats, near: Floats) -> Floats:
        """The joint values that bring moving axes and tip to these points [rad | m]."""
        farthest = max(points, key=self._from_axis)
        found = []
        for turn in self._turns(farthest, near):
            q = near.copy()
            q[0] = turn
            found.append(self._arm(turn).angles(points, q))
        return min(found, key=lambda q: round(float(np.abs(self.points(q) - points).max()), 9))

    def reach(self, goal: Goal, q0: Floats) -> Solution:
        """Turn the plane over the target the nearer way and reach; else the other way; the better answer counts."""
        tried = []
        iterations = 0
        for turn in self._turns(goal.target[:3, 3], q0):
            q = q0.copy()
            q[0] = turn
            left = goal._replace(max_iterations=goal.max_iterations - iterations)
            attempt = self._arm(turn).attempt(left, q)
            iterations += attempt.iterations
            tried.append(attempt)
            if attempt.status is Status.SOLVED:
                return answer(self.chain, goal, attempt.q, Status.SOLVED, iterations)
        best = min(tried, key=lambda attempt: self.chain.errors(attempt.q, goal.target).position)
        # out of reach only where that is so both ways
        ends = [attempt for attempt in tried if attempt.status is not Status.UNREACHABLE]
        if ends:
            return answer(self.chain, goal, best.q, ends[0].status, iterations)
        return answer(self.chain, goal, best.q, best.status, iterations, best.reason)

    def _arm(self, turn: float) -> PlanarArm:
        held = self.held.copy()
        held[0] = turn
        return PlanarArm.of(self.chain, range(1, self.stop), held, position_only=True)

    def _local(self, point: Floats) -> Floats:
        """A point in the frame of the turntable at 0 [m]."""
        foot = self.chain.before[0]
        local: Floats = foot[:3, :3].T @ (point - foot[:3, 3])
        return local

    def _from_axis(self, point: Floats) -> float:
        x, y, _ = self._local(point)
        return math.hypot(x, y)

    def _turns(self, point: Floats, near: Floats) -> list[float]:
        """Values of joint 0 that bring the plane over a point, the one nearest to `near` first [rad]."""
        x, y, _ = self._local(point)
        if math.hypot(x, y) <= SAME_PLACE:
            return [float(near[0])]
        across_x, across_y, _ = self.chain.before[1][:3, 2]  # the planar arm's axes, square to its plane
        forward = math.atan2(y, x) - math.atan2(-across_x, across_y)
        low, high = float(self.chain.low[0]), float(self.chain.high[0])
        turns = {admissible(forward + half, float(near[0]), low, high) for half in (0.0, math.pi)}
        return sorted(turns, key=lambda turn: abs(turn - float(near[0])))


def beside(chain: Chain) -> float:
    """How far the tip is beside the plane through axis 0 that is square to axis 1 [m]; constant for a planar arm."""
    poses = chain.frames(chain.initial)
    return float(np.abs((poses[-1, :3, 3] - poses[0, :3, 3]) @ poses[1, :3, 2]))
