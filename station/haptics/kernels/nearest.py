"""Nearest points of guides: everything that a guide is, besides its spring."""

from __future__ import annotations

import math

from station.devices.mapping.kernels.rotation import Vector
from station.haptics.kernels.cache import kernel
from station.haptics.kernels.layout import (
    CONE,
    CURVE,
    G_DIRECTION,
    G_POINT,
    G_POINT_COUNT,
    G_POINTS,
    G_SIZE,
    KIND,
    PLANE,
    POINT,
    ZONE,
    Floats,
)
from station.haptics.kernels.vectors import direction, dot, minus, plus, size, vector_at


@kernel
def nearest_point(guide: Floats, hand: Vector) -> Vector:
    """The point of the guide that is nearest to the hand [m]; the hand itself where the guide leaves it free."""
    kind, point, along = int(guide[KIND]), vector_at(guide, G_POINT), vector_at(guide, G_DIRECTION)
    if kind == POINT:
        return point
    if kind == PLANE:
        return plus(hand, along, -dot(minus(hand, point), along))
    if kind == CURVE:
        return _nearest_of_curve(guide, hand)
    if kind == CONE:
        return _nearest_of_cone(point, along, guide[G_SIZE], hand)
    if kind == ZONE:
        away = minus(hand, point)
        far = size(away)
        return hand if far <= guide[G_SIZE] else plus(point, away, guide[G_SIZE] / far)
    return plus(point, along, dot(minus(hand, point), along))  # line and axis


@kernel
def _nearest_of_curve(guide: Floats, hand: Vector) -> Vector:
    """Of a polyline: the nearest of the nearest points of its pieces."""
    best, least = vector_at(guide, G_POINTS), math.inf
    for i in range(int(guide[G_POINT_COUNT]) - 1):
        start = vector_at(guide, G_POINTS + 3 * i)
        piece = minus(vector_at(guide, G_POINTS + 3 * i + 3), start)
        part = dot(minus(hand, start), piece) / max(dot(piece, piece), 1e-18)
        point = plus(start, piece, min(max(part, 0.0), 1.0))
        gap = minus(hand, point)
        if dot(gap, gap) < least:
            best, least = point, dot(gap, gap)
    return best


@kernel
def _nearest_of_cone(tip: Vector, axis: Vector, half_angle: float, hand: Vector) -> Vector:
    """Of a solid cone that opens along its axis: free inside, else the wall, or the tip from behind it."""
    away = minus(hand, tip)
    high = dot(away, axis)
    side = plus(away, axis, -high)
    wide = size(side)
    cosine, sine = math.cos(half_angle), math.sin(half_angle)
    if wide * cosine <= high * sine:
        return hand
    along = wide * sine + high * cosine  # how far along the wall the foot of the perpendicular is
    if along <= 0.0:
        return tip
    return plus(plus(tip, axis, along * cosine), direction(side), along * sine)
