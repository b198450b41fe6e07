"""Forces in the device's own frame: the edge of its workspace, the bubble, the pull towards the start.

A wall is a convex region with springs outside: the force is -k·e, limited in length, where e leads from the nearest
point of the region to the hand. It is the gradient of a potential, so it gives back no more than it took; a damper
takes part only while the hand moves outwards, so a wall never holds on to a hand.
"""

from __future__ import annotations

import math

from station.devices.mapping.kernels.cache import kernel
from station.devices.mapping.kernels.layout import (
    ARRIVED,
    AXIS,
    BOX,
    BUBBLE,
    CENTRE,
    CYLINDER,
    DAMPING,
    EDGE,
    FORCE,
    GUIDE,
    GUIDED,
    GUIDING,
    HALF,
    HAND,
    NO_REGION,
    NO_SAMPLE,
    OWN,
    PULL,
    PULL_DAMPING,
    PULL_FORCE,
    PULL_STIFFNESS,
    RAMP,
    SHAPE,
    SPEED,
    START,
    STIFFNESS,
    Floats,
)
from station.devices.mapping.kernels.rotation import Vector, length, shortened
from station.devices.mapping.kernels.samples import place_at


@kernel
def beyond(value: float, half: float) -> float:
    """By how much a coordinate is outside ±half, with its sign [m]."""
    return max(0.0, value - half) + min(0.0, value + half)


@kernel
def depth_of(settings: Floats, wall: int, place: Vector) -> Vector:
    """From the nearest point of the region to the hand [m]; zero inside."""
    shape = int(settings[wall + SHAPE])
    if shape == NO_REGION:
        return 0.0, 0.0, 0.0
    x = place[0] - settings[wall + CENTRE]
    y = place[1] - settings[wall + CENTRE + 1]
    z = place[2] - settings[wall + CENTRE + 2]
    a, b, c = settings[wall + HALF], settings[wall + HALF + 1], settings[wall + HALF + 2]
    if shape == BOX:
        return beyond(x, a), beyond(y, b), beyond(z, c)
    if shape == CYLINDER:  # radius a, half length b
        axis = int(settings[wall + AXIS])
        if axis == 0:
            u, v = _ring(y, z, a)
            return beyond(x, b), u, v
        if axis == 1:
            u, v = _ring(x, z, a)
            return u, beyond(y, b), v
        u, v = _ring(x, y, a)
        return u, v, beyond(z, b)
    size = length((x, y, z))
    share = (size - a) / size if size > a else 0.0
    return share * x, share * y, share * z


@kernel
def _ring(x: float, y: float, radius: float) -> tuple[float, float]:
    """From the nearest point of a disc [m]."""
    size = math.sqrt(x * x + y * y)
    share = (size - radius) / size if size > radius else 0.0
    return share * x, share * y


@kernel
def wall_force(settings: Floats, wall: int, place: Vector, speed: Vector) -> Vector:
    """Force of a wall on the hand [N]: never outwards, never beyond its limit."""
    e = depth_of(settings, wall, place)
    depth = length(e)
    if depth <= 0.0:
        return 0.0, 0.0, 0.0
    outward = max(0.0, (speed[0] * e[0] + speed[1] * e[1] + speed[2] * e[2]) / depth)
    size = min(settings[wall + STIFFNESS] * depth + settings[wall + DAMPING] * outward, settings[wall + FORCE])
    return -size * e[0] / depth, -size * e[1] / depth, -size * e[2] / depth


@kernel
def pull_force(state: Floats, settings: Floats, dt: float, place: Vector, speed: Vector) -> Vector:
    """Gentle pull towards the start [N], growing over `ramp`; ends when the hand is there."""
    away = (
        place[0] - settings[GUIDE + START],
        place[1] - settings[GUIDE + START + 1],
        place[2] - settings[GUIDE + START + 2],
    )
    if length(away) <= settings[GUIDE + ARRIVED]:
        state[GUIDED] = 0.0
        return 0.0, 0.0, 0.0
    state[PULL] = min(1.0, state[PULL] + dt / settings[GUIDE + RAMP])
    most, k, b = settings[GUIDE + PULL_FORCE], settings[GUIDE + PULL_STIFFNESS], settings[GUIDE + PULL_DAMPING]
    spring = shortened((-k * away[0], -k * away[1], -k * away[2]), most)
    total = shortened((spring[0] - b * speed[0], spring[1] - b * speed[1], spring[2] - b * speed[2]), most)
    return state[PULL] * total[0], state[PULL] * total[1], state[PULL] * total[2]


@kernel
def fill_own_force(state: Floats, settings: Floats, mode: int, dt: float) -> None:
    """Everything that the device's own frame asks for, into OWN [N]; nothing while the hand is not known."""
    total = (0.0, 0.0, 0.0)
    if mode != NO_SAMPLE:
        place, speed = place_at(state, HAND), (state[SPEED], state[SPEED + 1], state[SPEED + 2])
        edge, ball = wall_force(settings, EDGE, place, speed), wall_force(settings, BUBBLE, place, speed)
        total = (edge[0] + ball[0], edge[1] + ball[1], edge[2] + ball[2])
        if mode == GUIDING:
            pull = pull_force(state, settings, dt, place, speed)
            total = (total[0] + pull[0], total[1] + pull[1], total[2] + pull[2])
    if mode != GUIDING:
        state[PULL] = 0.0
    state[OWN], state[OWN + 1], state[OWN + 2] = total
