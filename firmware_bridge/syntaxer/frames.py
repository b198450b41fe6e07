"""Frames of the syntaxer's link: COBS(header + payload + CRC-16) + 0, and a decoder that no byte can upset."""

from __future__ import annotations

import struct
from typing import NamedTuple

from cobs import cobs  # type: ignore[import-untyped]
from fastcrc.crc16 import ibm_3740

from firmware_bridge.syntaxer.protocol import (
    CRC_SIZE,
    HEADER_SIZE,
    IDENTITY_PREFIX,
    PAYLOAD_MAX,
    PAYLOAD_SIZE,
    RAW_MAX,
    STUFFED_MAX,
    VERSION,
    MessageType,
)

HEADER = struct.Struct("<BBHI")
CRC = struct.Struct("<H")
HALF = 0x8000  # a sequence further ahead than this is behind


class Frame(NamedTuple):
    """One frame with a sound check; the payload is not yet read."""

    version: int
    type: int
    sequence: int  # counts the frames of this type from this sender, modulo 65,536
    time_us: int  # clock of the sender [µs], modulo 2³²
    payload: bytes


class Counters(NamedTuple):
    """What came in so far. A chunk is what stands between two zeros; empty ones do not count."""

    good: int = 0  # frames handed out
    states: int = 0  # of them STATE
    lost: int = 0  # STATE frames that the sequence says are missing
    torn: int = 0  # chunks that are not stuffed bytes, or too short for a frame
    too_long: int = 0  # chunks longer than any frame
    crc: int = 0  # chunks whose check does not fit
    unknown: int = 0  # sound frames of unknown type, or with a length that does not fit the type
    foreign: int = 0  # sound frames of another version, save HELLO and IDENTITY

    @property
    def bad(self) -> int:
        """Chunks that gave no frame."""
        return self.torn + self.too_long + self.crc + self.unknown + self.foreign


def encode(frame: Frame) -> bytes:
    """Bytes for the wire, with the ending zero; a payload that is too long is a ValueError."""
    if len(frame.payload) > PAYLOAD_MAX:
        raise ValueError(f"payload of {len(frame.payload)} bytes; the longest is {PAYLOAD_MAX}")
    raw = HEADER.pack(frame.version, frame.type, frame.sequence & 0xFFFF, frame.time_us & 0xFFFFFFFF) + frame.payload
    return bytes(cobs.encode(raw + CRC.pack(ibm_3740(raw)))) + b"\0"


def fits_type(frame: Frame) -> bool:
    """Whether the payload has exactly the length that its type asks for."""
    return PAYLOAD_SIZE.get(frame.type) == len(frame.payload)


def is_greeting(frame: Frame) -> bool:
    """Whether a frame of another version can still be understood: the handshake can, or nobody could tell why not."""
    return frame.type == MessageType.HELLO or (
        frame.type == MessageType.IDENTITY and len(frame.payload) >= IDENTITY_PREFIX
    )


class Decoder:
    """Bytes in, frames out. Keeps what is incomplete; never raises, and never holds more than one frame's bytes."""

    def __init__(self) -> None:
        self._pending = bytearray()
        self._overflow = False
        self._counts = dict.fromkeys(Counters._fields, 0)
        self._last_state: int | None = None

    @property
    def counters(self) -> Counters:
        """What came in so far."""
        return Counters(**self._counts)

    def feed(self, data: bytes) -> list[Frame]:
        """Frames that `data` completes, oldest first."""
        frames = []
        *chunks, rest = data.split(b"\0")
        for chunk in chunks:
            self._keep(chunk)
            frame = self._finish()
            if frame is not None:
                frames.append(frame)
        self._keep(rest)
        return frames

    def _keep(self, data: bytes) -> None:
        if len(self._pending) + len(data) > STUFFED_MAX:
            self._overflow = True
            self._pending.clear()
        if not self._overflow:
            self._pending += data

    def _finish(self) -> Frame | None:
        chunk = bytes(self._pending)
        overflow, self._overflow = self._overflow, False
        self._pending.clear()
        if overflow:
            self._counts["too_long"] += 1
            return None
        return self._read(chunk) if chunk else None

    def _read(self, chunk: bytes) -> Frame | None:
        try:
            raw = bytes(cobs.decode(chunk))
        except cobs.DecodeError:
            raw = b""
        body, check = raw[:-CRC_SIZE], raw[-CRC_SIZE:]
        if len(body) < HEADER_SIZE:
            self._counts["torn"] += 1
        elif len(raw) > RAW_MAX:
            self._counts["too_long"] += 1
        elif ibm_3740(body) != CRC.unpack(check)[0]:
            self._counts["crc"] += 1
        else:
            version, kind, sequence, time_us = HEADER.unpack_from(body)
            return self._judge(Frame(version, kind, sequence, time_us, body[HEADER_SIZE:]))
        return None

    def _judge(self, frame: Frame) -> Frame | None:
        if frame.version != VERSION and not is_greeting(frame):
            self._counts["foreign"] += 1
            return None
        if frame.version == VERSION and not fits_type(frame):
            self._counts["unknown"] += 1
            return None
        self._counts["good"] += 1
        if frame.type == MessageType.STATE:
            self._count_state(frame.sequence)
        return frame

    def _count_state(self, sequence: int) -> None:
        if self._last_state is not None:
            missing = (sequence - self._last_state - 1) & 0xFFFF
            self._counts["lost"] += missing if missing < HALF else 0  # behind: a new start, nothing lost
        self._last_state = sequence
        self._counts["states"] += 1
