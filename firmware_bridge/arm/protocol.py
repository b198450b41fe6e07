"""Numbers of the arm's protocol, version 1: header, types, payloads, codes. docs/protocol_arm.md is made from these.

A message is header | payload | CRC-32, the same bytes on every link. Numbers are little-endian.
"""

from __future__ import annotations

import struct
from enum import IntEnum, IntFlag, StrEnum
from typing import NamedTuple

VERSION = 1
MAGIC = 0x4D41  # the letters AM
MOST_JOINTS = 32
TEXT = 32  # bytes of a name
REASON = 96  # bytes of a reason
CRC_SIZE = 4
HIGHEST_SEQUENCE = 2**63 - 1  # so that an echo, which has a sign, can repeat it
PACKET = 29  # numbers of a packet between the two ends of a bilateral link


class Field(NamedTuple):
    """A field of a header or payload; `code` is that of `struct`, with `n` for the number of joints."""

    code: str
    name: str
    about: str


HEADER_FIELDS = (
    Field("H", "magic", "0x4D41: the letters AM"),
    Field("B", "version", "of the protocol: 1"),
    Field("B", "type", "section 2; arm → station from 0x80 on"),
    Field("B", "joints", "how many, n, in WELCOME and in setpoints and measurements; else 0"),
    Field("B", "flags", "what is given or measured, below; else 0"),
    Field("H", "length", "of the whole message with header and CRC [bytes]"),
    Field("Q", "session", "station → arm: as granted by WELCOME; in MEASUREMENT: the boot number of the arm"),
    Field(
        "Q",
        "sequence",
        "counts the messages of this type from this sender in this session, upwards from 1 to at most 2⁶³ − 1",
    ),
    Field("q", "time", "clock of the sender [ns]"),
)
HEADER = struct.Struct("<" + "".join(field.code for field in HEADER_FIELDS))
HEADER_SIZE = HEADER.size


class Type(IntEnum):
    """Fourth byte of a message."""

    HELLO = 0x01
    REQUEST = 0x02
    SETPOINT = 0x03
    HEARTBEAT = 0x04
    STOP = 0x05
    BYE = 0x06
    COUPLED_SETPOINT = 0x07
    WELCOME = 0x81
    ACK = 0x82
    MEASUREMENT = 0x83
    EVENT = 0x84
    ECHO = 0x85
    REFUSAL = 0x86
    STOPPED = 0x87
    COUPLED_MEASUREMENT = 0x88


class Given(IntFlag):
    """Bits of `flags`: a block whose bit is 0 is zeros that mean nothing. Not measured is not zero."""

    VELOCITY = 1
    EFFORT = 2
    WRENCH = 4


class Able(IntFlag):
    """Bits of `able` in WELCOME."""

    TAKES_VELOCITY = 1
    TAKES_EFFORT = 2
    MEASURES_VELOCITY = 4
    MEASURES_EFFORT = 8
    MEASURES_WRENCH = 16
    EMULATED = 32
    COUPLES = 64


class Role(IntEnum):
    """What a station may do."""

    OBSERVE = 0
    COMMAND = 1


class State(IntEnum):
    """How an arm reports itself."""

    READY = 0
    ACTIVE = 1
    STOPPED = 2
    FAULT = 3


class Request(IntEnum):
    """What a REQUEST asks for."""

    ACTIVATE = 1
    DEACTIVATE = 2
    RESET = 3
    RELEASE = 4
    TARE = 6  # of the end of a bilateral link at the arm; 5 is something else over Modbus


class RefusalCode(IntEnum):
    """Why the arm refuses a station."""

    VERSION = 1  # it speaks another version
    BUSY = 2  # another station commands
    SESSION = 3  # it does not know this session, for example after it was restarted
    NOT_COMMANDER = 4  # this session may only observe


