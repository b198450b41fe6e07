"""What spacenavd says on its socket: records of eight 32-bit numbers in the order of the machine, in two versions.

In version 0 the daemon only sends motion and buttons. In version 1, which a client asks for by a word that an older
daemon takes for a number that is none, it also tells of devices coming and going, and answers questions.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

RECORD = struct.Struct("=8i")
WORD = struct.Struct("=i")
VERSION_WORD = 0x7FAA5500  # with the version in the last byte
NEWEST = 1  # version that we speak


class Event(IntEnum):
    """What the daemon says by itself."""

    MOTION = 0
    PRESS = 1
    RELEASE = 2
    DEVICE = 3
    CONFIGURATION = 4
    RAW_AXIS = 5
    RAW_BUTTON = 6


class Request(IntEnum):
    """What a client asks; the answer has the same number."""

    SET_NAME = 0x1000
    SET_SENSITIVITY = 0x1001
    BUTTONS = 0x2003
    TYPE = 0x2005


ADDED, REMOVED = 0, 1  # of a DEVICE event
FIRST_REQUEST, LAST_REQUEST = 0x1000, 0x4001


class Record(NamedTuple):
    """One record; `kind` is an Event, or the number of a request."""

    kind: int
    data: tuple[int, ...]

    @property
    def status(self) -> int:
        """Of an answer: 0 if all is well."""
        return self.data[6]


class Version(NamedTuple):
    """The daemon has agreed to a version."""

    number: int


class OutOfStepError(ValueError):
    """These bytes are not from spacenavd."""


class SpacenavdParser:
    """Bytes in, records out; holds less than one record. Raises OutOfStepError, after which all is lost."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[Record | Version]:
        """All records that these bytes complete."""
        records: list[Record | Version] = []
        data = self._rest + data
        place = 0
        while len(data) - place >= WORD.size:
            kind = WORD.unpack_from(data, place)[0]
            if kind & ~0xFF == VERSION_WORD:
                records.append(Version(kind & 0xFF))
                place += WORD.size
                continue
            if not (0 <= kind <= Event.RAW_BUTTON or FIRST_REQUEST <= kind <= LAST_REQUEST):
                raise OutOfStepError(f"record of kind {kind & 0xFFFFFFFF:#x}")
            if len(data) - place < RECORD.size:
                break
            numbers = RECORD.unpack_from(data, place)
            records.append(Record(numbers[0], numbers[1:]))
            place += RECORD.size
        self._rest = data[place:]
        return records

    def __len__(self) -> int:
        return len(self._rest)


def encode(kind: int, data: Sequence[int] = ()) -> bytes:
    """An event or a request."""
    return RECORD.pack(kind, *data, *(0,) * (7 - len(data)))


def encode_version(number: int = NEWEST) -> bytes:
    """The word that asks for a version, or agrees to it."""
    return WORD.pack(VERSION_WORD | number)


def encode_sensitivity(factor: float) -> bytes:
    """What a client of version 0 may send."""
    return struct.pack("=f", factor)
