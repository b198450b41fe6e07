"""Assembly: all loops closed within the stops, nearest to the values of the file; and what the closures amount to."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from station.kernel import Floats, Floats1, entry
from station.mad.joined import part_text
from station.mechanism.algebra import Programme, cholesky, solve
from station.mechanism.closures import CHAIN, MOST_SKEW, closure_rows, eliminate, is_lost, residual_size
from station.mechanism.compiling import Compiled
from station.mechanism.memory import JointKind, MechanismMemory, RowKind
from station.mechanism.results import AssemblyError, OpenLoop, gap_text
from station.mechanism.tree import forward, frame_jacobian, frame_pose

CLOSED = 1e-10  # gap at which a robot counts as assembled [m]
RESTARTS = 200
SAMPLES = 5  # configurations at which the rank is looked at
CLIFF, BELOW_CLIFF = 4.0, 0.015  # how much smaller singular values of rows that repeat others are, and how small
SEEN_OPEN = 1e-9  # gap from which on a loop is said to stay open [m, rad]
REPEATED = 1e-9  # singular value of rows that repeat others to the last digit

WIDE = 20  # tries to find configurations all over the workspace
EXACT = 1e-13  # gap at which nothing is left to close [m]
MOST_TURNS = 200
STRAIN = 2e-3  # gap, in lengths of the robot, from which on there is no use in creeping on
LARGEST_TURN = 0.4  # of a joint in one go [rad, or in lengths of the robot]


T = TypeVar("T")
Work = Generator[None, None, T]  # done piece by piece


class Gap(NamedTuple):
    """How far loops are open."""

    metres: float
    radians: float


def assemble(name: str, compiled: Compiled) -> list[Floats]:
    """Close all loops of a robot and find the rank of its closures; raises AssemblyError with the smallest gap found.

    The robot is left at the closed configuration nearest to the file's; returned are that one and some around it.
    Loops whose parts do not quite fit are closed as well as they can be (`strained`): the sum of squares of what stays
    open is least, at that rank.
    """
    mem, initial = compiled.memory, compiled.initial
    if len(mem.residual) == 0 or len(initial) == 0:
        mem.q[:] = initial
        if len(mem.residual) and squared_gap(mem, mem.q, False) > CLOSED**2:
            raise AssemblyError(name, *_worst(compiled))
        mem.closure_rank = 0
        return [initial.copy()]
    generator = np.random.default_rng(1998)
    q = _closed(compiled, generator)
    samples = at_once(survey(mem, q, generator))
    nearest, gap = q.copy(), squared_gap(mem, q, False)
    slid = come_nearer(mem, initial, nearest)
    if slid and (mem.strained or squared_gap(mem, nearest, False) <= 4.0 * gap + CLOSED**2):
        q = nearest
    mem.q[:] = q
    gap = math.sqrt(squared_gap(mem, q, False))
    # What stays open is a matter of rows that repeat others, or so little that it does not matter.
    if gap > CLOSED and not (_fits(mem) and (slid or gap <= STRAIN * mem.length)):
        allowed = gap_text(MOST_SKEW * CHAIN * mem.length, MOST_SKEW) if mem.strained and slid else ""
        raise AssemblyError(name, *_worst(compiled), allowed)
    return [q, *samples[1:]]


def survey(mem: MechanismMemory, q: Floats, generator: np.random.Generator) -> Work[list[Floats]]:
    """Find the rank of loops that are closed at `q`, and whether parts fit; returns `q` and some configurations around.

    A piece of work at a time, so that a robot which moves can wait for it. Leaves the bodies anywhere.
    """
    if not len(mem.residual):
        mem.closure_rank, mem.strained = 0, False
        return [q]
    samples = yield from _samples(mem, q, generator)
    rank = 0
    for sample in samples:
        rank = max(rank, _rank(mem, sample))
        yield
    mem.closure_rank, strained = rank, False
    for sample in samples:
        strained = strained or _contradicts(mem, sample)
        yield
    mem.strained = strained
    return samples


def at_once(work: Work[T]) -> T:
    """All of some work."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def _fits(mem: MechanismMemory) -> bool:
    """Whether what stays open, by the residuals as they are, may be of parts that do not quite fit."""
    gap = gap_of(mem)
    # Two loops that share a joint also share out what does not fit: one degree may be a little more in one of them.
    return gap.radians <= 1.1 * MOST_SKEW and gap.metres <= MOST_SKEW * CHAIN * mem.length


