"""Messages ⇄ bytes. What is not exactly a message of this version is a reason, never an exception."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

from firmware_bridge.arm.protocol import (
    CRC_SIZE,
    GREETINGS,
    HEADER,
    HEADER_SIZE,
    HIGHEST_SEQUENCE,
    JOINT,
    LONGEST,
    MAGIC,
    MOST_JOINTS,
    PAYLOADS,
    SIZES,
    TEXT,
    VERSION,
    Able,
    Refused,
    Type,
    payload_struct,
)
from station.controllers.controller import Capabilities, ControlledJoint

Value = int | float | bytes
PAYLOAD = {kind: payload_struct(kind) for kind in Type}  # of the types without joints, and the head of WELCOME
TEXT_SIZES = {
    kind: [int(field.code[:-1]) if field.code.endswith("s") else 0 for field in fields if field.name]
    for kind, fields in PAYLOADS.items()
}


class Message(NamedTuple):
    """A message whose frame is sound: check, version, type and length fit; the payload is not yet read."""

    type: int
    joints: int
    flags: int
    session: int
    sequence: int
    time: int  # clock of the sender [ns]
    payload: bytes
    version: int = VERSION


def pack(message: Message) -> bytes:
    """Bytes of a message."""
    length = HEADER_SIZE + len(message.payload) + CRC_SIZE
    body = (
        HEADER.pack(
            MAGIC,
            message.version,
            message.type,
            message.joints,
            message.flags,
            length,
            message.session,
            message.sequence,
            message.time,
        )
        + message.payload
    )
    return body + crc32(body).to_bytes(CRC_SIZE, "little")


def unpack(data: bytes) -> Message | Refused:
    """The message, or why it is none."""
    if not HEADER_SIZE + CRC_SIZE <= len(data) <= LONGEST:
        return Refused.OVERSIZED if len(data) > LONGEST else Refused.TORN
    magic, version, kind, joints, flags, length, session, sequence, time = HEADER.unpack_from(data)
    if magic != MAGIC:
        return Refused.FOREIGN
    if crc32(memoryview(data)[:-CRC_SIZE]) != int.from_bytes(data[-CRC_SIZE:], "little"):
        return Refused.CHECK
    if length != len(data):
        return Refused.LENGTH
    if version != VERSION:
        if kind not in GREETINGS:
            return Refused.VERSION
    elif kind not in PAYLOAD:
        return Refused.TYPE
    elif SIZES.get((kind, joints)) != length:
        return Refused.LENGTH
    elif sequence > HIGHEST_SEQUENCE and kind != Type.STOP:  # who stops an arm need not count
        return Refused.RANGE
    return Message(kind, joints, flags, session, sequence, time, data[HEADER_SIZE:-CRC_SIZE], version)


def text_field(text: str, size: int) -> bytes:
    """UTF-8 that fits into so many bytes, cut between characters if need be."""
    return text.encode("utf-8")[:size].decode("utf-8", "ignore").encode("utf-8")


def text_of(data: bytes) -> str:
    """Text of a field filled up with zeros; what is no text shows as such."""
    text = data.partition(b"\0")[0].decode("utf-8", "replace")
    return "".join(letter if letter.isprintable() else "�" for letter in text)


def payload(kind: Type, *values: Value | str) -> bytes:
    """The payload of a type without joints; text is cut to its field."""
    sizes = TEXT_SIZES[kind]
    return PAYLOAD[kind].pack(
        *(text_field(v, size) if isinstance(v, str) else v for v, size in zip(values, sizes, strict=True))
    )


class Welcome(NamedTuple):
    """Who the arm is, and what it grants."""

    nonce: int
    boot: int
    role: int
    ports: tuple[int, int, int]  # setpoints, measurements, stop
    capabilities: Capabilities


def pack_welcome(welcome: Welcome) -> bytes:
    """Payload of a WELCOME."""
    able = welcome.capabilities
    head = PAYLOAD[Type.WELCOME].pack(
        welcome.nonce,
        welcome.boot,
        able.rate,
        able.watchdog,
        _able(able),
        welcome.role,
        *welcome.ports,
        text_field(able.model, TEXT),
        text_field(able.serial_number, TEXT),
    )
    return head + b"".join(_pack_joint(joint) for joint in able.joints)


def _able(able: Capabilities) -> int:
    bits = (
        (able.takes_velocity, Able.TAKES_VELOCITY),
        (able.takes_effort, Able.TAKES_EFFORT),
        (able.measures_velocity, Able.MEASURES_VELOCITY),
        (able.measures_effort, Able.MEASURES_EFFORT),
        (able.measures_wrench, Able.MEASURES_WRENCH),
        (able.emulated, Able.EMULATED),
        (able.couples, Able.COUPLES),
    )
    return sum(int(bit) for given, bit in bits if given)


def _pack_joint(joint: ControlledJoint) -> bytes:
    limits = (joint.low, joint.high, joint.speed, joint.acceleration, joint.jerk, joint.effort)
    unit = b"m" if joint.prismatic else b"rad"
    numbers = (math.nan if limit is None else limit for limit in limits)
    return JOINT.pack(text_field(joint.name, TEXT), joint.prismatic, unit, *numbers)


def unpack_welcome(message: Message) -> Welcome | Refused:
    """What a WELCOME says, or why it cannot be meant."""
    fields = PAYLOAD[Type.WELCOME].unpack_from(message.payload)
    nonce, boot, rate, watchdog, bits, role, *ports, model, serial = fields
    joints = [_unpack_joint(part) for part in JOINT.iter_unpack(message.payload[PAYLOAD[Type.WELCOME].size :])]
    if not (math.isfinite(rate) and rate > 0.0 and math.isfinite(watchdog) and watchdog > 0.0):
        return Refused.NOT_FINITE
    known = [joint for joint in joints if joint is not None]
    if len(known) != len(joints) or not 0 < len(joints) <= MOST_JOINTS:
        return Refused.RANGE
    capabilities = Capabilities(
        model=text_of(model),
        serial_number=text_of(serial),
        joints=tuple(known),
        rate=rate,
        watchdog=watchdog,
        takes_velocity=bool(bits & Able.TAKES_VELOCITY),
        takes_effort=bool(bits & Able.TAKES_EFFORT),
        measures_velocity=bool(bits & Able.MEASURES_VELOCITY),
        measures_effort=bool(bits & Able.MEASURES_EFFORT),
        measures_wrench=bool(bits & Able.MEASURES_WRENCH),
        emulated=bool(bits & Able.EMULATED),
        couples=bool(bits & Able.COUPLES),
    )
    return Welcome(nonce, boot, role, (ports[0], ports[1], ports[2]), capabilities)


def _unpack_joint(fields: Sequence[Value]) -> ControlledJoint | None:
    """A joint, or None if kind and unit contradict each other, or a limit is infinite."""
    name, prismatic, unit, *limits = fields
    assert isinstance(name, bytes)
    assert isinstance(unit, bytes)
    if unit.rstrip(b"\0") != (b"m" if prismatic else b"rad") or any(map(math.isinf, map(float, limits))):
        return None
    low, high, speed, acceleration, jerk, effort = (None if math.isnan(float(x)) else float(x) for x in limits)
    return ControlledJoint(
        name=text_of(name),
        prismatic=bool(prismatic),
        low=low,
        high=high,
        speed=speed,
        acceleration=acceleration,
        jerk=jerk,
        effort=effort,
    )


PackError = (struct.error, OverflowError)  # a number that does not fit into its field
