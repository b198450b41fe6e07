"""What a tick consists of, in its order, and what is measured of it."""

from __future__ import annotations

from enum import IntEnum


class Stage(IntEnum):
    """A part of a tick; a deadline is missed because of one of them."""

    WAKE_UP = 0  # from the moment at which the tick should have begun to the moment at which it did
    DEVICE = 1  # newest sample and its kinematics
    SOLVE = 2  # map to a target, one solver step
    HAPTICS = 3  # forces, passivity, limits
    SEND = 4  # force to the device, setpoint to the controller
    PUBLISH = 5  # shared state


class Measure(IntEnum):
    """A time of which there are percentiles: every stage, then two that span several."""

    WAKE_UP = 0
    DEVICE = 1
    SOLVE = 2
    HAPTICS = 3
    SEND = 4
    PUBLISH = 5
    TICK = 6  # from waking up to the end of the tick: its cost
    LATENCY = 7  # hand to force: from the time stamp of the device's sample to the force being written


PERCENTILES = (50.0, 90.0, 99.0, 99.9)  # [%]; the largest value comes after them