def _closed(compiled: Compiled, generator: np.random.Generator) -> Floats:
    """Joint values that close the loops, from the file's first, then from random ones within the stops; or the best."""
    near, fits = _closed_nearby(compiled)
    if near is not None and fits:
        return near
    mem, best, best_gap = compiled.memory, compiled.initial.copy(), math.inf
    for attempt in range(RESTARTS):
        q = compiled.initial.copy() if attempt == 0 else _random(mem, compiled.initial, generator, attempt)
        gap = close_loops(mem, q)
        if gap < best_gap:
            best, best_gap = q, gap
        if best_gap <= CLOSED:
            return best
        # Parts that do not quite fit: nothing closes better, and what is left is small.
        if attempt >= 10 and near is None and _may_be_strained(mem, best):
            return best
    return best if near is None else near


def _may_be_strained(mem: MechanismMemory, q: Floats) -> bool:
    squared_gap(mem, q, False)
    return _fits(mem) and _rank(mem, q) < len(mem.residual)


def _closed_nearby(compiled: Compiled) -> tuple[Floats | None, bool]:
    """Joint values near the file's that close all rows that say something of their own, and whether that is enough.

    Rows that repeat others may contradict them a little in parts that do not quite fit. To please them too, a solver
    of all rows would slide far away, to where the parts happen to fit.
    """
    mem = compiled.memory
    mem.closure_rank = _rank(mem, compiled.initial)
    q = compiled.initial.copy()
    closed = come_nearer(mem, compiled.initial, q)
    gap = math.sqrt(squared_gap(mem, q, False))
    if not closed or gap > CLOSED:
        mem.strained = True
        q[:] = compiled.initial
        closed = come_nearer(mem, compiled.initial, q)
        gap = math.sqrt(squared_gap(mem, q, False))
        mem.strained = False
    mem.closure_rank = len(mem.residual)
    if not closed or not _fits(mem):
        return (q, False) if closed else (None, False)
    if gap > CLOSED:
        better = q.copy()
        moved_little = np.where(mem.joint_kind == JointKind.REVOLUTE, 0.05, 0.05 * mem.length)
        if close_loops(mem, better) <= CLOSED and (np.abs(better - q) <= moved_little).all():
            return better, True
    return q, True


def closed_near(mem: MechanismMemory, wanted: Floats, q: Floats) -> bool:
    """Close the loops of an assembled robot from `q`, which is moved, and slide to what is nearest to `wanted`."""
    if mem.strained and come_nearer(mem, wanted, q):
        return not is_lost(mem)
    gap = close_loops(mem, q)
    return (mem.strained or gap <= CLOSED) and come_nearer(mem, wanted, q) and not is_lost(mem)


def _random(mem: MechanismMemory, initial: Floats, generator: np.random.Generator, attempt: int) -> Floats:
    """Near the file's values at first, anywhere within the stops later."""
    spread = np.where(mem.joint_kind == JointKind.REVOLUTE, math.pi, 4.0 * mem.length)
    low = np.maximum(mem.q_min, initial - spread)
    high = np.minimum(mem.q_max, initial + spread)
    anywhere = generator.uniform(low, high)
    share = min(1.0, attempt / 20)
    return np.asarray(initial + share * (anywhere - initial))


def _samples(mem: MechanismMemory, q: Floats, generator: np.random.Generator) -> Work[list[Floats]]:
    """Closed configurations around `q`: a rank at one of them could be lower by accident."""
    spread = np.where(mem.joint_kind == JointKind.REVOLUTE, 0.2, 0.2 * mem.length)
    around = [np.clip(q + generator.uniform(-spread, spread), mem.q_min, mem.q_max) for _ in range(3 * SAMPLES)]
    rank = _rank(mem, q)
    if rank < len(mem.residual) and _contradicts(mem, q, rank):
        strained = [q, *(yield from _strained(mem, around, rank))]
        if max(_rank(mem, sample) for sample in strained) == rank:
            return strained[:SAMPLES]
    else:
        strained = [q]
    samples = [q]
    for near in around:
        if len(samples) == SAMPLES:
            break
        if close_loops(mem, near) <= max(CLOSED, STRAIN * mem.length):
            samples.append(near)
        yield
    return samples if len(samples) > 1 else strained[:SAMPLES]


def _strained(mem: MechanismMemory, around: list[Floats], rank: int) -> Work[list[Floats]]:
    """The same where parts do not quite fit: closed as well as they can be, if no more rows than `rank` count."""
    mem.closure_rank, mem.strained = rank, True
    found = []
    for near in around:
        sample = near.copy()
        if come_nearer(mem, near, sample):
            found.append(sample)
        yield
    mem.closure_rank, mem.strained = len(mem.residual), False
    return found


