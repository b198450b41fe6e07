"""Forces of guides and attraction zones: passive virtual mechanisms, a spring and a damper to the nearest point.

    force = -(w(r)·k·r + w(r)·b·ṙ)·n,   r·n = x_hand - nearest point,   ṙ = n·v_hand

The damper acts across the guide only, so that one slides along it freely. An axis also turns the tool along it:

    torque = w(r)·(k_t·(tool × axis) - b_t·(ω without its part along the tool))

whose potential is k_t·(1 - tool·axis). Its weight w is taken as it is, so the turning part is passive where w is
constant, and left to the ledger where one enters or leaves.
"""

from __future__ import annotations

import math

from station.haptics.guides import Guides, LaidGuide, Shape, guide_of
from station.haptics.state import MOST_GUIDES, Cause, HapticState, Inputs
from station.haptics.tuning import HapticNumbers
from station.kernel import kernel
from station.kernel.so3 import as_quaternion, turned
from station.kernel.vectors import Vector, as_vector, cross, direction, dot, length, minus, plus, times


@kernel
def add_guides(
    state: HapticState,
    settings: HapticNumbers,
    guides: Guides,
    inputs: Inputs,
    guide_gain: float,
    zone_gain: float,
) -> float:
    """Add the forces of all guides and zones; returns what their springs hold [J]."""
    energy, parts, actuated = 0.0, state.parts, settings.actuated
    for g in range(MOST_GUIDES):
        guide = guide_of(guides, g)
        is_zone = guide.shape == Shape.ZONE
        gain = state.guide_gains[g] * (zone_gain if is_zone else guide_gain)
        if guide.shape == Shape.NONE or gain == 0.0:
            continue
        cause = Cause.ZONES if is_zone else Cause.GUIDES
        force, torque, held = pull_of(guide, inputs)
        for i in range(3):
            parts[cause, i] += gain * force[i] * actuated[i]
            parts[cause, 3 + i] += gain * torque[i] * actuated[3 + i]
        energy += gain * held
    return energy


@kernel
def pull_of(guide: LaidGuide, inputs: Inputs) -> tuple[Vector, Vector, float]:
    """Force [N], torque [N·m] and potential [J] of one guide."""
    hand, velocity = as_vector(inputs.hand), as_vector(inputs.hand_speed)
    away = minus(hand, nearest_point(guide, hand))
    far = length(away)
    pull, energy, weight = well(far, guide.stiffness, guide.radius, guide.force)
    force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if far > 1e-12:
        normal = times(away, 1.0 / far)
        force = times(normal, -(pull + weight * guide.damping * dot(normal, velocity)))
    if guide.shape == Shape.AXIS:
        torque, more = _turning(guide, inputs, weight)
        energy += more
    return force, torque, energy


@kernel
def _turning(guide: LaidGuide, inputs: Inputs, weight: float) -> tuple[Vector, float]:
    """What turns the tool along the axis: torque [N·m] and potential [J]."""
    tool = turned(as_quaternion(inputs.hand_turn), as_vector(guide.tool))
    axis, spin = as_vector(guide.direction), as_vector(inputs.hand_speed[3:])
    across = plus(spin, tool, -dot(spin, tool))
    torque = plus(times(cross(tool, axis), guide.turn_stiffness), across, -guide.turn_damping)
    return times(torque, weight), weight * guide.turn_stiffness * (1.0 - dot(tool, axis))


@kernel
def nearest_point(guide: LaidGuide, hand: Vector) -> Vector:
    """The point of the guide that is nearest to the hand [m]; the hand itself where the guide leaves it free."""
    shape, point, along = guide.shape, as_vector(guide.point), as_vector(guide.direction)
    if shape == Shape.POINT:
        return point
    if shape == Shape.PLANE:
        return plus(hand, along, -dot(minus(hand, point), along))
    if shape == Shape.CURVE:
        return _nearest_of_curve(guide, hand)
    if shape == Shape.CONE:
        return _nearest_of_cone(point, along, guide.size, hand)
    if shape == Shape.ZONE:
        away = minus(hand, point)
        far = length(away)
        return hand if far <= guide.size else plus(point, away, guide.size / far)
    return plus(point, along, dot(minus(hand, point), along))  # line and axis


@kernel
def _nearest_of_curve(guide: LaidGuide, hand: Vector) -> Vector:
    """Of a polyline: the nearest of the nearest points of its pieces."""
    best, least = as_vector(guide.points[0]), math.inf
    for i in range(guide.count - 1):
        start = as_vector(guide.points[i])
        piece = minus(as_vector(guide.points[i + 1]), start)
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
    wide = length(side)
    cosine, sine = math.cos(half_angle), math.sin(half_angle)
    if wide * cosine <= high * sine:
        return hand
    along = wide * sine + high * cosine  # how far along the wall the foot of the perpendicular is
    if along <= 0.0:
        return tip
    return plus(plus(tip, axis, along * cosine), direction(side), along * sine)


@kernel
def well(distance: float, stiffness: float, radius: float, largest: float) -> tuple[float, float, float]:
    """Pull towards distance 0, its potential, and the share of the damper.

    Without a radius: pull = min(k·r, largest). With one, u = r/radius:

        pull = k·r·(1 - u²)²,   U = k·radius²/6·(1 - (1 - u²)³)

    which is zero with its slope at the radius: one enters and leaves without a jump. Its largest value, 0.286·k·radius,
    is kept below the largest pull by a smaller k.
    """
    if radius <= 0.0:
        if stiffness * distance <= largest:
            return stiffness * distance, 0.5 * stiffness * distance * distance, 1.0
        return largest, largest * distance - 0.5 * largest * largest / stiffness, 1.0
    k = min(stiffness, largest / (0.2862167011199731 * radius))
    if distance >= radius:
        return 0.0, k * radius * radius / 6.0, 0.0
    inside = 1.0 - (distance / radius) ** 2
    return k * distance * inside * inside, k * radius * radius / 6.0 * (1.0 - inside**3), inside * inside
