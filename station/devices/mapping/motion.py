"""What the target moves in a tick: always by increments, so no change of scale, locks or frames can make it jump.

Device → seat → reference → world, with scale and locks, are the Jacobians of the mapping:

    straight or turning motion of the target = T·F·Tᵀ · R · F · diag(scale) · seat · motion of the hand

R is the rotation of the reference frame, T that of the tool, F has zeros for locked axes and is used once, on the
left (locks in the tool's axes) or on the right (in those of the reference). Its transpose takes a force at the robot
to the hand, so that the power is the same on both sides. Incremental axes have a dead zone and a response curve.

First the forces in the device's own frame: the edge of its workspace, the bubble, the pull towards the start.
"""

from __future__ import annotations

import math

from station.devices.mapping.engagement import pointed, turns_point
from station.devices.mapping.settings import Shape
from station.devices.mapping.state import (
    Kind,
    MappingNumbers,
    MappingState,
    Mode,
    Pull,
    Reference,
    Wall,
    keep,
    place_of,
    turn_of,
)
from station.kernel import Floats2, entry, kernel
from station.kernel.so3 import (
    Quaternion,
    applied,
    axis_of,
    difference,
    product,
    quaternion_of,
    turn_by,
    unit,
    vector_of,
)
from station.kernel.vectors import Vector, length, shortened


@kernel
def beyond(value: float, half: float) -> float:
    """By how much a coordinate is outside ±half, with its sign [m]."""
    return max(0.0, value - half) + min(0.0, value + half)


@kernel
def depth_of(wall: Wall, place: Vector) -> Vector:
    """From the nearest point of the region to the hand [m]; zero inside."""
    if wall.region == Shape.NONE:
        return 0.0, 0.0, 0.0
    x = place[0] - wall.centre[0]
    y = place[1] - wall.centre[1]
    z = place[2] - wall.centre[2]
    a, b, c = wall.half[0], wall.half[1], wall.half[2]
    if wall.region == Shape.BOX:
        return beyond(x, a), beyond(y, b), beyond(z, c)
    if wall.region == Shape.CYLINDER:  # radius a, half length b
        if wall.axis == 0:
            u, v = _ring(y, z, a)
            return beyond(x, b), u, v
        if wall.axis == 1:
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
def wall_force(wall: Wall, place: Vector, speed: Vector) -> Vector:
    """Force of a wall on the hand [N]: never outwards, never beyond its limit."""
    e = depth_of(wall, place)
    depth = length(e)
    if depth <= 0.0:
        return 0.0, 0.0, 0.0
    outward = max(0.0, (speed[0] * e[0] + speed[1] * e[1] + speed[2] * e[2]) / depth)
    size = min(wall.stiffness * depth + wall.damping * outward, wall.force)
    return -size * e[0] / depth, -size * e[1] / depth, -size * e[2] / depth


@kernel
def pull_force(state: MappingState, guide: Pull, dt: float, place: Vector, speed: Vector) -> Vector:
    """Gentle pull towards the start [N], growing over `ramp`; ends when the hand is there."""
    away = (
        place[0] - guide.start[0],
        place[1] - guide.start[1],
        place[2] - guide.start[2],
    )
    if length(away) <= guide.radius:
        state.guided = False
        return 0.0, 0.0, 0.0
    state.pull = min(1.0, state.pull + dt / guide.ramp)
    most, k, b = guide.force, guide.stiffness, guide.damping
    spring = shortened((-k * away[0], -k * away[1], -k * away[2]), most)
    total = shortened((spring[0] - b * speed[0], spring[1] - b * speed[1], spring[2] - b * speed[2]), most)
    return state.pull * total[0], state.pull * total[1], state.pull * total[2]


@kernel
def fill_own_force(state: MappingState, numbers: MappingNumbers, mode: Mode, dt: float) -> None:
    """Everything that the device's own frame asks for, into `own_force` [N]; nothing while the hand is not known."""
    total = (0.0, 0.0, 0.0)
    if mode != Mode.NO_SAMPLE:
        place, speed = place_of(state.hand), (state.velocity[0], state.velocity[1], state.velocity[2])
        edge, ball = wall_force(numbers.edge, place, speed), wall_force(numbers.bubble, place, speed)
        total = (edge[0] + ball[0], edge[1] + ball[1], edge[2] + ball[2])
        if mode == Mode.GUIDING:
            pull = pull_force(state, numbers.guide, dt, place, speed)
            total = (total[0] + pull[0], total[1] + pull[1], total[2] + pull[2])
    if mode != Mode.GUIDING:
        state.pull = 0.0
    state.own_force[0], state.own_force[1], state.own_force[2] = total


GLIDE = 0.5  # time in which a scale that is changed while engaged gets there [s]
SWING = 6.0  # how fast axes turn that are changed while engaged, as by another view [rad/s]
AT_REST = 0.05  # a deflection below this part of the travel (or within the dead zone) is rest


