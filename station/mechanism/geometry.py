"""`Geometry`: the numbers that place links and frames, changed in a mechanism without compiling it anew.

Six numbers place each of them on its predecessor, as the file has them: of a link theta, r, alpha, d, gamma, epsil, of
anything else x, y, z and its three angles [m, rad]. The one that a joint moves is not geometry: it is not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from station.kernel import Floats
from station.mad.placement import Pose, from_parameters, from_position
from station.mad.scene import BASE_ID, Angles, Frame, Link, Parameters, Robot, Vector
from station.mad.units import JointType
from station.mechanism.memory import MechanismMemory

NUMBERS = 6
LINK_ANGLES = np.array([True, False, True, False, True, False])
FRAME_ANGLES = np.array([False, False, False, True, True, True])
VARIABLES = {JointType.REVOLUTE: 0, JointType.PRISMATIC: 1}  # place of the number that a joint moves
AT_HOME = np.eye(4)


class Geometry:
    """Where everything of a mechanism is placed; what is put here is so in its memory at once.

    Args:
        robot: as it was compiled.
        memory: of its mechanism.
        frames: number of each link or frame in kernels, by id.
        joints: number of each joint, by the id of its link.
    """

    def __init__(
        self, robot: Robot, memory: MechanismMemory, frames: Mapping[int, int], joints: Mapping[int, int]
    ) -> None:
        self._memory, self._frames, self._joints = memory, frames, joints
        self._items: dict[int, Link | Frame] = {item.id: item for item in robot.placed()}
        self._numbers = {BASE_ID: np.array([*robot.base.pos, *robot.base.ori], dtype=np.float64)}
        self._on: dict[int, list[int]] = {number: [] for number in (BASE_ID, *self._items)}
        for number, item in self._items.items():
            placed = item.parameters if isinstance(item, Link) else (*item.pos, *item.ori)
            self._numbers[number] = np.array(placed, dtype=np.float64)
            self._on[item.pred].append(number)

    def numbers(self, frame: int) -> Floats:
        """The six numbers of a link or frame [m, rad], a copy."""
        return self._numbers[frame].copy()

    def angles(self, frame: int) -> NDArray[np.bool_]:
        """Which of them are angles."""
        return LINK_ANGLES if isinstance(self._items.get(frame), Link) else FRAME_ANGLES

    def variable(self, frame: int) -> int | None:
        """Which of them a joint moves; None: none."""
        item = self._items.get(frame)
        return VARIABLES.get(item.joint) if isinstance(item, Link) else None

    def put(self, frame: int, numbers: Floats) -> tuple[int, ...]:
        """Place a link or frame by other numbers; bodies are moved by the next forward kinematics.

        Returns the ids of all whose place on their body is another now.
        """
        own, variable = self._numbers[frame], self.variable(frame)
        initial = None if variable is None else own[variable]
        own[:] = numbers
        if variable is not None:
            own[variable] = initial
        return tuple(self._place(frame))

    def described(self, robot: Robot, frame: int) -> Robot:
        """The same robot with the numbers that a link or frame of it has here."""
        numbers: list[float] = self._numbers[frame].tolist()
        pos, ori = Vector(*numbers[:3]), Angles(*numbers[3:])
        if frame == BASE_ID:
            return replace(robot, base=replace(robot.base, pos=pos, ori=ori))
        if isinstance(self._items[frame], Link):
            placed = Parameters(*numbers)
            links = tuple(replace(link, parameters=placed) if link.id == frame else link for link in robot.links)
            return replace(robot, links=links)
        frames = tuple(replace(item, pos=pos, ori=ori) if item.id == frame else item for item in robot.frames)
        tools = tuple(replace(item, pos=pos, ori=ori) if item.id == frame else item for item in robot.tools)
        cameras = tuple(replace(item, pos=pos, ori=ori) if item.id == frame else item for item in robot.cameras)
        return replace(robot, frames=frames, tools=tools, cameras=cameras)

    def _place(self, frame: int) -> list[int]:
        """Find the place of a link or frame, and of what stands on it up to the next joints."""
        memory, item = self._memory, self._items.get(frame)
        at = self._seat(item.pred) @ self._local(frame) if item is not None else self._local(frame)
        if frame in self._joints:
            memory.before[self._joints[frame]] = at[:3]
            return []
        memory.frame_offset[self._frames[frame]] = at[:3]
        return [frame, *(one for child in self._on[frame] for one in self._place(child))]

    def _seat(self, frame: int) -> Pose:
        """Of a link or frame on the body that carries it."""
        if frame in self._joints:
            return AT_HOME
        seat = np.eye(4)
        seat[:3] = self._memory.frame_offset[self._frames[frame]]
        return seat

    def _local(self, frame: int) -> Pose:
        """On its predecessor, its joint at 0."""
        numbers, variable = self._numbers[frame].tolist(), self.variable(frame)
        if variable is not None:
            numbers[variable] = 0.0
        if isinstance(self._items.get(frame), Link):
            return from_parameters(Parameters(*numbers))
        return from_position(Vector(*numbers[:3]), Angles(*numbers[3:]))
