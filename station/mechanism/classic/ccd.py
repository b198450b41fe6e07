"""CCD, cyclic coordinate descent: one joint at a time, from the tip to the base (Wang and Chen 1991; sheet 6)."""

from __future__ import annotations

import math

import numpy as np

from station.kernel import Bools1, Floats1, Floats2, Floats3, entry, kernel
from station.kernel.se3 import difference
from station.mechanism.classic.chain import Chain, Progress
from station.mechanism.classic.results import Errors, Floats, Goal, Solution


@entry(inline=True)
def best_turn(k1: float, k2: float, k3: float, low: float, high: float) -> float:
    """The φ in [low, high] with the largest G(φ) = k1·(1 - cos φ) + k2·cos φ + k3·sin φ [rad].

    A maximum outside the range may be inside one turn further; if not, the better end of the range is the best.
    """
    free = math.atan2(k3, k2 - k1)
    best, found = math.inf, False
    for turns in range(-1, 2):
        phi = free + turns * 2.0 * math.pi
        if low <= phi <= high and abs(phi) < abs(best):
            best, found = phi, True
    if found:
        return best
    at_low = (k2 - k1) * math.cos(low) + k3 * math.sin(low)
    at_high = (k2 - k1) * math.cos(high) + k3 * math.sin(high)
    return low if at_low > at_high else high


@entry(inline=True)
def turn_gains(joint: Floats2, tip: Floats2, target: Floats2, weights: Floats1) -> tuple[float, float, float]:
    """K1, K2, K3 of a joint that turns, from three poses; weights: of the position, then of the x, y and z axis."""
    k1, k2, k3 = 0.0, 0.0, 0.0
    for term in range(4):
        weight = weights[term]
        if weight == 0.0:
            continue
        # term 0: the points as seen from the joint; terms 1 to 3: the axes
        column = 3 if term == 0 else term - 1
        ax, ay, az = tip[0, column], tip[1, column], tip[2, column]
        bx, by, bz = target[0, column], target[1, column], target[2, column]
        if term == 0:
            ax, ay, az = ax - joint[0, 3], ay - joint[1, 3], az - joint[2, 3]
            bx, by, bz = bx - joint[0, 3], by - joint[1, 3], bz - joint[2, 3]
        zx, zy, zz = joint[0, 2], joint[1, 2], joint[2, 2]
        k1 += weight * (ax * zx + ay * zy + az * zz) * (bx * zx + by * zy + bz * zz)
        k2 += weight * (ax * bx + ay * by + az * bz)
        k3 += weight * (zx * (ay * bz - az * by) + zy * (az * bx - ax * bz) + zz * (ax * by - ay * bx))
    return k1, k2, k3


@kernel
def _turn(tip: Floats2, joint: Floats2, phi: float) -> None:
    """Turn the pose `tip` about the z axis of `joint`, in place (Rodrigues)."""
    cos, sin = math.cos(phi), math.sin(phi)
    zx, zy, zz = joint[0, 2], joint[1, 2], joint[2, 2]
    for column in range(4):
        x, y, z = tip[0, column], tip[1, column], tip[2, column]
        if column == 3:
            x, y, z = x - joint[0, 3], y - joint[1, 3], z - joint[2, 3]
        along = (x * zx + y * zy + z * zz) * (1.0 - cos)
        tip[0, column] = along * zx + cos * x + sin * (zy * z - zz * y)
        tip[1, column] = along * zy + cos * y + sin * (zz * x - zx * z)
        tip[2, column] = along * zz + cos * z + sin * (zx * y - zy * x)
        if column == 3:
            for row in range(3):
                tip[row, 3] += joint[row, 3]


@entry
def cycle(
    poses: Floats3,
    revolute: Bools1,
    low: Floats1,
    high: Floats1,
    q: Floats1,
    target: Floats2,
    weights: Floats1,
) -> None:
    """One pass from the last joint to the first; changes `q`, and the tip's pose in `poses`, in place."""
    n = q.size
    tip = poses[n]
    for i in range(n - 1, -1, -1):
        joint = poses[i]
        if not revolute[i]:
            wanted = 0.0
            for row in range(3):
                wanted += (target[row, 3] - tip[row, 3]) * joint[row, 2]
            moved = min(max(q[i] + wanted, low[i]), high[i]) - q[i]
            q[i] += moved
            for row in range(3):
                tip[row, 3] += moved * joint[row, 2]
            continue
        k1, k2, k3 = turn_gains(joint, tip, target, weights)
        if math.hypot(k3, k2 - k1) <= 1e-14 * (abs(k1) + abs(k2) + abs(k3)):
            continue  # the axis runs through tip or target: no turn is better than another
        phi = best_turn(k1, k2, k3, low[i] - q[i], high[i] - q[i])
        q[i] = min(max(q[i] + phi, low[i]), high[i])
        _turn(tip, joint, phi)


def ccd(chain: Chain, goal: Goal, q0: Floats, *, orientation_weight: float | None = None) -> Solution:
    """Turn or slide each joint to its own best, from the tip to the base, again and again.

    Args:
        chain: the arm.
        goal: the target; with `position_only` the orientation counts nothing.
        q0: joint values to start from [rad | m].
        orientation_weight: what the cosines between the axes weigh against the square of distances [m²]; by default
            the square of a fifth of the arm's length.
    """
    if orientation_weight is None:
        orientation_weight = (_length(chain) / 5.0) ** 2
    weights = np.array([1.0] + [0.0 if goal.position_only else orientation_weight] * 3)
    progress = Progress(chain, goal)
    q = q0.copy()
    while True:
        poses = chain.frames(q)
        error = difference(poses[-1], goal.target)
        status = progress.after(q, Errors.of(error))
        if status is not None:
            return progress.solution(status)
        cycle(poses, chain.revolute, chain.low, chain.high, q, goal.target, weights)


def _length(chain: Chain) -> float:
    """Length of the arm when stretched, slides at their initial values [m]."""
    points = chain.positions(chain.initial)
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