def _spectrum(mem: MechanismMemory, q: Floats) -> Floats:
    """Singular values of the closure rows against motion in lengths, the largest being 1; leaves the residuals."""
    squared_gap(mem, q, True)
    unit = np.where(mem.joint_kind == JointKind.REVOLUTE, mem.length, 1.0)
    rows = mem.matrix[:, : len(q)] / unit
    rows[len(mem.row_kind) :] *= unit[mem.coupling_joint, np.newaxis]
    values = np.linalg.svd(rows, compute_uv=False)
    return np.asarray(values / max(values[0], 1e-300), dtype=np.float64)


def _rank(mem: MechanismMemory, q: Floats) -> int:
    """Rank of the closure rows: where their singular values fall off a cliff.

    Parts that fail to fit by a degree leave values of up to 0.01 where there would be zeros.
    """
    return _cliff(_spectrum(mem, q))


def _cliff(values: Floats) -> int:
    """How many singular values, the largest being 1, stand before the first fall to where none should be."""
    values = values[values > 1e-12]
    for place in range(len(values) - 1):
        if values[place + 1] < BELOW_CLIFF and values[place] > CLIFF * values[place + 1]:
            return place + 1
    return len(values)


def _contradicts(mem: MechanismMemory, q: Floats, rank: int | None = None) -> bool:
    """Whether rows beyond the rank do not quite repeat the others, or stay open."""
    beyond = _spectrum(mem, q)[mem.closure_rank if rank is None else rank :]
    return bool(beyond.max(initial=0.0) > REPEATED or np.abs(mem.residual).max() > CLOSED)


def undetermined(mem: MechanismMemory, q: Floats, joints: list[int]) -> list[int]:
    """Which of these joints can still move while all others stand still, loops closed."""
    if not joints:
        return []
    squared_gap(mem, q, True)
    _, values, turned = np.linalg.svd(mem.matrix[:, joints])
    scale = values.max(initial=0.0)
    loose = turned[int((values > 1e-6 * scale).sum()) :] if scale > 0.0 else turned
    return [joint for column, joint in enumerate(joints) if np.abs(loose[:, column]).max(initial=0.0) > 1e-6]


def gap_of(mem: MechanismMemory) -> Gap:
    """Largest gap of loops and couplings, from the residuals of all rows."""
    gaps = [loop_gap(mem, c) for c in range(len(mem.closure_a))] + [_coupling_gap(mem)]
    return Gap(max(gap.metres for gap in gaps), max(gap.radians for gap in gaps))


def loop_gap(mem: MechanismMemory, closure: int) -> Gap:
    """Distance and angle between the two frames of a closure, as far as they are held."""
    rows = slice(mem.row_start[closure], mem.row_start[closure + 1])
    along = mem.row_kind[rows] < RowKind.LOG
    values = mem.residual[rows]
    return Gap(float(np.linalg.norm(values[along])), float(np.linalg.norm(values[~along]) / mem.length))


def _coupling_gap(mem: MechanismMemory) -> Gap:
    values = np.abs(mem.residual[len(mem.row_kind) :])
    turns = mem.joint_kind[mem.coupling_joint] == JointKind.REVOLUTE
    return Gap(float(values[~turns].max(initial=0.0)), float(values[turns].max(initial=0.0)))


def _worst(compiled: Compiled) -> tuple[float, float, str]:
    """Gap of the loop that is open most, and between what."""
    mem = compiled.memory
    found = [(_coupling_gap(mem), "couplings")]
    for c, closure in enumerate(compiled.closures):
        found.append((loop_gap(mem, c), " and ".join(part_text(compiled.robot, part) for part in closure.targets)))
    gap, between = max(found, key=lambda one: one[0].metres + mem.length * one[0].radians)
    return gap.metres, gap.radians, between


def open_loops(compiled: Compiled) -> tuple[OpenLoop, ...]:
    """Loops that are open by the residuals as they are, the worst first."""
    mem, found = compiled.memory, []
    for c, closure in enumerate(compiled.closures):
        ends = " – ".join(part_text(compiled.robot, part) for part in closure.targets)
        kind = "axes" if closure.axes else closure.kind.name.lower()
        line = f", line {closure.source.place.line}" if closure.source.place.line else ""
        found.append(OpenLoop(f"{ends} ({kind}{line})", *loop_gap(mem, c)))
    return tuple(
        sorted(
            (loop for loop in found if max(loop.metres, loop.radians) > SEEN_OPEN),
            key=lambda loop: -(loop.metres + mem.length * loop.radians),
        )
    )


