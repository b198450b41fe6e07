"""FABRIK on an arm that moves in a plane: all axes parallel.

Why it is exact. Seen along the axes, such an arm is a chain of rods: the distance between two neighbouring axes is
constant, whatever the offsets along the axes are, and the direction of each rod differs from that of the rod before
by the joint value plus a constant. So points give joint values and joint values give points, without loss. The place of
the tip along the axes never changes; what a target asks for in that direction cannot be had.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from station.kernel import Floats1, Floats2, Record, entry, field, kernel
from station.kernel.so3 import rotation_vector
from station.mechanism.classic.chain import Chain, Progress, answer
from station.mechanism.classic.fabrik.points import arrange, out_of_reach
from station.mechanism.classic.results import Floats, Goal, Solution, Status

SAME_PLACE = 1e-9  # axes, or an axis and the tip, that are nearer than this run through one point [m]
TURN = 2.0 * math.pi  # [rad]
FREE = math.nan  # heading of a last rod that may point anywhere


class Rods(Record):
    """Direction of rod i = direction of rod i - 1 + offset + sign · joint value [rad]."""

    lengths: Floats1 = field("m", shape="n")
    signs: Floats1 = field("", "±1: the sense in which the joint turns", shape="n")
    offsets: Floats1 = field("rad", shape="n")
    low: Floats1 = field("rad", "stop", shape="n")
    high: Floats1 = field("rad", "stop", shape="n")


class Attempt(NamedTuple):
    """Best joint values [rad | m], how it ended, after how many iterations, and why the target is out of reach."""

    q: Floats
    status: Status
    iterations: int
    reason: str


@dataclass(frozen=True, eq=False)
class PlanarArm:
    """The joints of a chain that move its tip in a plane; the others are held."""

    chain: Chain
    moving: list[int]  # numbers of the joints that are used
    held: Floats  # (n) joint values, of which those of the held joints count [rad | m]
    plane: Floats  # (3, 2) two directions of the plane
    normal: Floats  # (3) direction of the axes
    base: Floats  # (2) the first moving axis in the plane [m]
    tip: Floats  # 4×4 pose of the tip with all moving joints at 0 [m]
    heading: float  # direction of the last rod with all moving joints at 0 [rad]
    rods: Rods

    @staticmethod
    def of(chain: Chain, joints: range, held: Floats, position_only: bool) -> PlanarArm:
        """The arm of the given neighbouring joints, whose axes are parallel; what moves no point is held at `held`."""
        moving = _moving(chain, joints, position_only)
        kept = held.copy()
        kept[list(moving)] = 0.0
        return _planar_arm(chain, moving, tuple(kept.tolist()))

    def points(self, q: Floats) -> Floats:
        """Where the moving axes and the tip are, (moving + 1, 3) [m]."""
        return self.chain.positions(q)[[*self.moving, -1]]

    def angles(self, points: Floats, near: Floats) -> Floats:
        """The joint values that bring moving axes and tip to these points (along the axes they cannot go) [rad | m]."""
        q = near[self.moving]
        backward_hinges(q, points @ self.plane, self.rods, self.base, FREE)
        return self._all(q)

    def reach(self, goal: Goal, q0: Floats) -> Solution:
        """Iterate both stages until the goal is met or nothing changes any more."""
        return answer(self.chain, goal, *self.attempt(goal, q0))

    def attempt(self, goal: Goal, q0: Floats) -> Attempt:
        """The same, as parts of an answer."""
        inner, outside = self._in_plane(goal)
        target = inner.target[:3, 3] @ self.plane
        heading = FREE if goal.position_only else self.heading + self._turn(goal)
        q = q0[self.moving]
        progress = Progress(self.chain, inner)
        status = progress.after(self._all(q), self.chain.errors(self._all(q), inner.target))
        points = self.points(self._all(q)) @ self.plane
        too_far = self._arrange(points, target, heading)
        backward_hinges(q, points, self.rods, self.base, heading)  # as far as the stops allow
        while status is None:
            forward_hinges(q, points, self.rods, target, heading)
            backward_hinges(q, points, self.rods, self.base, heading)
            status = progress.after(self._all(q), self.chain.errors(self._all(q), inner.target))
        reason = outside or too_far
        if goal.measure(self.chain.errors(progress.q, goal.target)) <= 1.0:
            status = Status.SOLVED
        elif reason:
            status = Status.UNREACHABLE
        return Attempt(progress.q, status, progress.iterations, reason)

    def _all(self, q: Floats) -> Floats:
        """Values of all joints."""
        every = self.held.copy()
        every[self.moving] = q
        return every

    def _turn(self, goal: Goal) -> float:
        """The turn about the axes, from all joints at 0, that comes nearest to the target's orientation [rad]."""
        turn = goal.target[:3, :3] @ self.tip[:3, :3].T
        x, y = self.plane.T
        return math.atan2(y @ turn @ x - x @ turn @ y, x @ turn @ x + y @ turn @ y)

    def _in_plane(self, goal: Goal) -> tuple[Goal, str]:
        """The goal without what the arm cannot do in any posture, and what that was, if it matters."""
        target = goal.target.copy()
        off = float(self.normal @ (self.tip[:3, 3] - target[:3, 3]))
        target[:3, 3] += off * self.normal
        tilt = 0.0
        if not goal.position_only:
            angle = self._turn(goal)
            cos, sin = math.cos(angle), math.sin(angle)
            x, y = self.plane.T
            turn = np.outer(self.normal, self.normal)
            turn += cos * (np.outer(x, x) + np.outer(y, y)) + sin * (np.outer(y, x) - np.outer(x, y))
            target[:3, :3] = turn @ self.tip[:3, :3]
            tilt = float(np.linalg.norm(rotation_vector(target[:3, :3] @ goal.target[:3, :3].T)))
        text = ""
        if abs(off) > goal.tolerance:
            text = f"the target is {abs(off):.6g} m off the plane in which the arm moves"
        elif tilt > goal.rotation_tolerance:
            text = f"the target is tilted by {tilt:.6g} rad out of the plane in which the arm moves"
        inner = goal._replace(
            target=target,
            tolerance=_remaining(goal.tolerance, off),
            rotation_tolerance=_remaining(goal.rotation_tolerance, tilt),
        )
        return inner, text

    def _arrange(self, points: Floats, target: Floats, heading: float) -> str:
        """Points to start from, in place, and why the target is out of reach, if it is."""
        lengths = self.rods.lengths
        if math.isnan(heading):
            return out_of_reach(arrange(points, lengths, target, True))
        if len(lengths) == 1:
            return ""
        wrist = target - lengths[-1] * np.array([math.cos(heading), math.sin(heading)])
        return out_of_reach(arrange(points[:-1], lengths[:-1], wrist, True))


