"""`Edits`: what was changed in a run, as a station or a recording says it, put into a scene: geometry and obstacles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from station.mad.placement import angles_of, from_position
from station.mad.scene import Obstacle, Vector
from station.servo.shared import Edit, EditState, Snapshot
from station.view.geometry.robot import robot_body, world_body
from station.view.robot import DrawnRobot, poses_of
from station.view.scene_view import SceneView

SEEN = 0.005  # motion of an obstacle that is worth drawing the surroundings anew while it moves [m]
ARRIVED = 1e-9  # the same when it rests [m]


class Edits:
    """Keeps a scene as it was changed in a run; its file stays as it is.

    A station shows what was changed one by one, so a view that comes later knows all after a moment. Links go along at
    once; bodies that are drawn by the geometry are made anew when nothing moves any more.

    Args:
        view: the scene.
    """

    def __init__(self, view: SceneView) -> None:
        self._view = view
        self._unsettled: dict[str, DrawnRobot] = {}  # whose bodies are not those of their geometry
        self._changed: dict[str, DrawnRobot] = {}  # whose geometry is not that of the file
        self._obstacles: dict[int, Obstacle] = {}  # that are elsewhere

    def take(self, robot: DrawnRobot, snapshot: Snapshot) -> None:
        """Take what a part of the station says of its robot and of the world."""
        if not snapshot.edit[0]:  # nothing was changed yet: also where a replay has gone back
            self._forget(robot)
            return
        kind, number = int(snapshot.edited_kind[0]), int(snapshot.edited_of[0])
        numbers = np.asarray(snapshot.edited_numbers, np.float64)
        if kind == Edit.GEOMETRY and number in robot.kinematics.ids and np.isfinite(numbers).all():
            if robot.kinematics.place(number, numbers[:6]):
                self._changed[robot.name] = self._unsettled[robot.name] = robot
        elif kind == Edit.OBSTACLE and number < len(self._view.bench.obstacles):
            self._move(number, numbers, SEEN if snapshot.edit_state[0] == EditState.GOING else ARRIVED)
        if snapshot.edit_state[0] != EditState.GOING and robot.name in self._unsettled:
            self._settle(self._unsettled.pop(robot.name))

    def forget(self) -> None:
        """Everything as in the file again: another station begins."""
        for robot in list(self._changed.values()):
            self._forget(robot)
        self._put_back()

    def _forget(self, robot: DrawnRobot) -> None:
        """The geometry of a robot, and where obstacles are, as in the file again."""
        if self._changed.pop(robot.name, None) is not None:
            self._unsettled.pop(robot.name, None)
            robot.kinematics = poses_of(self._view.bench, robot.robot)
            self._settle(robot)
        self._put_back()

    def _put_back(self) -> None:
        if self._obstacles:
            self._obstacles.clear()
            self._draw_world()

    def _settle(self, robot: DrawnRobot) -> None:
        """Make the body anew."""
        poses = robot.kinematics.by_id(robot.q)
        robot.body = robot_body(self._view.bench, robot.kinematics.robot, poses)
        robot.forget_canvas()

    def _move(self, number: int, numbers: NDArray[np.float64], least: float) -> None:
        """Draw an obstacle at a pose, if it is so far from where it is drawn [m]."""
        pose = np.eye(4)
        pose[:3] = numbers.reshape(3, 4)
        if not np.isfinite(pose).all():
            return
        now = self._obstacles.get(number, self._view.bench.obstacles[number])
        drawn = from_position(now.pos, now.ori)
        goes = float(np.abs(pose[:3] - drawn[:3]).max())  # a corner one metre away counts
        if goes > least:
            x, y, z = pose[:3, 3].tolist()
            self._obstacles[number] = replace(now, pos=Vector(x, y, z), ori=angles_of(pose))
            self._draw_world()

    def _draw_world(self) -> None:
        view = self._view
        obstacles = tuple(self._obstacles.get(nth, one) for nth, one in enumerate(view.bench.obstacles))
        view.world = world_body(replace(view.bench, obstacles=obstacles))
        view.forget_canvas()
