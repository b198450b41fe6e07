"""The serial path from the base of a robot to one of its links or frames: frames, Jacobian and pose error of it.

`Progress` says when to stop: tolerance met, no progress any more, or too many iterations; the best is kept.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from station.kernel import Bools, Bools1, Floats, Floats1, Floats2, Floats3, entry
from station.kernel.se3 import difference
from station.mad.placement import from_position, in_predecessor
from station.mad.scene import BASE_ID, Constraint, Frame, Link, Robot
from station.mad.units import JointType
from station.mechanism.classic.results import ClassicError, Errors, Goal, NotSerialError, Solution, Status

Items = Mapping[int, Link | Frame]


@dataclass(frozen=True, eq=False)
class Chain:
    """n joints in a row; a base on wheels is taken as standing where the file puts it."""

    robot: str
    frame: int  # id of the link or frame at the tip
    joints: tuple[int, ...]  # ids of the links that move, from the base
    before: Floats  # (n, 4, 4) pose of each joint at value 0, in the frame of the joint before (first: in the world)
    after: Floats  # (4, 4) pose of the tip in the frame of the last joint
    revolute: Bools  # (n) True: turns about its z, False: slides along it
    low: Floats  # (n) stops [rad | m], -inf where there is none
    high: Floats  # (n) [rad | m]
    initial: Floats  # (n) joint values of the file [rad | m]

    @staticmethod
    def to(robot: Robot, frame: int) -> Chain:
        """The path to a link or frame by id; raises `NotSerialError` where loops or couplings hold its joints."""
        items = {item.id: item for item in robot.placed()}
        if frame not in items:
            known = ", ".join(map(str, items))
            raise ClassicError(f"robot '{robot.name}' has no link or frame {frame}; there are: {known}")
        path = _path(items, frame)
        joints = [item for item in path if isinstance(item, Link) and item.joint is not JointType.FIXED]
        if not joints:
            raise ClassicError(f"no joint moves frame {frame} of robot '{robot.name}': it stands still on the base")
        _refuse_what_is_not_serial(robot, items, frame, [link.id for link in joints])
        stops = [link.stops or (-np.inf, np.inf) for link in joints]
        before, after = _constants(robot, path)
        return Chain(
            robot=robot.name,
            frame=frame,
            joints=tuple(link.id for link in joints),
            before=before,
            after=after,
            revolute=np.array([link.joint is JointType.REVOLUTE for link in joints]),
            low=np.array([lo for lo, _ in stops], dtype=float),
            high=np.array([hi for _, hi in stops], dtype=float),
            initial=np.array([link.initial for link in joints], dtype=float),
        )

    def start(self, q0: ArrayLike | None) -> Floats:
        """A copy of `q0`, or of the initial values, brought within the stops [rad | m]."""
        q = np.array(self.initial if q0 is None else q0, dtype=float)
        if q.shape != self.initial.shape:
            ids = ", ".join(map(str, self.joints))
            raise ClassicError(f"q0 needs {len(self.joints)} values (links {ids}), not an array of shape {q.shape}")
        if not np.isfinite(q).all():
            raise ClassicError(f"q0 holds values that are not finite: {q.tolist()}")
        within: Floats = np.clip(q, self.low, self.high)
        return within

    def frames(self, q: Floats) -> Floats:
        """Pose of each joint's frame and, last, of the tip in the world, (n + 1, 4, 4) [m]."""
        return frames(self.before, self.after, self.revolute, q)

    def pose(self, q: Floats) -> Floats:
        """Pose of the tip in the world, 4×4 [m]."""
        tip: Floats = self.frames(q)[-1]
        return tip

    def positions(self, q: Floats) -> Floats:
        """Origin of each joint's frame and, last, of the tip in the world, (n + 1, 3) [m]."""
        origins: Floats = self.frames(q)[:, :3, 3]
        return origins

    def jacobian(self, q: Floats) -> Floats:
        """6×n: velocity of the tip per joint velocity, world axes, linear first [m/rad | 1; 1 | 0]."""
        return jacobian(self.frames(q), self.revolute)

    def errors(self, q: Floats, target: Floats) -> Errors:
        """Distance and angle that are missing to a target pose."""
        return Errors.of(difference(self.pose(q), target))

    def stopped(self, q: Floats) -> tuple[int, ...]:
        """Ids of the links that stand at a stop."""
        at = (q <= self.low) | (q >= self.high)
        return tuple(link for link, is_at in zip(self.joints, at, strict=True) if is_at)


