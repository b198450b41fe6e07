"""Bytes that a Robotiq gripper is commanded by and tells its state with, three registers each way.

After Robotiq's instruction manual of the 2F-85 and 2F-140 (control by Modbus RTU): commands from register 0x03E8 on,
state from 0x07D0 on, high byte first, unit 9.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import NamedTuple

UNIT, BAUD = 9, 115_200
COMMAND_AT, STATE_AT, WORDS = 0x03E8, 0x07D0, 3
LARGEST = 255

ACTIVATE, GO_TO, RELEASE = 1 << 0, 1 << 3, 1 << 4  # bits of the first byte of a command

COMMAND = struct.Struct("BxxBBB")  # action, position, speed, force
STATE = struct.Struct("BxBBBB")  # state, fault, requested position, position, current
CURRENT = 0.01  # of a unit [A]


class Activity(IntEnum):
    """gSTA: what the gripper is about."""

    RESET = 0
    ACTIVATING = 1
    UNUSED = 2
    ACTIVE = 3


class Met(IntEnum):
    """gOBJ: what the fingers have met."""

    MOVING = 0
    OPENING = 1  # stopped while opening
    CLOSING = 2  # stopped while closing
    AT_GOAL = 3


class Fault(IntEnum):
    """gFLT."""

    NONE = 0x00
    ACTIVATE_FIRST = 0x05
    ACTIVATION_BIT = 0x07
    TOO_HOT = 0x08
    NOT_READY = 0x09
    TOO_LITTLE_VOLTAGE = 0x0A
    RELEASING = 0x0B
    INTERNAL = 0x0C
    ACTIVATION = 0x0D
    OVERCURRENT = 0x0E
    RELEASED = 0x0F


SAYS = {
    Fault.ACTIVATE_FIRST: "it must be activated first",
    Fault.ACTIVATION_BIT: "its activation bit is not set: activate it",
    Fault.TOO_HOT: "too hot; let it cool down",
    Fault.NOT_READY: "nobody has spoken to it for a second, or it is still starting",
    Fault.TOO_LITTLE_VOLTAGE: "the supply is too low",
    Fault.RELEASING: "it releases by itself",
    Fault.INTERNAL: "internal fault",
    Fault.ACTIVATION: "activation has failed: is something in the way of the fingers? activate it again",
    Fault.OVERCURRENT: "overcurrent; activate it again",
    Fault.RELEASED: "it has released by itself; activate it again",
}
PRIORITY = (Fault.ACTIVATE_FIRST, Fault.ACTIVATION_BIT)  # of a command that came too early: no harm is done


def fault_text(code: int) -> str:
    """A fault in words."""
    known = code in Fault.__members__.values()
    return SAYS.get(Fault(code), "") if known else f"fault 0x{code:02X}"


class GripperState(NamedTuple):
    """State, taken apart."""

    activated: bool
    going: bool
    activity: int
    met: int
    fault: int
    requested: int
    position: int
    current: int


def pack_command(action: int, position: int, speed: int, force: int) -> bytes:
    """Bytes of three registers."""
    return COMMAND.pack(action, position, speed, force)


def read_state(data: bytes) -> GripperState:
    """From the bytes of three registers."""
    first, fault, requested, position, current = STATE.unpack(data)
    return GripperState(
        bool(first & 1),
        bool(first & 8),
        (first >> 4) & 3,
        first >> 6,
        fault & 0x0F,  # the upper half is kept for an optional controller
        requested,
        position,
        current,
    )


def pack_state(state: GripperState) -> bytes:
    """Bytes of three registers."""
    first = int(state.activated) | int(state.going) << 3 | state.activity << 4 | state.met << 6
    return STATE.pack(first, state.fault, state.requested, state.position, state.current)


class Model(NamedTuple):
    """What a gripper can do, by its data sheet."""

    name: str
    width: float  # largest [m]
    forces: tuple[float, float]  # [N]
    speeds: tuple[float, float]  # [m/s]


MODELS = {
    "2f85": Model("Robotiq 2F-85", 0.085, (20.0, 235.0), (0.020, 0.150)),
    "2f140": Model("Robotiq 2F-140", 0.140, (10.0, 125.0), (0.030, 0.250)),
    "hande": Model("Robotiq Hand-E", 0.050, (20.0, 185.0), (0.020, 0.150)),
}


def share_of(value: float, ends: tuple[float, float]) -> int:
    """A number within a range as 0 to 255; what is beyond is taken to the end."""
    low, high = ends
    return max(0, min(LARGEST, round(LARGEST * (value - low) / (high - low))))
