"""The two stages of FABRIK on rods in a plane that are joined by hinges with stops (compiled)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from station.mechanism.classic.results import Floats
from station.mechanism.kernels.cache import kernel

TURN = 2.0 * math.pi


class Rods(NamedTuple):
    """Direction of rod i = direction of rod i - 1 + offset + sign · joint value [rad]."""

    lengths: Floats  # [m]
    signs: Floats  # ±1: the sense in which the joint turns
    offsets: Floats  # [rad]
    low: Floats  # stops [rad]
    high: Floats


@kernel
def admissible(angle: float, near: float, low: float, high: float) -> float:
    """The value in [low, high] that equals `angle` but for whole turns and is nearest to `near`, which is in there.

    Where there is none: the stop that is nearer to the angle [rad].
    """
    value = angle + TURN * np.round((near - angle) / TURN)
    if low <= value <= high:
        return float(value)
    other = value + TURN if value < low else value - TURN
    if low <= other <= high:
        return float(other)
    below, above = min(value, other), max(value, other)
    return low if low - below <= above - high else high


@kernel
def _direction(points: Floats, i: int, otherwise: float) -> float:
    """Direction from point i to the next, or another where both are in one place [rad]."""
    x, y = points[i + 1, 0] - points[i, 0], points[i + 1, 1] - points[i, 1]
    return otherwise if x == 0.0 and y == 0.0 else math.atan2(y, x)


@kernel
def forward_hinges(q: Floats, points: Floats, rods: Rods, target: Floats, heading: float) -> None:
    """Stage 1, points in place: drawn to the target as bare points are, each joint's stops limiting the rod before it.

    `heading` fixes the direction of the last rod [rad]; nan leaves it free.
    """
    last = q.size - 1
    points[last + 1, 0], points[last + 1, 1] = target[0], target[1]
    direction = _direction(points, last, 0.0) if math.isnan(heading) else heading
    for i in range(last, -1, -1):
        if i < last:
            sign, offset = rods.signs[i + 1], rods.offsets[i + 1]
            wanted = sign * (direction - _direction(points, i, direction) - offset)
            direction -= offset + sign * admissible(wanted, q[i + 1], rods.low[i + 1], rods.high[i + 1])
        points[i, 0] = points[i + 1, 0] - rods.lengths[i] * math.cos(direction)
        points[i, 1] = points[i + 1, 1] - rods.lengths[i] * math.sin(direction)


@kernel
def backward_hinges(q: Floats, points: Floats, rods: Rods, base: Floats, heading: float) -> None:
    """Stage 2, joint values and points in place: each joint turns its rod towards the next point, within its stops.

    So the points are always those of the joint values, and the joint values always within the stops.
    """
    last = q.size - 1
    points[0, 0], points[0, 1] = base[0], base[1]
    direction = 0.0
    for i in range(last + 1):
        sign = rods.signs[i]
        zero = direction + rods.offsets[i]
        wanted = _direction(points, i, zero + sign * q[i]) if i < last or math.isnan(heading) else heading
        q[i] = admissible(sign * (wanted - zero), q[i], rods.low[i], rods.high[i])
        direction = zero + sign * q[i]
        points[i + 1, 0] = points[i, 0] + rods.lengths[i] * math.cos(direction)
        points[i + 1, 1] = points[i, 1] + rods.lengths[i] * math.sin(direction)
