"""Packets ⇄ bytes: little-endian doubles as in `kernels/layout.py`, for links that add a frame of their own."""

from __future__ import annotations

import numpy as np

from station.bilateral.kernels.layout import PACKET_SIZE, Floats

PACKET_BYTES = 8 * PACKET_SIZE


def to_bytes(packet: Floats) -> bytes:
    """Bytes of a packet."""
    return packet.astype("<f8").tobytes()


def from_bytes(data: bytes) -> Floats | None:
    """The packet, or None if it has another length; what is in it the ends judge."""
    return np.frombuffer(data, "<f8").astype(np.float64) if len(data) == PACKET_BYTES else None
