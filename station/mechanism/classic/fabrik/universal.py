"""FABRIK on a chain of universal joints: pairs of axes that meet at right angles, links square to the second axis.

Why it is exact. Both axes of a pair run through one point, so that neighbouring pairs (and the last one and the tip)
keep their distance: rods. The second axis can be turned square to any direction by the first joint, and then the
second joint brings the link, which is square to the second axis, into that direction: every direction is possible from
every posture of the links before. So any points at the right distances belong to joint values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from station.mechanism.classic.chain import Chain, Progress, answer
from station.mechanism.classic.fabrik.planar import admissible
from station.mechanism.classic.fabrik.points import arrange, forward_reach, out_of_reach
from station.mechanism.classic.results import Floats, Goal, Solution, Status

NEARLY = 1e-9  # directions and offsets count as equal within this [1 | m]


class Pair(NamedTuple):
    """Two joints whose axes meet; `first` is the number of the first one."""

    first: int
    centre: float  # of the meeting point along the first axis, in the frame of the first joint [m]
    link: Floats  # (3) from the meeting point to the next one, in the frame of the second joint [m]


@dataclass(frozen=True, eq=False)
class UniversalChain:
    """Pairs of joints; joints after the last pair are held."""

    chain: Chain
    pairs: list[Pair]
    held: Floats  # (n) [rad | m]

    def points(self, q: Floats) -> Floats:
        """Where the pairs' axes meet and, last, where the tip is, (pairs + 1, 3) [m]."""
        poses = self.chain.frames(q)
        centres = [poses[pair.first, :3, 3] + pair.centre * poses[pair.first, :3, 2] for pair in self.pairs]
        return np.array([*centres, poses[-1, :3, 3]])

    def angles(self, points: Floats, near: Floats) -> Floats:
        """The joint values, within the stops, that point each link at the next point, from the base on [rad | m]."""
        q = near.copy()
        turn = np.eye(3)
        at = points[0]
        for pair, towards in zip(self.pairs, points[1:], strict=True):
            turn = turn @ self.chain.before[pair.first][:3, :3]
            q[pair.first : pair.first + 2] = self._aim(pair, turn.T @ (towards - at), q)
            turn = turn @ self._turned(pair, *q[pair.first : pair.first + 2])
            at = at + turn @ pair.link
        return q

    def reach(self, goal: Goal, q0: Floats) -> Solution:
        """Stage 1 on bare points, stage 2 by the joints within their stops, until nothing changes any more."""
        q = np.concatenate([q0[: 2 * len(self.pairs)], self.held[2 * len(self.pairs) :]])
        target = goal.target[:3, 3].copy()
        lengths = np.array([np.linalg.norm(pair.link) for pair in self.pairs])
        progress = Progress(self.chain, goal)
        status = progress.after(q, self.chain.errors(q, goal.target))
        points = self.points(q)
        too_far = out_of_reach(arrange(points, lengths, target, True))
        q = self.angles(points, q)
        base = points[0].copy()
        while status is None:
            points = self.points(q)
            forward_reach(points, lengths, target)
            points[0] = base
            q = self.angles(points, q)
            status = progress.after(q, self.chain.errors(q, goal.target))
        if too_far and status is not Status.SOLVED:
            status = Status.UNREACHABLE
        return answer(self.chain, goal, progress.q, status, progress.iterations, too_far)

    def _turned(self, pair: Pair, one: float, other: float) -> Floats:
        """Rotation of the second joint's frame in the frame of the first at 0."""
        turned: Floats = _about_z(one) @ self.chain.before[pair.first + 1][:3, :3] @ _about_z(other)
        return turned

    def _aim(self, pair: Pair, way: Floats, q: Floats) -> tuple[float, float]:
        """Values of a pair that bring its link along `way` (in the frame of the first joint at 0), within the stops.

        Both ways to do it are tried, and the better one taken; if both are as good, the one nearer to `q`.
        """
        i = pair.first
        second = self.chain.before[i + 1][:3, :3]
        low, high = self.chain.low, self.chain.high
        square = math.atan2(way[1], way[0]) - math.atan2(second[1, 2], second[0, 2])
        on_axis = math.hypot(way[0], way[1]) <= NEARLY * np.linalg.norm(way)
        found = []
        for first in (q[i],) if on_axis else (square + math.pi / 2, square - math.pi / 2):
            one = admissible(first, q[i], low[i], high[i])
            x, y, _ = second.T @ _about_z(-one) @ way
            turn = math.atan2(y, x) - math.atan2(pair.link[1], pair.link[0])
            other = admissible(turn, q[i + 1], low[i + 1], high[i + 1])
            missed = np.linalg.norm(way - self._turned(pair, one, other) @ pair.link)
            found.append((round(float(missed), 9), abs(one - q[i]) + abs(other - q[i + 1]), one, other))
        return min(found)[2:]


def _about_z(angle: float) -> Floats:
    cos, sin = math.cos(angle), math.sin(angle)
    return np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