class Refused(StrEnum):
    """Why a message had no effect; each kind is counted."""

    TORN = "torn"  # too short for a message, or not stuffed bytes
    OVERSIZED = "oversized"  # longer than any message
    FOREIGN = "foreign"  # another protocol altogether
    CHECK = "check"  # its CRC does not fit
    VERSION = "version"  # of another version
    TYPE = "type"  # unknown, or of the wrong direction
    LENGTH = "length"  # not that of its type
    SESSION = "session"  # not of this session, or of one that may not command
    REPLAY = "replay"  # its sequence is not ahead of the last
    NOT_FINITE = "not finite"  # a number is NaN or infinite
    RANGE = "range"  # a number is outside what is allowed
    FLOOD = "flood"  # its sender says more than is heard


REASON_FIELD = Field(f"{REASON}s", "reason", "UTF-8, filled up with zeros; empty if there is nothing to tell")
STATE_FIELD = Field("B", "state", "0 READY, 1 ACTIVE, 2 STOPPED, 3 FAULT")

PAYLOADS: dict[Type, tuple[Field, ...]] = {
    Type.HELLO: (
        Field("B", "role", "that is asked for: 0 observe, 1 command"),
        Field("7x", "", ""),
        Field("Q", "nonce", "random; the answer repeats it"),
        Field(f"{TEXT}s", "name", "of the station, for those whom it keeps out"),
    ),
    Type.REQUEST: (Field("B", "request", "1 ACTIVATE, 2 DEACTIVATE, 3 RESET, 4 RELEASE, 6 TARE"), Field("7x", "", "")),
    Type.SETPOINT: (
        Field("nd", "q", "positions [rad | m]"),
        Field("nf", "v", "velocities [rad/s | m/s]"),
        Field("nf", "effort", "feed-forward [N·m | N]"),
    ),
    Type.HEARTBEAT: (),
    Type.STOP: (),
    Type.BYE: (),
    Type.WELCOME: (
        Field("Q", "nonce", "of the HELLO"),
        Field("Q", "boot", "random number of this start of the arm: another one means that it was restarted"),
        Field("d", "rate", "setpoints per second that it takes [Hz]"),
        Field("d", "watchdog", "without a fresh setpoint for this long it stops by itself [s]"),
        Field("I", "able", "bits, below"),
        Field("B", "role", "that is granted"),
        Field("3x", "", ""),
        Field("H", "setpoint port", "of TCP; 0 where all goes over one line"),
        Field("H", "measurement port", "of TCP"),
        Field("H", "stop port", "of TCP"),
        Field("2x", "", ""),
        Field(f"{TEXT}s", "model", "UTF-8, filled up with zeros"),
        Field(f"{TEXT}s", "serial number", ""),
    ),
    Type.ACK: (
        Field("Q", "of", "sequence of the REQUEST"),
        Field("B", "request", "that is answered"),
        Field("B", "accepted", "1 yes, 0 no: the reason says why"),
        STATE_FIELD,
        Field("5x", "", ""),
        REASON_FIELD,
    ),
    Type.MEASUREMENT: (
        Field("q", "echo", "sequence of the setpoint that was applied last; −1: none yet"),
        Field("q", "heard", "time of the newest setpoint or heartbeat of the commander, as it said [ns]; 0: none"),
        Field("q", "heard at", "when that came in, by the clock of the arm [ns]"),
        STATE_FIELD,
        Field("3x", "", ""),
        Field("I", "events", "how many EVENTs there were: one more than known means that one is on its way"),
        Field("nd", "q", "positions [rad | m]"),
        Field("nf", "v", "velocities [rad/s | m/s]"),
        Field("nf", "effort", "of the motors [N·m | N]"),
        Field("6f", "wrench", "on the tool, in the frame of the tool [N, N·m]"),
    ),
    Type.EVENT: (STATE_FIELD, Field("7x", "", ""), REASON_FIELD),
    Type.ECHO: (
        Field("q", "heard", "time of the HEARTBEAT, as it said [ns]"),
        Field("q", "heard at", "when it came in, by the clock of the arm [ns]"),
        STATE_FIELD,
        Field("B", "role", "of this session"),
        Field("6x", "", ""),
        REASON_FIELD,
    ),
    Type.REFUSAL: (
        Field("B", "code", "1 VERSION, 2 BUSY, 3 SESSION, 4 NOT_COMMANDER"),
        Field("7x", "", ""),
        Field("Q", "nonce", "of the HELLO, or 0"),
        REASON_FIELD,
    ),
    Type.STOPPED: (STATE_FIELD, Field("7x", "", ""), REASON_FIELD),
}
HAND_FIELDS = (  # these follow the numbers of a SETPOINT
    Field("I", "start", "another one: setpoints begin anew where the arm was measured"),
    Field(
        "I",
        "epoch",
        "another one: both ends begin with new books; 0: nothing is coupled now, and the packet means nothing",
    ),
    Field("B", "method", "0 direct, 1 passivity, 2 waves"),
    Field("B", "architecture", "0 position-force, 1 position-position, 2 four-channel"),
    Field("6x", "", ""),
    Field("f", "force scale", "force at the hand per force on the tool"),
    Field("f", "stiffness", "spring between hand and arm [N/m]"),
    Field("f", "impedance", "of the waves [N·s/m]"),
    Field("9f", "straight", "motion of the tool in the world per motion of the hand, 3×3 by rows"),
    Field(f"{PACKET}d", "packet", "of the end at the hand: docs/bilateral.md, section 3"),
)
ARM_FIELDS = (  # these follow the numbers of a MEASUREMENT
    Field("I", "start", "that it has heard of last; 0: none since it became ACTIVE"),
    Field("I", "epoch", "of the books; 0: nothing is coupled now, and the packet means nothing"),
    Field("nf", "held", "what the end at the arm has added to the setpoint that was taken last [rad | m]"),
    Field(f"{PACKET}d", "packet", "of the end at the arm"),
)
PAYLOADS[Type.COUPLED_SETPOINT] = (*PAYLOADS[Type.SETPOINT], *HAND_FIELDS)
PAYLOADS[Type.COUPLED_MEASUREMENT] = (*PAYLOADS[Type.MEASUREMENT], *ARM_FIELDS)

