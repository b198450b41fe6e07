"""FABRIK with the book's limits for ball joints (sheet 7.3, 7.4): a cone for the swing, a range for the twist."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from station.mechanism.classic.fabrik.points import STALL, PointSolution, at_distance
from station.mechanism.classic.results import ClassicError, Floats, Status

Cone = tuple[float, float, float, float]  # half-angles towards +x, +y, -x, -y of the link before [rad], each < π/2


def turned(frame: Floats, direction: Floats) -> Floats:
    """A frame, 3×3, after the smallest rotation that brings its z along `direction`."""
    z = direction / np.linalg.norm(direction)
    axis = np.cross(frame[:, 2], z)
    sin, cos = float(np.linalg.norm(axis)), float(frame[:, 2] @ z)
    if sin < 1e-12:  # already there, or half a turn about the frame's own x
        return frame.copy() if cos > 0.0 else np.column_stack([frame[:, 0], -frame[:, 1], -frame[:, 2]])
    axis = axis / sin
    rotated: Floats = cos * frame + sin * np.cross(axis, frame, axisb=0).T + (1.0 - cos) * np.outer(axis, axis @ frame)
    return rotated


def nearest_on_ellipse(x: float, y: float, a: float, b: float) -> tuple[float, float]:
    """The point of the ellipse with half-axes a, b that is nearest to an outside point (by bisection)."""
    u, v = abs(x), abs(y)
    low, high = max(-a * a + a * u, -b * b + b * v), math.hypot(a * u, b * v) + max(a, b) ** 2
    for _ in range(80):
        middle = 0.5 * (low + high)
        outside = (a * u / (middle + a * a)) ** 2 + (b * v / (middle + b * b)) ** 2 > 1.0
        low, high = (middle, high) if outside else (low, middle)
    return math.copysign(a * a * u / (high + a * a), x), math.copysign(b * b * v / (high + b * b), y)


def into_cone(apex: Floats, frame: Floats, point: Floats, cone: Cone, length: float) -> Floats:
    """The place at `length` from the apex that is inside the cone about the frame's z and nearest to `point`.

    'Nearest' as in the book: on the ellipse that the plane through the point cuts out of the cone.
    """
    x, y, depth = (float(value) for value in frame.T @ (point - apex))
    tan_x, tan_y = math.tan(cone[0] if x >= 0.0 else cone[2]), math.tan(cone[1] if y >= 0.0 else cone[3])
    if depth <= 1e-9 * length:  # in the other hemisphere: keep the side on which it is
        side = math.atan2(y, x)
        radius = 1.0 / math.hypot(math.cos(side) / tan_x, math.sin(side) / tan_y)
        x, y, depth = radius * math.cos(side), radius * math.sin(side), 1.0
    elif (x / (depth * tan_x)) ** 2 + (y / (depth * tan_y)) ** 2 > 1.0:
        x, y = nearest_on_ellipse(x, y, depth * tan_x, depth * tan_y)
    placed: Floats = apex + frame @ np.array([x, y, depth]) * (length / math.hypot(x, y, depth))
    return placed


def fabrik_cones(
    points: ArrayLike,
    target: ArrayLike,
    base_frame: ArrayLike,
    cones: Sequence[Cone],
    tolerance: float = 1e-3,
    max_iterations: int = 300,
) -> PointSolution:
    """Move a chain of ball joints with swing limits; the best admissible pose is returned.

    Args:
        points: start, (n, 3) [m].
        target: where the last point shall go [m].
        base_frame: 3×3, its z is the axis of the first cone.
        cones: of each link about the link before.
        tolerance: [m].
        max_iterations: hard bound; limits can lock the method up before a target that could be reached.
    """
    chain, goal, first = (np.array(value, dtype=float) for value in (points, target, base_frame))
    if len(cones) != len(chain) - 1 or not all(0.0 < angle < math.pi / 2 for cone in cones for angle in cone):
        raise ClassicError(f"needs {len(chain) - 1} cones of four half-angles between 0 and π/2")
    lengths = np.linalg.norm(np.diff(chain, axis=0), axis=1)
    base = chain[0].copy()
    frames = _from_base(chain, base, lengths, first, cones)
    best, best_error, moved = chain.copy(), float(np.linalg.norm(chain[-1] - goal)), math.inf
    for iteration in range(max_iterations + 1):
        if best_error <= tolerance:
            return PointSolution(Status.SOLVED, best, iteration, best_error)
        if moved < STALL:
            return PointSolution(Status.STALLED, best, iteration, best_error)
        before = chain.copy()
        _to_base(chain, goal, lengths, frames, cones)
        frames = _from_base(chain, base, lengths, first, cones)
        moved = float(np.abs(chain - before).max())
        error = float(np.linalg.norm(chain[-1] - goal))
        if error < best_error:
            best, best_error = chain.copy(), error
    return PointSolution(Status.CAPPED, best, max_iterations, best_error)


def _to_base(chain: Floats, goal: Floats, lengths: Floats, frames: list[Floats], cones: Sequence[Cone]) -> None:
    """Stage 1, in place: each link limits the one before it by its mirrored cone."""
    chain[-1] = goal
    for i in range(len(chain) - 2, -1, -1):
        chain[i] = at_distance(chain[i], chain[i + 1], float(lengths[i]))
        if i > 0:
            frame = turned(frames[i], chain[i + 1] - chain[i])
            mirrored = frame * np.array([1.0, 1.0, -1.0])
            chain[i - 1] = into_cone(chain[i], mirrored, chain[i - 1], cones[i], float(lengths[i - 1]))


def _from_base(chain: Floats, base: Floats, lengths: Floats, frame: Floats, cones: Sequence[Cone]) -> list[Floats]:
    """Stage 2, in place, so that the result is admissible; returns the frame of each link, z along it."""
    chain[0] = base
    frames = []
    for i in range(len(chain) - 1):
        chain[i + 1] = into_cone(chain[i], frame, chain[i + 1], cones[i], float(lengths[i]))
        frame = turned(frame, chain[i + 1] - chain[i])
        frames.append(frame)
    return frames


def clamp_twist(quaternion: ArrayLike, axis: ArrayLike, low: float, high: float) -> Floats:
    """A rotation (w, x, y, z) = swing·twist with its twist about the unit `axis` brought into [low, high] [rad]."""
    rotation, about = np.array(quaternion, dtype=float), np.array(axis, dtype=float)
    angle = math.remainder(2.0 * math.atan2(float(rotation[1:] @ about), float(rotation[0])), 2.0 * math.pi)
    change = min(max(angle, low), high) - angle
    cos, turn = math.cos(change / 2.0), math.sin(change / 2.0) * about
    vector = rotation[0] * turn + cos * rotation[1:] + np.cross(rotation[1:], turn)
    return np.concatenate(([rotation[0] * cos - rotation[1:] @ turn], vector))
