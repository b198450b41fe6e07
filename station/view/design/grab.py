"""`Grab`: a point of a robot that the mouse leads: a device that acts there, and the solver does the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from station.mad.scene import BASE_ID, Frame, Robot, Vector
from station.mechanism import Mechanism
from station.mechanism.mechanism import Along
from station.mechanism.results import Status, Step
from station.view.design.contacts import Around
from station.view.design.errors import DesignError
from station.view.design.model import Design

STEP = 0.01  # longest of the solver [s]
MOST_STEPS = 10  # per frame: after a long pause the robot goes on where it is


class Grab:
    """A grabbed point, and the place where it is wanted.

    Args:
        design: whose robot it is.
        robot: its name.
        part: link, frame, tool or camera that was grabbed.
        point: where, in the world [m].
    """

    def __init__(self, design: Design, robot: str, part: int, point: ArrayLike) -> None:
        if part == BASE_ID:
            raise DesignError(f"the base of {robot} stands still; grab something that moves")
        self.robot, self.part = robot, part
        self._design = design
        mechanism = design.bench[robot]
        held = np.append(np.asarray(point, np.float64), 1.0)
        self.offset: NDArray[np.float64] = (np.linalg.inv(mechanism.pose(part)) @ held)[:3]  # in its frame [m]
        self.wanted: NDArray[np.float64] = held[:3].copy()  # in the world [m]
        self.turn: NDArray[np.float64] | None = None  # orientation to keep, if any: 3×3
        self._frame, self._revision = -1, -1
        self._around: Around
        self._hand: Mechanism = self._led()

    @property
    def place(self) -> NDArray[np.float64]:
        """Where the grabbed point is [m]."""
        return np.asarray(self._led().pose(self._frame)[:3, 3])

    def keep_turn(self, on: bool) -> None:
        """Whether the part should keep the orientation that it has now, as far as that leaves the point free."""
        if not on:
            self.turn = None
        elif self.turn is None:
            self.turn = self._design.bench[self.robot].pose(self.part)[:3, :3].copy()

    def follow(self, elapsed: float) -> Step | None:
        """Let the robot follow for some time [s]; returns the last step, None if no time has passed."""
        hand, step = self._led(), None
        stands = self._design.led(self.robot, self.part)[0].q
        if not np.allclose(stands, hand.q, rtol=0.0, atol=1e-6):  # somebody else has moved it; else it keeps its speed
            hand.q = stands
        count = min(int(np.ceil(elapsed / STEP)), MOST_STEPS)
        for _ in range(count):
            step = self._step(hand, elapsed / count if count < MOST_STEPS else STEP)
            if step.status is Status.CLOSURE_LOST:
                break
        if step is not None:
            self._design.led(self.robot, self.part)[0].q = hand.q
            self._design.settle(self.robot)
        return step

    def _step(self, hand: Mechanism, dt: float) -> Step:
        pose = hand.pose(self._frame)
        pose[:3, 3] = self.wanted
        then: tuple[dict[int, Along], ...] = ()
        if self.turn is not None:
            pose[:3, :3] = self.turn
            then = ({self._frame: Along(pose.copy(), "rx ry rz")},)
        contacts = self._around.contacts(dt)
        step = hand.step({self._frame: Along(pose, "x y z")}, dt, then=then, contacts=contacts)
        self._around.stepped()
        return step

    def _led(self) -> Mechanism:
        """The robot with one more frame at the grabbed point; another one after every change of its geometry."""
        if self._revision != self._design.revision:
            mechanism, part = self._design.led(self.robot, self.part)
            robot = mechanism.robot
            self._frame = free_id(robot)
            x, y, z = (float(value) for value in self.offset)
            frame = Frame(id=self._frame, pos=Vector(x, y, z), pred=part)
            self._hand = Mechanism(replace(robot, frames=(*robot.frames, frame)))
            self._hand.q = mechanism.q
            self._around = Around(self._design.bench, self._hand)
            self._revision = self._design.revision
        return self._hand


def free_id(robot: Robot) -> int:
    """An id that nothing in a robot has."""
    return max((item.id for item in robot.placed()), default=BASE_ID) + 1
