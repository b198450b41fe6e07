"""Reports of a SpaceMouse on USB: the first byte says which; axes are 16 bits, least significant byte first."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple

TRANSLATION, ROTATION, BUTTONS, LED = 1, 2, 3, 4
MOST = 1024  # counts beyond this are not from a cap, whose end is at about 350
LONGEST = 64  # bytes of a report


class Report(NamedTuple):
    """What a report tells: axes from `first` on, or buttons; neither: something else, such as the battery."""

    counts: tuple[int, ...] = ()
    first: int = 0
    buttons: int | None = None


def parse(report: bytes) -> Report | None:
    """One report, or None if it is none: reports have fixed lengths, and longer ones are cut by nobody."""
    if not 2 <= len(report) <= LONGEST:
        return None
    kind, body = report[0], report[1:]
    if kind in (TRANSLATION, ROTATION):
        if len(body) not in ((6, 12) if kind == TRANSLATION else (6,)):
            return None
        counts = struct.unpack(f"<{len(body) // 2}h", body)
        return Report(counts, 0 if kind == TRANSLATION else 3) if max(map(abs, counts)) <= MOST else None
    if kind == BUTTONS:
        return Report(buttons=int.from_bytes(body[:4], "little"))
    return Report()


def encode_motion(counts: Sequence[int], together: bool) -> list[bytes]:
    """What a device sends for six counts: one report of 13 bytes, or two of 7."""
    if together:
        return [bytes((TRANSLATION,)) + struct.pack("<6h", *counts)]
    return [
        bytes((TRANSLATION,)) + struct.pack("<3h", *counts[:3]),
        bytes((ROTATION,)) + struct.pack("<3h", *counts[3:]),
    ]


def encode_buttons(bits: int, size: int = 6) -> bytes:
    """What a device sends for its buttons, `size` bytes of them."""
    return bytes((BUTTONS,)) + bits.to_bytes(size, "little")