def task_rank(mem: MechanismMemory, samples: list[Floats], frames: Sequence[tuple[int, int]]) -> int:
    """Rank of the rows of followed frames, each with its axes as bits, at the best of several configurations.

    Leaves the bodies anywhere.
    """
    if not frames or len(mem.q) == 0:
        return 0
    generator = np.random.default_rng(1998)
    open_tree = [_random(mem, samples[0], generator, attempt) for attempt in (5, 10, 20)]
    ranks = []
    for q in samples if len(mem.residual) else (*samples, *open_tree):
        squared_gap(mem, q, True)
        rows = np.vstack([_frame_rows(mem, frame)[_counted(axes)] for frame, axes in frames])
        values = np.linalg.svd(rows @ _closed_motions(mem), compute_uv=False)
        # Axes out of plane by a little let a planar robot leave its plane by as little: that is no freedom of it.
        strained = mem.strained and len(values) > 0 and values[0] > 0.0
        ranks.append(_cliff(values / values[0]) if strained else int((values > 1e-6 * mem.length).sum()))
    return max(ranks)


def workspace(mem: MechanismMemory, samples: list[Floats]) -> list[Floats]:
    """Closed configurations over the reachable workspace, the first where the robot was assembled."""
    generator, found = np.random.default_rng(2021), [samples[0]]
    for attempt in range(1, WIDE + 1):
        q = _random(mem, samples[0], generator, attempt)
        if not len(mem.residual) or _is_closed(mem, q):
            found.append(q)
    return [*found, *samples[1:]]


def _is_closed(mem: MechanismMemory, q: Floats) -> bool:
    """Close the loops from `q`, which is moved, as well as they can be; whether they are."""
    if mem.strained:
        return closed_near(mem, q.copy(), q)
    return close_loops(mem, q) <= max(CLOSED, STRAIN * mem.length)


def free_motions(mem: MechanismMemory, configurations: list[Floats], frame: int) -> list[Floats]:
    """Motions of a frame that keep the loops closed, as columns [m], at each place; leaves the bodies anywhere."""
    motions = []
    for q in configurations:
        squared_gap(mem, q, True)
        motions.append(_frame_rows(mem, frame) @ _closed_motions(mem))
    return motions


def _closed_motions(mem: MechanismMemory) -> Floats:
    """Orthonormal motions of the joints that keep the loops closed, as columns, where the rows are."""
    n = len(mem.q)
    if not len(mem.residual):
        return np.eye(n)
    return np.asarray(np.linalg.svd(mem.matrix[:, :n])[2][mem.closure_rank :].T)


def _counted(axes: int) -> list[int]:
    return [axis for axis in range(6) if axes >> axis & 1]


def _frame_rows(mem: MechanismMemory, frame: int) -> Floats:
    """Weighed 6×n Jacobian of a frame where the bodies are."""
    pose, rows = np.zeros((3, 4)), np.zeros((6, len(mem.q)))
    frame_pose(mem, frame, mem.rotation, mem.position, pose)
    frame_jacobian(mem, frame, pose[:, 3].copy(), mem.rotation, mem.position, rows)
    rows[3:] *= mem.length
    return rows


# First closing of all loops, from joint values that may be rounded or plainly wrong -------------------------------


@entry(inline=True)
def squared_gap(mem: MechanismMemory, q: Floats1, with_rows: bool) -> float:
    """Sum of squares of all residuals [m²] at `q`; leaves the bodies there."""
    matrix, position, residual, rotation = mem.matrix, mem.position, mem.residual, mem.rotation
    forward(mem, q, rotation, position)
    closure_rows(mem, q, with_rows)
    total = 0.0
    for r in range(matrix.shape[0]):
        total += residual[r] ** 2
    return total


