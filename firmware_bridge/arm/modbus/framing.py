"""Requests and answers of Modbus as bytes, on TCP and on a serial line. For a master that never waits."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from typing import NamedTuple

from fastcrc.crc16 import modbus as crc16
from pymodbus.framer import FramerSocket
from pymodbus.pdu import DecodePDU

READ, WRITE, WRITE_COIL, WRITE_AND_READ = 4, 16, 5, 23
LARGEST = 260  # bytes of a frame on TCP; 256 on a serial line


class Answer(NamedTuple):
    """An answer: what follows the function code, or the code of an exception."""

    number: int  # of the transaction; on a serial line there is none
    function: int
    data: bytes
    exception: int = 0


def read_request(address: int, words: int) -> bytes:
    """Read a block (function 4)."""
    return struct.pack(">BHH", READ, address, words)


def write_request(address: int, data: bytes) -> bytes:
    """Write a block (function 16)."""
    return struct.pack(">BHHB", WRITE, address, len(data) // 2, len(data)) + data


def coil_request(coil: int) -> bytes:
    """Set a coil (function 5)."""
    return struct.pack(">BHH", WRITE_COIL, coil, 0xFF00)


def exchange_request(read_at: int, words: int, write_at: int, data: bytes) -> bytes:
    """Write one block and read another (function 23)."""
    return struct.pack(">BHHHHB", WRITE_AND_READ, read_at, words, write_at, len(data) // 2, len(data)) + data


def answer_of(number: int, pdu: bytes) -> Answer | None:
    """An answer taken apart; None if it is none."""
    if len(pdu) < 2:
        return None
    function = pdu[0]
    if function & 0x80:
        return Answer(number, function & 0x7F, b"", pdu[1])
    if function in (READ, WRITE_AND_READ):
        return Answer(number, function, pdu[2:]) if pdu[1] == len(pdu) - 2 else None
    return Answer(number, function, pdu[1:]) if function in (WRITE, WRITE_COIL) and len(pdu) == 5 else None


def answers(answer: Answer, request: bytes) -> bool:
    """Whether an answer can be that to a request: on a serial line nothing else tells it from a late one."""
    if answer.function != request[0]:
        return False
    if answer.exception:
        return True
    if answer.function in (READ, WRITE_AND_READ):
        return len(answer.data) == 2 * int.from_bytes(request[3:5], "big")
    return answer.data == request[1:5]  # address and count, or coil and value


class Framing(ABC):
    """Bytes in, answers out; `bad` counts what was no answer."""

    bad = 0

    @abstractmethod
    def frame(self, pdu: bytes, unit: int, number: int) -> bytes:
        """Bytes of a request."""

    @abstractmethod
    def feed(self, data: bytes) -> list[Answer]:
        """Answers that `data` completes."""

    @abstractmethod
    def clear(self) -> None:
        """Forget what is incomplete."""


class TcpFraming(Framing):
    """With the header of Modbus TCP, by pymodbus."""

    def __init__(self) -> None:
        self._framer = FramerSocket(DecodePDU(False))
        self._pending = b""
        self.broken = False  # the stream is out of step: only a new connection helps

    def frame(self, pdu: bytes, unit: int, number: int) -> bytes:
        """Bytes of a request."""
        return self._framer.encode(pdu, unit, number)

    def feed(self, data: bytes) -> list[Answer]:
        """Answers that `data` completes."""
        found, pending = [], self._pending + data
        while len(pending) >= FramerSocket.MIN_SIZE:
            if pending[2:4] != b"\0\0" or not 2 <= int.from_bytes(pending[4:6], "big") <= LARGEST - 6:
                self.bad += 1
                self.broken, pending = True, b""
                break
            used, _, number, pdu = self._framer.decode(pending)
            if not used:
                break
            pending = pending[used:]
            answer = answer_of(number, pdu)
            if answer is None:
                self.bad += 1
            else:
                found.append(answer)
        self._pending = pending
        return found

    def clear(self) -> None:
        """Forget what is incomplete."""
        self._pending, self.broken = b"", False


class RtuFraming(Framing):
    """With address and CRC, on a serial line. pymodbus reckons a CRC byte by byte; this one takes a microsecond."""

    def __init__(self, unit: int) -> None:
        self._unit = unit
        self._pending = b""

    def frame(self, pdu: bytes, unit: int, number: int) -> bytes:
        """Bytes of a request."""
        del number
        body = bytes([unit]) + pdu
        return body + crc16(body).to_bytes(2, "little")

    def feed(self, data: bytes) -> list[Answer]:
        """The answer that `data` completes: on a serial line there is one at a time."""
        self._pending += data
        pending = self._pending
        if len(pending) < 5:
            return []
        function = pending[1]
        size = 5 if function & 0x80 else pending[2] + 5 if function in (READ, WRITE_AND_READ) else 8
        if len(pending) < size:
            return []
        body, check = pending[: size - 2], pending[size - 2 : size]
        self.bad += len(pending) > size
        self._pending = b""
        answer = answer_of(0, body[1:])
        if body[0] != self._unit or crc16(body) != int.from_bytes(check, "little") or answer is None:
            self.bad += 1
            return []
        return [answer]

    def clear(self) -> None:
        """Forget what is incomplete: noise, since there is one answer at a time."""
        self.bad += bool(self._pending)
        self._pending = b""
