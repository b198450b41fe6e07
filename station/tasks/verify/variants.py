"""Variants of a task: joints and links that are not quite as they are thought to be, obstacles that stand aside."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from station.bench import Bench
from station.kernel.so3 import rotation
from station.mad.placement import Pose, from_position
from station.mechanism import Mechanism
from station.mechanism.memory import JointKind
from station.tasks.task import Task
from station.tasks.task.joints import driven_joints
from station.tasks.task.model import Floats
from station.tasks.verify.settings import RobustSettings

WAVES = 3  # of which a wobble consists
SLOWEST, FASTEST = 0.2, 3.0  # of them [Hz]


class Variant(NamedTuple):
    """One way in which things may be."""

    q: Floats  # driven joints as they truly are [rad | m]
    seats: Floats  # n×3×4, where each joint truly sits on the link before it, at joint value 0 [m]
    moved: Floats  # n, how far each seat is from where it is thought to be [m]
    turned: Floats  # n, and by how much it is turned [rad]
    masses: Floats  # n, factors of the masses of the bodies
    obstacles: dict[str, Pose]  # where obstacles truly are


class Drawing:
    """Draws variants of one task; the same seed and number give the same one."""

    def __init__(self, task: Task, scene: Bench, mechanism: Mechanism, settings: RobustSettings) -> None:
        self._q, self._period, self._settings = np.asarray(task.q), task.period, settings
        turns = mechanism.memory.joint_kind[driven_joints(mechanism)] == JointKind.REVOLUTE
        self._zero = np.where(turns, settings.zero, settings.zero_slide)
        self._wobble = np.where(turns, settings.wobble, settings.wobble_slide)
        self.seats: Floats = np.array(mechanism.memory.before)
        self.obstacles = {
            obstacle.name: from_position(obstacle.pos, obstacle.ori)
            for obstacle in (*scene.obstacles, *mechanism.robot.obstacles)
        }

    def variant(self, number: int) -> Variant:
        """Number 0 is the task as it is."""
        seats, count = self.seats.copy(), len(self.seats)
        if number == 0:
            return Variant(self._q, seats, np.zeros(count), np.zeros(count), np.ones(count), dict(self.obstacles))
        settings = self._settings
        draw = np.random.default_rng([settings.seed, number])
        true = self._tracked(draw)
        placed = {name: _shaken(pose, draw, settings) for name, pose in self.obstacles.items()}
        aside = draw.normal(0.0, 1.0, (count, 3)) * settings.length
        turns = draw.normal(0.0, 1.0, (count, 3)) * settings.axis
        seats[:, :, 3] += aside
        for seat, turn in zip(seats, turns, strict=True):
            seat[:, :3] = rotation(turn) @ seat[:, :3]
        masses = np.maximum(1.0 + draw.normal(0.0, 1.0, count) * settings.mass, 0.0)
        return Variant(true, seats, np.linalg.norm(aside, axis=1), np.linalg.norm(turns, axis=1), masses, placed)

    def _tracked(self, draw: np.random.Generator) -> Floats:
        """Driven joints that are late, wobble about where they are sent, and whose zeros are not quite true."""
        settings, q = self._settings, self._q
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
        return true


def _shaken(pose: Pose, draw: np.random.Generator, settings: RobustSettings) -> Pose:
    """A pose that is a little aside and turned, about its own place."""
    new = pose.copy()
    new[:3, 3] += draw.normal(0.0, 1.0, 3) * settings.place
    new[:3, :3] = rotation(draw.normal(0.0, 1.0, 3) * settings.turn) @ pose[:3, :3]
    return new
