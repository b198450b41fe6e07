r"""What a Magellan (or SpaceMouse Plus, Spaceball 5000, CadMan on a serial line) says: records that end with \r.

Half bytes travel as one printable character each, whose upper half makes the parity even; a character that is not in
the table is a transmission error, and the record is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

NIBBLES = b"0AB3D56GH9:K<MN?"
VALUE = {character: value for value, character in enumerate(NIBBLES)}
OFFSET = 0x8000
MOST = 1024  # counts beyond this come from a byte too few and one too many: a cap ends at about 440
LONGEST = 96  # no record is longer; the longest is a version text
MODELS = {"MAGELLAN": "Magellan SpaceMouse", "SPACEBALL": "Spaceball 5000", "CADMAN": "CadMan"}
BUTTONS = {  # what is printed on them, in the order of their bits
    "Magellan SpaceMouse": ("1", "2", "3", "4", "5", "6", "7", "8", "*", "+", "-"),
    "Spaceball 5000": ("1", "2", "3", "4", "5", "6", "7", "8", "9", "A", "B", "C"),
    "CadMan": ("1", "2", "3", "4"),
}


class Kind(Enum):
    """What a record is about, by its first letter."""

    MOTION = b"d"
    KEYS = b"k"
    VERSION = b"v"
    ERROR = b"e"
    MODE = b"m"
    COMPRESS = b"c"
    PERIOD = b"p"
    SENSITIVITY = b"q"
    NULL_RADIUS = b"n"


class Record(NamedTuple):
    """One record; `values` are six counts, or the half bytes it carries."""

    kind: Kind
    values: tuple[int, ...] = ()
    text: str = ""


KINDS = {kind.value[0]: kind for kind in Kind}
CARRIED = {  # how many half bytes each kind may carry
    Kind.MOTION: (24,),
    Kind.KEYS: (3, 4),
    Kind.MODE: (1,),
    Kind.COMPRESS: (2,),
    Kind.PERIOD: (2,),
    Kind.SENSITIVITY: (2,),
    Kind.NULL_RADIUS: (1,),
}


class MagellanParser:
    """Bytes in, records out; holds at most one record that has not ended."""

    def __init__(self) -> None:
        self.refused = 0  # records that made no sense
        self._rest = bytearray()
        self._too_long = False

    def feed(self, data: bytes) -> list[Record]:
        """All records that these bytes complete."""
        records = []
        *complete, rest = data.split(b"\r")
        for piece in complete:
            self._take(piece)
            if self._rest or self._too_long:
                record = None if self._too_long else parse(bytes(self._rest))
                if record is None:
                    self.refused += 1
                else:
                    records.append(record)
            self._rest.clear()
            self._too_long = False
        self._take(rest)
        return records

    def _take(self, piece: bytes) -> None:
        if self._too_long or len(self._rest) + len(piece) > LONGEST:
            self._too_long = True
            self._rest.clear()
        else:
            self._rest += piece

    def __len__(self) -> int:
        return len(self._rest)


def parse(line: bytes) -> Record | None:
    """One record without its end, or None if it is not one."""
    kind = KINDS.get(line[0]) if line else None
    if kind is None:
        return None
    body = line[1:]
    if kind in (Kind.VERSION, Kind.ERROR):
        printable = all(32 <= character < 127 for character in body)
        return Record(kind, text=body.decode("ascii")) if printable else None
    nibbles = tuple(VALUE.get(character, -1) for character in body)
    if -1 in nibbles or len(nibbles) not in CARRIED[kind]:
        return None
    if kind is Kind.MOTION:
        counts = tuple(_count(nibbles[place : place + 4]) for place in range(0, 24, 4))
        return Record(kind, counts) if max(map(abs, counts)) <= MOST else None
    return Record(kind, nibbles)


def _count(nibbles: Sequence[int]) -> int:
    return (nibbles[0] << 12 | nibbles[1] << 8 | nibbles[2] << 4 | nibbles[3]) - OFFSET


def keys_of(record: Record) -> int:
    """Buttons of a KEYS record: bit 4i + j is bit j of half byte i."""
    return sum(nibble << 4 * place for place, nibble in enumerate(record.values))


def model_of(text: str) -> str:
    """Model named in a version text; empty if it names none that is known."""
    upper = text.upper()
    return next((model for word, model in MODELS.items() if word in upper), "")


def encode_motion(counts: Sequence[int]) -> bytes:
    """The record a device sends for six counts."""
    body = bytearray(b"d")
    for count in counts:
        word = min(max(count + OFFSET, 0), 0xFFFF)
        body += bytes(NIBBLES[word >> shift & 0xF] for shift in (12, 8, 4, 0))
    return bytes(body) + b"\r"


def encode_keys(buttons: int, nibbles: int = 3) -> bytes:
    """The record a device sends for its buttons; four half bytes with extended keys."""
    return b"k" + bytes(NIBBLES[buttons >> 4 * place & 0xF] for place in range(nibbles)) + b"\r"
