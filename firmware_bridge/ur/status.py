"""Modes and safety of a robot in words, and what they mean for a station that wants to lead it."""

from __future__ import annotations

from enum import IntEnum, IntFlag

from firmware_bridge.arm.protocol import State


class RobotMode(IntEnum):
    """Value of robot_mode."""

    NO_CONTROLLER = -1
    DISCONNECTED = 0
    CONFIRM_SAFETY = 1
    BOOTING = 2
    POWER_OFF = 3
    POWER_ON = 4
    IDLE = 5
    BACKDRIVE = 6
    RUNNING = 7
    UPDATING_FIRMWARE = 8


class Safety(IntFlag):
    """Bits of safety_status_bits."""

    NORMAL = 1 << 0
    REDUCED = 1 << 1
    PROTECTIVE_STOP = 1 << 2
    RECOVERY = 1 << 3
    SAFEGUARD_STOP = 1 << 4
    SYSTEM_EMERGENCY_STOP = 1 << 5
    ROBOT_EMERGENCY_STOP = 1 << 6
    EMERGENCY_STOP = 1 << 7
    VIOLATION = 1 << 8
    FAULT = 1 << 9
    STOPPED = 1 << 10


class Runtime(IntEnum):
    """Value of runtime_state."""

    STOPPING = 0
    STOPPED = 1
    PLAYING = 2
    PAUSING = 3
    PAUSED = 4
    RESUMING = 5


# Bits that keep a robot from moving, worst first: the state and what to do.
HINDRANCES = (
    (Safety.FAULT, State.FAULT, "safety fault: the robot must be restarted"),
    (Safety.VIOLATION, State.FAULT, "safety violation: see the pendant"),
    (Safety.RECOVERY, State.FAULT, "recovery mode: a joint is beyond its safety limits; move it back by the pendant"),
    (Safety.SYSTEM_EMERGENCY_STOP, State.STOPPED, "emergency stop of the cell: release it, then reset"),
    (Safety.ROBOT_EMERGENCY_STOP, State.STOPPED, "emergency stop of the robot: release it, then reset"),
    (Safety.EMERGENCY_STOP, State.STOPPED, "emergency stop: release it, then reset"),
    (Safety.SAFEGUARD_STOP, State.STOPPED, "safeguard stop: somebody is in the way, or a door is open"),
    (Safety.PROTECTIVE_STOP, State.STOPPED, "protective stop: see what it ran into, then reset"),
    (Safety.STOPPED, State.STOPPED, "stopped for safety: see the pendant, then reset"),
)
UNPOWERED = {
    RobotMode.POWER_OFF: "the drives are off; activate switches them on",
    RobotMode.POWER_ON: "the drives are starting",
    RobotMode.IDLE: "the brakes are on; activate releases them",
    RobotMode.BACKDRIVE: "the robot is being moved by hand",
}


def hindrance(bits: int) -> tuple[State, str] | None:
    """The state that safety has put the robot into, with its reason; None if it may move."""
    return next(((state, reason) for bit, state, reason in HINDRANCES if bits & bit), None)


def power_reason(mode: int) -> str:
    """Why the drives do not drive; empty if they do."""
    if mode == RobotMode.RUNNING:
        return ""
    known = mode in RobotMode.__members__.values()
    name = RobotMode(mode).name.lower().replace("_", " ") if known else str(mode)
    return UNPOWERED[RobotMode(mode)] if known and mode in UNPOWERED else f"robot mode: {name}"
