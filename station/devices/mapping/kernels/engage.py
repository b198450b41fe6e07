"""Dead-man, clutch and what else decides whether the hand moves the robot."""

from __future__ import annotations

from station.devices.mapping.kernels.cache import kernel
from station.devices.mapping.kernels.layout import (
    ARMED,
    BUBBLE_ARMED,
    BUTTONS,
    CAUSE,
    CLUTCH,
    CLUTCH_HELD,
    CLUTCHED,
    DEAD_MAN,
    DISENGAGED,
    ENGAGED,
    FORBIDDEN,
    GUIDED,
    GUIDING,
    HAND,
    IN_USE,
    KNOWN,
    MODE,
    NEVER,
    NO_SAMPLE,
    NOT_PERMITTED,
    PASSED,
    RATE_ARMED,
    REFUSED_IN_ROW,
    RELEASE_FIRST,
    RELEASED,
    ROBOT_UNKNOWN,
    TARGET,
    WAITING,
    Floats,
)
from station.devices.mapping.kernels.rotation import quaternion_of
from station.devices.mapping.kernels.samples import keep, place_at, turn_at


@kernel
def is_down(state: Floats, button: float) -> bool:
    """Whether a button was down in the last believed sample; a button -1 never is."""
    return button >= 0.0 and (int(state[BUTTONS]) >> int(button)) & 1 == 1


@kernel
def decide(state: Floats, settings: Floats, trouble: int, permitted: bool, robot: Floats, robot_known: bool) -> int:
    """Whether the hand moves the robot from this tick on; keeps why it ceased."""
    was = int(state[MODE])
    mode, cause = _wanted(state, settings, trouble, permitted, robot_known)
    if was == ENGAGED and mode != ENGAGED:
        state[CAUSE] = cause
        if cause not in (RELEASED, CLUTCH_HELD):
            state[DISENGAGED] += 1.0
    if mode == ENGAGED and was != ENGAGED:
        begin(state, robot)
    state[MODE] = mode
    return mode


@kernel
def _wanted(state: Floats, settings: Floats, trouble: int, permitted: bool, robot_known: bool) -> tuple[int, int]:
    """The mode that follows from what is known, and the cause if that is the end of engagement."""
    if trouble != NEVER:  # nothing before it is believed any more, and the dead-man must be pressed anew
        state[KNOWN], state[ARMED], state[REFUSED_IN_ROW] = 0.0, 0.0, 0.0
        return NO_SAMPLE, trouble
    if state[KNOWN] == 0.0:
        return NO_SAMPLE, NEVER
    if not (robot_known and permitted):
        state[ARMED] = 0.0
        return NOT_PERMITTED, FORBIDDEN if robot_known else ROBOT_UNKNOWN
    held = settings[DEAD_MAN] < 0.0 or is_down(state, settings[DEAD_MAN])
    if state[GUIDED] == 1.0:
        state[ARMED] = 0.0 if held else 1.0
        return GUIDING, RELEASED
    if not held or settings[DEAD_MAN] < 0.0:
        state[ARMED] = 1.0
    if state[ARMED] == 0.0:
        return RELEASE_FIRST, RELEASED
    if not held:
        return WAITING, RELEASED
    if is_down(state, settings[CLUTCH]):
        return CLUTCHED, CLUTCH_HELD
    return ENGAGED, NEVER


@kernel
def begin(state: Floats, robot: Floats) -> None:
    """Engage: the target starts at the robot, and only what the hand moves from now on counts."""
    keep(state, TARGET, (robot[0, 3], robot[1, 3], robot[2, 3]), quaternion_of(robot))
    keep(state, PASSED, place_at(state, HAND), turn_at(state, HAND))
    state[BUBBLE_ARMED] = state[IN_USE] = 0.0
    for i in range(6):
        state[RATE_ARMED + i] = 0.0
