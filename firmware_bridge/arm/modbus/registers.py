"""The register map of an arm, version 1: what stands where, in which units. docs/protocol_arm.md is made from these.

Registers have 16 bits, numbers of several registers begin with the highest. All blocks can be read by functions 3 and 4
alike; what is written is one block as a whole, and one coil.
"""

from __future__ import annotations

import struct
from enum import IntFlag
from math import floor, isfinite
from typing import NamedTuple

from fastcrc.crc16 import modbus as crc16

from firmware_bridge.arm.protocol import REASON, TEXT, Field

MAP_VERSION = 1
MOST_JOINTS = 15  # so that a state fits one read of 125 registers
STATE_AT, REASON_AT, IDENTITY_AT, JOINTS_AT, COMMAND_AT = 0, 128, 256, 512, 1024
STOP_COIL = 0
REASON_WORDS = REASON // 2
NONE = -(2**31)  # a limit that the arm does not tell
NO_ECHO = 0xFFFFFFFF
LARGEST = 2**31 - 1
POSITION = VELOCITY = 1e6  # counts per rad or m, and per rad/s or m/s
EFFORT = ACCELERATION = JERK = WRENCH = 1e3  # counts per N·m or N, rad/s² …
# Bit of `able`: function 23 writes a command and reads the state at once. In WELCOME it is COUPLES, which no arm on
# Modbus does.
COMBINED = 64


class GivenBits(IntFlag):
    """Bits of `given`: what is measured, or meant."""

    VELOCITY = 1
    EFFORT = 2
    WRENCH = 4
    SETPOINT = 8


STATE_FIELDS = (
    Field("H", "map version", "1"),
    Field("H", "heartbeat", "changes with every measurement; one that stands still is a dead arm"),
    Field("H", "state", "0 READY, 1 ACTIVE, 2 STOPPED, 3 FAULT"),
    Field("H", "given", "what is measured: bit 0 velocity, 1 effort, 2 wrench; the others are zeros that mean nothing"),
    Field("I", "boot", "random number of this start of the arm"),
    Field("I", "sequence", "counts measurements"),
    Field("I", "echo", "sequence of the setpoint that was applied last; 0xFFFFFFFF: none yet"),
    Field("Q", "time", "clock of the arm when this was read out [µs]"),
    Field("H", "heard", "heartbeat word of the last command that was taken"),
    Field("H", "held", "how long ago that came in [0.1 ms]; 65535: longer"),
    Field("H", "holder", "CRC-16/MODBUS of the token of the station that commands; 0: nobody does"),
    Field("H", "answered", "number of the request that was answered last"),
    Field("H", "accepted", "1: it was granted, 0: not"),
    Field("H", "events", "counts changes of the reason"),
    Field("H", "refused", "writes that had no effect"),
    Field("H", "spare", "0"),
    Field("6i", "wrench", "on the tool, in the frame of the tool [mN, mN·m]"),
    Field("ni", "q", "positions [µrad | µm]"),
    Field("ni", "v", "velocities [µrad/s | µm/s]"),
    Field("ni", "effort", "of the motors [mN·m | mN]"),
)
COMMAND_FIELDS = (
    Field("H", "map version", "that the station was made for: 1, or the block is refused"),
    Field("H", "heartbeat", "changes with every command"),
    Field("I", "token", "random, chosen by the station: whoever writes first while nobody commands takes the seat"),
    Field("H", "request", "0 none, 1 ACTIVATE, 2 DEACTIVATE, 3 RESET, 4 RELEASE, 5 LEAVE the seat"),
    Field("H", "number", "of the request: it is heeded when this changes"),
    Field("I", "sequence", "of the setpoint, upwards; 0xFFFFFFFF is none"),
    Field("H", "given", "what is meant: bit 3 a setpoint at all, bit 0 its velocities, 1 its efforts"),
    Field("H", "spare", "0"),
    Field("ni", "q", "positions [µrad | µm]"),
    Field("ni", "v", "velocities [µrad/s | µm/s]"),
    Field("ni", "effort", "feed-forward [mN·m | mN]"),
    Field("H", "check", "CRC-16/MODBUS of all bytes before it"),
)
IDENTITY_FIELDS = (
    Field("H", "map version", "1"),
    Field("H", "joints", "n, at most 15"),
    Field("H", "rate", "setpoints per second that it takes [Hz]"),
    Field("H", "watchdog", "without a fresh setpoint for this long it stops by itself [ms]"),
    Field("H", "able", "bits 0 to 5 as in WELCOME; bit 6 is another one here: function 23 is understood"),
    Field("I", "boot", "as in the state"),
    Field(f"{TEXT}s", "model", "two letters per register, UTF-8, filled up with zeros"),
    Field(f"{TEXT}s", "serial number", ""),
)
JOINT_FIELDS = (
    Field(f"{TEXT}s", "name", "as the scene calls it"),
    Field("H", "prismatic", "1: it slides [µm], 0: it turns [µrad]"),
    Field("H", "spare", "0"),
    Field("i", "low", "[µrad | µm]; this and the next: −2³¹ where the arm tells none"),
    Field("i", "high", "[µrad | µm]"),
    Field("i", "speed", "[µrad/s | µm/s]"),
    Field("i", "acceleration", "[mrad/s² | mm/s²]"),
    Field("i", "jerk", "[mrad/s³ | mm/s³]"),
    Field("i", "effort", "[mN·m | mN]"),
)


