"""The serial path from the base of a robot to one of its links or frames, as constant arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from station.mad.placement import from_position, in_predecessor
from station.mad.scene import BASE_ID, Constraint, Frame, Link, Robot
from station.mad.units import JointType
from station.mechanism.classic import kernels
from station.mechanism.classic.errors import ClassicError, NotSerialError
from station.mechanism.classic.results import Errors, Floats

Items = Mapping[int, Link | Frame]


@dataclass(frozen=True, eq=False)
class Chain:
    """n joints in a row; a base on wheels is taken as standing where the file puts it."""

    robot: str
    frame: int  # id of the link or frame at the tip
    joints: tuple[int, ...]  # ids of the links that move, from the base
    before: Floats  # (n, 4, 4) pose of each joint at value 0, in the frame of the joint before (first: in the world)
    after: Floats  # (4, 4) pose of the tip in the frame of the last joint
    revolute: NDArray[np.bool_]  # (n) True: turns about its z, False: slides along it
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
        return kernels.frames(self.before, self.after, self.revolute, q)

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
        return kernels.jacobian(self.frames(q), self.revolute)

    def errors(self, q: Floats, target: Floats) -> Errors:
        """Distance and angle that are missing to a target pose."""
        return Errors.of(kernels.pose_error(self.pose(q), target))

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
        held = {coupling.link, *(other for other, _ in coupling.equals)}
        shared = [link for link in joints if link in held]
        if shared:
            others = ", ".join(str(link) for link in sorted(held - {shared[0]}))
            raise NotSerialError(f"{what}: link {shared[0]} is coupled with link {others}; {advice}")
    for constraint in robot.constraints:
        shared = [link for link in joints if constraint.closes_loop and link in _loop(items, constraint)]
        if shared:
            a, b = (f"{target.word} {target.id}" for target in constraint.targets)
            held_links = ", ".join(map(str, shared))
            raise NotSerialError(f"{what}: the loop {a} – {b} holds link {held_links}; {advice}")


def _loop(items: Items, constraint: Constraint) -> set[int]:
    """Ids of what lies between the two ends of a loop."""
    one, other = ({item.id for item in _path(items, target.id)} for target in constraint.targets)
    return one ^ other
