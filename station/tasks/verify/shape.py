"""Loops that stay closed, and a tool that stays away from singularities."""

from __future__ import annotations

import math

import numpy as np

from station.kernel import Floats1, Floats2, Ints1, entry, kernel
from station.mechanism.closures import closure_rows
from station.mechanism.memory import JointKind, MechanismMemory
from station.mechanism.tree import forward, frame_jacobian, frame_pose
from station.tasks.task.joints import normal_matrix, solve
from station.tasks.task.model import Floats
from station.tasks.verify.joints import Outcome, finding_at
from station.tasks.verify.motion import Motion
from station.tasks.verify.results import Check, Margin
from station.tasks.verify.settings import VerifySettings

SWEEPS = 12  # of Jacobi rotations
TOLERANCE = 2e-3  # to which the least ratio of a path is found


def check_closure(motion: Motion, settings: VerifySettings) -> Outcome:
    """Gaps of loops and couplings, with the driven joints where the task has them."""
    if not len(motion.mechanism.memory.residual):
        return Outcome([], Margin(Check.CLOSURE, math.inf, "m", "", None, "the robot has no loops"))
    findings = []
    for first, last in motion.intervals(~(motion.gaps <= settings.closure)):
        worst = first + int(np.argmax(np.nan_to_num(motion.gaps[first : last + 1], nan=math.inf)))
        value = float(motion.gaps[worst])
        text = f"the loops do not close: {1000.0 * value:.3g} mm are open, {motion.at_text(first)}"
        findings.append(finding_at(Check.CLOSURE, text, motion, (first, last, worst), value, settings.closure))
    worst = int(np.argmax(motion.gaps))
    room = settings.closure - float(motion.gaps[worst])
    return Outcome(findings, Margin(Check.CLOSURE, room, "m", "", motion.where(worst)))


def gains_along(motion: Motion, limit: float) -> Floats:
    """Least over largest gain of the tool at every sample that matters; NaN at others."""
    mechanism, frame = motion.mechanism, motion.task.frame
    gains = np.full(len(motion.whole), math.nan)
    path_gains(
        mechanism.memory,
        mechanism.frame_number(frame),
        mechanism.rank(frame),
        motion.free,
        motion.carried,
        motion.whole,
        limit,
        gains,
    )
    mechanism._refresh()
    return gains


def check_singularity(motion: Motion, settings: VerifySettings) -> Outcome:
    """How far the tool stays from a singularity; the margin is the gain ratio beyond the limit."""
    limit = settings.singularity
    gains = gains_along(motion, limit)
    findings = []
    with np.errstate(invalid="ignore"):
        bad = gains < limit
    for first, last in motion.intervals(bad):
        worst = first + int(np.nanargmin(gains[first : last + 1]))
        value = float(gains[worst])
        text = (
            f"near a singularity: the least gain of the tool is {value:.3g} of the largest, {limit:.3g} is allowed, "
            f"{motion.at_text(worst)}"
        )
        findings.append(finding_at(Check.SINGULARITY, text, motion, (first, last, worst), value, limit))
    worst = int(np.nanargmin(gains))
    room = float(gains[worst]) - limit
    return Outcome(findings, Margin(Check.SINGULARITY, room, "gain ratio", "", motion.where(worst)))


# Singular values ----------------------------------------------------------------------------------------------


@kernel
def _turn_pair(m: Floats2, p: int, q: int) -> None:
    """One Jacobi rotation of a symmetric matrix that makes m[p, q] zero."""
    angle = 0.5 * math.atan2(2.0 * m[p, q], m[q, q] - m[p, p])
    c, s = math.cos(angle), math.sin(angle)
    for k in range(m.shape[0]):
        x, y = m[p, k], m[q, k]
        m[p, k], m[q, k] = c * x - s * y, s * x + c * y
    for k in range(m.shape[0]):
        x, y = m[k, p], m[k, q]
        m[k, p], m[k, q] = c * x - s * y, s * x + c * y


