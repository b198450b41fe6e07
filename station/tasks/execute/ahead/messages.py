"""Messages of a delayed link: a header of JSON, a body of bytes, and a checksum over both.

from the station   piece   a part of the task's file: {"file", "number", "count"}, body
                   order   {"number", "word", "value"}; repeated until it is confirmed
                   beat    nothing but a sign of life
from the arm       state   {"session", "order", "answer", "clock", "file", "missing", "left", "progress"}: whom it
                           obeys, the number of the last order and what became of it, pieces that have not arrived yet
                           (the first few, and how many), how far the task is

All that a station says has its `session`, a number that it draws at random: orders are counted anew in each.
"""

from __future__ import annotations

import json
import zlib
from typing import Any, NamedTuple

VERSION = 1
LARGEST = 1 << 16  # bytes of a message


class Message(NamedTuple):
    """What was said."""

    kind: str
    facts: dict[str, Any]
    body: bytes


def packed(kind: str, facts: dict[str, Any], body: bytes = b"") -> bytes:
    """As bytes."""
    head = json.dumps({"kind": kind, "version": VERSION, **facts}).encode()
    text = len(head).to_bytes(4, "big") + head + body
    return zlib.crc32(text).to_bytes(4, "big") + text


def unpacked(data: bytes) -> Message | None:
    """From bytes; None for what is broken, of another version, or makes no sense."""
    if not 8 <= len(data) <= LARGEST or zlib.crc32(data[4:]) != int.from_bytes(data[:4], "big"):
        return None
    size = int.from_bytes(data[4:8], "big")
    try:
        facts = json.loads(data[8 : 8 + size])
        if facts.pop("version") != VERSION:
            return None
        return Message(str(facts.pop("kind")), facts, data[8 + size :])
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
