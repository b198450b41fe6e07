"""Random streams of frames, and ways to damage them."""

from __future__ import annotations

import random
from collections.abc import Iterator

from firmware_bridge.syntaxer.frames import Frame, encode
from firmware_bridge.syntaxer.protocol import PAYLOAD_MAX, PAYLOAD_SIZE, VERSION, MessageType


def random_frame(rng: random.Random, sequence: int) -> Frame:
    """Mostly STATE; now and then another type, a wrong length, an unknown type or another version."""
    time_us = rng.randrange(1 << 32)
    kind = rng.randrange(10)
    if kind < 6:
        payload = bytes(rng.choice((0, rng.randrange(256))) for _ in range(PAYLOAD_SIZE[MessageType.STATE]))
        return Frame(VERSION, MessageType.STATE, sequence, time_us, payload)
    if kind < 8:
        chosen = rng.choice(list(MessageType))
        return Frame(VERSION, chosen, sequence, time_us, rng.randbytes(PAYLOAD_SIZE[chosen]))
    version = rng.choice((VERSION, VERSION, 2, 3, 255))
    return Frame(version, rng.randrange(256), sequence, time_us, rng.randbytes(rng.randrange(PAYLOAD_MAX + 1)))


def random_stream(rng: random.Random, count: int) -> bytes:
    """Frames in a row; some sequence numbers are left out."""
    sequence = rng.randrange(1 << 16)
    parts = []
    for _ in range(count):
        sequence = (sequence + rng.choice((1, 1, 1, 2, 5, 40000))) & 0xFFFF
        parts.append(encode(random_frame(rng, sequence)))
    return b"".join(parts)


def damaged(rng: random.Random, stream: bytes) -> bytes:
    """Bits flipped, bytes lost, put in, doubled; stretches of noise without any zero."""
    data = bytearray(stream)
    for _ in range(rng.randrange(1, 20)):
        at = rng.randrange(len(data))
        match rng.randrange(5):
            case 0:
                data[at] ^= 1 << rng.randrange(8)
            case 1:
                del data[at : at + rng.randrange(1, 80)]
            case 2:
                data[at:at] = rng.randbytes(rng.randrange(1, 20))
            case 3:
                data[at:at] = data[at : at + rng.randrange(1, 200)]
            case _:
                data[at:at] = bytes(rng.randrange(1, 256) for _ in range(rng.randrange(1, 900)))
        data = data or bytearray(b"\0")
    return bytes(data)


def pieces(rng: random.Random, stream: bytes) -> Iterator[bytes]:
    """The stream cut as a line might cut it: bytes, frames, or all at once."""
    longest = rng.choice((1, 7, 64, 512, 4096, 100_000))
    at = 0
    while at < len(stream):
        size = rng.randrange(1, longest + 1)
        yield stream[at : at + size]
        at += size
