"""Scene robot → flat arrays: the tree of moving bodies, frames on them, closures between frames, couplings, limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from station.kernel import Floats, Ints
from station.mad.assumed import assumed_limits, typical_length
from station.mad.curve import curve_of
from station.mad.placement import Pose, from_parameters, from_position, in_predecessor
from station.mad.scene import BASE_ID, Axis, ClosureKind, Constraint, Link, Robot
from station.mad.units import JointType
from station.mechanism.memory import JointKind, MechanismMemory, RowKind

BASE_BODY = -1
SPARE_LOOPS = 4  # that may be closed besides those of the file, each with a frame of its own
MOST_ROWS_OF_LOOP = 6


class Loop(NamedTuple):
    """A loop as kernels know it."""

    a: int  # number of the frame in whose axes the rows are
    b: int  # number of the frame that is held in it
    rows: tuple[int, ...]  # a RowKind and its axis each


class Seat(NamedTuple):
    """Where something is: on which body, and its pose there [m]."""

    body: int
    pose: Pose


@dataclass(frozen=True)
class Compiled:
    """The memory of a mechanism, loops still open, and the names of its parts."""

    robot: Robot
    memory: MechanismMemory
    initial: Floats  # joint values in the file [rad | m]
    links: tuple[Link, ...]  # with a joint, in the order of the file
    frames: dict[int, int]  # id → number of the frame; links, frames, tools, cameras and the base
    names: dict[str, int]  # name → id
    closures: tuple[Constraint, ...]  # that hold at the start


def compile_robot(robot: Robot) -> Compiled:
    """Flatten a checked robot; nothing is inferred from a configuration, so its loops may be open."""
    links = tuple(link for link in robot.links if link.joint is not JointType.FIXED)
    joint_of = {link.id: j for j, link in enumerate(links)}
    seats, parents, before = _seats(robot, joint_of)
    frames = {name: number for number, name in enumerate(seats)}
    declared = [constraint for constraint in robot.constraints if constraint.closes_loop]
    closures = tuple(constraint for constraint in declared if constraint.holds)
    coupling, coupling_value = _couplings(robot, joint_of)
    driven = [joint_of[part.link] for part in robot.couplings]
    curves = [curve_of(part) for part in robot.couplings]
    stops = [link.stops or (-math.inf, math.inf) for link in links]
    most = len(declared) + SPARE_LOOPS
    memory = MechanismMemory(
        n=len(links),
        f=len(frames) + SPARE_LOOPS,
        c=most,
        s=most * len(links),
        r=most * MOST_ROWS_OF_LOOP,
        k=len(coupling_value),
        p=sum(len(curve.y) for curve in curves if curve is not None),
    )
    memory.order[:] = _outwards(parents)
    memory.parents[:] = parents
    memory.joint_kind[:] = [_joint_kind(link) for link in links]
    memory.driven[:] = [not link.passive for link in links]
    memory.before[:] = before
    memory.frame_body[:] = [seat.body for seat in seats.values()] + [BASE_BODY] * SPARE_LOOPS
    memory.frame_offset[:] = np.eye(4)[:3]
    memory.frame_offset[: len(frames)] = [seat.pose[:3] for seat in seats.values()]
    memory.frame_axes[:] = np.eye(3)
    memory.coupling[:], memory.coupling_value[:], memory.coupling_joint[:] = coupling, coupling_value, driven
    _write_curves(memory, robot, joint_of)
    write_loops(memory, [loop_of(closure, frames) for closure in closures])
    memory.q_min[:], memory.q_max[:] = [lo for lo, _ in stops], [hi for _, hi in stops]
    assumed = assumed_limits(robot)
    memory.v_max[:] = [assumed[link.id].speed if link.speed is None else link.speed for link in links]
    memory.a_max[:] = [math.inf if link.acceleration is None else link.acceleration for link in links]
    memory.length = typical_length(robot)
    names = {item.name: item.id for item in robot.placed() if item.name}
    initial = np.array([link.initial for link in links], dtype=np.float64)
    return Compiled(robot, memory, initial, links, frames, names, closures)


def loop_of(closure: Constraint, frames: Mapping[int, int]) -> Loop:
    """A closure by the numbers that frames have in kernels."""
    a, b = (frames[target.id] for target in closure.targets)
    return Loop(a, b, tuple(_row_kinds(closure)))


def write_loops(memory: MechanismMemory, loops: Sequence[Loop]) -> None:
    """Let these loops hold and no others, from the next step on; their rank is to be found out."""
    branches = [branch_of(memory, loop) for loop in loops]
    memory.resize(c=len(loops), s=sum(map(len, branches)), r=sum(len(loop.rows) for loop in loops))
    memory.closure_a[:] = [loop.a for loop in loops]
    memory.closure_b[:] = [loop.b for loop in loops]
    memory.closure_start[:] = _starts([len(branch) for branch in branches])
    memory.closure_joint[:] = [joint for branch in branches for joint, _ in branch]
    memory.closure_sign[:] = [sign for branch in branches for _, sign in branch]
    memory.row_start[:] = _starts([len(loop.rows) for loop in loops])
    memory.row_kind[:] = [row for loop in loops for row in loop.rows]
    memory.closure_rank, memory.strained = len(memory.residual), False
    memory.basis[:] = np.eye(len(memory.q))
    memory.rank, memory.free = 0, len(memory.q)
    memory.pivot_row[:] = -1
    memory.particular[:] = memory.residual[:] = 0.0


def branch_of(memory: MechanismMemory, loop: Loop) -> list[tuple[int, float]]:
    """Joints between the two ends of a loop and their first common body, with the side they are on."""
    return _branch(memory.parents, int(memory.frame_body[loop.a]), int(memory.frame_body[loop.b]))


def _seats(robot: Robot, joint_of: dict[int, int]) -> tuple[dict[int, Seat], Ints, Floats]:
    """Where everything with an id sits, the parent of every joint, and its pose there at joint value 0."""
    items = {item.id: item for item in robot.placed()}
    seats = {BASE_ID: Seat(BASE_BODY, from_position(robot.base.pos, robot.base.ori))}
    parents = np.full(len(joint_of), BASE_BODY, dtype=np.int64)
    before = np.zeros((len(joint_of), 3, 4))
    for start in items:
        branch, at = [], start
        while at not in seats:
            branch.append(at)
            at = items[at].pred
        for name in reversed(branch):
            item, under = items[name], seats[items[name].pred]
            if name in joint_of:
                joint = joint_of[name]
                assert isinstance(item, Link)
                at_zero = item.parameters._replace(**{"r" if item.joint is JointType.PRISMATIC else "theta": 0.0})
                parents[joint] = under.body
                before[joint] = (under.pose @ from_parameters(at_zero))[:3]
                seats[name] = Seat(joint, np.eye(4))
            else:
                seats[name] = Seat(under.body, under.pose @ in_predecessor(item))
    return seats, parents, before


class Footing:
    """All that stands on the base of a mechanism, so that the base can be put elsewhere without compiling anew."""

    def __init__(self, memory: MechanismMemory, base: Pose) -> None:
        back = np.linalg.inv(base)
        self._memory = memory  # below: numbers of joints and frames on the base, and their poses there [m]
        self.joints, self.frames = (
            np.flatnonzero(of == BASE_BODY) for of in (memory.parents, memory.frame_body[:-SPARE_LOOPS])
        )
        self.before = back @ _whole(memory.before[self.joints])
        self.offsets = back @ _whole(memory.frame_offset[self.frames])

    def put(self, base: Pose) -> None:
        """Put the base to a pose in the world [m]; bodies are moved by the next forward kinematics."""
        self._memory.before[self.joints] = (base @ self.before)[:, :3]
        self._memory.frame_offset[self.frames] = (base @ self.offsets)[:, :3]


def _whole(poses: Floats) -> Floats:
    """3×4 poses as 4×4."""
    whole = np.tile(np.eye(4), (len(poses), 1, 1))
    whole[:, :3] = poses
    return whole


def _joint_kind(link: Link) -> JointKind:
    return JointKind.PRISMATIC if link.joint is JointType.PRISMATIC else JointKind.REVOLUTE


def _outwards(parents: Ints) -> Ints:
    """Joints in an order in which every parent comes before its children."""
    depth = np.zeros(len(parents), dtype=np.int64)
    done = np.zeros(len(parents), dtype=bool)
    for start in range(len(parents)):
        branch, at = [], start
        while at >= 0 and not done[at]:
            branch.append(at)
            at = int(parents[at])
        level = depth[at] + 1 if at >= 0 else 0
        for joint in reversed(branch):
            depth[joint], done[joint] = level, True
            level += 1
    return np.argsort(depth, kind="stable").astype(np.int64)


def _path(parents: Ints, body: int) -> list[int]:
    path = []
    while body >= 0:
        path.append(body)
        body = int(parents[body])
    return path


def _branch(parents: Ints, a: int, b: int) -> list[tuple[int, float]]:
    """Joints between two bodies and their first common one, with the side they are on."""
    side_a, side_b = _path(parents, a), _path(parents, b)
    shared = set(side_a) & set(side_b)
    return [(j, -1.0) for j in side_a if j not in shared] + [(j, 1.0) for j in side_b if j not in shared]


def _row_kinds(closure: Constraint) -> list[int]:
    """What each row of a closure holds; the kinds are explained in docs/mad.md."""
    if not closure.axes and closure.kind is ClosureKind.UNIVERSAL:
        return [RowKind.ALONG, RowKind.ALONG + 1, RowKind.ALONG + 2, RowKind.UNIVERSAL]
    axes = closure.axes or tuple(Axis[name.upper()] for name in closure.kind.value.split())
    along = [RowKind.ALONG + axis.value for axis in axes if axis.value < 3]
    about = [axis.value - 3 for axis in axes if axis.value >= 3]
    if len(about) == 2:
        # Two held rotations leave a common axis: held is that the two axes stay parallel, at any angle about it.
        free = ({0, 1, 2} - set(about)).pop()
        return along + [RowKind.PARALLEL + 3 * free + axis for axis in about]
    return along + [RowKind.LOG + axis for axis in about]


def _couplings(robot: Robot, joint_of: dict[int, int]) -> tuple[Floats, Floats]:
    rows = np.zeros((len(robot.couplings), len(joint_of)))
    values = np.zeros(len(robot.couplings))
    for row, value, coupling in zip(rows, range(len(values)), robot.couplings, strict=True):
        row[joint_of[coupling.link]] = 1.0
        for link, ratio in coupling.equals:
            row[joint_of[link]] -= ratio
        values[value] = coupling.offset
    return rows, values


def _write_curves(memory: MechanismMemory, robot: Robot, joint_of: dict[int, int]) -> None:
    """Points of the curves of all couplings, one after the other."""
    curves = [curve_of(coupling) for coupling in robot.couplings]
    memory.curve_start[:] = _starts([0 if curve is None else len(curve.y) for curve in curves])
    for k, (coupling, curve) in enumerate(zip(robot.couplings, curves, strict=True)):
        if curve is not None and coupling.leader is not None:
            points = slice(memory.curve_start[k], memory.curve_start[k + 1])
            memory.curve_kind[k], memory.curve_joint[k] = curve.kind, joint_of[coupling.leader]
            memory.curve_x[points], memory.curve_y[points], memory.curve_slope[points] = curve.x, curve.y, curve.slope


def _starts(sizes: list[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
