"""`Loops`: which constraints of a mechanism hold; loops are closed and opened in motion, without compiling it anew.

A loop that is to be closed begins closed: what is held is at first not frame b but a spare frame on the same body, put
where frame a holds it. That frame then goes to frame b, and the robot with it; once it is there the loop holds b
itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

import numpy as np

from station.kernel import Floats
from station.kernel.so3 import rotation, rotation_vector
from station.mad.placement import Pose
from station.mad.scene import Constraint, Robot
from station.mechanism.compiling import SPARE_LOOPS, Compiled, Loop, branch_of, loop_of
from station.mechanism.memory import RowKind
from station.mechanism.tree import frame_pose


class Loops:
    """The constraints of a mechanism that close loops: those of its file, then places for some more.

    Args:
        compiled: the mechanism; what is written here is so in its memory.
    """

    def __init__(self, compiled: Compiled) -> None:
        self._memory, self._frames = compiled.memory, compiled.frames
        declared = [item for item in compiled.robot.constraints if item.closes_loop]
        self._declared = len(declared)
        self.constraints: list[Constraint | None] = [*declared, *(None for _ in range(SPARE_LOOPS))]
        self.holding = {number for number, item in enumerate(declared) if item.holds}
        self.promised: set[int] = set()  # places of constraints that somebody has asked for
        self._spare = {len(self._memory.frame_body) - 1 - nth: -1 for nth in range(SPARE_LOOPS)}  # frame → loop

    def __len__(self) -> int:
        return len(self.constraints)

    @property
    def bits(self) -> int:
        """The constraints that hold, as bits."""
        return sum(1 << number for number in self.holding)

    def place_for(self, constraint: Constraint) -> int | None:
        """Number for a further constraint, kept for it until it begins; None: there is no room."""
        taken = self.holding | self.promised | set(self._spare.values())
        free = [number for number in range(self._declared, len(self.constraints)) if number not in taken]
        if not free:
            return None
        number = next((number for number in free if self.constraints[number] is None), free[0])
        self.constraints[number] = constraint
        self.promised.add(number)
        return number

    def can_be_closed(self, constraint: Constraint) -> bool:
        """Whether there is a joint between its two ends."""
        return bool(branch_of(self._memory, loop_of(constraint, self._frames)))

    def loops(self, numbers: Collection[int]) -> list[Loop]:
        """These constraints as kernels know them, with the spare frames of those that are being closed."""
        found = []
        for number in sorted(numbers):
            loop = self._loop(number)
            found.append(loop._replace(b=self._spare_of(number) or loop.b))
        return found

    def is_apart(self, number: int) -> bool:
        """Whether a loop is being closed."""
        return self._spare_of(number) is not None

    def begin(self, number: int) -> None:
        """A loop is going to be closed: it holds a spare frame from now on, which has to be put somewhere."""
        self.promised.discard(number)
        if self._spare_of(number) is None:
            frame = next(frame for frame, loop in self._spare.items() if loop < 0)
            self._spare[frame] = number
            self._memory.frame_body[frame] = self._memory.frame_body[self._loop(number).b]

    def end(self, number: int) -> None:
        """A loop is closed, or it is given up: it has no spare frame any more."""
        self.promised.discard(number)
        frame = self._spare_of(number)
        if frame is not None:
            self._spare[frame] = -1

    def put_apart(self, number: int, apart: Pose) -> None:
        """Put the spare frame of a loop to a pose in its frame b [m]."""
        frame = self._spare_of(number)
        assert frame is not None
        offset = np.eye(4)
        offset[:3] = self._memory.frame_offset[self._loop(number).b]
        self._memory.frame_offset[frame] = (offset @ apart)[:3]

    def apart(self, number: int) -> Pose:
        """Where in frame b a spare frame would be held by frame a, here: the nearest such pose [m]."""
        memory, loop = self._memory, self._loop(number)
        a, b, held = np.eye(4), np.eye(4), np.eye(4)
        frame_pose(memory, loop.a, memory.rotation, memory.position, a)
        frame_pose(memory, loop.b, memory.rotation, memory.position, b)
        axes = a[:3, [row for row in loop.rows if row < RowKind.LOG]]
        held[:3, 3] = b[:3, 3] - axes @ (axes.T @ (b[:3, 3] - a[:3, 3]))
        held[:3, :3] = _turned(a[:3, :3], b[:3, :3], [row for row in loop.rows if row >= RowKind.LOG])
        return np.asarray(np.linalg.inv(b) @ held)

    def described(self, robot: Robot) -> Robot:
        """The same robot with the constraints that hold here."""
        loops = iter(self._said(number) for number in range(self._declared))
        kept = [next(loops) if item.closes_loop else item for item in robot.constraints[: self._in_file(robot)]]
        added = [self._said(number) for number in sorted(self.holding) if number >= self._declared]
        return dataclasses.replace(robot, constraints=(*kept, *added))

    def closures(self, numbers: Collection[int]) -> tuple[Constraint, ...]:
        """These constraints, in the order of `loops`."""
        return tuple(self._said(number) for number in sorted(numbers))

    def _in_file(self, robot: Robot) -> int:
        """How many constraints of a robot are of its file: those that were added come last."""
        added = sum(item.closes_loop for item in robot.constraints) - self._declared
        return len(robot.constraints) - added

    def _said(self, number: int) -> Constraint:
        constraint = self.constraints[number]
        assert constraint is not None
        return dataclasses.replace(constraint, off=number not in self.holding)

    def _loop(self, number: int) -> Loop:
        constraint = self.constraints[number]
        assert constraint is not None
        return loop_of(constraint, self._frames)

    def _spare_of(self, number: int) -> int | None:
        return next((frame for frame, loop in self._spare.items() if loop == number), None)


def gap_of_pose(apart: Pose) -> tuple[float, float]:
    """How far a spare frame is from its goal [m], [rad]."""
    turn: Floats = rotation_vector(apart[:3, :3])
    return float(np.linalg.norm(apart[:3, 3])), float(np.linalg.norm(turn))


def _turned(a: Floats, b: Floats, rows: list[int]) -> Floats:
    """The rotation that is held in `a` by these rows, nearest to `b`; where axes are free only as far as needed."""
    if not rows:
        return b
    if rows[0] < RowKind.PARALLEL:
        return a
    if rows[0] < RowKind.UNIVERSAL:
        free = (rows[0] - RowKind.PARALLEL) // 3
        return np.asarray(rotation(_way(b[:, free], a[:, free])) @ b)
    across = b[:, 0] - a[:, 2] * (a[:, 2] @ b[:, 0])  # the x axis of b at a right angle to the z axis of a
    if across @ across < 1e-12:
        across = a[:, 0]
    return np.asarray(rotation(_way(b[:, 0], across / np.linalg.norm(across))) @ b)


def _way(one: Floats, other: Floats) -> Floats:
    """The shortest rotation from one unit vector to another, about its axis [rad]."""
    axis, cosine = np.cross(one, other), float(one @ other)
    sine = float(np.linalg.norm(axis))
    if sine < 1e-12:
        if cosine > 0.0:
            return np.zeros(3)
        axis = np.cross(one, np.eye(3)[int(np.argmin(np.abs(one)))])  # any at a right angle
        return np.asarray(np.pi * axis / np.linalg.norm(axis))
    return np.asarray(axis / sine * np.arctan2(sine, cosine))
