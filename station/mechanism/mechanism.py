"""A robot that moves: compiled from a scene, loops closed, limits kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from station.kernel import Floats, Kernel
from station.kernel.se3 import difference
from station.mad.assumed import assumed_limits
from station.mad.placement import Pose
from station.mad.scene import BASE_ID, Robot
from station.mechanism.assembly import (
    Gap,
    Work,
    assemble,
    closed_near,
    come_nearer,
    free_motions,
    gap_of,
    open_loops,
    squared_gap,
    survey,
    task_rank,
    undetermined,
    workspace,
)
from station.mechanism.closures import closure_rows
from station.mechanism.compiling import Compiled, Footing, compile_robot, write_loops
from station.mechanism.geometry import NUMBERS, Geometry
from station.mechanism.loops import Loops
from station.mechanism.memory import MOST_CONTACTS, MOST_TASKS, JointKind, MechanismMemory
from station.mechanism.preference import Preference
from station.mechanism.reach import come_closest, search
from station.mechanism.results import Joint, MechanismError, OpenLoop, Reach, Report, Status, Step, TrackingError
from station.mechanism.step import follow, is_held_back, step, step_by_twist, step_to_pose
from station.mechanism.tasks import begin, put_joint, put_pose, put_twist
from station.mechanism.tree import forward, frame_jacobian, frame_pose

SAME = 1e-6  # joint values that differ by less are those that were asked for [rad | m]
PASSIVE = 1e-6  # how much passive joints count beside driven ones where both are asked for
STEADY = 1e-9  # change of a wanted value that is none [rad | m]
ALL_AXES = "x y z rx ry rz"


class Along(NamedTuple):
    """A target of which only some axes count, for example a position without an orientation."""

    target: ArrayLike  # twist (6,) or pose (4, 4)
    axes: str  # world axes, such as "x y z"


Targets = Mapping[Any, ArrayLike | Along]  # frame, by id or name
STATUSES = tuple(status for status in Status if status >= 0)  # by their numbers
FLOAT = np.dtype(np.float64)
_new = tuple.__new__  # a NamedTuple of known parts, without the time to sort arguments
KERNELS = {(6,): step_by_twist, (4, 4): step_to_pose}  # by the shape of the target


class Plan(NamedTuple):
    """What a step is asked for, in numbers: targets, then joints, then targets of lower levels."""

    number: int  # its own, from 1
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
        self.memory = compiled.memory
        self._compiled = compiled
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
        self.report = self._report(compiled)
        self._starts = np.random.default_rng(1998).uniform(size=(MOST_RESTARTS, len(compiled.links)))
        self._plans: dict[tuple[tuple[int | str, ...], ...], Plan] = {}
        self._single: dict[int | str, Plan] = {}  # of one frame alone
        self._footing: Footing | None = None  # made by the first who puts the base elsewhere
        self._geometry: Geometry | None = None  # made by the first who asks
        self._around: list[Floats] | None = None  # where its motions are looked at; None: all over the workspace
        self._ahead: MechanismMemory | None = None  # to look ahead with
        self.loops = Loops(compiled)
        self._count = n = len(self.memory.q)
        self._felt = self.memory.felt[:n]
        self._refresh()

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

    def _report(self, compiled: Compiled) -> Report:
        mem, initial = self.memory, compiled.initial
        n, rows, rank = len(mem.q), len(mem.residual), mem.closure_rank
        passive = [number for number, joint in enumerate(self.joints) if not joint.active]
        loose = tuple(self.joints[number].id for number in undetermined(mem, mem.q, passive))
        squared_gap(mem, initial, False)  # leaves the residuals there
        opened = gap_of(mem)
        squared_gap(mem, mem.q, False)
        left = gap_of(mem)
        moved = float(np.abs(mem.q - initial).max(initial=0.0))
        return Report(
            n - rank,
            rows,
            rank,
            rows - rank,
            n - rows,
            loose,
            *opened,
            *left,
            moved,
            self.robot.name,
            bool(mem.strained),
            open_loops(compiled),
        )

    # Where it is -----------------------------------------------------------------------------------------

    @property
    def q(self) -> Floats:
        """Joint values in the order of the file [rad | m], a copy."""
        return self.memory.q.copy()

    @q.setter
    def q(self, values: ArrayLike) -> None:
        """Put the robot somewhere else, at rest; see `put`."""
        self.put(values)

    def put(self, values: ArrayLike) -> tuple[int, ...]:
        """Put the robot at joint values [rad | m], at rest; returns the links whose joints could not be there.

        With loops driven joints are where they were asked to be, and passive ones follow; what contradicts the loops
        or the stops is as near as it gets.
        """
        mem = self.memory
        asked = self._joint_values(values)
        wanted = np.clip(asked, mem.q_min, mem.q_max)
        if len(mem.residual):
            q = wanted.copy()
            if not self._close_near(wanted, q):
                self._refresh()
                raise MechanismError(f"the loops of robot {self.robot.name} cannot be closed near these joint values")
            wanted = q
        mem.q[:], mem.v[:] = wanted, 0.0
        self.memory.followed = 0
        self._refresh()
        return tuple(self.joints[j].id for j in np.flatnonzero(np.abs(wanted - asked) > SAME))

    def _close_near(self, wanted: Floats, q: Floats) -> bool:
        """Close the loops from `q`, driven joints as wanted and passive ones near it; False if that cannot be."""
        mem, passive = self.memory, ~self.memory.driven
        mem.passive_weight = PASSIVE if passive.any() and not passive.all() else 1.0
        try:
            if not closed_near(mem, wanted, q):
                return False
            # What passive joints still pull at the driven ones goes when they are wanted where they are.
            return mem.passive_weight == 1.0 or come_nearer(mem, np.where(passive, q, wanted), q)
        finally:
            mem.passive_weight = 1.0

    @property
    def velocity(self) -> Floats:
        """Joint speeds of the last step [rad/s | m/s], a copy."""
        return self.memory.v.copy()

    @property
    def closure_error(self) -> Gap:
        """Largest gap of any loop or coupling [m], [rad]."""
        closure_rows(self.memory, self.memory.q, False)
        return gap_of(self.memory)

    @property
    def open_loops(self) -> tuple[OpenLoop, ...]:
        """Loops that stay open here, as parts do not quite fit, the worst first; none where all are closed."""
        closure_rows(self.memory, self.memory.q, False)
        return open_loops(self._compiled)

    def pose(self, frame: int | str) -> Pose:
        """4×4 pose of a link or frame in the world [m]."""
        pose = np.eye(4)
        frame_pose(self.memory, self._frame(frame), self.memory.rotation, self.memory.position, pose)
        return pose

    def pose_at(self, frame: int | str, q: ArrayLike) -> Pose:
        """The pose at other joint values [rad | m], loops open or not, stops or none; the robot does not move."""
        forward(self.memory, self._joint_values(q), self.memory.rotation, self.memory.position)
        try:
            return self.pose(frame)
        finally:
            self._refresh()

    def jacobian(self, frame: int | str) -> Floats:
        """6×n Jacobian of a link or frame: world axes, linear first. Loops are not taken into account."""
        number, mem = self._frame(frame), self.memory
        pose, jacobian = np.eye(4), np.zeros((6, len(mem.q)))
        frame_pose(mem, number, mem.rotation, mem.position, pose)
        frame_jacobian(mem, number, pose[:3, 3].copy(), mem.rotation, mem.position, jacobian)
        return jacobian

    def jacobian_at(self, frame: int | str, q: ArrayLike) -> Floats:
        """The Jacobian at other joint values [rad | m]; the robot does not move."""
        forward(self.memory, self._joint_values(q), self.memory.rotation, self.memory.position)
        try:
            return self.jacobian(frame)
        finally:
            self._refresh()

    def stand_at(self, base: Pose) -> None:
        """Put the base elsewhere: 4×4 pose in the world [m], as for a robot that another one carries."""
        self.footing.put(base)
        self._refresh()

    @property
    def footing(self) -> Footing:
        """What stands on its base."""
        if self._footing is None:
            self._footing = Footing(self.memory, self.pose(BASE_ID))
        return self._footing

    # What it is, changed ---------------------------------------------------------------------------------

    @property
    def geometry(self) -> Geometry:
        """The numbers that place links and frames."""
        if self._geometry is None:
            self._geometry = Geometry(self.robot, self.memory, self._frames, self._joint_numbers)
        return self._geometry

    def change(
        self, frame: int | str, numbers: ArrayLike, *, within: float = math.inf, speeds: float = 1.0
    ) -> tuple[int, ...] | None:
        """Place a link or frame by six other numbers, see `Geometry`; joints stay where they are, passive ones follow.

        Weights and assumed speeds stay those of the robot that was compiled. Returns the ids of all frames whose place
        on their body is another now; None: the loops cannot be closed near here, or would move a joint further than
        this part of its speed limit lets it `within` some time [s], and all is as it was.
        """
        geometry, number = self.geometry, self.frame_id(frame)
        wanted, before = np.array(numbers, dtype=np.float64), geometry.numbers(number)
        if wanted.shape != (NUMBERS,) or not np.isfinite(wanted).all():
            raise MechanismError(f"{NUMBERS} finite numbers place a link or frame")
        moved = geometry.put(number, wanted)
        if not self._close_again(within, speeds):
            geometry.put(number, before)
            self._refresh()
            return None
        self.robot = geometry.described(self.robot, number)
        self._refresh()
        return moved

    def _close_again(self, within: float, speeds: float) -> bool:
        """Close the loops after something was put elsewhere; False: it cannot be, or moves a joint too far."""
        mem = self.memory
        if len(mem.residual):
            q = mem.q.copy()
            far = speeds * within * mem.v_max if within < math.inf else np.full(len(q), math.inf)
            if not self._close_near(mem.q.copy(), q) or (np.abs(q - mem.q) > far).any():
                return False
            mem.q[:] = q
        return True

    def come_together(self, loop: int, apart: Pose, *, within: float = math.inf, speeds: float = 1.0) -> bool:
        """Let what a loop holds be apart from its frame b by a pose in it [m]; see `Loops` and `change`.

        False: the loops cannot be closed so, or would move a joint too far, and the robot is where it was.
        """
        self.loops.put_apart(loop, apart)
        closes = self._close_again(within, speeds)
        self._refresh()
        return closes

    def memory_ahead(self) -> MechanismMemory:
        """Memory to look ahead with; made when it is first asked for, which takes some milliseconds."""
        if self._ahead is None:
            self._ahead = self.memory.copy()
        return self._ahead

    def look_ahead(self, holding: Collection[int]) -> Work[Mechanism]:
        """This robot, where it is, as it would be if these `loops` held, closed here; piece by piece, it does not move.

        What is returned is to be asked for ranks and motions, and to be given to `take_loops`: it is not to be moved.
        """
        twin: Mechanism = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.memory = mem = self.memory_ahead()
        mem.take(self.memory)
        twin._compiled = replace(self._compiled, memory=mem, closures=self.loops.closures(holding))
        twin._plans, twin._single = {}, {}
        write_loops(mem, self.loops.loops(holding))
        q = mem.q.copy()
        twin._samples = yield from survey(mem, q, np.random.default_rng(1998))
        twin._around = twin._samples
        mem.q[:] = q
        twin._refresh()
        yield
        twin.report = twin._report(twin._compiled)
        twin._refresh()
        return twin

    def take_loops(self, ahead: Mechanism, holding: Collection[int]) -> None:
        """Let these `loops` hold and no others, closed here; somebody has looked ahead of them."""
        mem = self.memory
        self.loops.holding = set(holding)
        write_loops(mem, self.loops.loops(holding))
        mem.closure_rank, mem.strained = ahead.memory.closure_rank, ahead.memory.strained
        mem.followed = 0
        self.robot = self.loops.described(self.robot)
        self._compiled = replace(self._compiled, closures=self.loops.closures(holding))
        self._samples, self._around, self.report = ahead._samples, ahead._around, ahead.report
        self._plans, self._single = {}, {}
        self._refresh()

    def _joint_values(self, values: ArrayLike) -> Floats:
        checked = np.array(values, dtype=np.float64)
        if checked.shape != self.memory.q.shape or not np.isfinite(checked).all():
            raise MechanismError(f"robot {self.robot.name} takes {len(self.memory.q)} finite joint values")
        return checked

    def _refresh(self) -> None:
        forward(self.memory, self.memory.q, self.memory.rotation, self.memory.position)

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

    @property
    def frames(self) -> tuple[int, ...]:
        """Ids of all links and frames; 0 is the base."""
        return tuple(self._frames)

    def _frame(self, name: int | str) -> int:
        return self._frames[self.frame_id(name)]

    # For loops that are compiled as a whole ----------------------------------------------------------------

    def frame_number(self, name: int | str) -> int:
        """Number of a frame in kernels."""
        return self._frame(name)

    def rank(self, frame: int | str, axes: str = "x y z rx ry rz") -> int:
        """How many of these axes of a frame can be moved independently, at almost every configuration."""
        rank = task_rank(self.memory, self._samples, [(self._frame(frame), axis_bits(axes))])
        self._refresh()
        return rank

    def rank_of(self, rows: Sequence[tuple[int, int]]) -> int:
        """The same of several frames together, each by its number in kernels and with its axes as bits."""
        rank = task_rank(self.memory, self._samples, rows)
        self._refresh()
        return rank

    def free_motions(self, frame: int | str) -> list[Floats]:
        """Motions of a frame with all loops closed, as columns [m, rad · length], here and all over the workspace."""
        mem = self.memory
        around = workspace(mem, self._samples) if self._around is None else self._around
        motions = free_motions(mem, [mem.q.copy(), *around], self._frame(frame))
        self._refresh()
        return motions

    def set_axes(self, frame: int | str, axes: Floats) -> None:
        """Axes along and about which a frame follows, in the world, as columns; for tasks with OWN_AXES."""
        self.memory.frame_axes[self._frame(frame)] = axes

    def interrupted(self) -> None:
        """Somebody else moved the robot: the next step is not a continuation of the one before."""
        self.memory.followed = 0

    def joint_number(self, link: int | str) -> int:
        """Place of a link's joint in `q`; raises MechanismError that lists the links with a joint."""
        try:
            return self._joint_numbers[self._names[link] if isinstance(link, str) else link]
        except KeyError:
            known = ", ".join(f"{j.id} ({j.name})" if j.name else str(j.id) for j in self.joints)
            raise MechanismError(f"robot {self.robot.name} has no joint {link!r}; there are: {known}") from None

    def led_joints(self, before: Floats, wanted: Floats) -> NDArray[np.bool_]:
        """Which driven joints rule when values are wanted of all: all of them, unless the loops leave fewer free.

        Then those do whose wanted value is another than before; none new: all alike.
        """
        driven: NDArray[np.bool_] = self.memory.driven.copy()
        if driven.sum() <= self.mobility:
            return driven
        changed = driven & (np.abs(wanted - before) > STEADY)
        return changed if changed.any() else driven

    def calm_down(self) -> None:
        """Let a robot whose file has no speeds take its time to get fast and to stop, as where a hand leads it.

        Its speeds are bounded anyway (`assumed_limits`); without this they may change in one step. Accelerations that
        the file gives stay.
        """
        for link, limits in assumed_limits(self.robot).items():
            if limits.acceleration is not None:
                self.memory.a_max[self._joint_numbers[link]] = limits.acceleration

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
        mem, plan = self.memory, self._plan(targets, joints, then)
        begin(mem, mem.followed == plan.number)
        mem.followed = 0  # until all is well
        number = 0
        for group in (targets, *then):
            for target in group.values():
                self._put_target(number, plan.frames[number], plan.levels[number], target)
                number += 1
            if number == plan.joints_at and joints:
                for value in joints.values():
                    if not put_joint(mem, number, plan.frames[number], float(value)):
                        raise MechanismError("a joint target that is not finite")
                    number += 1
        if prefer is not None:
            prefer.fill(self, mem.wish, mem.wish_weight, dt)
        for count, contact in enumerate(contacts):
            self._put_contact(count, contact)
        mem.followed = plan.number
        return self._answer(len(contacts), *step(mem, number, plan.rank, len(contacts), dt))

    def following(self, frame: int | str) -> Callable[[Floats, float], int]:
        """A function of a target pose and dt [s] that takes one step and returns its status: for loops in a hurry.

        It does what `step({frame: pose}, dt)` does, but makes no result; `q` and `velocity` tell what happened. The
        pose must be a 4×4 C-contiguous float64 array [m]; status NOT_FINITE: pose or dt was not, and nothing moved.
        """
        plan = self._plan({frame: ()}, None, ())
        # No function of Python's own between caller and kernel: it would take as long as a third of the step.
        return partial(cast(Kernel, follow).native, self.memory, plan.number, plan.frames[0], plan.rank)

    def _step_one(self, targets: Targets, dt: float) -> Step:
        """One target and nothing else, as in most ticks: in one call."""
        ((name, target),) = targets.items()
        plan = self._single.get(name)
        if plan is None:
            plan = self._single[name] = self._plan(targets, None, ())
        mem = self.memory
        if not isinstance(target, Along):
            values = _plain(target)
            kernel = KERNELS.get(values.shape)
            if kernel is not None:
                result = kernel(mem, plan.number, plan.frames[0], plan.rank, values, dt)
                if result[0] < 0:
                    raise MechanismError("a target that is not finite")
                return self._answer(0, *result)
        begin(mem, mem.followed == plan.number)
        mem.followed = 0
        self._put_target(0, plan.frames[0], 0, target)
        mem.followed = plan.number
        return self._answer(0, *step(mem, 1, plan.rank, 0, dt))

    def _answer(
        self, contacts: int, status: int, metres: float, radians: float, condition: float, gave_way: bool
    ) -> Step:
        n, mem = self._count, self.memory
        limits = () if status == 0 else tuple(self.joints[j].id for j in range(n) if is_held_back(mem, j))
        felt = self._felt.copy() if contacts == 0 else mem.felt[: n + contacts].copy()
        error = _new(TrackingError, (metres, radians))
        q, velocity = mem.q.copy(), mem.v.copy()
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
        rank = task_rank(self.memory, self._samples, [(frame, 0b111111) for frame in frames])
        self._refresh()
        return Plan(len(self._plans) + 1, tuple(numbers), tuple(levels), len(first), rank)

    def _put_target(self, number: int, frame: int, level: int, target: ArrayLike | Along) -> None:
        if isinstance(target, Along):
            self.memory.task_axes[number] = axis_bits(target.axes)
            target = target.target
        values = np.array(target, dtype=np.float64, order="C")
        if values.shape == (6,):
            finite = put_twist(self.memory, number, frame, level, values)
        elif values.shape == (4, 4):
            finite = put_pose(self.memory, number, frame, level, values)
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
        mem = self.memory
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
        mem, number = self.memory, self._frame(frame)
        q, best = mem.q.copy(), mem.q.copy()
        if restarts < 0:
            raise MechanismError(f"restarts are counted from 0, not {restarts}")
        starts = self._starts[:restarts]
        metres, radians = float(metres), float(radians)  # any other type would be compiled anew
        reached, turns, tried = search(
            mem, number, target, axis_bits(axes), starts, SEARCH_TURNS, metres, radians, q, best
        )
        if not reached:
            turns += come_closest(mem, CLOSEST_TURNS, best)
        mem.q[:], mem.v[:] = best, 0.0
        self.memory.followed = 0
        self._refresh()
        along, about = pose_distance(self.pose(frame), target, axis_bits(axes))
        near = reached or (along <= metres and about <= radians)
        return Reach(Status.OK if near else Status.UNREACHABLE, best, along, about, turns, tried)

    def set_joint(self, link: int | str, value: float) -> float:
        """Turn or slide one joint to a value [rad | m] or as near as its stops and the loops allow; returns its value.

        Other joints move only as the loops demand. Speed and acceleration limits do not count here.
        """
        return self.set_joints({link: value})[0]

    def set_joints(self, values: Mapping[Any, float]) -> list[float]:
        """The same of several joints at once [rad | m]; values that contradict the loops are met as well as can be."""
        mem, numbers = self.memory, [self.joint_number(link) for link in values]
        strides = 0.05 * np.where(mem.joint_kind[numbers] == JointKind.REVOLUTE, 1.0, mem.length)
        wanted = np.array(list(values.values()), dtype=np.float64)
        if not np.isfinite(wanted).all():
            raise MechanismError("a joint target that is not finite")
        speeds, accelerations = mem.v_max.copy(), mem.a_max.copy()
        mem.v_max[:], mem.a_max[:], mem.v[:] = math.inf, math.inf, 0.0
        try:
            for _ in range(10_000):
                before = mem.q[numbers].copy()
                begin(mem, False)
                mem.wish[numbers], mem.wish_weight[numbers] = np.clip(wanted - before, -strides, strides), 1.0
                step(mem, 0, 0, 0, 1.0)
                if np.abs(mem.q[numbers] - before).max(initial=0.0) < 1e-12:
                    break
        finally:
            mem.v_max[:], mem.a_max[:], mem.v[:] = speeds, accelerations, 0.0
            mem.followed = 0
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
    apart = difference(a, b) * [(axes >> i) & 1 for i in range(6)]
    return float(np.linalg.norm(apart[:3])), float(np.linalg.norm(apart[3:]))