def _path(items: Items, frame: int) -> list[Link | Frame]:
    """Everything from the base to `frame`, in that order."""
    path: list[Link | Frame] = []
    while frame != BASE_ID:
        path.append(items[frame])
        frame = items[frame].pred
    return path[::-1]


def _constants(robot: Robot, path: list[Link | Frame]) -> tuple[Floats, Floats]:
    """Constant poses between the joints, and after the last."""
    pose = from_position(robot.base.pos, robot.base.ori)
    before = []
    for item in path:
        if isinstance(item, Link) and item.joint is not JointType.FIXED:
            before.append(pose @ in_predecessor(item, 0.0))
            pose = np.eye(4)
        else:
            pose = pose @ in_predecessor(item)
    return np.array(before), pose


def _refuse_what_is_not_serial(robot: Robot, items: Items, frame: int, joints: list[int]) -> None:
    what = f"frame {frame} of robot '{robot.name}' is not at the end of a free serial chain"
    advice = "the methods of the books know serial chains only; use the station's own solver"
    for coupling in robot.couplings:
        held = {coupling.link, *coupling.leaders}
        shared = [link for link in joints if link in held]
        if shared:
            others = ", ".join(str(link) for link in sorted(held - {shared[0]}))
            raise NotSerialError(f"{what}: link {shared[0]} is coupled with link {others}; {advice}")
    for constraint in robot.constraints:
        shared = [link for link in joints if constraint.holds and link in _loop(items, constraint)]
        if shared:
            a, b = (f"{target.word} {target.id}" for target in constraint.targets)
            held_links = ", ".join(map(str, shared))
            raise NotSerialError(f"{what}: the loop {a} – {b} holds link {held_links}; {advice}")


def _loop(items: Items, constraint: Constraint) -> set[int]:
    """Ids of what lies between the two ends of a loop."""
    one, other = ({item.id for item in _path(items, target.id)} for target in constraint.targets)
    return one ^ other


# Kinematics ---------------------------------------------------------------------------------------------------


def frames(before: Floats, after: Floats, revolute: Bools, q: Floats) -> Floats:
    """Pose of every joint's frame and, last, of the tip in the world, (n + 1, 4, 4) [m]; z is the joint's axis."""
    out = np.zeros((len(q) + 1, 4, 4))
    fill_frames(before, after, revolute, q, out)
    return out


@entry(inline=True)
def fill_frames(before: Floats3, after: Floats2, revolute: Bools1, q: Floats1, out: Floats3) -> None:
    """The same, into `out`."""
    n = q.size
    for i in range(n + 1):
        step = before[i] if i < n else after
        for row in range(3):
            for column in range(4):
                value = step[row, column]
                if i > 0:
                    value = out[i - 1, row, 3] if column == 3 else 0.0
                    for k in range(3):
                        value += out[i - 1, row, k] * step[k, column]
                out[i, row, column] = value
        out[i, 3, 3] = 1.0
        if i < n and revolute[i]:
            cos, sin = math.cos(q[i]), math.sin(q[i])
            for row in range(3):
                x, y = out[i, row, 0], out[i, row, 1]
                out[i, row, 0] = cos * x + sin * y
                out[i, row, 1] = cos * y - sin * x
        elif i < n:
            for row in range(3):
                out[i, row, 3] += q[i] * out[i, row, 2]


def jacobian(poses: Floats, revolute: Bools) -> Floats:
    """6×n, world axes, linear first: [z × (tip - origin); z] for a joint that turns, [z; 0] for one that slides."""
    out = np.zeros((6, len(revolute)))
    fill_jacobian(poses, revolute, out)
    return out


@entry(inline=True)
def fill_jacobian(poses: Floats3, revolute: Bools1, out: Floats2) -> None:
    """The same, into `out`, which is zero."""
    n = revolute.size
    for i in range(n):
        zx, zy, zz = poses[i, 0, 2], poses[i, 1, 2], poses[i, 2, 2]
        if revolute[i]:
            x = poses[n, 0, 3] - poses[i, 0, 3]
            y = poses[n, 1, 3] - poses[i, 1, 3]
            z = poses[n, 2, 3] - poses[i, 2, 3]
            out[0, i], out[1, i], out[2, i] = zy * z - zz * y, zz * x - zx * z, zx * y - zy * x
            out[3, i], out[4, i], out[5, i] = zx, zy, zz
        else:
            out[0, i], out[1, i], out[2, i] = zx, zy, zz


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
