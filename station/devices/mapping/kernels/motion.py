"""What the target moves in a tick: always by increments, so no change of scale, locks or frames can make it jump."""

from __future__ import annotations

from station.devices.mapping.kernels.cache import kernel
from station.devices.mapping.kernels.frames import applied
from station.devices.mapping.kernels.layout import (
    BUBBLE,
    BUBBLE_ARMED,
    BUBBLE_RATE,
    BUBBLE_SPEED,
    HAND,
    HAND_SPEED,
    LEAD,
    PASSED,
    RATE_STRAIGHT,
    RATE_TURNING,
    STRAIGHT,
    TARGET,
    TURNING,
    Floats,
)
from station.devices.mapping.kernels.response import wanted_rate
from station.devices.mapping.kernels.rotation import (
    Vector,
    difference,
    length,
    product,
    quaternion_of,
    shortened,
    turn_by,
    unit,
    vector_of,
)
from station.devices.mapping.kernels.samples import keep, place_at, pointed, turn_at, turns_point
from station.devices.mapping.kernels.walls import depth_of


@kernel
def follow_hand(state: Floats, settings: Floats, dt: float) -> None:
    """Pass on what the hand has moved, not faster than a hand can: what a late sample brings is caught up with."""
    hand = place_at(state, HAND)
    missing = pointed(settings, hand, place_at(state, PASSED))
    step = shortened(missing, settings[HAND_SPEED] * dt)
    if length(missing) > settings[HAND_SPEED] * dt:
        hand = (hand[0] - missing[0] + step[0], hand[1] - missing[1] + step[1], hand[2] - missing[2] + step[2])
    turned, turn = turn_at(state, HAND), (0.0, 0.0, 0.0)
    if turns_point(settings):
        missing = vector_of(difference(turned, turn_at(state, PASSED)))
        turn = shortened(missing, settings[HAND_SPEED + 1] * dt)
        if length(missing) > settings[HAND_SPEED + 1] * dt:
            turned = unit(product(turn_by(turn), turn_at(state, PASSED)))
    keep(state, PASSED, hand, turned)
    move(state, applied(state, STRAIGHT, step), applied(state, TURNING, turn))


@kernel
def move(state: Floats, step: Vector, turn: Vector) -> None:
    """Move the target [m] and turn it about its origin [rad], both along the axes of the world."""
    place = place_at(state, TARGET)
    turned = unit(product(turn_by(turn), turn_at(state, TARGET)))
    keep(state, TARGET, (place[0] + step[0], place[1] + step[1], place[2] + step[2]), turned)


@kernel
def follow_rates(state: Floats, settings: Floats, dt: float, robot: Floats) -> None:
    """Move on at the rates that deflections and the bubble ask for, on a leash: a robot held back is waited for.

    The leash is a ball around the robot, wide enough to hold what the hand itself has pulled away. A target that a
    rate would carry out of it is put onto its surface, which is never a longer way than that to where it was going.
    """
    hand, twist = place_at(state, HAND), vector_of(turn_at(state, HAND))
    u = (
        wanted_rate(state, settings, 0, hand[0]),
        wanted_rate(state, settings, 1, hand[1]),
        wanted_rate(state, settings, 2, hand[2]),
    )
    w = (
        wanted_rate(state, settings, 3, twist[0]),
        wanted_rate(state, settings, 4, twist[1]),
        wanted_rate(state, settings, 5, twist[2]),
    )
    drift, speed, spin = (
        bubble_drift(state, settings),
        applied(state, RATE_STRAIGHT, u),
        applied(state, RATE_TURNING, w),
    )
    speed = (speed[0] + drift[0], speed[1] + drift[1], speed[2] + drift[2])
    if length(speed) > 0.0:
        place = place_at(state, TARGET)
        ahead = (place[0] - robot[0, 3], place[1] - robot[1, 3], place[2] - robot[2, 3])
        going = (ahead[0] + speed[0] * dt, ahead[1] + speed[1] * dt, ahead[2] + speed[2] * dt)
        going = shortened(going, max(settings[LEAD], length(ahead)))
        place = (robot[0, 3] + going[0], robot[1, 3] + going[1], robot[2, 3] + going[2])
        keep(state, TARGET, place, turn_at(state, TARGET))
    if length(spin) > 0.0:
        turned, here = turn_at(state, TARGET), quaternion_of(robot)
        leash = max(settings[LEAD + 1], length(vector_of(difference(turned, here))))
        turned = unit(product(turn_by((spin[0] * dt, spin[1] * dt, spin[2] * dt)), turned))
        going = vector_of(difference(turned, here))
        if length(going) > leash:
            turned = unit(product(turn_by(shortened(going, leash)), here))
        keep(state, TARGET, place_at(state, TARGET), turned)


@kernel
def bubble_drift(state: Floats, settings: Floats) -> Vector:
    """World velocity while the hand is outside the ball, growing with its depth [m/s]; once it has been inside."""
    if settings[BUBBLE_RATE] == 0.0:
        return 0.0, 0.0, 0.0
    depth = depth_of(settings, BUBBLE, place_at(state, HAND))
    if length(depth) == 0.0:
        state[BUBBLE_ARMED] = 1.0
    if state[BUBBLE_ARMED] == 0.0:
        return 0.0, 0.0, 0.0
    rate = settings[BUBBLE_RATE]
    drift = shortened((rate * depth[0], rate * depth[1], rate * depth[2]), settings[BUBBLE_SPEED])
    return applied(state, STRAIGHT, drift)