@kernel
def _sweep(m: Floats2) -> bool:
    """Jacobi rotations of all pairs; False if the matrix is diagonal already."""
    off, diagonal = 0.0, 0.0
    for i in range(m.shape[0]):
        diagonal += m[i, i]
        for j in range(i):
            off = max(off, abs(m[i, j]))
    if off <= 1e-14 * diagonal:
        return False
    for p in range(m.shape[0] - 1):
        for q in range(p + 1, m.shape[0]):
            if m[p, q] != 0.0:
                _turn_pair(m, p, q)
    return True


@kernel
def _gain_ratio(jacobian: Floats2, rank: int, square: Floats2, values: Floats1) -> float:
    """The singular value number `rank` over the largest one; `square` and `values` are scratch."""
    rows = jacobian.shape[0]
    for i in range(rows):
        for j in range(i + 1):
            total = 0.0
            for k in range(jacobian.shape[1]):
                total += jacobian[i, k] * jacobian[j, k]
            square[i, j] = square[j, i] = total
    for _ in range(SWEEPS):
        if not _sweep(square):
            break
    for i in range(rows):  # put in their order as they come
        value, k = square[i, i], i
        while k > 0 and values[k - 1] > value:
            values[k] = values[k - 1]
            k -= 1
        values[k] = value
    largest = values[rows - 1]
    return math.sqrt(max(values[rows - rank], 0.0) / largest) if largest > 0.0 else 0.0


@kernel
def _reduce_columns(
    mem: MechanismMemory, driven: Ints1, passive: Ints1, q: Floats1, full: Floats2, m: Floats2, out: Floats2
) -> None:
    """Columns of the driven joints, with what passive ones add as they are carried along."""
    closure_rows(mem, q, True)
    rows, x = mem.matrix, np.zeros(passive.size)
    normal_matrix(mem, passive, m)
    for k in range(driven.size):
        for i in range(passive.size):
            x[i] = 0.0
            for row in range(rows.shape[0]):
                x[i] -= rows[row, passive[i]] * rows[row, driven[k]]
        solve(m, passive.size, x)
        for row in range(6):
            out[row, k] = full[row, driven[k]]
            for i in range(passive.size):
                out[row, k] += full[row, passive[i]] * x[i]


@entry
def path_gains(
    mem: MechanismMemory,
    frame: int,
    rank: int,
    driven: Ints1,
    passive: Ints1,
    path: Floats2,
    limit: float,
    out: Floats1,
) -> None:
    """Gain ratios along a path of all joints; NaN where none was asked for, as it cannot be the least there.

    A ratio changes by no more than 2·√joints times how far the joints move (serial robots); samples are passed over as
    long as this leaves it above the least found so far, and above the limit.
    """
    n, count = path.shape
    full, reduced = np.zeros((6, count)), np.zeros((6, driven.size))
    square, values, pose, point = np.zeros((6, 6)), np.zeros(6), np.zeros((3, 4)), np.zeros(3)
    m = np.zeros((passive.size, passive.size))
    rotation, position, kinds = mem.rotation, mem.position, mem.joint_kind
    length, best, left, steepness = mem.length, math.inf, 0.0, 2.0 * math.sqrt(count)
    for sample in range(n):
        if sample > 0:
            for j in range(count):
                unit = 1.0 if kinds[j] == JointKind.REVOLUTE else length
                left -= steepness * abs(path[sample, j] - path[sample - 1, j]) / unit
        if left > 0.0 and passive.size == 0:
            out[sample] = math.nan
            continue
        forward(mem, path[sample], rotation, position)
        frame_pose(mem, frame, rotation, position, pose)
        for i in range(3):
            point[i] = pose[i, 3]
        frame_jacobian(mem, frame, point, rotation, position, full)
        for i in range(3, 6):
            for j in range(count):
                full[i, j] *= length
        if passive.size:
            _reduce_columns(mem, driven, passive, path[sample], full, m, reduced)
            ratio = _gain_ratio(reduced, rank, square, values)
        else:
            ratio = _gain_ratio(full, rank, square, values)
        out[sample] = ratio
        best = min(best, ratio)
        left = ratio - max(best, limit) + TOLERANCE if ratio > limit else 0.0
