"""The vectors that the C tests use too."""

from __future__ import annotations

from typing import NamedTuple

from firmware_bridge.firmware.build import SOURCES
from firmware_bridge.syntaxer.frames import Frame


class GoodVector(NamedTuple):
    name: str
    frame: Frame
    wire: bytes


class BadVector(NamedTuple):
    reason: str
    name: str
    wire: bytes


def _bytes(text: str) -> bytes:
    return b"" if text == "-" else bytes.fromhex(text)


def _lines(kind: str) -> list[list[str]]:
    lines = (SOURCES / "vectors.txt").read_text().splitlines()
    return [words[1:] for words in map(str.split, lines) if words[0] == kind]


def crc_vectors() -> list[tuple[bytes, int]]:
    return [(_bytes(data), int(value, 16)) for data, value in _lines("crc")]


def cobs_vectors() -> list[tuple[bytes, bytes]]:
    return [(_bytes(plain), _bytes(stuffed)) for plain, stuffed in _lines("cobs")]


def good_vectors() -> list[GoodVector]:
    return [
        GoodVector(name, Frame(int(version), int(kind), int(sequence), int(time_us), _bytes(payload)), _bytes(wire))
        for name, version, kind, sequence, time_us, payload, wire in _lines("good")
    ]


def bad_vectors() -> list[BadVector]:
    return [BadVector(reason, name, _bytes(wire)) for reason, name, wire in _lines("bad")]
