"""Variants of a task: joints that are not quite where they are thought to be, obstacles that stand a little aside."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from station.bench import Bench
from station.mad.placement import Pose, from_position
from station.mechanism import Mechanism
from station.mechanism.kernels.memory import REVOLUTE
from station.tasks.task import Task
from station.tasks.task.joints import driven_joints
from station.tasks.task.model import Floats
from station.tasks.verify.settings import RobustSettings

WAVES = 3  # of which a wobble consists
SLOWEST, FASTEST = 0.2, 3.0  # of them [Hz]


class Variant(NamedTuple):
    """One way in which things may be."""

    q: Floats  # driven joints as they truly are [rad | m]
    shift: Floats  # largest difference of each driven joint from the task [rad | m]
    obstacles: dict[str, Pose]  # where obstacles truly are


class Drawing:
    """Draws variants of one task; the same seed and number give the same one."""

    def __init__(self, task: Task, scene: Bench, mechanism: Mechanism, settings: RobustSettings) -> None:
        self._q, self._period, self._settings = np.asarray(task.q), task.period, settings
        turns = np.array([mechanism._mem.joint_kind[number] == REVOLUTE for number in driven_joints(mechanism)])
        self._zero = np.where(turns, settings.zero, settings.zero_slide)
        self._wobble = np.where(turns, settings.wobble, settings.wobble_slide)
        self.obstacles = {
            obstacle.name: from_position(obstacle.pos, obstacle.ori)
            for obstacle in (*scene.obstacles, *mechanism.robot.obstacles)
        }

    def variant(self, number: int) -> Variant:
        """Number 0 is the task as it is."""
        if number == 0:
            return Variant(self._q, np.zeros(self._q.shape[1]), dict(self.obstacles))
        settings, q = self._settings, self._q
        draw = np.random.default_rng([settings.seed, number])
        count, time = q.shape[1], self._period * np.arange(len(q))
        true = np.empty_like(q)
        late = np.abs(draw.normal(0.0, settings.lag, count)) if settings.lag else np.zeros(count)
        for joint in range(count):
            true[:, joint] = np.interp(time - late[joint], time, q[:, joint])
        for _ in range(WAVES):
            pace = 2.0 * math.pi * draw.uniform(SLOWEST, FASTEST, count)
            size = draw.normal(0.0, 1.0, count) * self._wobble / math.sqrt(WAVES)
            true += size * np.sin(np.outer(time, pace) + draw.uniform(0.0, 2.0 * math.pi, count))
        true += draw.normal(0.0, 1.0, count) * self._zero
        placed = {name: _shaken(pose, draw, settings) for name, pose in self.obstacles.items()}
        return Variant(true, np.abs(true - q).max(axis=0), placed)


def _shaken(pose: Pose, draw: np.random.Generator, settings: RobustSettings) -> Pose:
    aside = np.eye(4)
    aside[:3, 3] = draw.normal(0.0, 1.0, 3) * settings.place
    vector = draw.normal(0.0, 1.0, 3) * settings.turn
    angle = float(np.linalg.norm(vector))
    if angle > 0.0:
        x, y, z = vector / angle
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        aside[:3, :3] = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross
    new = pose.copy()
    new[:3, :3] = aside[:3, :3] @ pose[:3, :3]
    new[:3, 3] += aside[:3, 3]
    return new