@lru_cache(maxsize=64)
def _moving(chain: Chain, joints: range, position_only: bool) -> tuple[int, ...]:
    """The joints that move a point: not those whose axis is also that of the next, or runs through the tip.

    The last one is needed in any case where the tip's heading counts.
    """
    poses = chain.frames(chain.initial)
    points = poses[[*joints, -1], :3, 3] @ poses[joints[0], :3, :2]
    gaps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    last = None if position_only else joints[-1]
    return tuple(j for j, gap in zip(joints, gaps, strict=True) if gap > SAME_PLACE or j == last)


@lru_cache(maxsize=64)
def _planar_arm(chain: Chain, moving: tuple[int, ...], held: tuple[float, ...]) -> PlanarArm:
    """The arm with all moving joints at 0 in `held` and the others where they are held."""
    poses = chain.frames(np.array(held))
    plane = np.ascontiguousarray(poses[moving[0], :3, :2])
    normal = poses[moving[0], :3, 2]
    points = poses[[*moving, -1], :3, 3] @ plane
    links = np.diff(points, axis=0)
    directions = np.arctan2(links[:, 1], links[:, 0])
    rods = Rods(
        lengths=np.linalg.norm(links, axis=1),
        signs=np.sign(poses[list(moving), :3, 2] @ normal),
        offsets=np.diff(directions, prepend=0.0),
        low=chain.low[list(moving)],
        high=chain.high[list(moving)],
    )
    return PlanarArm(
        chain, list(moving), np.array(held), plane, normal, points[0], poses[-1], float(directions[-1]), rods
    )


def _remaining(tolerance: float, used: float) -> float:
    """What is left of a tolerance beside an error at right angles to the others, if that is within it."""
    return math.sqrt(max(tolerance**2 - used**2, (1e-3 * tolerance) ** 2)) if abs(used) <= tolerance else tolerance


# The two stages on rods that are joined by hinges with stops ---------------------------------------------------


@entry(inline=True)
def admissible(angle: float, near: float, low: float, high: float) -> float:
    """The value in [low, high] that equals `angle` but for whole turns and is nearest to `near`, which is in there.

    Where there is none: the stop that is nearer to the angle [rad].
    """
    value = angle + TURN * np.round((near - angle) / TURN)
    if low <= value <= high:
        return float(value)
    other = value + TURN if value < low else value - TURN
    if low <= other <= high:
        return float(other)
    below, above = min(value, other), max(value, other)
    return low if low - below <= above - high else high


@kernel
def _direction(points: Floats2, i: int, otherwise: float) -> float:
    """Direction from point i to the next, or another where both are in one place [rad]."""
    x, y = points[i + 1, 0] - points[i, 0], points[i + 1, 1] - points[i, 1]
    return otherwise if x == 0.0 and y == 0.0 else math.atan2(y, x)


@entry
def forward_hinges(q: Floats1, points: Floats2, rods: Rods, target: Floats1, heading: float) -> None:
    """Stage 1, points in place: drawn to the target as bare points are, each joint's stops limiting the rod before it.

    `heading` fixes the direction of the last rod [rad]; nan leaves it free.
    """
    last = q.size - 1
    points[last + 1, 0], points[last + 1, 1] = target[0], target[1]
    direction = _direction(points, last, 0.0) if math.isnan(heading) else heading
    for i in range(last, -1, -1):
        if i < last:
            sign, offset = rods.signs[i + 1], rods.offsets[i + 1]
            wanted = sign * (direction - _direction(points, i, direction) - offset)
            direction -= offset + sign * admissible(wanted, q[i + 1], rods.low[i + 1], rods.high[i + 1])
        points[i, 0] = points[i + 1, 0] - rods.lengths[i] * math.cos(direction)
        points[i, 1] = points[i + 1, 1] - rods.lengths[i] * math.sin(direction)


@entry
def backward_hinges(q: Floats1, points: Floats2, rods: Rods, base: Floats1, heading: float) -> None:
    """Stage 2, joint values and points in place: each joint turns its rod towards the next point, within its stops.

    So the points are always those of the joint values, and the joint values always within the stops.
    """
    last = q.size - 1
    points[0, 0], points[0, 1] = base[0], base[1]
    direction = 0.0
    for i in range(last + 1):
        sign = rods.signs[i]
        zero = direction + rods.offsets[i]
        wanted = _direction(points, i, zero + sign * q[i]) if i < last or math.isnan(heading) else heading
        q[i] = admissible(sign * (wanted - zero), q[i], rods.low[i], rods.high[i])
        direction = zero + sign * q[i]
        points[i + 1, 0] = points[i, 0] + rods.lengths[i] * math.cos(direction)
        points[i + 1, 1] = points[i, 1] + rods.lengths[i] * math.sin(direction)
