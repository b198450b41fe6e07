"""Modbus on a serial line has no numbers: a late answer must not pass for that to the next request."""

from __future__ import annotations

import struct

from fastcrc.crc16 import modbus as crc16

from firmware_bridge.arm.modbus.framing import Answer, RtuFraming, answers, coil_request, read_request, write_request
from firmware_bridge.arm.modbus.lines import Line
from sim_devices.ends import SocketEnd

TIMEOUT = 0.05  # [s]


def said(words: list[int]) -> bytes:
    """An answer of unit 1 to a read."""
    body = struct.pack(">BBB", 1, 4, 2 * len(words)) + struct.pack(f">{len(words)}H", *words)
    return body + struct.pack("<H", crc16(body))


def asking() -> tuple[Line, SocketEnd]:
    end = SocketEnd("line")
    line = Line(end.connect, RtuFraming(1), 1, TIMEOUT)
    line.connect()
    return line, end


def may_send(line: Line) -> bool:
    return line.idle


def test_after_a_timeout_the_line_has_to_be_quiet_first() -> None:
    line, end = asking()
    assert line.send(read_request(0, 1), 0.0)
    assert line.take(0.06) is None
    assert line.timeouts == 1
    assert not may_send(line)
    end.write(said([1024]))
    assert line.take(0.10) is None  # nobody waits for it
    assert not may_send(line)  # and where that came from there may be more
    assert line.take(0.14) is None
    assert not may_send(line)
    assert line.take(0.16) is None
    assert may_send(line)
    assert line.send(read_request(8, 1), 0.16)
    end.write(said([7]))
    answer = line.take(0.17)
    assert answer is not None
    assert answer.data == b"\x00\x07"
    line.disconnect()
    end.close()


def test_an_answer_of_another_length_is_to_something_else() -> None:
    line, end = asking()
    assert line.send(read_request(0, 2), 0.0)
    end.write(said([1024]))
    assert line.take(0.01) is None
    assert line.bad == 1
    end.write(said([1, 2]))
    assert line.take(0.02) is not None
    line.disconnect()
    end.close()


def test_which_answers_fit() -> None:
    assert answers(Answer(0, 16, b"\x00\x05\x00\x01"), write_request(5, b"\x00\x01"))
    assert not answers(Answer(0, 16, b"\x00\x06\x00\x01"), write_request(5, b"\x00\x01"))
    assert answers(Answer(0, 5, b"\x00\x03\xff\x00"), coil_request(3))
    assert answers(Answer(0, 4, b"", 2), read_request(0, 9))  # refused
    assert not answers(Answer(0, 16, b"", 2), read_request(0, 9))