def packing(fields: tuple[Field, ...], joints: int = 0) -> struct.Struct:
    """How a block is packed."""
    return struct.Struct(">" + "".join(field.code.replace("n", str(joints)) for field in fields))


IDENTITY, JOINT = packing(IDENTITY_FIELDS), packing(JOINT_FIELDS)
JOINT_WORDS = JOINT.size // 2
LEAVE = 5  # the request that gives the seat back


class State(NamedTuple):
    """The block of measurements; numbers as they stand in registers."""

    version: int
    heartbeat: int
    state: int
    given: int
    boot: int
    sequence: int
    echo: int
    time: int
    heard: int
    held: int
    holder: int
    answered: int
    accepted: int
    events: int
    refused: int
    numbers: tuple[int, ...]  # wrench, q, v, effort


class Command(NamedTuple):
    """The block that a station writes; numbers as they stand in registers."""

    version: int
    heartbeat: int
    token: int
    request: int
    number: int
    sequence: int
    given: int
    numbers: tuple[int, ...]  # q, v, effort


class MapCodec:
    """State and command of an arm with `joints` joints."""

    def __init__(self, joints: int) -> None:
        self.joints = joints
        self._state = packing(STATE_FIELDS, joints)
        self._command = packing(COMMAND_FIELDS, joints)
        self.state_words, self.command_words = self._state.size // 2, self._command.size // 2

    def pack_state(self, state: State) -> bytes:
        """Bytes of the registers."""
        return self._state.pack(*state[:-1], 0, *state.numbers)

    def read_state(self, data: bytes) -> State:
        """Of as many bytes as `state_words` asks for."""
        fields = self._state.unpack(data)
        return State._make((*fields[:15], fields[16:]))

    def pack_command(self, command: Command) -> bytes:
        """Bytes of the registers, with their check."""
        body = self._command.pack(*command[:-1], 0, *command.numbers, 0)[:-2]
        return body + crc16(body).to_bytes(2, "big")

    def read_command(self, data: bytes) -> Command | None:
        """What was written; None if its check does not fit."""
        if crc16(data[:-2]) != int.from_bytes(data[-2:], "big"):
            return None
        fields = self._command.unpack(data)
        return Command._make((*fields[:7], fields[8:-1]))


def counts(values: list[float], scale: float) -> list[int] | None:
    """Numbers as registers hold them; None if one is not finite or too large."""
    if not isfinite(sum(values)):
        return None
    scaled = [round(value * scale) for value in values]
    return scaled if all(-LARGEST <= count <= LARGEST for count in scaled) else None


def limit(value: float | None, scale: float, inwards: int = 0) -> int:
    """A limit as a register holds it; rounded towards the inside (+1 up, −1 down), so that what keeps it is allowed."""
    if value is None or not isfinite(value) or abs(value * scale) > LARGEST:
        return NONE
    if inwards > 0:
        return -floor(-value * scale)
    return floor(value * scale) if inwards < 0 else round(value * scale)


def unlimited(count: int, scale: float) -> float | None:
    """The limit that a register holds."""
    return None if count == NONE else count / scale


def holder_of(token: int) -> int:
    """What the state shows of a token."""
    return crc16(token.to_bytes(4, "big")) or 1
