"""Far targets: Levenberg-Marquardt within the stops and on the closures, from here and then from other places."""

from __future__ import annotations

import math

from station.kernel import Floats1, Floats2, entry, kernel
from station.mechanism.algebra import Programme, solve
from station.mechanism.assembly import close_loops
from station.mechanism.closures import bend_loops, closure_rows, eliminate, land, residual_size
from station.mechanism.level import add_motion, bound_motion, reduce_rows, take_off_what_is_done, weigh_motion
from station.mechanism.memory import JointKind, MechanismMemory
from station.mechanism.tasks import begin, put_pose, task_rows
from station.mechanism.tree import forward

DAMPING = 0.1  # per squared error, after Chan
LARGEST_TURN = 1.5  # of a joint in one go [rad, or in lengths of the robot]
CLOSED = 1e-9  # gap at which a way counts as on the closures [m]
STALLED = 5  # turns without getting nearer after which a search is given up


@entry
def search(
    mem: MechanismMemory,
    frame: int,
    target: Floats2,
    axes: int,
    starts: Floats2,
    turns: int,
    metres: float,
    radians: float,
    q: Floats1,
    best: Floats1,
) -> tuple[bool, int, int]:
    """Look for joint values that bring a frame to a pose within `metres` and `radians`.

    `axes` are the bits of the axes that count. `q` is the first place to start from; `starts` gives more, each joint
    between 0 and 1 of its range. `best` becomes the answer, or the nearest that was found. Returns whether it was
    reached, the number of turns and of restarts.
    """
    begin(mem, False)
    put_pose(mem, 0, frame, 0, target)
    mem.task_axes[0] = axes
    total, nearest = 0, math.inf
    for restart in range(starts.shape[0] + 1):
        if restart > 0:
            _start_at(mem, starts[restart - 1], q)
        lowest, stalled = math.inf, 0
        for _ in range(turns):
            total += 1
            along, about, gap = _look(mem, q)
            if along <= metres and about <= radians and gap <= CLOSED and _settle(mem, q):
                best[:] = q
                return True, total, restart
            error = along * along + (mem.length * about) ** 2 + gap * gap
            if gap <= CLOSED and error < nearest:
                nearest = error
                best[:] = q
            stalled = 0 if error < 0.95 * lowest else stalled + 1
            lowest = min(lowest, error)
            if stalled >= STALLED or not _turn(mem, q, 0.5 * DAMPING * error, False):
                break
    if nearest == math.inf:  # no search ever got onto the closures: stay
        best[:] = mem.q
    return False, total, starts.shape[0]


@entry
def come_closest(mem: MechanismMemory, turns: int, q: Floats1) -> int:
    """From `q`, slide to the nearest pose that can be reached around there, never too far; returns the turns."""
    motion = mem.motion
    for turn in range(turns):
        _look(mem, q)
        if not _turn(mem, q, 0.0, True):
            return turn
        largest = 0.0
        for j in range(q.size):
            largest = max(largest, abs(motion[j]))
        if largest < 1e-10:
            break
    _look(mem, q)
    _settle(mem, q)
    return turns


@kernel
def _start_at(mem: MechanismMemory, share: Floats1, q: Floats1) -> None:
    """Somewhere else: a share of the range of every joint, loops closed."""
    q_min, q_max, joint_kind = mem.q_min, mem.q_max, mem.joint_kind
    for j in range(q.size):
        widest = math.pi if joint_kind[j] == JointKind.REVOLUTE else 4.0 * mem.length
        low, high = q_min[j], q_max[j]
        if low == -math.inf:
            low = min(high, widest) - 2.0 * widest if high < math.inf else -widest
        if high == math.inf:
            high = low + 2.0 * widest
        q[j] = low + share[j] * (high - low)
    if mem.matrix.shape[0] > 0:
        close_loops(mem, q)


@kernel
def _look(mem: MechanismMemory, q: Floats1) -> tuple[float, float, float]:
    """Rows of the task and the closures at `q`; returns distance [m], angle [rad] and gap [m]."""
    task_error, curvature = mem.task_error, mem.curvature
    forward(mem, q, mem.rotation, mem.position)
    gap = 0.0
    if mem.matrix.shape[0] > 0:
        closure_rows(mem, q, True)
        eliminate(mem, mem.closure_rank)
        gap = residual_size(mem)
    curvature[:], mem.missed = 0.0, 0.0
    task_rows(mem, 0, 0, q, 1.0)
    axes, row, along, about = mem.task_axes[0], 0, 0.0, 0.0
    for i in range(6):
        if axes & (1 << i):
            along += task_error[row] ** 2 if i < 3 else 0.0
            about += task_error[row] ** 2 if i >= 3 else 0.0
            row += 1
    return math.sqrt(along), math.sqrt(about) / mem.length, gap


@kernel
def _turn(mem: MechanismMemory, q: Floats1, damping: float, never_overshoot: bool) -> bool:
    """One turn of Levenberg-Marquardt from where `_look` looked; False if there is no way on."""
    motion, particular, curvature, gradient = mem.motion, mem.particular, mem.curvature, mem.gradient
    lower, upper, joint_kind, basis = mem.lower, mem.upper, mem.joint_kind, mem.basis
    q_min, q_max, nothing, bend = mem.q_min, mem.q_max, mem.nothing, mem.bend
    task_reduced, task_error = mem.task_reduced, mem.task_error
    plain, free, n, length = mem.matrix.shape[0] == 0, mem.free, q.size, mem.length
    rows = 0
    for i in range(6):
        rows += (mem.task_axes[0] >> i) & 1
    for j in range(n):
        motion[j] = 0.0 if plain else particular[j]
        if not never_overshoot:
            curvature[j] = damping * (1.0 if joint_kind[j] == JointKind.REVOLUTE else 1.0 / length**2)
        bend[j] = 0.0
        reach = LARGEST_TURN * (1.0 if joint_kind[j] == JointKind.REVOLUTE else length)
        lower[j], upper[j] = max(q_min[j] - q[j], -reach), min(q_max[j] - q[j], reach)
    if never_overshoot and not plain:
        bend_loops(mem, q, basis, free)
    reduce_rows(mem, rows, basis, free, plain)
    if not weigh_motion(mem, nothing, rows, basis, free, plain):
        return False
    for k in range(free):
        gradient[k] = 0.0
        for r in range(rows):
            gradient[k] += task_reduced[r, k] * task_error[r]
    take_off_what_is_done(mem, nothing, rows, basis, free, plain)
    bound_motion(mem, basis, free, plain, n)
    if solve(mem, free, n) != Programme.SOLVED:
        return False
    add_motion(mem, basis, free, plain)
    for j in range(n):
        q[j] = min(max(q[j] + motion[j], q_min[j]), q_max[j])
    return True


@kernel
def _settle(mem: MechanismMemory, q: Floats1) -> bool:
    """Close the loops to the last digit; True at once where there are none."""
    if mem.matrix.shape[0] == 0:
        return True
    return land(mem, q, mem.q_min, mem.q_max)
