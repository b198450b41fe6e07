"""`Follower`: what a running station shows in its shared state, put into a scene. It only reads."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from station.errors import StationError
from station.mad.units import JointType
from station.servo.shared import (
    Acting,
    Emulated,
    NoServoError,
    RecordReader,
    ServoState,
    SharedStateError,
    Snapshot,
    StateReader,
)
from station.view.drawing.arrows import Arrow
from station.view.drawing.text import Label
from station.view.geometry.mesh import Colour
from station.view.robot import DrawnRobot
from station.view.scene_view import SceneView
from station.view.trails import Trail

EVERY = 8  # records from one place of a trail to the next
FORCE_LENGTH = 0.01  # length of an arrow over the reach of the robot, per newton
LONGEST = 0.5  # of an arrow, over the reach
LEAST_FORCE = 0.2  # that is worth an arrow [N]
AT_STOP: Colour = (0.85, 0.10, 0.10, 0.75)
AT_SPEED: Colour = (0.95, 0.75, 0.05, 0.6)


class Link(StrEnum):
    """How it is between the view and the station."""

    NONE = "no station runs"
    FOLLOWING = "following"
    WAITING = "the station has not ticked yet"
    ENDED = "the station has ended; this is its last state"


class Follower:
    """Keeps a scene as a running station says.

    Args:
        view: the scene.
        path: shared state of the station; that of the one which was started last, if not given.
        folder: where to look for it.
    """

    def __init__(self, view: SceneView, path: Path | None = None, folder: Path | None = None) -> None:
        self._view, self._path, self._folder = view, path, folder
        self._reader: StateReader | None = None
        self._records: RecordReader | None = None
        self._robot: DrawnRobot | None = None
        self._predicted = self._measured = Trail((0.0, 0.0, 0.0, 0.0))
        self.link = Link.NONE
        self.trouble = ""  # why it does not follow, if it could
        self._shown = -1  # publication that is on the screen

    @property
    def robot(self) -> DrawnRobot | None:
        """The robot of the scene that the station moves."""
        return self._robot

    def update(self) -> bool:
        """Put the newest state into the scene; returns whether the picture has changed. Never raises."""
        try:
            if self._reader is None and not self._open():
                return False
            return self._read()
        except (StationError, ValueError) as error:  # ended, stopped, or it says what nobody knows
            self.trouble = str(error)
            self.link = Link.ENDED
            return True

    def close(self) -> None:
        """Stop following; may be called twice."""
        if self._reader is not None:
            self._reader.close()
        self._reader = self._records = None

    def _open(self) -> bool:
        """Look for a station; returns whether there is one with a robot of this scene."""
        try:
            reader = StateReader(self._path, self._folder)
        except NoServoError:
            self.link = Link.NONE
            return False
        except SharedStateError as error:
            self.trouble = str(error)
            return False
        self._robot = self._match(reader)
        if self._robot is None:
            reader.close()
            self.trouble = (
                f"the running station moves a robot of {reader.layout.joints} joints, which is not in this file"
            )
            return False
        self.trouble, self.link = "", Link.WAITING
        self._reader, self._records = reader, RecordReader(reader)
        step = 2e-3 * self._robot.body.reach
        self._predicted = Trail(self._view.theme.predicted_trail, step=step)
        self._measured = Trail(self._view.theme.measured_trail, step=step)
        self._view.trails.update(predicted=self._predicted, measured=self._measured)
        return True

    def _match(self, reader: StateReader) -> DrawnRobot | None:
        """The robot by the name that the station tells, else by its number of joints."""
        name = reader.text.get("robot")
        fitting = [robot for robot in self._view.robots.values() if robot.kinematics.joints == reader.layout.joints]
        named = [robot for robot in fitting if robot.name == name]
        return next(iter(named or (fitting if name is None else [])), None)

    def _read(self) -> bool:
        assert self._reader is not None
        assert self._robot is not None
        alive = self._reader.alive
        snapshot = self._reader.read()
        if snapshot is None:
            self.link = Link.WAITING if alive else Link.ENDED
            return False
        silence = self._reader.heartbeat_age
        self.link = Link.FOLLOWING if alive else Link.ENDED
        fresh = snapshot.number != self._shown
        self._shown = snapshot.number
        self._put_robot(self._robot, snapshot, silence)
        if fresh:
            self._put_trails()
            self._put_forces(self._robot, snapshot)
            self._put_marks(self._robot, snapshot)
        self._view.status = [*self._lines(snapshot)]
        if not alive:
            self.close()
            self._view.status.append(Link.ENDED.value)
        return True

    def _put_robot(self, robot: DrawnRobot, snapshot: Snapshot, silence: float) -> None:
        if np.isfinite(snapshot.predicted_q).all():
            robot.predict(snapshot.predicted_q, silence)
        age = float(snapshot.measured_age[0])
        known = math.isfinite(age) and np.isfinite(snapshot.measured_q).all()
        robot.measure(snapshot.measured_q if known else None, age + silence)
        robot.emulated = bool(Emulated(int(snapshot.emulated[0])) & Emulated.CONTROLLER)

    def _put_trails(self) -> None:
        assert self._reader is not None
        assert self._records is not None
        rows = self._records.read().records[::EVERY]
        for trail, name in ((self._predicted, "predicted_pose"), (self._measured, "measured_pose")):
            place = self._reader.layout.by_name[name]
            numbers = np.ascontiguousarray(rows[:, place.start : place.end]).view(np.float64).reshape(-1, 4, 4)
            for pose in numbers:
                if pose[3, 3] == 1.0:  # one that was never filled is all zero
                    trail.add(pose[:3, 3])

    def _put_forces(self, robot: DrawnRobot, snapshot: Snapshot) -> None:
        """The force on the tool as an arrow that pushes at it, with its size."""
        self._view.arrows, self._view.labels = [], []
        force: NDArray[np.float64] = snapshot.measured_wrench[:3]
        strength = float(np.linalg.norm(force))
        if not LEAST_FORCE <= strength < math.inf:
            return
        reach = robot.body.reach
        length = min(FORCE_LENGTH * strength, LONGEST) * reach
        tip = snapshot.measured_pose[:3, 3]
        start = tip - length * force / strength
        paint = self._view.theme.force
        self._view.arrows = [Arrow(start, tip - start, paint, 0.35 * robot.body.size)]
        place = (float(start[0]), float(start[1]), float(start[2]))
        self._view.labels = [Label(f"{strength:.1f} N", place, paint, self._view.theme.text_back)]

    def _put_marks(self, robot: DrawnRobot, snapshot: Snapshot) -> None:
        """Joints at a stop red, joints at their speed limit amber."""
        links = [link.id for link in robot.robot.links if link.joint is not JointType.FIXED]
        colours: dict[int, Colour | None] = {}
        for name, acting in zip(links, snapshot.joint_acting, strict=False):
            colours[name] = {-1: AT_STOP, 1: AT_STOP, 2: AT_SPEED}.get(int(acting))
        if any(robot.marks.get(name) != colour for name, colour in colours.items()):
            robot.mark(colours)

    def _lines(self, snapshot: Snapshot) -> list[str]:
        lines = [ServoState(int(snapshot.state[0])).name.lower()]
        if int(snapshot.fault[0]):
            lines[0] += f", cause {int(snapshot.fault[0])}"
        emulated = Emulated(int(snapshot.emulated[0]))
        if emulated:
            lines.append("emulated: " + ", ".join(str(part.name).lower() for part in Emulated if part & emulated))
        acting = Acting(int(snapshot.acting[0]))
        if acting:
            names = [str(part.name).lower().replace("_", " ") for part in Acting if part & acting]
            lines.append("limits: " + ", ".join(names))
        force = float(np.linalg.norm(snapshot.wrench[:3]))
        if LEAST_FORCE <= force < math.inf:
            lines.append(f"on the hand: {force:.1f} N")
        return lines