@kernel
def fill_jacobians(state: MappingState, numbers: MappingNumbers, robot: Floats2, view: Floats2, dt: float) -> None:
    """Everything that depends on where reference and tool are turned in this tick, of `dt` [s]."""
    glide(state, numbers, robot, view, dt)
    _world_from_seat(state, numbers, robot, 0)
    _fill(state, numbers, 0, numbers.straight_rate, state.straight, state.straight_rate, state.force_back)
    _world_from_seat(state, numbers, robot, 3)
    _fill(state, numbers, 3, numbers.turning_rate, state.turning, state.turning_rate, state.torque_back)


@kernel
def glide(state: MappingState, numbers: MappingNumbers, robot: Floats2, view: Floats2, dt: float) -> None:
    """Take scale and axes as they are set: at once when the hand begins, else gliding there.

    A hand in motion would otherwise make a step of the target's speed out of any such change.
    """
    wanted, began = _axes_set(numbers, robot, view), not state.gliding
    state.gliding = True
    for i in range(6):
        now, then = state.scale[i], numbers.scale[i]
        most = math.inf if began else max(abs(now), abs(then)) * dt / GLIDE
        state.scale[i] = then if abs(then - now) <= most else now + math.copysign(most, then - now)
    if not began:
        now_turned = _axes_now(state)
        missing = vector_of(difference(wanted, now_turned))
        if length(missing) > SWING * dt:
            wanted = unit(product(turn_by(shortened(missing, SWING * dt)), now_turned))
    state.axes[0], state.axes[1], state.axes[2], state.axes[3] = wanted


@kernel
def _axes_now(state: MappingState) -> Quaternion:
    """world_from_reference as it is used."""
    return state.axes[0], state.axes[1], state.axes[2], state.axes[3]


@kernel
def _axes_set(numbers: MappingNumbers, robot: Floats2, view: Floats2) -> Quaternion:
    """world_from_reference as it is set; its axes are right, away and up as in the seat.

    A camera has x to the right, y down and z away (the convention of MAD): a quarter turn about x from that.
    """
    if numbers.reference == Reference.WORLD:
        return 1.0, 0.0, 0.0, 0.0
    if numbers.reference == Reference.VIEW:
        return product(quaternion_of(view), (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0))
    return quaternion_of(robot)


@kernel
def _world_from_seat(state: MappingState, numbers: MappingNumbers, robot: Floats2, half: int) -> None:
    """Reference and locks: takes motion in the seat's axes to the world, straight (half 0) or turning (half 3)."""
    in_tool, axes = numbers.locks_in_tool, _axes_now(state)
    for k in range(3):
        free = 1.0 if in_tool else numbers.free[half + k]
        x, y, z = axis_of(axes, k)
        column = (free * x, free * y, free * z)
        for i in range(3):
            state.world_from_seat[i, k] = column[i]
        if in_tool:
            for i in range(3):
                state.world_from_seat[i, k] = 0.0
            for axis in range(3):
                along = robot[0, axis] * column[0] + robot[1, axis] * column[1] + robot[2, axis] * column[2]
                along *= numbers.free[half + axis]
                for i in range(3):
                    state.world_from_seat[i, k] += robot[i, axis] * along


@kernel
def _fill(
    state: MappingState,
    numbers: MappingNumbers,
    half: int,
    full: float,
    jacobian: Floats2,
    rate: Floats2,
    back: Floats2,
) -> None:
    """One half of the motion, straight or turning; `full` is its rate at full deflection [m/s | rad/s]."""
    for k in range(3):
        kind = numbers.kinds[half + k]
        for i in range(3):
            scaled, plain = 0.0, 0.0
            for j in range(3):
                part = state.world_from_seat[i, j] * numbers.seat[j, k]
                plain += part
                scaled += part * state.scale[half + j]
            jacobian[i, k] = scaled if kind == Kind.ABSOLUTE else 0.0
            rate[i, k] = full * scaled if kind == Kind.INCREMENTAL else 0.0
            felt = numbers.feedback * plain if kind == Kind.INCREMENTAL else 0.0
            back[i, k] = scaled if kind == Kind.ABSOLUTE else felt


@kernel
def deflection(numbers: MappingNumbers, axis: int, value: float) -> float:
    """Part of the travel, -1 to 1, at which an axis with `value` [m | rad] stands; 0 for other kinds of axes."""
    if numbers.kinds[axis] != Kind.INCREMENTAL:
        return 0.0
    value -= numbers.middle[axis]
    end = numbers.high[axis] if value > 0.0 else -numbers.low[axis]
    if end <= 0.0:
        return 0.0
    return float(max(-1.0, min(1.0, value / end)))


@entry(inline=True)
def response(numbers: MappingNumbers, part: float) -> float:
    """Part of the full rate, -1 to 1, for a part of the travel: continuous, odd, growing; 0 in the dead zone."""
    zone, size = numbers.dead_zone, min(abs(part), 1.0)
    if size <= zone:
        return 0.0
    x = (size - zone) / (1.0 - zone)
    y = (1.0 - numbers.blend) * x + numbers.blend * x**numbers.exponent
    return float(y) if part > 0.0 else -float(y)


