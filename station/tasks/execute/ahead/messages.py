"""Messages of a delayed link: a header of JSON, a body of bytes, and a checksum over both.

from the station   piece   a part of the task's file: {"file", "number", "count"}, body
                   order   {"number", "word", "value"}; repeated until it is confirmed
                   beat    nothing but a sign of life
from the arm       state   {"session", "order", "answer", "clock", "file", "missing", "left", "progress"}: whom it
                           obeys, the number of the last order and what became of it, pieces that have not arrived yet
                           (the first few, and how many), how far the task is

All that a station says has its `session`, a number that it draws at random: orders are counted anew in each. What is
not said exactly like this is refused as a whole, whatever its checksum.
"""

from __future__ import annotations

import json
import math
import zlib
from typing import Any, NamedTuple

import numpy as np

from station.json_reader import JsonError, parse_json
from station.tasks.execute.words import State
from station.tasks.task.model import Floats

VERSION = 1
LARGEST = 1 << 16  # bytes of a message
LARGEST_HEAD = 1 << 14  # of these: of its header
PIECE = 1 << 13  # bytes of the task in one message
MOST_PIECES = 1 << 15  # of a task
MOST_MISSING = 64  # pieces that are asked for at a time
MOST_JOINTS = 64
LONGEST = 1000  # letters of a text
HIGHEST = 2**53  # of numbers that count: the next one is still another


class Message(NamedTuple):
    """What was said."""

    kind: str
    facts: dict[str, Any]
    body: bytes


class Piece(NamedTuple):
    """A part of a task."""

    file: str  # its hash
    number: int
    total: int  # how many there are
    body: bytes


class Ordered(NamedTuple):
    """What a station asks for."""

    number: int
    word: str
    value: float


class Going(NamedTuple):
    """How far a task is."""

    state: State
    reason: str
    place: float  # [s]
    rate: float  # seconds of the task in a second
    override: float  # share of the speed that is set
    measured: Floats  # driven joints [rad | m]; not a number: not measured yet


class Told(NamedTuple):
    """What the arm's end says."""

    session: str = ""
    order: int = 0
    answer: str = ""
    clock: float = -math.inf  # [s]
    file: str = ""
    missing: tuple[int, ...] = ()
    left: int = -1  # pieces that have not arrived; -1: not known
    progress: Going | None = None


def packed(kind: str, facts: dict[str, Any], body: bytes = b"") -> bytes:
    """As bytes; a number that is none is null, and a text is cut to what is allowed."""
    head = json.dumps(_plain({"kind": kind, "version": VERSION, **facts}), allow_nan=False).encode()
    text = len(head).to_bytes(4, "big") + head + body
    return zlib.crc32(text).to_bytes(4, "big") + text


def unpacked(data: bytes) -> Message | None:
    """From bytes; None for what is broken, of another version, or no message."""
    if not 8 <= len(data) <= LARGEST or zlib.crc32(data[4:]) != int.from_bytes(data[:4], "big"):
        return None
    size = int.from_bytes(data[4:8], "big")
    if size > min(len(data) - 8, LARGEST_HEAD):
        return None
    try:
        facts = parse_json(data[8 : 8 + size], "a message")
    except JsonError:
        return None
    if not isinstance(facts, dict) or facts.pop("version", None) != VERSION:
        return None
    kind = facts.pop("kind", None)
    return Message(kind, facts, data[8 + size :]) if isinstance(kind, str) else None


def session_of(message: Message) -> str:
    """Who speaks; a ValueError if nobody is named."""
    return _text(message.facts, "session", shortest=1)


def said(message: Message) -> Piece | Ordered | None:
    """What a station says; None: it is there. A ValueError for what makes no sense."""
    facts = message.facts
    if message.kind == "beat":
        return None
    if message.kind == "order":
        return Ordered(_whole(facts, "number"), _text(facts, "word"), _real(facts, "value"))
    piece = Piece(_text(facts, "file"), _whole(facts, "number"), _whole(facts, "count", MOST_PIECES), message.body)
    if message.kind != "piece" or piece.number >= piece.total or len(piece.body) > PIECE:
        raise ValueError
    return piece


def told(message: Message) -> Told:
    """What the arm's end says; a ValueError for what makes no sense."""
    facts = message.facts
    missing = facts.get("missing")
    if message.kind != "state" or not isinstance(missing, list) or len(missing) > MOST_MISSING:
        raise ValueError
    return Told(
        _text(facts, "session"),
        _whole(facts, "order"),
        _text(facts, "answer"),
        _real(facts, "clock"),
        _text(facts, "file"),
        tuple(_number(one, MOST_PIECES - 1) for one in missing),
        _whole(facts, "left", MOST_PIECES),
        None if facts.get("progress") is None else _going(facts["progress"]),
    )


def _going(facts: Any) -> Going:
    measured = facts.get("measured") if isinstance(facts, dict) else None
    if not isinstance(measured, list) or len(measured) > MOST_JOINTS:
        raise ValueError
    joints = np.array([math.nan if one is None else _finite(one) for one in measured])
    place, rate, override = (_real(facts, name) for name in ("place", "rate", "override"))
    return Going(State(_text(facts, "state")), _text(facts, "reason"), place, rate, override, joints)


def _text(facts: dict[str, Any], name: str, shortest: int = 0) -> str:
    value = facts.get(name)
    if not isinstance(value, str) or not shortest <= len(value) <= LONGEST:
        raise ValueError
    return value


def _whole(facts: dict[str, Any], name: str, highest: int = HIGHEST) -> int:
    return _number(facts.get(name), highest)


def _number(value: Any, highest: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= highest:
        raise ValueError
    return value


def _real(facts: dict[str, Any], name: str) -> float:
    return _finite(facts.get(name))


def _finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError
    return float(value)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, str):
        return value[:LONGEST]
    return None if isinstance(value, float) and not math.isfinite(value) else value
