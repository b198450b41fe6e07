"""Packages of RTDE, version 2, as bytes: 16-bit size, 8-bit type, payload; big-endian. Both sides use it."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from enum import IntEnum
from math import isfinite
from typing import NamedTuple

PORT = 30004
SECONDARY, DASHBOARD = -2, -5  # where those ports are from that of RTDE: 30002, 29999
VERSION = 2
LARGEST = 4096  # bytes of a package
LONGEST_NAMES = 2048

TYPES = {
    "BOOL": "?",
    "UINT8": "B",
    "UINT32": "I",
    "UINT64": "Q",
    "INT32": "i",
    "DOUBLE": "d",
    "VECTOR3D": "3d",
    "VECTOR6D": "6d",
    "VECTOR6INT32": "6i",
    "VECTOR6UINT32": "6I",
}
NOT_FOUND, IN_USE = "NOT_FOUND", "IN_USE"

Value = bool | int | float | tuple[float, ...]


class Kind(IntEnum):
    """Types of packages: letters."""

    PROTOCOL_VERSION = ord("V")
    CONTROLLER_VERSION = ord("v")
    TEXT = ord("M")
    DATA = ord("U")
    OUTPUTS = ord("O")
    INPUTS = ord("I")
    START = ord("S")
    PAUSE = ord("P")


class Package(NamedTuple):
    """A package; `kind` may be one that nobody knows."""

    kind: int
    payload: bytes


def package(kind: int, payload: bytes = b"") -> bytes:
    """Bytes of a package."""
    return struct.pack(">HB", len(payload) + 3, kind) + payload


class PackageReader:
    """Bytes in, packages out. `broken`: the stream is out of step, only a new connection helps."""

    def __init__(self) -> None:
        self._pending = b""
        self.broken = False

    def feed(self, data: bytes) -> list[Package]:
        """Packages that `data` completes."""
        found, pending = [], self._pending + data
        at = 0
        while len(pending) - at >= 3 and not self.broken:
            size, kind = struct.unpack_from(">HB", pending, at)
            if not 3 <= size <= LARGEST:
                self.broken = True
                break
            if len(pending) - at < size:
                break
            found.append(Package(kind, pending[at + 3 : at + size]))
            at += size
        self._pending = b"" if self.broken else pending[at:]
        return found


class Recipe:
    """Which values a data package has, in which order. Its number is given by the robot."""

    def __init__(self, names: Sequence[str], types: Sequence[str], number: int = 0) -> None:
        self.names, self.types, self.number = tuple(names), tuple(types), number
        codes = [TYPES[kind] for kind in types]
        self._struct = struct.Struct(">B" + "".join(codes))
        self.size = self._struct.size
        self._places: list[tuple[str, int, int]] = []
        at = 1
        for name, code in zip(names, codes, strict=True):
            count = int(code[:-1] or 1)
            self._places.append((name, at, count))
            at += count

    def pack(self, values: Mapping[str, Value]) -> bytes:
        """A data package; a struct.error if a value does not fit."""
        numbers: list[float] = []
        for name, _, count in self._places:
            value = values[name]
            if count == 1:
                numbers.append(value)  # type: ignore[arg-type]
            else:
                numbers.extend(value)  # type: ignore[arg-type]
        return package(Kind.DATA, self._struct.pack(self.number, *numbers))

    def unpack(self, payload: bytes) -> dict[str, Value] | None:
        """Values of a data package; None if it is of another recipe, or a number is not finite."""
        if len(payload) != self.size or payload[0] != self.number:
            return None
        numbers = self._struct.unpack(payload)
        if not isfinite(sum(numbers)):
            return None
        return {name: numbers[at] if count == 1 else numbers[at : at + count] for name, at, count in self._places}


def outputs_request(frequency: float, names: Sequence[str]) -> bytes:
    """Ask for values, so often [Hz]."""
    return package(Kind.OUTPUTS, struct.pack(">d", frequency) + ",".join(names).encode())


def inputs_request(names: Sequence[str]) -> bytes:
    """Ask to be allowed to set values."""
    return package(Kind.INPUTS, ",".join(names).encode())
