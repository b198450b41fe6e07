"""Which samples are believed: finite, newer than the last, and within the reach of a hand."""

from __future__ import annotations

from station.devices.mapping.kernels.cache import kernel
from station.devices.mapping.kernels.layout import (
    ABSOLUTE,
    ARRIVAL,
    BUTTONS,
    DEAD_MAN,
    GLITCH,
    HAND,
    HAND_SPEED,
    KIND,
    KNOWN,
    LOST,
    NEVER,
    PERIOD,
    REFUSALS,
    REFUSED,
    REFUSED_IN_ROW,
    SAMPLE_TIME,
    SEQUENCE,
    SPEED,
    STALE_AFTER,
    UNREADABLE,
    Floats,
)
from station.devices.mapping.kernels.rotation import (
    Quaternion,
    Vector,
    difference,
    is_pose,
    length,
    quaternion_of,
    vector_of,
)

FASTEST = 1e4  # a velocity beyond this is no velocity [m/s | rad/s]


@kernel
def place_at(state: Floats, at: int) -> Vector:
    """Position of a pose kept in the state [m]."""
    return state[at], state[at + 1], state[at + 2]


@kernel
def turn_at(state: Floats, at: int) -> Quaternion:
    """Rotation of a pose kept in the state."""
    return state[at + 3], state[at + 4], state[at + 5], state[at + 6]


@kernel
def keep(state: Floats, at: int, place: Vector, turn: Quaternion) -> None:
    """Keep a pose in the state."""
    state[at], state[at + 1], state[at + 2] = place
    state[at + 3], state[at + 4], state[at + 5], state[at + 6] = turn


@kernel
def is_readable(pose: Floats, velocity: Floats, device_time: float, arrival: float) -> bool:
    """Whether everything that a sample says are numbers with a meaning."""
    for i in range(6):
        if not abs(velocity[i]) < FASTEST:
            return False
    return abs(device_time) < 1e15 and abs(arrival) < 1e15 and is_pose(pose)


@kernel
def believe(
    state: Floats,
    settings: Floats,
    pose: Floats,
    velocity: Floats,
    buttons: int,
    device_time: float,
    arrival: float,
    sequence: int,
) -> int:
    """Take a sample as the hand's pose, or refuse it; returns why the hand must be let go, or NEVER.

    A hand cannot be further from its last believed place than its largest speed allows in the time since the last
    sample, *whether or not that one was believed*: were the allowance to grow while samples are refused, an encoder
    that has slipped for good would be believed a few samples later, as a jump.
    """
    if not is_readable(pose, velocity, device_time, arrival):
        state[REFUSED] += 1.0
        return UNREADABLE
    place, turn = (pose[0, 3], pose[1, 3], pose[2, 3]), quaternion_of(pose)
    if state[KNOWN] == 1.0:
        passed = min(device_time - state[SAMPLE_TIME], settings[STALE_AFTER])
        old = passed < 0.0 or sequence < state[SEQUENCE]
        state[SAMPLE_TIME], state[SEQUENCE] = device_time, sequence
        if old or not within_reach(state, settings, place, turn, passed):
            state[REFUSED] += 1.0
            state[REFUSED_IN_ROW] += 1.0
            heed_release(state, settings, buttons)
            return GLITCH if state[REFUSED_IN_ROW] >= settings[REFUSALS] else NEVER
    keep(state, HAND, place, turn)
    for i in range(6):
        state[SPEED + i] = velocity[i]
    state[KNOWN], state[REFUSED_IN_ROW] = 1.0, 0.0
    state[BUTTONS], state[ARRIVAL] = buttons, arrival
    state[SAMPLE_TIME], state[SEQUENCE] = device_time, sequence
    return NEVER


@kernel
def within_reach(state: Floats, settings: Floats, place: Vector, turn: Quaternion, passed: float) -> bool:
    """Whether a hand can have come here in `passed` [s]."""
    allowed = max(passed, settings[PERIOD])  # stamps of arrival may be bunched
    moved = length(pointed(settings, place, place_at(state, HAND)))
    turned = length(vector_of(difference(turn, turn_at(state, HAND)))) if turns_point(settings) else 0.0
    return bool(moved <= settings[HAND_SPEED] * allowed and turned <= settings[HAND_SPEED + 1] * allowed)


@kernel
def pointed(settings: Floats, end: Vector, start: Vector) -> Vector:
    """From one place to another along absolute axes [m]; the deflection of others may change at once, as of a key."""
    return (
        end[0] - start[0] if settings[KIND] == ABSOLUTE else 0.0,
        end[1] - start[1] if settings[KIND + 1] == ABSOLUTE else 0.0,
        end[2] - start[2] if settings[KIND + 2] == ABSOLUTE else 0.0,
    )


@kernel
def turns_point(settings: Floats) -> bool:
    """Whether the turning axes are absolute; those that are there are all of one kind."""
    return bool(settings[KIND + 3] == ABSOLUTE or settings[KIND + 4] == ABSOLUTE or settings[KIND + 5] == ABSOLUTE)


@kernel
def heed_release(state: Floats, settings: Floats, buttons: int) -> None:
    """A dead-man that is let go counts also in a sample that is refused."""
    if settings[DEAD_MAN] >= 0.0:
        bit = 1 << int(settings[DEAD_MAN])
        if not buttons & bit:
            state[BUTTONS] = int(state[BUTTONS]) & ~bit


@kernel
def is_stale(state: Floats, settings: Floats, now: float) -> bool:
    """Whether the last believed sample is too old to be used at `now` [s], or from a future that far away."""
    return not abs(now - state[ARRIVAL]) <= settings[STALE_AFTER]


@kernel
def trouble_of_age(state: Floats, settings: Floats, now: float) -> int:
    """LOST if there is a hand pose that has become too old, else NEVER."""
    return LOST if state[KNOWN] == 1.0 and is_stale(state, settings, now) else NEVER
