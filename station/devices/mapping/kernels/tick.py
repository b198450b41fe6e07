"""`mapping_tick` and `mapping_wrench`: the mapping as two kernels on one array of state and one of settings."""

from __future__ import annotations

import math

from station.devices.mapping.kernels.cache import kernel
from station.devices.mapping.kernels.engage import decide
from station.devices.mapping.kernels.frames import applied_back, fill_jacobians
from station.devices.mapping.kernels.layout import (
    BACK_STRAIGHT,
    BACK_TURNING,
    ENGAGED,
    KNOWN,
    LOST,
    MODE,
    NEVER,
    NOW,
    REFERENCE,
    STALE_AFTER,
    TARGET,
    TICKED,
    VIEW,
    Floats,
)
from station.devices.mapping.kernels.motion import follow_hand, follow_rates
from station.devices.mapping.kernels.rotation import is_pose, quaternion_of, write_rotation
from station.devices.mapping.kernels.samples import believe, keep, place_at, trouble_of_age, turn_at
from station.devices.mapping.kernels.walls import fill_own_force


@kernel
def mapping_tick(
    state: Floats,
    settings: Floats,
    now: float,
    ready: bool,
    permitted: bool,
    fresh: bool,
    pose: Floats,
    velocity: Floats,
    buttons: int,
    device_time: float,
    arrival: float,
    sequence: int,
    robot: Floats,
    view: Floats,
    target: Floats,
) -> int:
    """One tick at `now` [s]; writes the 4×4 target [m]; returns the mode.

    `pose` to `sequence` are a sample and count only if it is `fresh`. `robot` is the pose of the followed frame as it
    is (predicted), `view` that of the camera, both in the world. While not engaged the target is the robot's pose.
    """
    trouble = LOST if state[KNOWN] == 1.0 and not (ready and math.isfinite(now)) else NEVER
    if fresh and ready and trouble == NEVER:
        trouble = believe(state, settings, pose, velocity, buttons, device_time, arrival, sequence)
    if trouble == NEVER:
        trouble = trouble_of_age(state, settings, now)
    known = is_pose(robot) and (int(settings[REFERENCE]) != VIEW or is_pose(view))
    mode = decide(state, settings, trouble, permitted, robot, known)
    dt = duration(state, settings, now)
    if mode == ENGAGED:
        fill_jacobians(state, settings, robot, view, dt)
        follow_hand(state, settings, dt)
        follow_rates(state, settings, dt, robot)
        write_target(state, target)
    elif known:
        keep(state, TARGET, (robot[0, 3], robot[1, 3], robot[2, 3]), quaternion_of(robot))
        for i in range(3):
            for k in range(4):
                target[i, k] = robot[i, k]
    fill_own_force(state, settings, mode, dt)
    return mode


@kernel
def duration(state: Floats, settings: Floats, now: float) -> float:
    """Time since the last tick [s]; 0 in the first and where time goes back, at most what a sample is good for."""
    passed = now - state[NOW] if state[TICKED] == 1.0 else 0.0
    if math.isfinite(now):
        state[NOW], state[TICKED] = now, 1.0
    return min(passed, settings[STALE_AFTER]) if passed > 0.0 else 0.0


@kernel
def write_target(state: Floats, target: Floats) -> None:
    """The target in the state as a 4×4 pose [m]."""
    target[0, 3], target[1, 3], target[2, 3] = place_at(state, TARGET)
    write_rotation(turn_at(state, TARGET), target)


@kernel
def mapping_wrench(state: Floats, wrench: Floats, hand: Floats) -> None:
    """A wrench at the followed frame, world axes, as the hand is to feel it, device axes [N, N·m]; 0 if not engaged."""
    total = 0.0
    for i in range(6):
        total += wrench[i]
        hand[i] = 0.0
    if int(state[MODE]) == ENGAGED and math.isfinite(total):
        hand[0], hand[1], hand[2] = applied_back(state, BACK_STRAIGHT, (wrench[0], wrench[1], wrench[2]))
        hand[3], hand[4], hand[5] = applied_back(state, BACK_TURNING, (wrench[3], wrench[4], wrench[5]))
