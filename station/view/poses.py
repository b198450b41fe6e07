"""`Poses`: where everything of a robot is, for any joint values; moves no mechanism and needs no loops closed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from station.mad.placement import from_position
from station.mad.scene import BASE_ID, Angles, Robot, Vector
from station.mechanism.compiling import Footing, compile_robot
from station.mechanism.geometry import Geometry
from station.mechanism.tree import forward
from station.view.errors import ViewRequestError


class Poses:
    """World poses of the base, links, frames, tools and cameras of a robot, in the order of `ids`."""

    def __init__(self, robot: Robot) -> None:
        compiled = compile_robot(robot)
        self.name = robot.name
        self.ids = (BASE_ID, *(item.id for item in robot.placed()))
        self.joints = len(compiled.links)
        self._memory = memory = compiled.memory
        order = [compiled.frames[name] for name in self.ids]
        self._bodies = memory.frame_body[order].copy()
        self._offsets = np.tile(np.eye(4), (len(order), 1, 1))
        self._offsets[:, :3, :] = memory.frame_offset[order]
        self._moving = np.tile(np.eye(4), (self.joints + 1, 1, 1))  # the last one is the base, body -1
        self._order = order
        self._footing: Footing | None = None
        self.robot = robot  # as it is placed here
        self.mount = from_position(robot.base.pos, robot.base.ori)  # on what carries it [m]
        joints = {link.id: nth for nth, link in enumerate(compiled.links)}
        self._geometry = Geometry(robot, memory, compiled.frames, joints)

    def place(self, name: int, numbers: NDArray[np.float64]) -> bool:
        """Place a link or frame by six other numbers [m, rad], see `Geometry`; returns whether they are others."""
        before = self._geometry.numbers(name)
        if name == BASE_ID and self.robot.base.on is not None:
            self.mount = from_position(Vector(*numbers[:3].tolist()), Angles(*numbers[3:].tolist()))
            return bool((before != numbers).any())
        self._geometry.put(name, numbers)
        if (self._geometry.numbers(name) == before).all():
            return False
        self._offsets[:, :3, :] = self._memory.frame_offset[self._order]
        self._footing = None
        self.robot = self._geometry.described(self.robot, name)
        return True

    def stand_at(self, base: NDArray[np.float64]) -> None:
        """Put the base elsewhere: 4×4 pose in the world [m], as for a robot that another one carries."""
        if self._footing is None:
            self._footing = Footing(self._memory, self._offsets[0].copy())
        self._footing.put(base)
        self._offsets[:, :3, :] = self._memory.frame_offset[self._order]

    def at(self, q: ArrayLike) -> NDArray[np.float64]:
        """Poses (ids, 4, 4) [m] at joint values in the order of the file [rad | m]."""
        values = np.ascontiguousarray(q, np.float64)
        if values.shape != (self.joints,) or not np.isfinite(values).all():
            raise ViewRequestError(f"robot {self.name} takes {self.joints} finite joint values")
        memory = self._memory
        forward(memory, values, memory.rotation, memory.position)
        self._moving[:-1, :3, :3], self._moving[:-1, :3, 3] = memory.rotation, memory.position
        return np.asarray(self._moving[self._bodies] @ self._offsets)

    def by_id(self, q: ArrayLike) -> dict[int, NDArray[np.float64]]:
        """The same by id."""
        return dict(zip(self.ids, self.at(q), strict=True))
