"""The two messages of every tick, SETPOINT and MEASUREMENT, for a number of joints that is known: fast both ways."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple
from zlib import crc32

from numpy import array

from firmware_bridge.arm.protocol import (
    CRC_SIZE,
    HEADER,
    HIGHEST_SEQUENCE,
    MAGIC,
    PAYLOADS,
    SIZES,
    VERSION,
    Given,
    Refused,
    Type,
)
from station.controllers.controller import Floats

VELOCITY, EFFORT, WRENCH = int(Given.VELOCITY), int(Given.EFFORT), int(Given.WRENCH)  # plain: enums are slow in a tick
SETPOINT, MEASUREMENT = int(Type.SETPOINT), int(Type.MEASUREMENT)
NO_WRENCH = [0.0] * 6
FIXED, MEASURED_FIXED = 9, 14  # fields before the numbers
SEQUENCE_AT = 7  # field of the header
UNBROKEN = 0x2144DF1C  # CRC-32 of anything that has its own CRC-32 behind it
_new = tuple.__new__  # a NamedTuple of known parts, without the time to sort arguments


class Setpoint(NamedTuple):
    """A SETPOINT, read."""

    session: int
    sequence: int
    time: int  # [ns]
    q: Floats
    v: Floats | None
    effort: Floats | None


class Measured(NamedTuple):
    """A MEASUREMENT, read."""

    boot: int
    sequence: int
    time: int  # clock of the arm [ns]
    echo: int
    heard: int  # [ns]
    heard_at: int  # [ns]
    state: int
    events: int
    q: Floats
    v: Floats | None
    effort: Floats | None
    wrench: Floats | None


class StreamCodec:
    """SETPOINT and MEASUREMENT of an arm with `joints` joints.

    Whoever uses this has just slept, and what Python takes then goes by
    how much of it is touched: so few functions are called, arrays are made only of what is given, and numbers are
    finite if their sum less itself is 0, since `math` is one more library to wake up.
    """

    def __init__(self, joints: int) -> None:
        self.joints = joints
        self.setpoint_size = SIZES[Type.SETPOINT, joints]
        self.measurement_size = SIZES[Type.MEASUREMENT, joints]
        self._setpoint = struct.Struct(f"{HEADER.format}{joints}d{2 * joints}f")
        self._zeros = [0.0] * joints
        head = "".join(field.code for field in PAYLOADS[Type.MEASUREMENT][:6])
        self._measurement = struct.Struct(f"{HEADER.format}{head}{joints}d{2 * joints + 6}f")
        self._setpoint_begins = MAGIC.to_bytes(2, "little") + bytes([VERSION, SETPOINT, joints])
        self._begins = MAGIC.to_bytes(2, "little") + bytes([VERSION, MEASUREMENT, joints])
        assert self._setpoint.size + CRC_SIZE == self.setpoint_size
        assert self._measurement.size + CRC_SIZE == self.measurement_size

    def setpoint(
        self, session: int, sequence: int, time: int, q: Floats, v: Floats | None, effort: Floats | None
    ) -> bytes | None:
        """Bytes of a SETPOINT; None if a number is not finite or too large, or for a wrong count."""
        flags = 0
        numbers = q.tolist()
        if v is None:
            numbers += self._zeros
        else:
            flags = VELOCITY
            numbers += v.tolist()
        if effort is None:
            numbers += self._zeros
        else:
            flags |= EFFORT
            numbers += effort.tolist()
        total = sum(numbers)
        if total - total != 0.0 or len(numbers) != 3 * self.joints or sequence > HIGHEST_SEQUENCE:
            return None
        try:
            body = self._setpoint.pack(
                MAGIC, VERSION, SETPOINT, self.joints, flags, self.setpoint_size, session, sequence, time, *numbers
            )
        except (struct.error, OverflowError):
            return None
        return body + crc32(body).to_bytes(4, "little")

    def is_setpoint(self, data: bytes) -> bool:
        """Whether a message is a SETPOINT for so many joints whose frame is sound; the quick way for every tick."""
        return len(data) == self.setpoint_size and data[:5] == self._setpoint_begins and crc32(data) == UNBROKEN

    def read_setpoint(self, data: bytes) -> Setpoint | Refused:
        """What a SETPOINT says, whose frame is known to be sound; or why that makes no sense."""
        n = self.joints
        fields = self._setpoint.unpack_from(data)
        _, _, _, _, flags, _, session, sequence, time = fields[:FIXED]
        numbers = fields[FIXED:]
        total = sum(numbers)
        if total - total != 0.0:
            return Refused.NOT_FINITE
        if sequence > HIGHEST_SEQUENCE:
            return Refused.RANGE
        v = array(numbers[n : 2 * n]) if flags & VELOCITY else None
        effort = array(numbers[2 * n :]) if flags & EFFORT else None
        return _new(Setpoint, (session, sequence, time, array(numbers[:n]), v, effort))

    def measurement(self, said: Measured) -> bytes:
        """Bytes of a MEASUREMENT; an OverflowError for a number that fits no float of 32 bits."""
        n = self.joints
        q, v, effort, wrench = said[8:]
        flags = (v is not None) | (EFFORT if effort is not None else 0) | (WRENCH if wrench is not None else 0)
        numbers = q.tolist()
        numbers += self._zeros if v is None else v.tolist()
        numbers += self._zeros if effort is None else effort.tolist()
        numbers += NO_WRENCH if wrench is None else wrench.tolist()
        body = self._measurement.pack(MAGIC, VERSION, MEASUREMENT, n, flags, self.measurement_size, *said[:8], *numbers)
        return body + crc32(body).to_bytes(4, "little")

    def measured_fields(self, data: bytes) -> tuple[Any, ...] | None:
        """Fields of a MEASUREMENT as they stand in its tables, header first; None if it is not a sound one.

        The quick way for every tick: `unpack` and `read_measurement` in one.
        """
        if len(data) != self.measurement_size or data[:5] != self._begins or crc32(data) != UNBROKEN:
            return None
        return self.begun_fields(data)

    def begun_fields(self, data: bytes) -> tuple[Any, ...] | None:
        """The same of a message whose frame is known to be sound, and that may go on behind them."""
        fields = self._measurement.unpack_from(data)
        total = sum(fields[MEASURED_FIXED:])
        return fields if total - total == 0.0 and fields[SEQUENCE_AT] <= HIGHEST_SEQUENCE else None

    def read_measurement(self, data: bytes) -> Measured | None:
        """What a MEASUREMENT says; None if it is not a sound one."""
        fields = self.measured_fields(data)
        if fields is None:
            return None
        n, block, flags = self.joints, array(fields[MEASURED_FIXED:]), fields[4]
        return Measured._make(
            (
                *fields[6:MEASURED_FIXED],
                block[:n],
                block[n : 2 * n] if flags & VELOCITY else None,
                block[2 * n : 3 * n] if flags & EFFORT else None,
                block[3 * n :] if flags & WRENCH else None,
            )
        )
