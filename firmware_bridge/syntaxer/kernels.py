"""The compiled hot path of the codec: many bytes → newest STATE, and currents → bytes of a COMMAND.

Does what `frames.Decoder` and `messages` do, to the last counter; the plain path stays the reference.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firmware_bridge.syntaxer import protocol
from firmware_bridge.syntaxer.protocol import MOTORS, PAYLOAD_SIZE, MessageType
from station.compiled import Compiler

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

HERE = Path(__file__)
kernel = Compiler("codec", [HERE], uses=[HERE.with_name("protocol.py")])

# Places in the array of the newest STATE, in the order and units of `messages.State`.
SEQUENCE, TIME_US, COMMAND_SEQUENCE, COMMAND_AGE, STATUS, WATCHDOG, ERROR, REFUSED, BUTTONS = range(9)
GRIP, TEMPERATURE, SUPPLY, COUNTS, CURRENTS = 9, 10, 11, 12, 18
STATE_LENGTH = CURRENTS + MOTORS

# Places in the array of counters: those of `frames.Counters`, then what the kernel remembers between calls.
GOOD, STATES, LOST, TORN, TOO_LONG, CRC, UNKNOWN, FOREIGN = range(8)
OTHERS, LAST_STATE, OVERFLOW = 8, 9, 10  # bytes of other frames; newest sequence or -1; whether in too long a chunk
FILLED = 11  # bytes of a frame that is not complete yet
COUNTERS_LENGTH = 12

# Plain numbers, since a compiled function freezes them.
VERSION = protocol.VERSION
HEADER_SIZE = protocol.HEADER_SIZE
RAW_MAX = protocol.RAW_MAX
STUFFED_MAX = protocol.STUFFED_MAX
IDENTITY_PREFIX = protocol.IDENTITY_PREFIX
STATE_TYPE = int(MessageType.STATE)
COMMAND_TYPE = int(MessageType.COMMAND)
HELLO_TYPE = int(MessageType.HELLO)
IDENTITY_TYPE = int(MessageType.IDENTITY)
COMMAND_RAW = HEADER_SIZE + PAYLOAD_SIZE[MessageType.COMMAND] + 2
COMMAND_WIRE = COMMAND_RAW + 2
SIZE_OF_TYPE = np.full(256, -1)
for _type, _size in PAYLOAD_SIZE.items():
    SIZE_OF_TYPE[_type] = _size


@kernel
def crc16(data: Bytes, length: int) -> int:
    """CRC-16/IBM-3740 of the first bytes."""
    crc = 0xFFFF
    for i in range(length):
        mix = (crc >> 8) ^ int(data[i])
        mix ^= mix >> 4
        crc = ((crc << 8) ^ (mix << 12) ^ (mix << 5) ^ mix) & 0xFFFF
    return crc


@kernel
def unstuff(data: Bytes, start: int, end: int, raw: Bytes) -> int:
    """COBS decoding of data[start:end] without zeros in it; the length, or -1 if a code points past the end."""
    at = 0
    place = start
    while place < end:
        code = int(data[place])
        place += 1
        if code - 1 > end - place:
            return -1
        for _ in range(code - 1):
            raw[at] = data[place]
            at += 1
            place += 1
        if code != 0xFF and place < end:
            raw[at] = 0
            at += 1
    return at


@kernel
def word(raw: Bytes, at: int, size: int, signed: bool) -> int:
    """Little-endian number of `size` bytes."""
    value = 0
    for i in range(size):
        value |= int(raw[at + i]) << (8 * i)
    if signed and value >= 1 << (8 * size - 1):
        value -= 1 << (8 * size)
    return value


@kernel
def read_state(raw: Bytes, newest: Floats) -> None:
    """Fields of a STATE frame, in the units of `messages.State`."""
    newest[SEQUENCE] = word(raw, 2, 2, False)
    newest[TIME_US] = word(raw, 4, 4, False)
    newest[COMMAND_SEQUENCE] = word(raw, 8, 2, False)
    newest[COMMAND_AGE] = word(raw, 10, 2, False)
    newest[STATUS] = word(raw, 12, 2, False)
    newest[WATCHDOG] = raw[14]
    newest[ERROR] = raw[15]
    newest[REFUSED] = raw[16]
    newest[BUTTONS] = raw[17]
    newest[GRIP] = word(raw, 18, 2, False) / 65535.0
    newest[TEMPERATURE] = word(raw, 20, 2, True) / 100.0
    newest[SUPPLY] = raw[22] / 4.0
    for i in range(MOTORS):
        newest[COUNTS + i] = word(raw, 23 + 4 * i, 4, True)
        newest[CURRENTS + i] = word(raw, 23 + 4 * MOTORS + 2 * i, 2, True) / 1000.0


@kernel
def count_state(sequence: int, counters: Integers) -> None:
    """Count a STATE, and those that its sequence says are missing."""
    if counters[LAST_STATE] >= 0:
        missing = (sequence - counters[LAST_STATE] - 1) & 0xFFFF
        if missing < 0x8000:
            counters[LOST] += missing
    counters[LAST_STATE] = sequence
    counters[STATES] += 1


@kernel
def take_chunk(
    data: Bytes, start: int, end: int, raw: Bytes, newest: Floats, counters: Integers, others: Bytes
) -> None:
    """Judge what stands between two zeros; STATE goes to `newest`, other good frames go to `others` as they are."""
    if end - start > STUFFED_MAX:
        counters[TOO_LONG] += 1
        return
    length = unstuff(data, start, end, raw)
    if length < HEADER_SIZE + 2:
        counters[TORN] += 1
        return
    if length > RAW_MAX:
        counters[TOO_LONG] += 1
        return
    if crc16(raw, length - 2) != word(raw, length - 2, 2, False):
        counters[CRC] += 1
        return
    kind = raw[1]
    payload = length - HEADER_SIZE - 2
    if raw[0] != VERSION:
        if kind != HELLO_TYPE and (kind != IDENTITY_TYPE or payload < IDENTITY_PREFIX):
            counters[FOREIGN] += 1
            return
    elif SIZE_OF_TYPE[kind] != payload:
        counters[UNKNOWN] += 1
        return
    counters[GOOD] += 1
    if kind == STATE_TYPE:
        count_state(word(raw, 2, 2, False), counters)
        read_state(raw, newest)
        return
    at = counters[OTHERS]
    for i in range(start, end + 1):  # with the ending zero
        others[at] = data[i]
        at += 1
    counters[OTHERS] = at


@kernel
def decode(data: Bytes, filled: int, raw: Bytes, newest: Floats, counters: Integers, others: Bytes) -> None:
    """Take all complete frames out of the first `filled` bytes; the rest moves to the front and is counted as FILLED.

    `raw` is scratch of at least STUFFED_MAX bytes; `others` must be as long as `data`.
    """
    start = 0
    for i in range(filled):
        if data[i] != 0:
            continue
        if counters[OVERFLOW] != 0:
            counters[OVERFLOW] = 0
            counters[TOO_LONG] += 1
        elif i > start:
            take_chunk(data, start, i, raw, newest, counters, others)
        start = i + 1
    rest = filled - start
    if rest > STUFFED_MAX or counters[OVERFLOW] != 0:
        counters[OVERFLOW] = int(rest > 0 or counters[OVERFLOW] != 0)
        rest = 0
    for i in range(rest):
        data[i] = data[start + i]
    counters[FILLED] = rest


@kernel
def encode_command(
    currents: Floats, enable: bool, led: int, heartbeat: int, sequence: int, time_us: int, raw: Bytes, wire: Bytes
) -> int:
    """Wire bytes of a COMMAND with currents [A]; their number is returned. NaN becomes 0, too large the largest."""
    raw[0] = VERSION
    raw[1] = COMMAND_TYPE
    raw[2] = sequence & 0xFF
    raw[3] = (sequence >> 8) & 0xFF
    for i in range(4):
        raw[4 + i] = (time_us >> (8 * i)) & 0xFF
    raw[8] = 1 if enable else 0
    raw[9] = led & 0xFF
    raw[10] = heartbeat & 0xFF
    raw[11] = (heartbeat >> 8) & 0xFF
    for i in range(MOTORS):
        current = currents[i]
        value = 0 if np.isnan(current) else int(np.rint(max(-32.767, min(32.767, current)) * 1000.0))
        raw[12 + 2 * i] = value & 0xFF
        raw[13 + 2 * i] = (value >> 8) & 0xFF
    crc = crc16(raw, COMMAND_RAW - 2)
    raw[COMMAND_RAW - 2] = crc & 0xFF
    raw[COMMAND_RAW - 1] = crc >> 8
    code_at = 0  # stuffing: no run can be longer than a block, so there is one code byte more than there are zeros
    for i in range(COMMAND_RAW):
        wire[1 + i] = raw[i]
        if raw[i] == 0:
            wire[code_at] = 1 + i - code_at
            code_at = 1 + i
    wire[code_at] = 1 + COMMAND_RAW - code_at
    wire[1 + COMMAND_RAW] = 0
    return COMMAND_WIRE
