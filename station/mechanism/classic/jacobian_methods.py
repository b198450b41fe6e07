"""Pseudo-inverse, damped least squares and transpose: three rules for a step, one loop around them.

Sheet 5. The error is [m, rad] and goes into the rules as it is: one radian counts like one metre. Stops are kept as
in the book, by clamping and removing columns: a joint that would pass its stop is put on it, its column is taken
out and the step is computed anew from the same error; the next iteration starts with all columns again, so that a
joint can leave its stop.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from station.kernel.se3 import difference
from station.mechanism.classic.chain import Chain, Progress
from station.mechanism.classic.chain import jacobian as frame_jacobian
from station.mechanism.classic.results import Errors, Floats, Goal, Solution

Rule = Callable[[Floats, Floats], Floats]  # (Jacobian, error) → change of the joints

MAX_STEP = 0.3  # largest change of a joint in one iteration [rad | m]
DAMPING = 0.01  # [m]
THRESHOLD = 1e-8  # smaller singular values, as parts of the largest, are inverted to zero
MOST_HALVINGS = 40


def pinv_step(jacobian: Floats, error: Floats, threshold: float = THRESHOLD) -> Floats:
    """Δq = J⁺·error by singular values, the smallest inverted to zero [rad | m]."""
    u, s, vt = np.linalg.svd(jacobian, full_matrices=False)
    kept = s > threshold * s[0]
    inverse = np.divide(1.0, s, out=np.zeros_like(s), where=kept)
    step: Floats = vt.T @ (inverse * (u.T @ error))
    return step


def dls_step(jacobian: Floats, error: Floats, damping: float = DAMPING) -> Floats:
    """Δq = Jᵀ·(J·Jᵀ + λ²·I)⁻¹·error, never longer than |error| / 2λ [rad | m]."""
    rows = len(error)
    step: Floats = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + damping**2 * np.eye(rows), error)
    return step


def transpose_step(jacobian: Floats, error: Floats) -> Floats:
    """Δq = α·Jᵀ·error with the α that Buss gives, the best one if the chain were linear [rad | m]."""
    direction: Floats = jacobian.T @ error
    reached = jacobian @ direction
    square = float(reached @ reached)
    return direction * (float(error @ reached) / square) if square > 0.0 else np.zeros_like(direction)


def limited_step(
    chain: Chain, q: Floats, jacobian: Floats, error: Floats, rule: Rule, max_step: float | None = MAX_STEP
) -> Floats:
    """New joint values, within the stops [rad | m]: the rule's step, clamped, with columns removed at stops."""
    q = q.copy()
    free = np.ones(len(q), dtype=bool)
    while free.any():
        step = np.where(free, rule(jacobian * free, error), 0.0)
        largest = float(np.abs(step).max())
        if max_step is not None and largest > max_step:
            step *= max_step / largest
        new = q + step
        beyond = free & ((new > chain.high) | (new < chain.low))
        if not beyond.any():
            return new
        q = np.where(beyond, np.clip(new, chain.low, chain.high), q)
        free &= ~beyond
    return q


def pinv(
    chain: Chain, goal: Goal, q0: Floats, *, threshold: float = THRESHOLD, max_step: float | None = MAX_STEP
) -> Solution:
    """Iterate with the pseudo-inverse: fast where the arm is not near a singularity."""
    return _iterate(chain, goal, q0, lambda jacobian, error: pinv_step(jacobian, error, threshold), max_step)


def dls(
    chain: Chain, goal: Goal, q0: Floats, *, damping: float = DAMPING, max_step: float | None = MAX_STEP
) -> Solution:
    """Iterate with damped least squares: bounded steps everywhere."""
    return _iterate(chain, goal, q0, lambda jacobian, error: dls_step(jacobian, error, damping), max_step)


def transpose(chain: Chain, goal: Goal, q0: Floats, *, max_step: float | None = MAX_STEP) -> Solution:
    """Iterate with the transpose, halving steps until the error does not grow: never inverts, but slow."""
    return _iterate(chain, goal, q0, transpose_step, max_step, backtrack=True)


def _iterate(
    chain: Chain, goal: Goal, q: Floats, rule: Rule, max_step: float | None, backtrack: bool = False
) -> Solution:
    rows = 3 if goal.position_only else 6
    progress = Progress(chain, goal)
    while True:
        poses = chain.frames(q)
        error = difference(poses[-1], goal.target)
        status = progress.after(q, Errors.of(error))
        if status is not None:
            return progress.solution(status)
        jacobian = frame_jacobian(poses, chain.revolute)[:rows]
        new = limited_step(chain, q, jacobian, error[:rows], rule, max_step)
        q = _halved(chain, goal, q, new, error[:rows]) if backtrack else new


def _halved(chain: Chain, goal: Goal, q: Floats, new: Floats, error: Floats) -> Floats:
    """`new`, or a point on the way to it where the error is not larger than at `q`; `q` itself if there is none."""
    size = np.linalg.norm(error)
    for _ in range(MOST_HALVINGS):
        if np.linalg.norm(difference(chain.pose(new), goal.target)[: len(error)]) <= size:
            return new
        new = q + 0.5 * (new - q)
    return q
