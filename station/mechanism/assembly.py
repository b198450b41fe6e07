"""Assembly: all loops closed within the stops, nearest to the values of the file; and what the closures amount to."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from station.mechanism.compiling import Compiled
from station.mechanism.errors import AssemblyError
from station.mechanism.kernels.assemble import STRAIN, close_loops, come_nearer, squared_gap
from station.mechanism.kernels.memory import LOG, REVOLUTE, Floats, Memory
from station.mechanism.kernels.tree import frame_jacobian, frame_pose

CLOSED = 1e-10  # gap at which a robot counts as assembled [m]
RESTARTS = 200
SAMPLES = 5  # configurations at which the rank is looked at


class Gap(NamedTuple):
    """How far loops are open."""

    metres: float
    radians: float


def assemble(name: str, compiled: Compiled) -> list[Floats]:
    """Close all loops of a robot and find the rank of its closures; raises AssemblyError with the smallest gap found.

    The robot is left at the closed configuration nearest to the file's; returned are that one and some around it.
    """
    mem, initial = compiled.memory, compiled.initial
    if len(mem.residual) == 0 or len(initial) == 0:
        mem.q[:] = initial
        if len(mem.residual) and squared_gap(mem.block, mem.q, False) > CLOSED**2:
            raise AssemblyError(name, *_worst(compiled))
        mem.closure_rank[0] = 0
        return [initial.copy()]
    generator = np.random.default_rng(1998)
    q = _closed(name, compiled, generator)
    samples = _samples(mem, q, generator)
    mem.closure_rank[0] = max(_rank(mem, sample) for sample in samples)
    nearest, gap = q.copy(), squared_gap(mem.block, q, False)
    if come_nearer(mem.block, initial, nearest) and squared_gap(mem.block, nearest, False) <= 4.0 * gap + CLOSED**2:
        q = nearest
    mem.q[:] = q
    return [q, *samples[1:]]


def _closed(name: str, compiled: Compiled, generator: np.random.Generator) -> Floats:
    """Joint values that close the loops, from the file's first, then from random ones within the stops."""
    near = _closed_nearby(compiled)
    if near is not None:
        return near
    mem, best, best_gap = compiled.memory, compiled.initial.copy(), math.inf
    for attempt in range(RESTARTS):
        q = compiled.initial.copy() if attempt == 0 else _random(mem, compiled.initial, generator, attempt)
        gap = close_loops(mem.block, q)
        if gap < best_gap:
            best, best_gap = q, gap
        if best_gap <= CLOSED:
            return best
        # Parts that are not quite true: nothing closes better, and what is left is small.
        if attempt >= 10 and best_gap <= STRAIN * mem.scale[0]:
            return best
    squared_gap(mem.block, best, False)
    raise AssemblyError(name, *_worst(compiled))


def _closed_nearby(compiled: Compiled) -> Floats | None:
    """Joint values near the file's that close all rows that say something of their own, if that is enough.

    Rows that repeat others may contradict them a little in parts that are not quite true. To please them too, a solver
    of all rows would slide far away, to where the parts happen to fit.
    """
    mem = compiled.memory
    mem.closure_rank[0] = _rank(mem, compiled.initial)
    q = compiled.initial.copy()
    closed = come_nearer(mem.block, compiled.initial, q)
    gap = math.sqrt(squared_gap(mem.block, q, False))
    mem.closure_rank[0] = len(mem.residual)
    if not closed or gap > STRAIN * mem.scale[0]:
        return None
    if gap > CLOSED:
        better = q.copy()
        moved_little = np.where(mem.joint_kind == REVOLUTE, 0.05, 0.05 * mem.scale[0])
        if close_loops(mem.block, better) <= CLOSED and (np.abs(better - q) <= moved_little).all():
            return better
    return q


def _random(mem: Memory, initial: Floats, generator: np.random.Generator, attempt: int) -> Floats:
    """Near the file's values at first, anywhere within the stops later."""
    spread = np.where(mem.joint_kind == REVOLUTE, math.pi, 4.0 * mem.scale[0])
    low = np.maximum(mem.q_min, initial - spread)
    high = np.minimum(mem.q_max, initial + spread)
    anywhere = generator.uniform(low, high)
    share = min(1.0, attempt / 20)
    return np.asarray(initial + share * (anywhere - initial))


