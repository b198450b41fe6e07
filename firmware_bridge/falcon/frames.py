"""The Falcon's frames: sixteen ASCII bytes each way, one answer to every request.

    <  m m m m  m m m m  m m m m  l 0  >      host → device: three motor words, lamps and homing
    <  e e e e  e e e e  e e e e  b 0  >      device → host: three encoder counts, buttons and homed legs

A 16-bit value is four bytes, each 0x41 plus four bits, the lowest first. There is no number and no checksum, so nothing
that is not exactly a frame may pass: a wrong byte anywhere ends the frame, and a new one begins only at `<`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntFlag
from typing import NamedTuple

from station.devices.falcon.geometry import LARGEST_WORD

LENGTH = 16
BEGIN, ZERO = b"<", 0x41
FRAME = re.compile(rb"<[\x41-\x50]{12}[\x41-\xc0]{2}>")  # flags have seven bits, values four
ALL_LEGS = 0b111

_TO_HEX = bytes.maketrans(b"ABCDEFGHIJKLMNOP", b"0123456789abcdef")
_FROM_HEX = bytes.maketrans(b"0123456789abcdef", b"ABCDEFGHIJKLMNOP")

Three = tuple[int, int, int]


class Lamp(IntFlag):
    """Byte 13 of a request: the homing bit and the lamps."""

    NONE = 0
    HOMING = 0x01
    GREEN = 0x02
    BLUE = 0x04
    RED = 0x08


class Request(NamedTuple):
    """What the host asks."""

    words: Three = (0, 0, 0)  # of the motors
    lamps: Lamp = Lamp.HOMING


class Reply(NamedTuple):
    """What the device says."""

    counts: Three
    buttons: int  # bit 0 right, 1 forward, 2 centre, 3 left
    homed: int  # bit i: leg i knows where it is

    @property
    def all_homed(self) -> bool:
        """Whether places mean anything."""
        return self.homed == ALL_LEGS


def encode_request(request: Request) -> bytes:
    """Bytes of a request; words beyond the motors' range are cut, since they would come out as something else."""
    words = [max(-LARGEST_WORD, min(LARGEST_WORD, int(word))) for word in request.words]
    return _frame(words, int(request.lamps))


def decode_request(frame: bytes) -> Request | None:
    """The request in sixteen bytes; None if they are no frame."""
    if not is_frame(frame):
        return None
    return Request(_values(frame), Lamp((frame[13] - ZERO) & 0x0F))


def encode_reply(reply: Reply) -> bytes:
    """Bytes of a reply; counters run over at 16 bits."""
    return _frame(list(reply.counts), (reply.buttons & 0x0F) | (reply.homed & ALL_LEGS) << 4)


def decode_reply(frame: bytes) -> Reply | None:
    """The reply in sixteen bytes; None if they are no frame."""
    if not is_frame(frame):
        return None
    flags = frame[13] - ZERO
    return Reply(_values(frame), flags & 0x0F, flags >> 4 & ALL_LEGS)


def is_frame(data: bytes) -> bool:
    """Whether these bytes are exactly one frame."""
    return FRAME.fullmatch(data) is not None


def _frame(values: Sequence[int], flags: int) -> bytes:
    nibbles = b"".join(f"{value & 0xFFFF:04x}".encode()[::-1] for value in values)
    return b"<" + nibbles.translate(_FROM_HEX) + bytes((ZERO + flags, ZERO)) + b">"


def _values(frame: bytes) -> Three:
    digits = frame[12:0:-1].translate(_TO_HEX)  # highest nibble first, and the third value before the first
    return _signed(int(digits[8:], 16)), _signed(int(digits[4:8], 16)), _signed(int(digits[:4], 16))


def _signed(value: int) -> int:
    return value - 0x10000 if value & 0x8000 else value


class Framer:
    """Cuts frames out of a stream that comes in pieces of any size; bytes of one frame never get into another."""

    def __init__(self) -> None:
        self._rest = b""  # a frame that has begun
        self.dropped = 0  # bytes that belonged to no frame

    def reset(self) -> None:
        """Forget a frame that has begun."""
        self.dropped += len(self._rest)
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Frames that are complete with these bytes."""
        if not data:
            return []
        stream = self._rest + data
        frames = FRAME.findall(stream)
        rest = stream[stream.rindex(frames[-1]) + LENGTH :] if frames else stream
        begin = rest.rfind(BEGIN)  # no other byte of a frame looks like this
        self._rest = rest[begin:] if begin >= 0 and len(rest) - begin < LENGTH else b""
        self.dropped += len(stream) - LENGTH * len(frames) - len(self._rest)
        return frames