@kernel
def wanted_rate(state: MappingState, numbers: MappingNumbers, axis: int, value: float) -> float:
    """Part of the full rate that an axis asks for; nothing until it has been at rest once since engaging.

    Without that, to engage with a twisted handle would set the robot off at once.
    """
    part = deflection(numbers, axis, value)
    if abs(part) <= max(numbers.dead_zone, AT_REST):
        state.rate_armed[axis] = True
    return response(numbers, part) if state.rate_armed[axis] else 0.0


@kernel
def follow_hand(state: MappingState, numbers: MappingNumbers, dt: float) -> None:
    """Pass on what the hand has moved, not faster than a hand can: what a late sample brings is caught up with.

    Of a slow device a sample brings many ticks of motion at once: it is passed on evenly until the next one is due.
    """
    hand, share = place_of(state.hand), share_due(state, numbers, dt)
    missing = pointed(numbers, hand, place_of(state.passed))
    step = shortened((share * missing[0], share * missing[1], share * missing[2]), numbers.hand_speed * dt)
    if share < 1.0 or length(missing) > numbers.hand_speed * dt:
        hand = (hand[0] - missing[0] + step[0], hand[1] - missing[1] + step[1], hand[2] - missing[2] + step[2])
    turned, turn = turn_of(state.hand), (0.0, 0.0, 0.0)
    if turns_point(numbers):
        missing = vector_of(difference(turned, turn_of(state.passed)))
        turn = shortened((share * missing[0], share * missing[1], share * missing[2]), numbers.hand_turn_speed * dt)
        if share < 1.0 or length(missing) > numbers.hand_turn_speed * dt:
            turned = unit(product(turn_by(turn), turn_of(state.passed)))
    keep(state.passed, hand, turned)
    move(state, applied(state.straight, step), applied(state.turning, turn))


@kernel
def share_due(state: MappingState, numbers: MappingNumbers, dt: float) -> float:
    """How much of what is missing is passed on in this tick, so that nothing is when the next sample is due."""
    left = numbers.spread - (state.now - state.arrival)
    return dt / left if left > dt else 1.0


@kernel
def move(state: MappingState, step: Vector, turn: Vector) -> None:
    """Move the target [m] and turn it about its origin [rad], both along the axes of the world."""
    place = place_of(state.target)
    turned = unit(product(turn_by(turn), turn_of(state.target)))
    keep(state.target, (place[0] + step[0], place[1] + step[1], place[2] + step[2]), turned)


@kernel
def follow_rates(state: MappingState, numbers: MappingNumbers, dt: float, robot: Floats2) -> None:
    """Move on at the rates that deflections and the bubble ask for, on a leash: a robot held back is waited for.

    The leash is a ball around the robot, wide enough to hold what the hand itself has pulled away. A target that a
    rate would carry out of it is put onto its surface, which is never a longer way than that to where it was going.
    """
    hand, twist = place_of(state.hand), vector_of(turn_of(state.hand))
    u = (
        wanted_rate(state, numbers, 0, hand[0]),
        wanted_rate(state, numbers, 1, hand[1]),
        wanted_rate(state, numbers, 2, hand[2]),
    )
    w = (
        wanted_rate(state, numbers, 3, twist[0]),
        wanted_rate(state, numbers, 4, twist[1]),
        wanted_rate(state, numbers, 5, twist[2]),
    )
    drift = bubble_drift(state, numbers)
    speed, spin = applied(state.straight_rate, u), applied(state.turning_rate, w)
    speed = (speed[0] + drift[0], speed[1] + drift[1], speed[2] + drift[2])
    if length(speed) > 0.0:
        place = place_of(state.target)
        ahead = (place[0] - robot[0, 3], place[1] - robot[1, 3], place[2] - robot[2, 3])
        going = (ahead[0] + speed[0] * dt, ahead[1] + speed[1] * dt, ahead[2] + speed[2] * dt)
        going = shortened(going, max(numbers.straight_lead, length(ahead)))
        place = (robot[0, 3] + going[0], robot[1, 3] + going[1], robot[2, 3] + going[2])
        keep(state.target, place, turn_of(state.target))
    if length(spin) > 0.0:
        turned, here = turn_of(state.target), quaternion_of(robot)
        leash = max(numbers.turning_lead, length(vector_of(difference(turned, here))))
        turned = unit(product(turn_by((spin[0] * dt, spin[1] * dt, spin[2] * dt)), turned))
        going = vector_of(difference(turned, here))
        if length(going) > leash:
            turned = unit(product(turn_by(shortened(going, leash)), here))
        keep(state.target, place_of(state.target), turned)


@kernel
def bubble_drift(state: MappingState, numbers: MappingNumbers) -> Vector:
    """World velocity while the hand is outside the ball, growing with its depth [m/s]; once it has been inside."""
    if numbers.bubble_rate == 0.0:
        return 0.0, 0.0, 0.0
    depth = depth_of(numbers.bubble, place_of(state.hand))
    if length(depth) == 0.0:
        state.bubble_armed = True
    if not state.bubble_armed:
        return 0.0, 0.0, 0.0
    rate = numbers.bubble_rate
    drift = shortened((rate * depth[0], rate * depth[1], rate * depth[2]), numbers.bubble_speed)
    return applied(state.straight, drift)
