"""A robot that moves: compiled from a scene, loops closed, limits kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from station.mad.placement import Pose
from station.mad.scene import Robot
from station.mechanism.assembly import CLOSED, Gap, assemble, gap_of, task_rank, undetermined
from station.mechanism.compiling import compile_robot
from station.mechanism.errors import MechanismError
from station.mechanism.kernels.assemble import STRAIN, close_loops, come_nearer, squared_gap
from station.mechanism.kernels.closures import closure_rows
from station.mechanism.kernels.memory import MOST_CONTACTS, MOST_TASKS, REVOLUTE, Block, Floats
from station.mechanism.kernels.reach import come_closest, search
from station.mechanism.kernels.step import is_held_back, step, step_by_twist, step_to_pose
from station.mechanism.kernels.tasks import begin, put_joint, put_pose, put_twist
from station.mechanism.kernels.tree import forward, frame_jacobian, frame_pose, rotation_vector
from station.mechanism.preference import Preference
from station.mechanism.results import Joint, Reach, Report, Status, Step, TrackingError

ALL_AXES = "x y z rx ry rz"


class Along(NamedTuple):
    """A target of which only some axes count, for example a position without an orientation."""

    target: ArrayLike  # twist (6,) or pose (4, 4)
    axes: str  # world axes, such as "x y z"


Targets = Mapping[Any, ArrayLike | Along]  # frame, by id or name
STATUSES = tuple(Status)
FLOAT = np.dtype(np.float64)
_new = tuple.__new__  # a NamedTuple of known parts, without the time to sort arguments
KERNELS = {(6,): step_by_twist, (4, 4): step_to_pose}  # by the shape of the target


class Plan(NamedTuple):
    """What a step is asked for, in numbers: targets, then joints, then targets of lower levels."""

    frames: tuple[int, ...]  # or joints
    levels: tuple[int, ...]
    joints_at: int  # where the joints start
    rank: int  # that the rows of the first level have at almost every configuration


SEARCH_TURNS = 30  # of one search for a far target
CLOSEST_TURNS = 500  # on the way to the nearest pose of an unreachable one
MOST_RESTARTS = 1000


class Contact(NamedTuple):
    """A half-space that a point of the robot must not enter."""

    frame: int | str  # link or frame whose body is near an obstacle
    point: ArrayLike  # of that body, in the world [m]
    normal: ArrayLike  # unit vector away from the obstacle
    distance: float  # from the obstacle along the normal [m]


def _plain(target: ArrayLike) -> Floats:
    """The target as a kernel takes it; any other kind of array would be compiled anew."""
    if type(target) is np.ndarray and target.dtype is FLOAT:
        flags = target.flags
        if flags.c_contiguous and flags.writeable:
            return target
    return np.array(target, dtype=np.float64, order="C")


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
                link.id,
                link.name,
                link.joint,
                link.stops,
                link.speed,
                link.acceleration,
                link.effort,
                not link.passive,
                link.gear,
            )
            for link in compiled.links
        )
        self.report = self._report(compiled.initial)
        self._starts = np.random.default_rng(1998).uniform(size=(MOST_RESTARTS, len(compiled.links)))
        self._plans: dict[tuple[tuple[int | str, ...], ...], Plan] = {}
        self._single: dict[int | str, Plan] = {}  # of one frame alone
        self._count = n = len(self._mem.q)
        self._state_with_contacts = self._mem.q_v_felt
        self._state = self._state_with_contacts[: 3 * n]
        self._followed: Plan | None = None  # what the last step was asked for
        self._refresh()
        # Parts that are not quite true keep a little gap in rows that repeat others; more than that is open.
        strained = math.sqrt(squared_gap(self._mem.block, self._mem.q, False)) > CLOSED
        self._gap = STRAIN * float(self._mem.scale[0]) if strained else CLOSED

    def __copy__(self) -> Mechanism:
        return self.__deepcopy__({})

    def __deepcopy__(self, _memo: dict[int, Any]) -> Mechanism:
        """Another robot of the same kind at the same place, at rest."""
        return _rebuilt(self.robot, self.q)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.robot, self.q)

    @property
    def mobility(self) -> int:
        """Degrees of freedom, found by the rank of the closures at several configurations."""
        return self.report.mobility

    def _report(self, initial: Floats) -> Report:
        mem = self._mem
        n, rows, rank = len(mem.q), len(mem.residual), int(mem.closure_rank[0])
        passive = [number for number, joint in enumerate(self.joints) if not joint.active]
        loose = tuple(self.joints[number].id for number in undetermined(mem, mem.q, passive))
        squared_gap(mem.block, initial, False)  # leaves the residuals there
        opened = gap_of(mem)
        squared_gap(mem.block, mem.q, False)
        left = gap_of(mem)
        moved = float(np.abs(mem.q - initial).max(initial=0.0))
        return Report(n - rank, rows, rank, rows - rank, n - rows, loose, *opened, *left, moved)

    # Where it is -----------------------------------------------------------------------------------------

    @property
    def q(self) -> Floats:
        """Joint values in the order of the file [rad | m], a copy."""
        return cast(Floats, self._mem.q.copy())

    @q.setter
    def q(self, values: ArrayLike) -> None:
        """Put the robot somewhere else, at rest; open loops are closed nearest to these values."""
        mem = self._mem
        wanted = np.clip(self._joint_values(values), mem.q_min, mem.q_max)
        if len(mem.residual):
            q = wanted.copy()
            if close_loops(mem.block, q) > self._gap or not come_nearer(mem.block, wanted, q):
                self._refresh()
                raise MechanismError(f"the loops of robot {self.robot.name} cannot be closed near these joint values")
            wanted = q
        mem.q[:], mem.v[:] = wanted, 0.0
        self._followed = None
        self._refresh()

    @property
    def velocity(self) -> Floats:
        """Joint speeds of the last step [rad/s | m/s], a copy."""
        return cast(Floats, self._mem.v.copy())

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
        forward(self._mem.block, self._joint_values(q), self._mem.rotation, self._mem.position)
        try:
            return self.jacobian(frame)
        finally:
            self._refresh()

    def _joint_values(self, values: ArrayLike) -> Floats:
        checked = np.array(values, dtype=np.float64)
        if checked.shape != self._mem.q.shape or not np.isfinite(checked).all():
            raise MechanismError(f"robot {self.robot.name} takes {len(self._mem.q)} finite joint values")
        return checked

    def _refresh(self) -> None:
        forward(self._mem.block, self._mem.q, self._mem.rotation, self._mem.position)

    def frame_id(self, name: int | str) -> int:
        """Id of a link or frame given by id or name; raises MechanismError that lists what there is."""
        try:
            found = self._names[name] if isinstance(name, str) else name
            self._frames[found]  # known?
            return found
        except KeyError:
            ids = ", ".join(str(known) for known in self._frames)
            names = ", ".join(self._names)
            known = f"ids {ids}" + (f"; names {names}" if names else "")
            raise MechanismError(f"robot {self.robot.name} has no frame {name!r}; there are: {known}") from None

    def _frame(self, name: int | str) -> int:
        return self._frames[self.frame_id(name)]

    # For loops that are compiled as a whole ----------------------------------------------------------------

    @property
    def block(self) -> Block:
        """Address of the memory that kernels work on; it is good for as long as the mechanism lives."""
        return self._mem.block

    def frame_number(self, name: int | str) -> int:
        """Number of a frame in kernels."""
        return self._frame(name)

    def rank(self, frame: int | str, axes: str = "x y z rx ry rz") -> int:
        """How many of these axes of a frame can be moved independently, at almost every configuration."""
        rank = task_rank(self._mem, self._samples, [self._frame(frame)], axis_bits(axes))
        self._refresh()
        return rank

    def interrupted(self) -> None:
        """Somebody else moved the robot: the next step is not a continuation of the one before."""
        self._followed = None

    def joint_number(self, link: int | str) -> int:
        """Place of a link's joint in `q`; raises MechanismError that lists the links with a joint."""
        try:
            return self._joint_numbers[self._names[link] if isinstance(link, str) else link]
        except KeyError:
            known = ", ".join(f"{j.id} ({j.name})" if j.name else str(j.id) for j in self.joints)
            raise MechanismError(f"robot {self.robot.name} has no joint {link!r}; there are: {known}") from None

    # How it moves ----------------------------------------------------------------------------------------

    def step(
        self,
        targets: Targets,
        dt: float,
        *,
        joints: Mapping[Any, float] | None = None,
        then: Sequence[Targets] = (),
        prefer: Preference | None = None,
        contacts: Sequence[Contact] = (),
    ) -> Step:
        """Move by one step of `dt` [s]: loops stay closed, limits are kept, targets followed as well as these allow.

        Args:
            targets: for each followed frame a twist (6,) [m/s, rad/s] or a target pose (4, 4) [m], world axes; `Along`
                for some axes only.
            dt: length of the step [s].
            joints: target values of single joints [rad | m]; direct kinematics if `targets` is empty.
            then: further targets, each group in strict priority below the ones before it.
            prefer: what to do with the freedom that is left.
            contacts: half-spaces that points of the robot must not enter.
        """
        dt = float(dt)  # any other type would be compiled anew
        if not 0.0 < dt < math.inf:
            raise MechanismError(f"a step takes a positive time, not {dt} s")
        if len(targets) == 1 and not joints and not then and prefer is None and not contacts:
            return self._step_one(targets, dt)
        mem, plan = self._mem, self._plan(targets, joints, then)
        block = mem.block
        begin(block, plan is self._followed)
        self._followed = None  # until all is well
        number = 0
        for group in (targets, *then):
            for target in group.values():
                self._put_target(number, plan.frames[number], plan.levels[number], target)
                number += 1
            if number == plan.joints_at and joints:
                for value in joints.values():
                    if not put_joint(block, number, plan.frames[number], float(value)):
                        raise MechanismError("a joint target that is not finite")
                    number += 1
        if prefer is not None:
            prefer.fill(self, mem.wish, mem.wish_weight, dt)
        for count, contact in enumerate(contacts):
            self._put_contact(count, contact)
        self._followed = plan
        return self._answer(len(contacts), *step(block, number, plan.rank, len(contacts), dt))

    def following(self, frame: int | str) -> Callable[[Floats, float], int]:
        """A function of a target pose and dt [s] that takes one step and returns its status: for loops in a hurry.

        It does what `step({frame: pose}, dt)` does, but makes no result; `q` and `velocity` tell what happened. The
        pose must be a 4×4 C-contiguous float64 array [m]; status -1: pose or dt was not finite, and nothing moved.
        """
        plan, block = self._plan({frame: ()}, None, ()), self._mem.block
        number, rank = plan.frames[0], plan.rank

        def follow(pose: Floats, dt: float) -> int:
            continued = plan is self._followed
            status = step_to_pose(block, number, pose, continued, rank, float(dt))[0]
            self._followed = plan if status >= 0 else None
            return status

        return follow

    def _step_one(self, targets: Targets, dt: float) -> Step:
        """One target and nothing else, as in most ticks: in one call."""
        ((name, target),) = targets.items()
        plan = self._single.get(name)
        if plan is None:
            plan = self._single[name] = self._plan(targets, None, ())
        if not isinstance(target, Along):
            values = _plain(target)
            kernel = KERNELS.get(values.shape)
            if kernel is not None:
                continued, self._followed = plan is self._followed, None
                result = kernel(self._mem.block, plan.frames[0], values, continued, plan.rank, dt)
                if result[0] < 0:
                    raise MechanismError("a target that is not finite")
                self._followed = plan
                return self._answer(0, *result)
        begin(self._mem.block, plan is self._followed)
        self._followed = None
        self._put_target(0, plan.frames[0], 0, target)
        self._followed = plan
        return self._answer(0, *step(self._mem.block, 1, plan.rank, 0, dt))

    def _answer(
        self, contacts: int, status: int, metres: float, radians: float, condition: float, gave_way: bool
    ) -> Step:
        n, block = self._count, self._mem.block
        limits = () if status == 0 else tuple(self.joints[j].id for j in range(n) if is_held_back(block, j))
        state = self._state.copy() if contacts == 0 else self._state_with_contacts[: 3 * n + contacts].copy()
        error = _new(TrackingError, (metres, radians))
        q, velocity, felt = state[:n], state[n : n + n], state[n + n :]
        return _new(Step, (STATUSES[status], q, velocity, error, limits, felt, condition, gave_way))

    def _plan(self, targets: Targets, joints: Mapping[int | str, float] | None, then: Sequence[Targets]) -> Plan:
        """Numbers of what is asked for; made once for every combination."""
        key = (tuple(targets), tuple(joints or ()), *map(tuple, then))
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = self._new_plan(key)
        return plan

    def _new_plan(self, key: tuple[tuple[int | str, ...], ...]) -> Plan:
        first, joints, *then = key
        frames = [self._frame(name) for name in first]
        numbers = frames + [self.joint_number(name) for name in joints]
        levels = [0] * len(numbers)
        for level, group in enumerate(then, start=1):
            numbers += [self._frame(name) for name in group]
            levels += [level] * len(group)
        if len(numbers) > MOST_TASKS:
            raise MechanismError(f"{len(numbers)} targets; at most {MOST_TASKS} at a time")
        rank = task_rank(self._mem, self._samples, frames)
        self._refresh()
        return Plan(tuple(numbers), tuple(levels), len(first), rank)

    def _put_target(self, number: int, frame: int, level: int, target: ArrayLike | Along) -> None:
        if isinstance(target, Along):
            self._mem.task_axes[number] = axis_bits(target.axes)
            target = target.target
        values = np.array(target, dtype=np.float64, order="C")
        if values.shape == (6,):
            finite = put_twist(self._mem.block, number, frame, level, values)
        elif values.shape == (4, 4):
            finite = put_pose(self._mem.block, number, frame, level, values)
        else:
            raise MechanismError(f"a target is a twist (6,) or a pose (4, 4), not an array of shape {values.shape}")
        if not finite:
            raise MechanismError("a target that is not finite")

    def _put_contact(self, number: int, contact: Contact) -> None:
        if number >= MOST_CONTACTS:
            raise MechanismError(f"at most {MOST_CONTACTS} contacts at a time")
        point, normal = (np.asarray(vector, dtype=np.float64) for vector in (contact.point, contact.normal))
        if point.shape != (3,) or normal.shape != (3,):
            raise MechanismError("point and normal of a contact are three numbers each")
        if not np.isfinite([*point, *normal, contact.distance]).all() or abs(normal @ normal - 1.0) > 1e-6:
            raise MechanismError("a contact is finite, and its normal a unit vector")
        mem = self._mem
        mem.contact_frame[number] = self._frame(contact.frame)
        mem.contact_point[number], mem.contact_normal[number] = point, normal
        mem.contact_distance[number] = contact.distance

    def reach(
        self,
        frame: int | str,
        pose: ArrayLike,
        *,
        axes: str = ALL_AXES,
        metres: float = 1e-6,
        radians: float = 1e-6,
        restarts: int = 100,
    ) -> Reach:
        """Go to joint values that bring a frame to a pose, or as near as it gets; speed limits do not count here.

        Args:
            frame: link or frame.
            pose: 4×4 target pose in the world [m].
            axes: the axes that count, world axes; "x y z" for a position alone.
            metres: distance at which it counts as reached [m], a true distance.
            radians: angle at which it counts as reached [rad].
            restarts: how many other places to start from if the way from here does not lead there.
        """
        target = np.array(pose, dtype=np.float64, order="C")
        if target.shape != (4, 4) or not np.isfinite(target).all():
            raise MechanismError(f"a target pose is a finite 4×4 array, not one of shape {target.shape}")
        mem, number = self._mem, self._frame(frame)
        q, best = mem.q.copy(), mem.q.copy()
        if restarts < 0:
            raise MechanismError(f"restarts are counted from 0, not {restarts}")
        starts = self._starts[:restarts]
        metres, radians = float(metres), float(radians)  # any other type would be compiled anew
        reached, turns, tried = search(
            mem.block, number, target, axis_bits(axes), starts, SEARCH_TURNS, metres, radians, q, best
        )
        if not reached:
            turns += come_closest(mem.block, CLOSEST_TURNS, best)
        mem.q[:], mem.v[:] = best, 0.0
        self._followed = None
        self._refresh()
        along, about = pose_distance(self.pose(frame), target, axis_bits(axes))
        near = reached or (along <= metres and about <= radians)
        return Reach(Status.OK if near else Status.UNREACHABLE, best, along, about, turns, tried)

    def set_joint(self, link: int | str, value: float) -> float:
        """Turn or slide one joint to a value [rad | m] or as near as its stops and the loops allow; returns its value.

        Other joints move only as the loops demand. Speed and acceleration limits do not count here.
        """
        return self.set_joints({link: value})[0]

    def set_joints(self, values: Mapping[int | str, float]) -> list[float]:
        """The same of several joints at once [rad | m]; at most `MOST_TASKS`."""
        mem, numbers = self._mem, [self.joint_number(link) for link in values]
        if len(numbers) > MOST_TASKS:
            raise MechanismError(f"{len(numbers)} joints at once; at most {MOST_TASKS} are possible")
        strides = 0.05 * np.where(mem.joint_kind[numbers] == REVOLUTE, 1.0, float(mem.scale[0]))
        wanted = np.array(list(values.values()), dtype=np.float64)
        speeds, accelerations = mem.v_max.copy(), mem.a_max.copy()
        mem.v_max[:], mem.a_max[:], mem.v[:] = math.inf, math.inf, 0.0
        try:
            for _ in range(10_000):
                before = mem.q[numbers].copy()
                targets = before + np.clip(wanted - before, -strides, strides)
                self.step({}, 1.0, joints=dict(zip(values, targets.tolist(), strict=True)))
                if np.abs(mem.q[numbers] - before).max(initial=0.0) < 1e-12:
                    break
        finally:
            mem.v_max[:], mem.a_max[:], mem.v[:] = speeds, accelerations, 0.0
        return [float(value) for value in mem.q[numbers]]


def _rebuilt(robot: Robot, q: Floats) -> Mechanism:
    """A mechanism at given joint values: memory cannot be shared, so it is made anew."""
    copy = Mechanism(robot)
    copy.q = q
    return copy


def axis_bits(axes: str) -> int:
    """The axes of a text such as "x y rz" as bits; raises MechanismError that lists the axes."""
    names, bits = ALL_AXES.split(), 0
    for name in axes.split():
        if name not in names:
            raise MechanismError(f"'{name}' is no axis; there are: {ALL_AXES}")
        bits |= 1 << names.index(name)
    if not bits:
        raise MechanismError(f"no axis given; there are: {ALL_AXES}")
    return bits


def pose_distance(a: Pose, b: Pose, axes: int) -> tuple[float, float]:
    """Distance [m] and angle [rad] between two poses, along and about the axes that count."""
    difference = np.zeros(6)
    difference[:3] = b[:3, 3] - a[:3, 3]
    rotation_vector(np.ascontiguousarray(b[:3, :3] @ a[:3, :3].T), difference[3:])
    difference *= [(axes >> i) & 1 for i in range(6)]
    return float(np.linalg.norm(difference[:3])), float(np.linalg.norm(difference[3:]))
