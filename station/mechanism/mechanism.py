"""A robot that moves: compiled from a scene, loops closed, limits kept."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from station.mad.placement import Pose
from station.mad.scene import Robot
from station.mechanism.assembly import CLOSED, Gap, assemble, gap_of, task_rank
from station.mechanism.compiling import compile_robot
from station.mechanism.errors import MechanismError
from station.mechanism.kernels.assemble import close_loops, come_nearer
from station.mechanism.kernels.closures import closure_rows
from station.mechanism.kernels.memory import MOST_CONTACTS, MOST_TASKS, REVOLUTE, Floats
from station.mechanism.kernels.step import (
    CONDITION,
    GAVE_WAY,
    LANDED,
    LARGEST_MOTION,
    POSITION_ERROR,
    ROTATION_ERROR,
    step,
)
from station.mechanism.kernels.tasks import JOINT, POSE, TWIST
from station.mechanism.kernels.tree import forward, frame_jacobian, frame_pose
from station.mechanism.preference import Preference
from station.mechanism.results import Joint, Status, Step, TrackingError

SINGULAR = 50.0  # condition above which a step counts as near a singularity
AT_REST = 1e-4  # speed below which a joint counts as at rest [rad/s | m/s]
REACHED = (1e-6, 1e-5)  # distance [m] and angle [rad] at which a target counts as reached
EVERY_AXIS = 63


class Contact(NamedTuple):
    """A half-space that a point of the robot must not enter."""

    frame: int | str  # link or frame whose body is near an obstacle
    point: ArrayLike  # of that body, in the world [m]
    normal: ArrayLike  # unit vector away from the obstacle
    distance: float  # from the obstacle along the normal [m]


class Mechanism:
    """A robot of a scene, ready to move. Frames are named by id, or by name where they have one."""

    def __init__(self, robot: Robot) -> None:
        compiled = compile_robot(robot)
        self.robot = robot
        self._mem = compiled.memory
        self._samples = assemble(robot.name, compiled)
        self._frames = compiled.frames
        self._names = compiled.names
        self._joint_numbers = {link.id: number for number, link in enumerate(compiled.links)}
        self.joints = tuple(
            Joint(
                link.id, link.name, link.joint, link.stops, link.speed, link.acceleration, link.effort, not link.passive
            )
            for link in compiled.links
        )
        self.mobility = (
            len(compiled.links) - int(self._mem.closure_rank[0]) if len(self._mem.residual) else len(compiled.links)
        )
        self._ranks: dict[tuple[tuple[int, int], ...], int] = {}
        self._followed: tuple[tuple[int, int], ...] = ()
        self._refresh()

    # Where it is -----------------------------------------------------------------------------------------

    @property
    def q(self) -> Floats:
        """Joint values in the order of the file [rad | m], a copy."""
        return self._mem.q.copy()

    @property
    def velocity(self) -> Floats:
        """Joint speeds of the last step [rad/s | m/s], a copy."""
        return self._mem.v.copy()

    @property
    def closure_error(self) -> Gap:
        """Largest gap of any loop or coupling [m], [rad]."""
        closure_rows(self._mem.block, self._mem.q, False)
        return gap_of(self._mem)

    def pose(self, frame: int | str) -> Pose:
        """4×4 pose of a link or frame in the world [m]."""
        pose = np.eye(4)
        frame_pose(self._mem.block, self._frame(frame), self._mem.rotation, self._mem.position, pose)
        return pose

    def jacobian(self, frame: int | str) -> Floats:
        """6×n Jacobian of a link or frame: world axes, linear first. Loops are not taken into account."""
        number, mem = self._frame(frame), self._mem
        pose, jacobian = np.eye(4), np.zeros((6, len(mem.q)))
        frame_pose(mem.block, number, mem.rotation, mem.position, pose)
        frame_jacobian(mem.block, number, pose[:3, 3].copy(), mem.rotation, mem.position, jacobian)
        return jacobian

    def jacobian_at(self, frame: int | str, q: ArrayLike) -> Floats:
        """The Jacobian at other joint values [rad | m]; the robot does not move."""
        forward(self._mem.block, np.asarray(q, dtype=np.float64), self._mem.rotation, self._mem.position)
        try:
            return self.jacobian(frame)
        finally:
            self._refresh()

    def _refresh(self) -> None:
        forward(self._mem.block, self._mem.q, self._mem.rotation, self._mem.position)

    def _frame(self, name: int | str) -> int:
        """Number of a frame; raises MechanismError that lists what there is."""
        try:
            return self._frames[self._names[name] if isinstance(name, str) else name]
        except KeyError:
            ids = ", ".join(str(known) for known in self._frames)
            names = ", ".join(self._names)
            known = f"ids {ids}" + (f"; names {names}" if names else "")
            raise MechanismError(f"robot {self.robot.name} has no frame {name!r}; there are: {known}") from None

    def joint_number(self, link: int | str) -> int:
        """Place of a link's joint in `q`; raises MechanismError that lists the links with a joint."""
        try:
            return self._joint_numbers[self._names[link] if isinstance(link, str) else link]
        except KeyError:
            known = ", ".join(str(number) for number in self._joint_numbers)
            raise MechanismError(f"robot {self.robot.name} has no joint {link!r}; there are: {known}") from None

    # How it moves ----------------------------------------------------------------------------------------

    def step(
        self,
        targets: Mapping[int | str, ArrayLike],
        dt: float,
        *,
        joints: Mapping[int | str, float] | None = None,
        then: Sequence[Mapping[int | str, ArrayLike]] = (),
        prefer: Preference | None = None,
        contacts: Sequence[Contact] = (),
    ) -> Step:
        """Move by one step of `dt` [s]: loops stay closed, limits are kept, targets followed as well as these allow.

        Args:
            targets: for each followed frame a twist (6,) [m/s, rad/s] or a target pose (4, 4) [m], world axes.
            dt: length of the step [s].
            joints: target values of single joints [rad | m]; direct kinematics if `targets` is empty.
            then: further targets, each group in strict priority below the ones before it.
            prefer: what to do with the freedom that is left.
            contacts: half-spaces that points of the robot must not enter.
        """
        if not 0.0 < dt < math.inf:
            raise MechanismError(f"a step takes a positive time, not {dt} s")
        count, followed = 0, []
        for level, group in enumerate((targets, *then)):
            for frame, target in group.items():
                number = self._frame(frame)
                self._put_target(count, number, level, target)
                followed.append((number, level))
                count += 1
            if level == 0 and joints:
                for link, value in joints.items():
                    self._put_joint(count, self.joint_number(link), value)
                    followed.append((-1, level))
                    count += 1
        self._remember(tuple(followed))
        self._mem.wish_weight[:] = 0.0
        if prefer is not None:
            prefer.fill(self, self._mem.wish, self._mem.wish_weight, dt)
        for number, contact in enumerate(contacts):
            self._put_contact(number, contact)
        return self._step(count, len(contacts), dt)

    def _step(self, count: int, contacts: int, dt: float) -> Step:
        mem, rank = self._mem, self._rank(self._followed)
        step(mem.block, count, rank, contacts, dt)
        results = mem.results
        felt = mem.felt[: len(mem.q) + contacts].copy()
        limits = self._active_limits(felt)
        return Step(
            self._status(felt, limits),
            mem.q.copy(),
            mem.v.copy(),
            TrackingError(float(results[POSITION_ERROR]), float(results[ROTATION_ERROR])),
            limits,
            felt,
            float(results[CONDITION]),
            bool(results[GAVE_WAY]),
        )

    def _status(self, felt: Floats, limits: tuple[int, ...]) -> Status:
        results = self._mem.results
        if not results[LANDED]:
            return Status.CLOSURE_LOST
        missed = results[POSITION_ERROR] > REACHED[0] or results[ROTATION_ERROR] > REACHED[1]
        if missed and results[LARGEST_MOTION] < AT_REST:
            return Status.UNREACHABLE
        if results[CONDITION] > SINGULAR:
            return Status.NEAR_SINGULAR
        return Status.LIMITED if limits or felt[len(self._mem.q) :].any() else Status.OK

    def _active_limits(self, felt: Floats) -> tuple[int, ...]:
        """Ids of links that a position or speed limit holds back (an acceleration limit does so at every start)."""
        mem, found = self._mem, []
        if not felt.any():
            return ()
        for number in np.flatnonzero(felt[: len(mem.q)]):
            q, speed = mem.q[number], abs(mem.v[number])
            near = 1e-9 * max(1.0, abs(q))
            at_stop = q - mem.q_min[number] < near or mem.q_max[number] - q < near
            if at_stop or speed > mem.v_max[number] * (1.0 - 1e-9):
                found.append(self.joints[number].id)
        return tuple(found)

    def _put_target(self, number: int, frame: int, level: int, target: ArrayLike) -> None:
        mem = self._mem
        values = np.asarray(target, dtype=np.float64)
        if number >= MOST_TASKS or not math.isfinite(values.sum()):
            raise MechanismError(
                f"at most {MOST_TASKS} targets at a time" if number >= MOST_TASKS else "a target that is not finite"
            )
        if values.shape == (6,):
            mem.task_kind[number] = TWIST
            mem.task_value[number, 0, :3], mem.task_value[number, 1, :3] = values[:3], values[3:]
        elif values.shape == (4, 4):
            mem.task_kind[number] = POSE
            mem.task_before[number] = mem.task_value[number]
            mem.task_value[number] = values[:3]
        else:
            raise MechanismError(f"a target is a twist (6,) or a pose (4, 4), not an array of shape {values.shape}")
        mem.task_place[number], mem.task_level[number], mem.task_axes[number] = frame, level, EVERY_AXIS

    def _put_joint(self, number: int, joint: int, value: float) -> None:
        if number >= MOST_TASKS or not math.isfinite(value):
            raise MechanismError(f"joint targets are finite, and there are at most {MOST_TASKS} targets at a time")
        mem = self._mem
        mem.task_kind[number], mem.task_place[number], mem.task_level[number] = JOINT, joint, 0
        mem.task_value[number, 0, 0] = value

    def _put_contact(self, number: int, contact: Contact) -> None:
        if number >= MOST_CONTACTS:
            raise MechanismError(f"at most {MOST_CONTACTS} contacts at a time")
        frame, point, normal, distance = contact
        mem = self._mem
        mem.contact_frame[number] = self._frame(frame)
        mem.contact_point[number], mem.contact_normal[number] = point, normal
        mem.contact_distance[number] = distance

    def _remember(self, followed: tuple[tuple[int, int], ...]) -> None:
        """A target that was followed in the step before moves by itself; a new one does not."""
        self._mem.task_continued[:] = followed == self._followed
        self._followed = followed

    def _rank(self, followed: tuple[tuple[int, int], ...]) -> int:
        """Rank that the rows of the first level have at almost every configuration."""
        if followed not in self._ranks:
            frames = [frame for frame, level in followed if level == 0 and frame >= 0]
            self._ranks[followed] = task_rank(self._mem, self._samples, frames)
            self._refresh()
        return self._ranks[followed]

    def set_joint(self, link: int | str, value: float) -> float:
        """Turn or slide one joint to a value [rad | m] or as near as its stops and the loops allow; returns its value.

        Other joints move only as the loops demand. Speed and acceleration limits do not count here.
        """
        joint, mem = self.joint_number(link), self._mem
        stride = 0.05 * (1.0 if mem.joint_kind[joint] == REVOLUTE else float(mem.scale[0]))
        speeds, accelerations = mem.v_max.copy(), mem.a_max.copy()
        mem.v_max[:], mem.a_max[:], mem.v[:] = math.inf, math.inf, 0.0
        try:
            for _ in range(10_000):
                before = float(mem.q[joint])
                self.step({}, 1.0, joints={link: before + min(max(value - before, -stride), stride)})
                if abs(mem.q[joint] - before) < 1e-12:
                    break
        finally:
            mem.v_max[:], mem.a_max[:], mem.v[:] = speeds, accelerations, 0.0
        return float(mem.q[joint])

    @q.setter
    def q(self, values: ArrayLike) -> None:
        """Put the robot somewhere else, at rest; open loops are closed nearest to these values."""
        mem = self._mem
        wanted = np.array(values, dtype=np.float64)
        if wanted.shape != mem.q.shape or not np.isfinite(wanted).all():
            raise MechanismError(f"robot {self.robot.name} takes {len(mem.q)} finite joint values")
        wanted = np.clip(wanted, mem.q_min, mem.q_max)
        if len(mem.residual):
            q = wanted.copy()
            if close_loops(mem.block, q) > CLOSED or not come_nearer(mem.block, wanted, q):
                self._refresh()
                raise MechanismError(f"the loops of robot {self.robot.name} cannot be closed near these joint values")
            wanted = q
        mem.q[:], mem.v[:] = wanted, 0.0
        self._followed = ()
        self._refresh()
