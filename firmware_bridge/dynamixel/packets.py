"""Packets of Dynamixel protocol 2.0 as bytes: header, length, stuffing and CRC-16, both ways. Nothing here waits.

A packet is `FF FF FD 00 | id | length | instruction | parameters | CRC`, numbers little-endian. `FF FF FD` within
instruction and parameters gets another FD, which the length counts. The one exception is the answer to a fast sync
read, which several servos write one after the other: it is not stuffed.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from fastcrc.crc16 import umts as crc16  # polynomial 0x8005, begins at 0, nothing turned round

HEADER = b"\xff\xff\xfd\x00"
SPECIAL, STUFFED = b"\xff\xff\xfd", b"\xff\xff\xfd\xfd"
BROADCAST = 0xFE
HIGHEST_ID = 252
SMALLEST = 10  # bytes of a packet without parameters
LARGEST = 2048  # what is longer is noise [bytes]
FAST_SHARE = 4  # error, id and CRC of each servo in the answer to a fast sync read [bytes]


class Instruction(IntEnum):
    """What a packet is for."""

    PING = 0x01
    READ = 0x02
    WRITE = 0x03
    REG_WRITE = 0x04
    ACTION = 0x05
    FACTORY_RESET = 0x06
    REBOOT = 0x08
    CLEAR = 0x10
    STATUS = 0x55
    SYNC_READ = 0x82
    SYNC_WRITE = 0x83
    FAST_SYNC_READ = 0x8A
    BULK_READ = 0x92
    BULK_WRITE = 0x93
    FAST_BULK_READ = 0x9A


class PacketError(IntEnum):
    """Lower seven bits of the error of a status packet."""

    NONE = 0
    RESULT = 1
    INSTRUCTION = 2
    CRC = 3
    RANGE = 4
    LENGTH = 5
    LIMIT = 6
    ACCESS = 7


ALERT = 0x80  # the eighth bit: a hardware error, told by the control table
STATUS = int(Instruction.STATUS)


class Packet(NamedTuple):
    """A packet whose CRC fits; `body` is what follows the instruction, without stuffing."""

    ident: int
    instruction: int
    body: bytes


class Share(NamedTuple):
    """What one servo answers to a read."""

    error: int
    data: bytes


def packet(ident: int, instruction: int, body: bytes = b"") -> bytes:
    """Bytes of a packet."""
    content = (bytes((instruction,)) + body).replace(SPECIAL, STUFFED)
    head = HEADER + bytes((ident,)) + (len(content) + 2).to_bytes(2, "little") + content
    return head + crc16(head).to_bytes(2, "little")


def read_request(ident: int, address: int, size: int) -> bytes:
    """Read `size` bytes of one servo."""
    return packet(ident, Instruction.READ, _span(address, size))


def write_request(ident: int, address: int, data: bytes) -> bytes:
    """Write to one servo; it answers with a status."""
    return packet(ident, Instruction.WRITE, address.to_bytes(2, "little") + data)


@lru_cache(64)  # the same few, every tick
def sync_read_request(idents: tuple[int, ...], address: int, size: int, fast: bool) -> bytes:
    """Read the same bytes of many servos; they answer one after the other, or (`fast`) in one packet."""
    kind = Instruction.FAST_SYNC_READ if fast else Instruction.SYNC_READ
    return packet(BROADCAST, kind, _span(address, size) + bytes(idents))


def sync_write_request(address: int, size: int, data: Sequence[tuple[int, bytes]]) -> bytes:
    """Write the same place of many servos at once: id and bytes of each; nobody answers."""
    shares = b"".join(bytes((ident,)) + value for ident, value in data)
    return packet(BROADCAST, Instruction.SYNC_WRITE, _span(address, size) + shares)


def status(ident: int, error: int, data: bytes = b"") -> bytes:
    """What a servo answers."""
    return packet(ident, STATUS, bytes((error,)) + data)


def fast_status(shares: Sequence[tuple[int, int, bytes]], size: int, expected: int) -> bytes:
    """What servos answer together to a fast sync read: id, error and data of each.

    The length is that of all who were asked (`expected`); if some did not answer, the packet breaks off.
    """
    length = expected * (size + FAST_SHARE) + 1
    data = HEADER + bytes((BROADCAST,)) + length.to_bytes(2, "little") + bytes((STATUS,))
    for ident, error, value in shares:
        data += bytes((error, ident)) + value
        data += crc16(data).to_bytes(2, "little")  # each servo goes on from what it heard; the last covers all
    return data


def fast_shares(body: bytes, size: int) -> dict[int, Share] | None:
    """The answer to a fast sync read taken apart: by id; None if it cannot be one."""
    body = body + b"\0\0"  # the last CRC was taken off with the packet's own
    step = size + FAST_SHARE
    if len(body) % step:
        return None
    found = {body[at + 1]: Share(body[at], body[at + 2 : at + 2 + size]) for at in range(0, len(body), step)}
    return found if len(found) == len(body) // step else None


def _span(address: int, size: int) -> bytes:
    return address.to_bytes(2, "little") + size.to_bytes(2, "little")


class PacketReader:
    """Bytes in, packets out. What is not a packet is passed over and counted in `bad`."""

    def __init__(self) -> None:
        self.bad = 0
        self.pending = b""

    def clear(self) -> None:
        """Forget what is incomplete."""
        self.bad += bool(self.pending)
        self.pending = b""

    def feed(self, data: bytes) -> list[Packet]:
        """Packets that `data` completes."""
        found, pending = [], self.pending + data
        while True:
            start = pending.find(HEADER)
            if start < 0:
                keep = next((n for n in (3, 2, 1) if pending.endswith(HEADER[:n])), 0)
                self.bad += len(pending) > keep
                pending = pending[len(pending) - keep :]
                break
            self.bad += start > 0
            pending = pending[start:]
            if len(pending) < 7:
                break
            size = int.from_bytes(pending[5:7], "little") + 7
            if not SMALLEST <= size <= LARGEST:
                self.bad += 1
                pending = pending[1:]
                continue
            if len(pending) < size:
                break
            if crc16(pending[: size - 2]) != int.from_bytes(pending[size - 2 : size], "little"):
                self.bad += 1
                pending = pending[1:]  # what looked like a header may have been noise: look behind it
                continue
            found.append(_opened(pending[:size]))
            pending = pending[size:]
        self.pending = pending
        return found


def _opened(data: bytes) -> Packet:
    content = data[7:-2]
    if data[4] == BROADCAST and content[0] == STATUS:
        return Packet(BROADCAST, STATUS, content[1:])
    content = content.replace(STUFFED, SPECIAL)
    return Packet(data[4], content[0], content[1:])
