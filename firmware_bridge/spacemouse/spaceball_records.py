r"""What a Spaceball 1003 to 4000 says: binary records that end with \r, and escapes for bytes that mean something.

There is no parity and no sum, so a record must also be plausible: of the right length, with counts in range.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

XON, XOFF, END, ESCAPE = 0x11, 0x13, 0x0D, ord("^")
ESCAPED = {ord("Q"): XON, ord("S"): XOFF, ord("M"): END, ESCAPE: ESCAPE}
UNESCAPED = {value: key for key, value in ESCAPED.items()}
LONGEST = 128  # no record is longer; the longest are texts after a reset
MOST, MOST_TURN = 12000, 4000  # counts beyond these are noise

# Models, by what their firmware calls itself, and what is printed on their buttons.
NUMBERED = ("1", "2", "3", "4", "5", "6", "7")
FLX = ("Spaceball 4000 FLX", (*NUMBERED, "8", "9", "A", "B", "C"))
OLDER = ("Spaceball 2003", (*NUMBERED, "pick"))
TWO_KEYS = ("Spaceball 3003", ("left", "right"))
BY_FIRMWARE = {"2.35": TWO_KEYS, "2.62": TWO_KEYS, "2.63": TWO_KEYS, "2.43": FLX, "2.45": FLX}


class Kind(Enum):
    """What a record is about, by its first letter."""

    MOTION = b"D"
    KEYS = b"K"
    MORE_KEYS = b"."  # of a 4000 FLX
    TEXT = b"@"
    UNKNOWN_COMMAND = b"?"
    ERROR = b"E"
    MODE = b"M"
    FORMAT = b"C"


class Record(NamedTuple):
    """One record; `values` are six counts or two bytes of keys, `body` what else it carries."""

    kind: Kind
    values: tuple[int, ...] = ()
    body: bytes = b""


KINDS = {kind.value[0]: kind for kind in Kind}


class SpaceballParser:
    """Bytes in, records out; holds at most one record that has not ended."""

    def __init__(self) -> None:
        self.refused = 0  # records that made no sense
        self.stopped = False  # whether the device has asked not to be sent to (XOFF)
        self._rest = bytearray()
        self._escape = self._broken = False

    def feed(self, data: bytes) -> list[Record]:
        """All records that these bytes complete."""
        records = []
        for byte in data:
            if byte in (XON, XOFF):
                self.stopped = byte == XOFF
            elif byte == END:
                record = self._finish()
                if record is not None:
                    records.append(record)
            elif self._escape:
                self._escape = False
                self._broken = self._broken or byte not in ESCAPED
                self._keep(ESCAPED.get(byte, 0))
            elif byte == ESCAPE:
                self._escape = True
            else:
                self._keep(byte)
        return records

    def _keep(self, byte: int) -> None:
        if len(self._rest) < LONGEST:
            self._rest.append(byte)
        else:
            self._broken = True

    def _finish(self) -> Record | None:
        line = bytes(self._rest)
        usable = not (self._broken or self._escape)
        empty = not line and usable
        self._rest.clear()
        self._escape = self._broken = False
        record = parse(line) if usable else None
        if record is None and not empty:
            self.refused += 1
        return record

    def __len__(self) -> int:
        return len(self._rest)


def parse(line: bytes) -> Record | None:
    """One record without escapes and end, or None if it is not one."""
    line = line.removeprefix(b"\n")
    kind = KINDS.get(line[0]) if line else None
    if kind is None:
        return None
    body = line[1:]
    if kind is Kind.MOTION:
        if len(body) != 14:
            return None
        counts = tuple(
            int.from_bytes(body[place : place + 2], "big", signed=True) for place in range(2, 14, 2)
        )  # after two bytes of time since the last record
        plausible = max(map(abs, counts[:3])) <= MOST and max(map(abs, counts[3:])) <= MOST_TURN
        return Record(kind, counts) if plausible else None
    if kind in (Kind.KEYS, Kind.MORE_KEYS):
        return Record(kind, tuple(body)) if len(body) == 2 and _keys_plausible(kind, body) else None
    printable = all(32 <= byte < 127 for byte in body)
    return Record(kind, body=body) if printable else None


def _keys_plausible(kind: Kind, body: bytes) -> bool:
    high, low = body  # bit 6 is always set, which keeps them from being controls
    return not (high & 0x80) and (kind is Kind.MORE_KEYS or not (low & 0x80))


def keys_of(record: Record) -> int:
    """Buttons of a KEYS or MORE_KEYS record."""
    high, low = record.values
    if record.kind is Kind.MORE_KEYS:
        return low & 0x3F | (low & 0x80) >> 1 | (high & 0x1F) << 7
    return low & 0x0F | low >> 4 & 0x03 | (high & 0x07) << 4 | (high & 0x10) << 3


def encode(kind: Kind, body: bytes) -> bytes:
    """A record as the device sends it."""
    line = bytearray(kind.value)
    for byte in body:
        line += bytes((ESCAPE, UNESCAPED[byte])) if byte in UNESCAPED else bytes((byte,))
    return bytes(line) + b"\r"


def encode_motion(counts: Sequence[int], elapsed: float) -> bytes:
    """The record for six counts, `elapsed` [s] after the last one."""
    words = [min(int(elapsed * 16000.0), 0xFFFF), *(count & 0xFFFF for count in counts)]
    return encode(Kind.MOTION, b"".join(word.to_bytes(2, "big") for word in words))