JOINT_FIELDS = (  # n of them follow the payload of WELCOME
    Field(f"{TEXT}s", "name", "as the scene calls it"),
    Field("B", "prismatic", "1: it slides, 0: it turns"),
    Field("7s", "unit", "`m` or `rad`: must fit"),
    Field("d", "low", "[rad | m]; this and the next: NaN where the arm tells none"),
    Field("d", "high", "[rad | m]"),
    Field("d", "speed", "[rad/s | m/s]"),
    Field("d", "acceleration", "[rad/s² | m/s²]"),
    Field("d", "jerk", "[rad/s³ | m/s³]"),
    Field("d", "effort", "[N·m | N]"),
)
JOINT = struct.Struct("<" + "".join(field.code for field in JOINT_FIELDS))
TO_ARM = frozenset(kind for kind in Type if kind < 0x80)
GREETINGS = frozenset({Type.HELLO, Type.WELCOME, Type.REFUSAL})  # understood in every version, as far as they go


def payload_struct(kind: Type, joints: int = 0) -> struct.Struct:
    """How the payload of a type is packed for so many joints."""
    codes = "".join(field.code.replace("n", str(joints)) for field in PAYLOADS[kind])
    return struct.Struct("<" + codes)


def message_size(kind: Type, joints: int) -> int:
    """Length of a message of a type [bytes]."""
    tail = joints * JOINT.size if kind is Type.WELCOME else 0
    return HEADER_SIZE + payload_struct(kind, joints).size + tail + CRC_SIZE


WITH_JOINTS = frozenset(
    {Type.SETPOINT, Type.MEASUREMENT, Type.COUPLED_SETPOINT, Type.COUPLED_MEASUREMENT, Type.WELCOME}
)
SIZES: dict[tuple[int, int], int] = {
    (kind, joints): message_size(kind, joints)
    for kind in Type
    for joints in (range(1, MOST_JOINTS + 1) if kind in WITH_JOINTS else (0,))
}
LONGEST = max(SIZES.values())
