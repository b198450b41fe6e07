"""`Changes`: what is changed of robots and around them while hands lead: obstacles, locked joints, geometry.

Each change begins in a tick of its own, so that a recording has them all. Obstacles and geometry go to where they were
asked to be along a ramp, a step in each tick: speeds grow and end softly, and another goal on the way only bends them.
A robot with loops is closed again after each step; where that cannot be, or moves a joint too fast, the ramp slows down
and in the end stays where it got.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from station.collision import CollisionError
from station.kernel import Floats
from station.kernel.so3 import nearest_rotation, rotation, rotation_vector
from station.mad.placement import from_position
from station.mad.scene import Obstacle
from station.servo.shared.words import Edit, EditState

if TYPE_CHECKING:
    from station.servo.part import Part
    from station.servo.robot import LedRobot
    from station.servo.servo import Servo

SLIDING = 0.1  # [m/s]; the solver pushes a robot out of an obstacle as fast
TURNING = 0.5  # [rad/s]
RISE_TIME = 0.2  # in which a ramp gets that fast [s]
SIZE = 0.2  # obstacles beyond this radius turn more slowly, so that no point of them is faster than SLIDING [m]
LARGE = 2.0  # what counts as the radius of a plane [m]
SHARE = 0.5  # part of a joint's speed limit that closing a loop may take
MOST_WAITING = 64  # changes
SLOWEST = 1e-3  # part of its speed at which a ramp gives up


class Change(NamedTuple):
    """What somebody asked for."""

    kind: Edit
    of: int  # obstacle, joint, or id of a link or frame
    numbers: tuple[float, ...]
    part: Part  # that was asked


class Ramp:
    """Six numbers on their way, each with its own speed.

    Args:
        rates: largest speeds [m/s | rad/s].
    """

    def __init__(self, rates: Floats) -> None:
        self._rates, self._speeds = rates, np.zeros(6)

    def step(self, missing: Floats, dt: float) -> Floats:
        """The motion of one step of `dt` [s] where so much is missing; all of it in the last."""
        grow = self._rates / RISE_TIME
        wanted = np.sign(missing) * np.minimum(self._rates, np.sqrt(2.0 * grow * np.abs(missing)))
        self._speeds += np.clip(wanted - self._speeds, -grow * dt, grow * dt)
        motion = self._speeds * dt
        slow = np.abs(self._speeds) <= 2.0 * grow * dt
        there = slow & (np.abs(missing) <= np.maximum(np.abs(motion), grow * dt * dt))
        self._speeds[there] = 0.0
        return np.asarray(np.where(there, missing, motion))

    def halt(self) -> None:
        """Begin again from rest."""
        self._speeds[:] = 0.0


class MovingObstacle:
    """An obstacle of the world on its way to a pose."""

    def __init__(self, servo: Servo, obstacle: Obstacle) -> None:
        self._robots, self._name = servo.robots, obstacle.name
        self.parts = servo.parts
        self.pose = from_position(obstacle.pos, obstacle.ori)
        self.goal = self.pose.copy()
        turning = SLIDING / max(SIZE, _radius(self._robots, obstacle))
        self._ramp = Ramp(np.array([SLIDING] * 3 + [min(turning, TURNING)] * 3))

    def step(self, dt: float) -> EditState:
        """Go on for `dt` [s]."""
        missing = np.zeros(6)
        missing[:3] = self.goal[:3, 3] - self.pose[:3, 3]
        missing[3:] = rotation_vector(self.goal[:3, :3] @ self.pose[:3, :3].T)
        motion = self._ramp.step(missing, dt)
        if (motion == missing).all():
            self.pose[:] = self.goal
        else:
            self.pose[:3, 3] += motion[:3]
            self.pose[:3, :3] = nearest_rotation(rotation(motion[3:]) @ self.pose[:3, :3])
        for robot in self._robots:
            if robot.surroundings is not None:
                try:
                    robot.surroundings.move(self._name, self.pose, of_world=True)
                except CollisionError:  # a distance that nobody can tell: the next tick looks again
                    continue
        return EditState.DONE if (self.pose == self.goal).all() else EditState.GOING


class MovingPart:
    """A link or frame on its way to another place on its predecessor."""

    def __init__(self, servo: Servo, robot: LedRobot, frame: int, parts: list[Part]) -> None:
        self._servo, self._robot, self._frame = servo, robot, frame
        self.parts = parts
        geometry = robot.mechanism.geometry
        self.goal = geometry.numbers(frame)
        self._variable = geometry.variable(frame)
        self._ramp = Ramp(np.where(geometry.angles(frame), TURNING, SLIDING))
        self._pace = 1.0

    def step(self, dt: float) -> EditState:
        """Go on for `dt` [s]."""
        mechanism = self._robot.mechanism
        now = mechanism.geometry.numbers(self._frame)
        missing = self.goal - now
        if self._variable is not None:
            missing[self._variable] = 0.0
        motion = self._ramp.step(missing, self._pace * dt)
        arrived = bool((motion == missing).all())
        moved = mechanism.change(self._frame, self.goal if arrived else now + motion, within=dt, speeds=SHARE)
        if moved is None:
            self._pace *= 0.5
            self._ramp.halt()
            return EditState.GOING if self._pace > SLOWEST else EditState.STOPPED
        self._pace = min(1.05 * self._pace, 1.0)
        if moved:
            for robot in self._servo.robots:
                if robot.surroundings is not None:
                    robot.surroundings.follow_geometry(mechanism, moved)
        for part in self._robot.parts:
            part.find_frame()
        return EditState.DONE if arrived else EditState.GOING


class Changes:
    """All changes of a servo: asked for between ticks, done in them.

    Args:
        servo: whose.
    """

    def __init__(self, servo: Servo) -> None:
        self._servo = servo
        self._asked: deque[Change] = deque()
        self._obstacles: dict[int, MovingObstacle] = {}  # all that were ever moved
        self._geometry: dict[tuple[int, int], MovingPart] = {}  # by the address of their robot, and id there
        self._going: list[MovingObstacle | MovingPart] = []
        self._stopped: set[Part] = set()  # whose newest changes could not be done

    def ask(self, change: Change) -> bool:
        """Begin with a change in one of the next ticks, in the order of asking; False: too many wait already."""
        if len(self._asked) >= MOST_WAITING:
            return False
        self._asked.append(change)
        self._servo.memory.changing = True
        return True

    def step(self) -> None:
        """What is due in a tick; never raises."""
        if self._asked:
            self._begin(self._asked.popleft())
        for going in list(self._going):
            state = going.step(self._servo.period)
            if state is not EditState.GOING:
                self._going.remove(going)
            if state is EditState.STOPPED:
                self._stopped.update(going.parts)
        for part in self._servo.parts:
            if part.shared.edit:
                part.shared.edit_state = self._state(part)
        self._servo.memory.changing = bool(self._asked or self._going)

    def _state(self, part: Part) -> EditState:
        if any(part in going.parts for going in self._going):
            return EditState.GOING
        return EditState.STOPPED if part in self._stopped else EditState.DONE

    def _begin(self, change: Change) -> None:
        part, servo = change.part, self._servo
        parts = [one for one in servo.parts if one.rig.alone is part.rig.alone]
        if change.kind is Edit.LOCK:
            part.robot.lock(part.rig.joints.start + change.of, bool(change.numbers[0]))
        elif change.kind is Edit.GEOMETRY:
            name = part.rig.alone.robot.name
            frame = part.rig.scene.system(name).frame_id(name, change.of)
            key = part.robot.memory.address, frame
            if key not in self._geometry:
                self._geometry[key] = MovingPart(servo, part.robot, frame, parts)
            self._go(self._geometry[key], np.array(change.numbers))
        else:
            parts = servo.parts
            obstacle = part.rig.scene.obstacles[change.of]
            goal = np.eye(4)
            goal[:3] = np.reshape(change.numbers, (3, 4))
            if change.of not in self._obstacles:
                self._obstacles[change.of] = MovingObstacle(servo, obstacle)
            self._go(self._obstacles[change.of], goal)
        for one in parts:
            self._show(one, change)

    def _go(self, moving: MovingObstacle | MovingPart, goal: Floats) -> None:
        moving.goal[:] = goal
        if moving not in self._going:
            self._going.append(moving)

    def _show(self, part: Part, change: Change) -> None:
        shared = part.shared
        self._stopped.discard(part)
        shared.edit += 1
        shared.edit_kind, shared.edit_of = change.kind, change.of
        shared.edit_numbers[:] = 0.0
        shared.edit_numbers[: len(change.numbers)] = change.numbers


def _radius(robots: tuple[LedRobot, ...], obstacle: Obstacle) -> float:
    """How far an obstacle reaches from its own frame [m]."""
    if obstacle.plane:
        return LARGE
    around = next((robot.surroundings for robot in robots if robot.surroundings is not None), None)
    return 0.0 if around is None else around.radius_of(obstacle.name)