def _samples(mem: Memory, q: Floats, generator: np.random.Generator) -> list[Floats]:
    """Closed configurations around `q`: a rank at one of them could be lower by accident."""
    samples = [q]
    spread = np.where(mem.joint_kind == REVOLUTE, 0.2, 0.2 * mem.scale[0])
    for _ in range(3 * SAMPLES):
        near = np.clip(q + generator.uniform(-spread, spread), mem.q_min, mem.q_max)
        if close_loops(mem.block, near) <= max(CLOSED, STRAIN * mem.scale[0]) and len(samples) < SAMPLES:
            samples.append(near)
    return samples


def _rank(mem: Memory, q: Floats) -> int:
    """Rank of the closure rows: where their singular values fall off a cliff."""
    squared_gap(mem.block, q, True)
    values = np.linalg.svd(mem.matrix[:, : len(q)], compute_uv=False)
    values = values[values > 1e-12 * values[0]]
    ratios = values[:-1] / values[1:]
    cliff = int(np.argmax(ratios)) if len(ratios) else 0
    if len(ratios) and ratios[cliff] > 100.0 and values[cliff + 1] < 1e-2 * values[0]:
        return cliff + 1
    return len(values)


def undetermined(mem: Memory, q: Floats, joints: list[int]) -> list[int]:
    """Which of these joints can still move while all others stand still, loops closed."""
    if not joints:
        return []
    squared_gap(mem.block, q, True)
    _, values, turned = np.linalg.svd(mem.matrix[:, joints])
    scale = values.max(initial=0.0)
    loose = turned[int((values > 1e-6 * scale).sum()) :] if scale > 0.0 else turned
    return [joint for column, joint in enumerate(joints) if np.abs(loose[:, column]).max(initial=0.0) > 1e-6]


def gap_of(mem: Memory) -> Gap:
    """Largest gap of loops and couplings, from the residuals of all rows."""
    gaps = [_loop_gap(mem, c) for c in range(len(mem.closure_a))] + [_coupling_gap(mem)]
    return Gap(max(gap.metres for gap in gaps), max(gap.radians for gap in gaps))


def _loop_gap(mem: Memory, closure: int) -> Gap:
    """Distance and angle between the two frames of a closure, as far as they are held."""
    rows = slice(mem.row_start[closure], mem.row_start[closure + 1])
    along = mem.row_kind[rows] < LOG
    values = mem.residual[rows]
    return Gap(float(np.linalg.norm(values[along])), float(np.linalg.norm(values[~along]) / mem.scale[0]))


def _coupling_gap(mem: Memory) -> Gap:
    values = np.abs(mem.residual[len(mem.row_kind) :])
    turns = mem.joint_kind[mem.coupling_joint] == REVOLUTE
    return Gap(float(values[~turns].max(initial=0.0)), float(values[turns].max(initial=0.0)))


def _worst(compiled: Compiled) -> tuple[float, float, str]:
    """Gap of the loop that is open most, and between what."""
    mem = compiled.memory
    found = [(_coupling_gap(mem), "couplings")]
    for c, closure in enumerate(compiled.closures):
        found.append((_loop_gap(mem, c), " and ".join(f"{target.word} {target.id}" for target in closure.targets)))
    gap, between = max(found, key=lambda one: one[0].metres + mem.scale[0] * one[0].radians)
    return gap.metres, gap.radians, between


def task_rank(mem: Memory, samples: list[Floats], frames: list[int], axes: int = 0b111111) -> int:
    """Rank of the rows of followed frames, at the best of several configurations; leaves the bodies anywhere."""
    counted = [axis for axis in range(6) if axes >> axis & 1]
    if not frames or len(mem.q) == 0:
        return 0
    generator = np.random.default_rng(1998)
    open_tree = [_random(mem, samples[0], generator, attempt) for attempt in (5, 10, 20)]
    ranks = []
    for q in samples if len(mem.residual) else (*samples, *open_tree):
        squared_gap(mem.block, q, True)
        rows = np.vstack([_frame_rows(mem, frame)[counted] for frame in frames])
        free = (
            np.linalg.svd(mem.matrix[:, : len(q)])[2][mem.closure_rank[0] :].T if len(mem.residual) else np.eye(len(q))
        )
        ranks.append(int(np.linalg.matrix_rank(rows @ free, tol=1e-6 * mem.scale[0])))
    return max(ranks)


def _frame_rows(mem: Memory, frame: int) -> Floats:
    """Weighed 6×n Jacobian of a frame where the bodies are."""
    pose, rows = np.zeros((3, 4)), np.zeros((6, len(mem.q)))
    frame_pose(mem.block, frame, mem.rotation, mem.position, pose)
    frame_jacobian(mem.block, frame, pose[:, 3].copy(), mem.rotation, mem.position, rows)
    rows[3:] *= mem.scale[0]
    return rows