@entry
def close_loops(mem: MechanismMemory, q: Floats1) -> float:
    """Levenberg-Marquardt within the stops, from `q`, which is moved; returns the root of the squared gap [m]."""
    bound_rows, factor, gradient, hessian = mem.bound_rows, mem.factor, mem.gradient, mem.hessian
    high_left, joint_kind, low_left, matrix = mem.high_left, mem.joint_kind, mem.low_left, mem.matrix
    q_max, q_min, residual, solution = mem.q_max, mem.q_min, mem.residual, mem.solution
    trial = mem.trial
    length = mem.length
    n, rows = q.size, matrix.shape[0]
    damping = 1e-3
    gap = squared_gap(mem, q, True)
    for _ in range(MOST_TURNS):
        if math.sqrt(gap) <= EXACT:
            break
        for a in range(n):
            gradient[a] = 0.0
            for r in range(rows):
                gradient[a] -= matrix[r, a] * residual[r]
            for b in range(a + 1):
                value = 0.0
                for r in range(rows):
                    value += matrix[r, a] * matrix[r, b]
                hessian[a, b] = value
        for j in range(n):
            unit = length * length if joint_kind[j] == JointKind.REVOLUTE else 1.0
            # Damping that fades with the gap keeps the last turns quadratic.
            hessian[j, j] += unit * (damping * min(1.0, gap / length**2) + 1e-13)
            reach = LARGEST_TURN * (1.0 if joint_kind[j] == JointKind.REVOLUTE else length)
            low_left[j] = max(q_min[j] - q[j], -reach)
            high_left[j] = min(q_max[j] - q[j], reach)
            for k in range(n):
                bound_rows[j, k] = 1.0 if j == k else 0.0
        if not cholesky(hessian, n, factor) or solve(mem, n, n) != Programme.SOLVED:
            damping = max(10.0 * damping, 1e-9)
            if damping > 1e12:
                break
            continue
        for j in range(n):
            trial[j] = min(max(q[j] + solution[j], q_min[j]), q_max[j])
        better = squared_gap(mem, trial, True)
        if better < gap:
            small = gap - better <= 1e-24 or better > (1.0 - 1e-9) * gap
            before = gap
            for j in range(n):
                q[j] = trial[j]
            gap, damping = better, max(0.2 * damping, 1e-12)
            strained = better > 0.8 * before and math.sqrt(gap) <= STRAIN * length
            if (small and gap < 1e-20) or strained:
                break
        else:
            damping = max(damping, 1e-6) * 8.0
            if damping > 1e9:
                break
            squared_gap(mem, q, True)
    return math.sqrt(squared_gap(mem, q, True))


@entry
def come_nearer(mem: MechanismMemory, wanted: Floats1, q: Floats1) -> bool:
    """Slide along the closures, within the stops, to where `q` is nearest to `wanted`; True if it stays closed."""
    basis, bound_rows, factor, gradient = mem.basis, mem.bound_rows, mem.factor, mem.gradient
    hessian, high_left, joint_kind = mem.hessian, mem.high_left, mem.joint_kind
    low_left, particular, q_max, q_min = mem.low_left, mem.particular, mem.q_max, mem.q_min
    solution = mem.solution
    length, driven, passive = mem.length, mem.driven, mem.passive_weight
    rank = mem.closure_rank
    n = q.size
    for _ in range(60):
        squared_gap(mem, q, True)
        eliminate(mem, rank)
        free = mem.free
        for a in range(free):
            gradient[a] = 0.0
            for j in range(n):
                unit = length * length if joint_kind[j] == JointKind.REVOLUTE else 1.0
                unit *= 1.0 if driven[j] else passive
                gradient[a] += basis[j, a] * unit * (wanted[j] - q[j] - particular[j])
            for b in range(a + 1):
                hessian[a, b] = 0.0
                for j in range(n):
                    unit = length * length if joint_kind[j] == JointKind.REVOLUTE else 1.0
                    unit *= 1.0 if driven[j] else passive
                    hessian[a, b] += basis[j, a] * unit * basis[j, b]
        for j in range(n):
            reach = 0.1 * (1.0 if joint_kind[j] == JointKind.REVOLUTE else length)
            low_left[j] = max(q_min[j] - q[j], -reach) - particular[j]
            high_left[j] = min(q_max[j] - q[j], reach) - particular[j]
            for k in range(free):
                bound_rows[j, k] = basis[j, k]
        if not cholesky(hessian, free, factor) or solve(mem, free, n) != Programme.SOLVED:
            return residual_size(mem) <= EXACT
        largest = 0.0
        for j in range(n):
            value = particular[j]
            for k in range(free):
                value += basis[j, k] * solution[k]
            largest = max(largest, abs(value))
            q[j] = min(max(q[j] + value, q_min[j]), q_max[j])
        if largest < 1e-12:
            squared_gap(mem, q, False)
            return residual_size(mem) <= 1e-11
    squared_gap(mem, q, False)
    return residual_size(mem) <= 1e-11
