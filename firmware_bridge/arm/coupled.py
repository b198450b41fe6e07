"""COUPLED_SETPOINT and COUPLED_MEASUREMENT: the messages of every tick with a packet of a bilateral link in them."""

from __future__ import annotations

import struct
from math import isfinite
from zlib import crc32

import numpy as np

from firmware_bridge.arm.protocol import (
    ARM_FIELDS,
    CRC_SIZE,
    HAND_FIELDS,
    MAGIC,
    SIZES,
    VERSION,
    Field,
    Refused,
    Type,
)
from station.controllers.words import ArmWords, HandWords

TYPE_AT, LENGTH_AT, LENGTH_END = 3, 6, 8  # of the header
COUPLED_SETPOINT, COUPLED_MEASUREMENT = int(Type.COUPLED_SETPOINT), int(Type.COUPLED_MEASUREMENT)
LARGEST = 1e9  # no number of a packet is larger, but for its sequence


def _block(fields: tuple[Field, ...], joints: int) -> struct.Struct:
    return struct.Struct("<" + "".join(field.code.replace("n", str(joints)) for field in fields))


class CoupledCodec:
    """Both messages for an arm with `joints` joints: a plain message, and a block behind its numbers."""

    def __init__(self, joints: int) -> None:
        self.joints = joints
        self._hand, self._arm = _block(HAND_FIELDS, joints), _block(ARM_FIELDS, joints)
        self._sizes = {kind: SIZES[kind, joints] for kind in (COUPLED_SETPOINT, COUPLED_MEASUREMENT)}
        self._begins = {kind: struct.pack("<HBBB", MAGIC, VERSION, kind, joints) for kind in self._sizes}

    def setpoint(self, plain: bytes, words: HandWords) -> bytes | None:
        """Bytes of a SETPOINT with what the hand says; None if that is not finite or does not fit."""
        numbers = (words.force_scale, words.stiffness, words.impedance, *words.straight.ravel().tolist())
        packet = words.packet.tolist()
        if not isfinite(sum(numbers) + sum(packet)):
            return None
        try:
            block = self._hand.pack(words.start, words.epoch, words.method, words.architecture, *numbers, *packet)
        except (struct.error, OverflowError):
            return None
        return self._joined(plain, COUPLED_SETPOINT, block)

    def measurement(self, plain: bytes, words: ArmWords) -> bytes:
        """Bytes of a MEASUREMENT with what the arm says."""
        block = self._arm.pack(words.start, words.epoch, *words.held.tolist(), *words.packet.tolist())
        return self._joined(plain, COUPLED_MEASUREMENT, block)

    def _joined(self, plain: bytes, kind: int, block: bytes) -> bytes:
        body = bytearray(plain[:-CRC_SIZE])
        body[TYPE_AT] = kind
        body[LENGTH_AT:LENGTH_END] = self._sizes[kind].to_bytes(2, "little")
        body += block
        return bytes(body) + crc32(body).to_bytes(CRC_SIZE, "little")

    def is_sound(self, data: bytes, kind: int) -> bool:
        """Whether a message is of this type, for so many joints, and came through unbroken."""
        return (
            len(data) == self._sizes[kind]
            and data[:5] == self._begins[kind]
            and crc32(data[:-CRC_SIZE]) == int.from_bytes(data[-CRC_SIZE:], "little")
        )

    def hand_words(self, data: bytes) -> HandWords | Refused:
        """What the hand says in a COUPLED_SETPOINT whose frame is sound, or why that makes no sense."""
        start, epoch, method, architecture, scale, stiffness, impedance, *numbers = self._hand.unpack_from(
            data, len(data) - CRC_SIZE - self._hand.size
        )
        if not isfinite(scale + stiffness + impedance + sum(numbers)):
            return Refused.NOT_FINITE
        block = np.array(numbers)
        if method > 2 or architecture > 2 or np.abs(block[10:]).max() > LARGEST:
            return Refused.RANGE
        return HandWords(
            start, epoch, method, architecture, scale, stiffness, impedance, block[:9].reshape(3, 3), block[9:]
        )

    def arm_words(self, data: bytes) -> ArmWords | None:
        """What the arm says in a COUPLED_MEASUREMENT whose frame is sound; None if a number is not finite."""
        start, epoch, *numbers = self._arm.unpack_from(data, len(data) - CRC_SIZE - self._arm.size)
        if not isfinite(sum(numbers)):
            return None
        block = np.array(numbers)
        return ArmWords(start, epoch, block[: self.joints], block[self.joints :])
