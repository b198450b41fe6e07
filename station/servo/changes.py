"""`Changes`: what is changed of robots and around them while hands lead: obstacles, locked joints, geometry, loops.

Each change begins in a tick of its own, so that a recording has them all. Obstacles and geometry go to where they were
asked to be along a ramp, a step in each tick: speeds grow and end softly, and another goal on the way only bends them.
A robot with loops is closed again after each step; where that cannot be, or moves a joint too fast, the ramp slows down
and in the end stays where it got.

A constraint that is switched on holds where its frames are, and brings them together along a ramp; one that cannot be
closed is off again. What it means for the robot, its rank and what of a hand it can follow, is looked at before, a
piece in each tick. One that is switched off frees the robot little by little, as a joint that was locked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from station.collision import CollisionError
from station.kernel import Floats
from station.kernel.so3 import nearest_rotation, rotation, rotation_vector
from station.mad.placement import from_position
from station.mad.scene import Obstacle
from station.mechanism import Mechanism
from station.mechanism.loops import gap_of_pose
from station.mechanism.memory import JointKind
from station.servo.locks import SETTING_OUT
from station.servo.rig import Followed, RigError, follow
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
TURN = 4  # ticks for which one of several things that were changed is shown
SLOWEST = 1e-3  # part of its speed at which a ramp gives up


class Change(NamedTuple):
    """What somebody asked for."""

    kind: Edit
    of: int  # obstacle, joint, or id of a link or frame
    numbers: tuple[float, ...]
    part: Part  # that was asked


class Ahead(NamedTuple):
    """A robot as it will be with other loops."""

    mechanism: Mechanism
    followed: list[Followed]  # what of each hand that leads it can be followed then


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

    kind = Edit.OBSTACLE

    def __init__(self, servo: Servo, obstacle: Obstacle, number: int) -> None:
        self.of = number
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

    def numbers(self) -> list[float]:
        """Its pose."""
        return self.pose[:3].ravel().tolist()


class MovingPart:
    """A link or frame on its way to another place on its predecessor."""

    kind = Edit.GEOMETRY

    def __init__(self, servo: Servo, robot: LedRobot, frame: int, own: int, parts: list[Part]) -> None:
        self.of = own  # id in its robot alone
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

    def numbers(self) -> list[float]:
        """The six that place it."""
        return self._robot.mechanism.geometry.numbers(self._frame).tolist()  # type: ignore[no-any-return]


class SwitchedLoop:
    """A constraint of a robot on its way to hold, or to hold no more."""

    kind = Edit.CONSTRAINT

    def __init__(self, servo: Servo, robot: LedRobot, number: int, told: Sequence[float]) -> None:
        self._servo, self._robot, self._number = servo, robot, number
        self.of, self._told = number, told
        self.parts = robot.parts
        self._loops = robot.mechanism.loops
        self._period = 0.0
        self._work: Iterator[EditState] = iter(())
        self.gap = (0.0, 0.0)  # [m], [rad]

    def go(self, on: bool) -> None:
        """Let it hold or not, from where it is now."""
        self._work = self._wait(self._switch_on() if on else self._switch_off())

    def step(self, dt: float) -> EditState:
        """Go on for `dt` [s]."""
        self._period = dt
        state = next(self._work, EditState.DONE)
        if state is not EditState.GOING and self._robot.switching is self:
            self._robot.switching = None
        return state

    def numbers(self) -> list[float]:
        """Whether it holds, and what it is."""
        return [float(self._number in self._loops.holding), *self._told]

    def _wait(self, work: Iterator[EditState]) -> Iterator[EditState]:
        """One constraint of a robot after the other."""
        while self._robot.switching not in (None, self):
            yield EditState.GOING
        self._robot.switching = self
        yield from work

    def _switch_on(self) -> Iterator[EditState]:
        mechanism, loops, number = self._robot.mechanism, self._loops, self._number
        if number in loops.holding and not loops.is_apart(number):
            return
        if number not in loops.holding:
            loops.begin(number)
            apart = loops.apart(number)
            self.gap = gap_of_pose(apart)
            loops.put_apart(number, apart)
            ahead = yield from self._look_ahead({*loops.holding, number})
            if ahead is None:
                loops.end(number)
                yield EditState.STOPPED
                return
            loops.put_apart(number, loops.apart(number))  # the robot has moved meanwhile
            self._take(ahead, {*loops.holding, number})
            yield EditState.GOING
        apart, ramp, pace = loops.apart(number), Ramp(np.array([SLIDING] * 3 + [TURNING] * 3)), 1.0
        while pace > SLOWEST:
            missing = np.concatenate([-apart[:3, 3], -rotation_vector(apart[:3, :3])])
            motion = ramp.step(missing, pace * self._period)
            nearer, arrived = np.eye(4), bool((motion == missing).all())
            if not arrived:
                nearer[:3, 3] = apart[:3, 3] + motion[:3]
                nearer[:3, :3] = nearest_rotation(rotation(motion[3:]) @ apart[:3, :3])
            if mechanism.come_together(number, nearer, within=self._period, speeds=SHARE):
                apart, pace = nearer, min(1.05 * pace, 1.0)
                self.gap = gap_of_pose(apart)
                for part in self.parts:
                    part.find_frame()
                if arrived:
                    break
            else:
                mechanism.come_together(number, apart)
                pace *= 0.5
                ramp.halt()
            yield EditState.GOING
        if pace <= SLOWEST:
            yield from self._switch_off()
            yield EditState.STOPPED
            return
        loops.end(number)
        ahead = yield from self._look_ahead(loops.holding)  # parts may fit together now that did not on the way
        self._take(ahead, loops.holding)

    def _switch_off(self) -> Iterator[EditState]:
        loops, rest = self._loops, self._loops.holding - {self._number}
        if self._number in loops.holding:
            ahead = yield from self._look_ahead(rest)
            loops.end(self._number)
            self._take(ahead, rest)
            self._servo.changes.set_out(self._robot)
        loops.end(self._number)

    def _look_ahead(self, holding: Collection[int]) -> Generator[EditState, None, Ahead | None]:
        """What follows if these loops hold; None: a frame that is led could not move any more."""
        work, followed = self._robot.mechanism.look_ahead(holding), []
        while True:
            try:
                next(work)
            except StopIteration as end:
                mechanism = end.value
                break
            yield EditState.GOING
        for part in self.parts:
            rig, now = part.rig, part.followed
            try:
                followed.append(follow(rig.scene, rig.alone.robot.name, now.id, now.why, now.said, mechanism))
            except RigError:
                return None
            yield EditState.GOING
        return Ahead(mechanism, followed)

    def _take(self, ahead: Ahead | None, holding: Collection[int]) -> None:
        """Let loops hold from this tick on; None: it is not known what that means, and all stays as it was."""
        if ahead is None:
            return
        self._robot.mechanism.take_loops(ahead.mechanism, holding)
        alike = True
        for part, followed in zip(self.parts, ahead.followed, strict=True):
            alike = alike and part.followed.levels == followed.levels
            part.follow_along(followed)
        self._robot.plan()
        self._robot.memory.continued = self._robot.memory.continued and alike
        for part in self.parts:
            part.shared.constraints_on = self._loops.bits


class SettingOut:
    """A robot that is freer than before: it goes where hands want it softly, by speeds that grow from those it has."""

    def __init__(self, robot: LedRobot) -> None:
        self.parts, self._most, self._memory = robot.parts, robot.speeds, robot.mechanism.memory
        self._grow = SETTING_OUT * np.where(self._memory.joint_kind == JointKind.REVOLUTE, 1.0, self._memory.length)
        self._speeds = np.minimum(np.abs(self._memory.v), self._most)

    def step(self, dt: float) -> EditState:
        """Go on for `dt` [s]."""
        self._speeds += self._grow * dt
        self._memory.v_max[:] = np.minimum(self._speeds, self._most)
        return EditState.GOING if (self._speeds < self._most).any() else EditState.DONE


Moving = MovingObstacle | MovingPart | SwitchedLoop
Going = Moving | SettingOut


class Changes:
    """All changes of a servo: asked for between ticks, done in them.

    Args:
        servo: whose.
    """

    def __init__(self, servo: Servo) -> None:
        self._servo = servo
        self._asked: deque[Change] = deque()
        self._edited: dict[tuple[Edit, int, int], Moving] = {}  # all ever: kind, address of their robot, id there
        self._setting_out: dict[int, SettingOut] = {}  # by the address of the robot
        self._going: list[Going] = []
        self._stopped: set[Part] = set()  # whose newest changes could not be done
        self._turn = 0

    def ask(self, change: Change) -> bool:
        """Begin with a change in one of the next ticks, in the order of asking; False: too many wait already."""
        if len(self._asked) >= MOST_WAITING:
            return False
        self._asked.append(change)
        self._servo.memory.changing = True
        return True

    def set_out(self, robot: LedRobot) -> None:
        """Let a robot that is freer than before go softly, from this tick on."""
        before = self._setting_out.pop(robot.memory.address, None)
        if before in self._going:
            self._going.remove(before)
        self._setting_out[robot.memory.address] = now = SettingOut(robot)
        now.step(self._servo.period)
        self._going.append(now)

    def step(self) -> None:
        """What is due in a tick; never raises."""
        if self._asked:
            self._begin(self._asked.popleft())
        for going in list(self._going):
            if going not in self._going:
                continue
            state = going.step(self._servo.period)
            if state is not EditState.GOING:
                self._going.remove(going)
            if state is EditState.STOPPED:
                self._stopped.update(going.parts)
            if isinstance(going, SwitchedLoop):
                for part in going.parts:
                    part.shared.edit_gap[:] = going.gap
        self._turn += 1
        for part in self._servo.parts:
            if part.shared.edit:
                part.shared.edit_state = self._state(part)
                self.show_one(part)
        self._servo.memory.changing = bool(self._asked or self._going)

    def show_one(self, part: Part) -> None:
        """One of all that were changed of what a part shows, as it is now; by turns, those on their way more often."""
        edited = [one for one in self._edited.values() if part in one.parts]
        moving = [one for one in edited if one in self._going]
        turn = self._turn // TURN
        shown = moving if moving and turn % 2 == 0 else edited
        if shown:
            one, shared = shown[turn // 2 % len(shown)], part.shared
            shared.edited_kind, shared.edited_of = one.kind, one.of
            shared.edited_numbers[:] = 0.0
            numbers = one.numbers()
            shared.edited_numbers[: len(numbers)] = numbers

    def show_rarely(self, part: Part) -> None:
        """The next of them, where nothing moves."""
        if self._edited and not self._servo.memory.changing:
            self._turn += TURN
            self.show_one(part)

    def _state(self, part: Part) -> EditState:
        if any(part in going.parts for going in self._going):
            return EditState.GOING
        return EditState.STOPPED if part in self._stopped else EditState.DONE

    def _begin(self, change: Change) -> None:
        part, servo = change.part, self._servo
        robot = part.robot.memory.address
        parts = [one for one in servo.parts if one.rig.alone is part.rig.alone]
        if change.kind is Edit.LOCK:
            part.robot.lock(part.rig.joints.start + change.of, bool(change.numbers[0]))
        elif change.kind is Edit.CONSTRAINT:
            parts = part.robot.parts
            loop = self._edited.get((change.kind, robot, change.of))
            if loop is None or loop.numbers()[1:] != list(change.numbers[1:]):  # another one has its place now
                loop = SwitchedLoop(servo, part.robot, change.of, change.numbers[1:])
                self._edited[change.kind, robot, change.of] = loop
            assert isinstance(loop, SwitchedLoop)
            loop.go(bool(change.numbers[0]))
            self._go(loop)
        elif change.kind is Edit.GEOMETRY:
            name = part.rig.alone.robot.name
            frame = part.rig.scene.system(name).frame_id(name, change.of)
            placed = self._edited.setdefault(
                (change.kind, robot, frame), MovingPart(servo, part.robot, frame, change.of, parts)
            )
            assert isinstance(placed, MovingPart)
            placed.goal[:] = change.numbers
            self._go(placed)
        else:
            parts = servo.parts
            obstacle = part.rig.scene.obstacles[change.of]
            moved = self._edited.setdefault((change.kind, 0, change.of), MovingObstacle(servo, obstacle, change.of))
            assert isinstance(moved, MovingObstacle)
            moved.goal[:3] = np.reshape(change.numbers, (3, 4))
            self._go(moved)
        for one in parts:
            self._show(one, change)

    def _go(self, moving: Moving) -> None:
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
