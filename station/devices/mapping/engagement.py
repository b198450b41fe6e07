"""Which samples are believed (finite, newer than the last, within the reach of a hand), and what they decide.

Dead-man, clutch, guidance, permission and the age of samples decide whether the hand moves the robot.
"""

from __future__ import annotations

from station.devices.mapping.state import (
    Cause,
    Kind,
    MappingNumbers,
    MappingState,
    Mode,
    keep,
    place_of,
    turn_of,
)
from station.kernel import Floats1, Floats2, kernel
from station.kernel.so3 import Quaternion, difference, is_pose, quaternion_of, vector_of
from station.kernel.vectors import Vector, length

FASTEST = 1e4  # a velocity beyond this is no velocity [m/s | rad/s]


@kernel
def is_readable(pose: Floats2, velocity: Floats1, device_time: float, arrival: float) -> bool:
    """Whether everything that a sample says are numbers with a meaning."""
    for i in range(6):
        if not abs(velocity[i]) < FASTEST:
            return False
    return abs(device_time) < 1e15 and abs(arrival) < 1e15 and is_pose(pose)


@kernel
def believe(
    state: MappingState,
    numbers: MappingNumbers,
    pose: Floats2,
    velocity: Floats1,
    buttons: int,
    device_time: float,
    arrival: float,
    sequence: int,
) -> Cause:
    """Take a sample as the hand's pose, or refuse it; returns why the hand must be let go, or NEVER.

    A hand cannot be further from its last believed place than its largest speed allows in the time since the last
    sample, *whether or not that one was believed*: were the allowance to grow while samples are refused, an encoder
    that has slipped for good would be believed a few samples later, as a jump.
    """
    if not is_readable(pose, velocity, device_time, arrival):
        state.refused += 1
        return Cause.UNREADABLE
    place, turn = (pose[0, 3], pose[1, 3], pose[2, 3]), quaternion_of(pose)
    if state.known:
        passed = min(device_time - state.sample_time, numbers.stale_after)
        old = passed < 0.0 or sequence < state.sequence
        state.sample_time, state.sequence = device_time, sequence
        if old or not within_reach(state, numbers, place, turn, passed):
            state.refused += 1
            state.refused_in_row += 1
            heed_release(state, numbers, buttons)
            return Cause.GLITCH if state.refused_in_row >= numbers.refusals else Cause.NEVER
    keep(state.hand, place, turn)
    for i in range(6):
        state.velocity[i] = velocity[i]
    state.known, state.refused_in_row = True, 0
    state.buttons, state.arrival = buttons, arrival
    state.sample_time, state.sequence = device_time, sequence
    return Cause.NEVER


@kernel
def within_reach(state: MappingState, numbers: MappingNumbers, place: Vector, turn: Quaternion, passed: float) -> bool:
    """Whether a hand can have come here in `passed` [s]."""
    allowed = max(passed, numbers.period)  # stamps of arrival may be bunched
    moved = length(pointed(numbers, place, place_of(state.hand)))
    turned = length(vector_of(difference(turn, turn_of(state.hand)))) if turns_point(numbers) else 0.0
    return bool(moved <= numbers.hand_speed * allowed and turned <= numbers.hand_turn_speed * allowed)


@kernel
def pointed(numbers: MappingNumbers, end: Vector, start: Vector) -> Vector:
    """From one place to another along absolute axes [m]; the deflection of others may change at once, as of a key."""
    return (
        end[0] - start[0] if numbers.kinds[0] == Kind.ABSOLUTE else 0.0,
        end[1] - start[1] if numbers.kinds[1] == Kind.ABSOLUTE else 0.0,
        end[2] - start[2] if numbers.kinds[2] == Kind.ABSOLUTE else 0.0,
    )


@kernel
def turns_point(numbers: MappingNumbers) -> bool:
    """Whether the turning axes are absolute; those that are there are all of one kind."""
    return bool(
        numbers.kinds[3] == Kind.ABSOLUTE or numbers.kinds[4] == Kind.ABSOLUTE or numbers.kinds[5] == Kind.ABSOLUTE
    )


@kernel
def heed_release(state: MappingState, numbers: MappingNumbers, buttons: int) -> None:
    """A dead-man that is let go counts also in a sample that is refused."""
    if numbers.dead_man >= 0:
        bit = 1 << numbers.dead_man
        if not buttons & bit:
            state.buttons = state.buttons & ~bit


@kernel
def is_stale(state: MappingState, numbers: MappingNumbers, now: float) -> bool:
    """Whether the last believed sample is too old to be used at `now` [s], or from a future that far away."""
    return not abs(now - state.arrival) <= numbers.stale_after


@kernel
def trouble_of_age(state: MappingState, numbers: MappingNumbers, now: float) -> Cause:
    """LOST if there is a hand pose that has become too old, else NEVER."""
    return Cause.LOST if state.known and is_stale(state, numbers, now) else Cause.NEVER


@kernel
def is_down(state: MappingState, button: int) -> bool:
    """Whether a button was down in the last believed sample; a button -1 never is."""
    return button >= 0 and (state.buttons >> button) & 1 == 1


@kernel
def decide(
    state: MappingState, numbers: MappingNumbers, trouble: Cause, permitted: bool, robot: Floats2, robot_known: bool
) -> Mode:
    """Whether the hand moves the robot from this tick on; keeps why it ceased."""
    was = state.mode
    mode, cause = _wanted(state, numbers, trouble, permitted, robot_known)
    if was == Mode.ENGAGED and mode != Mode.ENGAGED:
        state.cause = cause
        if cause not in (Cause.RELEASED, Cause.CLUTCH):
            state.disengaged += 1
    if mode == Mode.ENGAGED and was != Mode.ENGAGED:
        begin(state, robot)
    state.mode = mode
    return mode


@kernel
def _wanted(
    state: MappingState, numbers: MappingNumbers, trouble: Cause, permitted: bool, robot_known: bool
) -> tuple[Mode, Cause]:
    """The mode that follows from what is known, and the cause if that is the end of engagement."""
    if trouble != Cause.NEVER:  # nothing before it is believed any more, and the dead-man must be pressed anew
        state.known, state.armed, state.refused_in_row = False, False, 0
        return Mode.NO_SAMPLE, trouble
    if not state.known:
        return Mode.NO_SAMPLE, Cause.NEVER
    if not (robot_known and permitted):
        state.armed = False
        return Mode.NOT_PERMITTED, Cause.FORBIDDEN if robot_known else Cause.ROBOT_UNKNOWN
    held = numbers.dead_man < 0 or is_down(state, numbers.dead_man)
    if state.guided:
        state.armed = not held
        return Mode.GUIDING, Cause.RELEASED
    if not held or numbers.dead_man < 0:
        state.armed = True
    if not state.armed:
        return Mode.RELEASE_FIRST, Cause.RELEASED
    if not held:
        return Mode.WAITING, Cause.RELEASED
    if is_down(state, numbers.clutch):
        return Mode.CLUTCHED, Cause.CLUTCH
    return Mode.ENGAGED, Cause.NEVER


@kernel
def begin(state: MappingState, robot: Floats2) -> None:
    """Engage: the target starts at the robot, and only what the hand moves from now on counts."""
    keep(state.target, (robot[0, 3], robot[1, 3], robot[2, 3]), quaternion_of(robot))
    keep(state.passed, place_of(state.hand), turn_of(state.hand))
    state.bubble_armed = state.gliding = False
    for i in range(6):
        state.rate_armed[i] = False
