"""An arm over ZeroMQ in compiled code: bytes of sockets to a sample, a setpoint to bytes.

The messages of every tick (docs/protocol_arm.md), MEASUREMENT and SETPOINT and both with words of a bilateral link, are
read and written here by libzmq's own functions; `stream.py` and `coupled.py` do the same in Python and are the
reference. What is not usual is kept for `ArmController` to see to.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np
import zmq

from firmware_bridge.arm.protocol import CRC_SIZE, MAGIC, MOST_JOINTS, SIZES, VERSION, Given, State, Type
from station.controllers.meter import LinkCounts, count_exchange, count_measurement
from station.controllers.native import RECEIVE, TRANSMIT, ArmSample, ArmSetpoint, NativeArm, Received, Transmitted
from station.kernel import (
    Bytes1,
    CFunction,
    Record,
    RecordAt,
    address_of_array,
    entry,
    field,
    kernel,
    load_real4,
    load_real8,
    load_whole,
    reference,
    store_real4,
    store_real8,
    store_whole,
)

MOST_AT_ONCE = 1024  # messages of one look
ROOM = 4096  # bytes of a message; longer ones are refused
NOT_NOW = int(zmq.NOBLOCK)
NANO = 1e-9  # [s/ns]
LARGEST_REAL4 = 3.4e38
LARGEST_COUNT = 2**32 - 1

# Where numbers stand in messages [bytes].
SESSION, SEQUENCE, TIME = 8, 16, 24  # of the header; in a MEASUREMENT the session is the boot number
SETPOINT_Q = 32
ECHO, HEARD, HEARD_AT, STATE, MEASURED_Q = 32, 40, 48, 56, 64
WRENCH_NUMBERS = 6
HAND_HEAD, HAND_NUMBERS = 16, 12  # bytes before the numbers of 4 bytes, and how many those are


def _crc_table() -> Any:
    table = np.zeros(256, np.int64)
    for number in range(256):
        value = number
        for _ in range(8):
            value = (value >> 1) ^ (0xEDB88320 if value & 1 else 0)
        table[number] = value
    return table


CRC_TABLE = _crc_table()
SIZE_TABLE = np.zeros((256, MOST_JOINTS + 1), np.int64)  # of messages, by type and joints [bytes]
for (_kind, _joints), _size in SIZES.items():
    SIZE_TABLE[_kind, _joints] = _size

_recv = CFunction("i4", "i8", "i8", "i8", "i4")  # socket, place, room, flags
_send = CFunction("i4", "i8", "i8", "i8", "i4")


class ZeroMqMemory(Record):
    """What both kernels work with; n joints."""

    usual: bool = field("", "all is as usual; otherwise nothing is sent, and Python looks at what comes")
    recv: int = field("", "address of zmq_recv")
    send: int = field("", "address of zmq_send")
    measurements: int = field("", "address of the socket; 0: not open")
    setpoints: int = field("", "address of the socket; 0: not open")
    commands: bool = field("", "this station commands, not only watches")
    joints: int
    boot: int = field("", "of the arm")
    session: int
    state: State = field("", "that the arm reported last; another one is for Python to see to")
    numbered: int = field("", "measurements of earlier starts of the arm")
    newest: int = field("", "number of the newest measurement of all")
    last_stamp: int = field("ns", "of what the arm has heard of us")
    last_sent: int = field("", "sequence of the newest setpoint", default=-1)
    heard: float = field("s", "when the last measurement came")
    lost_after: float = field("s", "without a measurement for this long Python has to look")
    kept: int = field("bytes", "of a message in `inbox` that Python has to see; 0: none")
    inbox: Bytes1 = field(shape=ROOM)
    outbox: Bytes1 = field(shape=ROOM)
    counts: LinkCounts = reference("of the link")


_memory_at = RecordAt(ZeroMqMemory)


@functools.cache
def libzmq() -> tuple[int, int] | None:
    """Addresses of zmq_recv and zmq_send of the library that pyzmq uses; None where it hides them."""
    try:
        import zmq.backend.cython._zmq as backend

        library = ctypes.CDLL(str(backend.__file__))  # symbols of what it is linked with are found, too
        places = [ctypes.cast(getattr(library, name), ctypes.c_void_p).value for name in ("zmq_recv", "zmq_send")]
    except (ImportError, OSError, AttributeError):  # another build of pyzmq
        return None
    return int(places[0] or 0), int(places[1] or 0)


@kernel
def crc32(data: Bytes1, size: int) -> int:
    """As zlib's, of the first `size` bytes."""
    value = 0xFFFFFFFF
    for place in range(size):
        value = CRC_TABLE[(value ^ data[place]) & 0xFF] ^ (value >> 8)
    return value ^ 0xFFFFFFFF


@kernel
def _little(data: Bytes1, place: int, size: int) -> int:
    """A whole number without sign of some bytes."""
    value = 0
    for nth in range(size):
        value |= int(data[place + nth]) << (8 * nth)
    return value


@kernel
def _put_little(data: Bytes1, place: int, size: int, value: int) -> None:
    for nth in range(size):
        data[place + nth] = (value >> (8 * nth)) & 0xFF


@entry
def read_measurement(data: Bytes1, size: int, joints: int, sample: ArmSample) -> bool:
    """Numbers of a MEASUREMENT or COUPLED_MEASUREMENT for so many joints into a sample; False if it is not a sound one.

    Times and sequence are left to the caller, who knows whether it is the newest.
    """
    if size < MEASURED_Q or size > data.size:
        return False
    kind = int(data[3])
    coupled = kind == Type.COUPLED_MEASUREMENT
    if (
        not (coupled or kind == Type.MEASUREMENT)
        or _little(data, 0, 2) != MAGIC
        or data[2] != VERSION
        or data[4] != joints
    ):
        return False
    if size != SIZE_TABLE[kind, joints] or _little(data, 6, 2) != size:
        return False
    if (
        crc32(data, size - CRC_SIZE) != _little(data, size - CRC_SIZE, CRC_SIZE)
        or load_whole(address_of_array(data) + SEQUENCE) < 0
    ):
        return False
    return _read_numbers(data, joints, coupled, sample)


@kernel
def _read_numbers(data: Bytes1, joints: int, coupled: bool, sample: ArmSample) -> bool:
    base, given = address_of_array(data), int(data[5])
    v = base + MEASURED_Q + 8 * joints
    effort, wrench = v + 4 * joints, v + 8 * joints
    total = 0.0
    for i in range(joints):
        sample.q[i], sample.v[i] = load_real8(base + MEASURED_Q + 8 * i), load_real4(v + 4 * i)
        sample.effort[i] = load_real4(effort + 4 * i)
        total += sample.q[i] + sample.v[i] + sample.effort[i]
    for i in range(WRENCH_NUMBERS):
        sample.wrench[i] = load_real4(wrench + 4 * i)
        total += sample.wrench[i]
    sample.has_words = coupled
    if coupled:
        total += _read_words(data, wrench + 4 * WRENCH_NUMBERS - base, joints, sample)
    sample.has_velocity, sample.has_effort = given & Given.VELOCITY != 0, given & Given.EFFORT != 0
    sample.has_wrench = given & Given.WRENCH != 0
    sample.echo, sample.controller_time = load_whole(base + ECHO), load_whole(base + TIME) * NANO
    return total - total == 0.0  # all of them are finite


@kernel
def _read_words(data: Bytes1, place: int, joints: int, sample: ArmSample) -> float:
    """What the arm's end of a bilateral link says; returns the sum of its numbers."""
    base, total = address_of_array(data) + place + 8, 0.0
    sample.start, sample.epoch = _little(data, place, 4), _little(data, place + 4, 4)
    for i in range(joints):
        sample.held[i] = load_real4(base + 4 * i)
        total += sample.held[i]
    for i in range(sample.packet.size):
        sample.packet[i] = load_real8(base + 4 * joints + 8 * i)
        total += sample.packet[i]
    return total


@entry
def receive(address: int, sample: ArmSample, now: float) -> int:
    """Take what has come in until `now` [s]; `Received`."""
    memory = _memory_at(address)
    if not memory.usual:
        return Received.LOOK
    counts, inbox = memory.counts, memory.inbox
    answer, place = Received.NOTHING_NEW, address_of_array(inbox)
    for _ in range(MOST_AT_ONCE):
        size = int(_recv(memory.recv, memory.measurements, place, ROOM, NOT_NOW))
        if size < 0:
            break
        usual = size <= ROOM and read_measurement(inbox, size, memory.joints, sample)
        if not usual or load_whole(place + SESSION) != memory.boot or int(inbox[STATE]) != memory.state:
            memory.kept = min(size, ROOM)
            return Received.LOOK
        number, heard = load_whole(place + SEQUENCE), load_whole(place + HEARD)
        if not count_measurement(counts, number, sample.controller_time, now, False):
            continue
        if heard != 0 and heard != memory.last_stamp and memory.commands:
            memory.last_stamp = heard
            heard_at = load_whole(place + HEARD_AT)
            count_exchange(counts, heard * NANO, heard_at * NANO, sample.controller_time, now, True)
        memory.newest = memory.numbered + number
        sample.arrival, sample.sequence, memory.heard = now, memory.newest, now
        answer = Received.FRESH
    if answer != Received.FRESH and now - memory.heard > memory.lost_after:
        return Received.LOOK
    return answer


@entry
def write_setpoint(setpoint: ArmSetpoint, session: int, now: float, data: Bytes1) -> int:
    """Bytes of a SETPOINT or COUPLED_SETPOINT into `data`; how many, 0 if a number is not finite or too large."""
    joints, base = setpoint.q.size, address_of_array(data)
    kind = Type.COUPLED_SETPOINT if setpoint.has_words else Type.SETPOINT
    size, v = SIZE_TABLE[kind, joints], SETPOINT_Q + 8 * joints
    fine = setpoint.sequence >= 0
    for i in range(joints):
        speed = setpoint.v[i] if setpoint.with_velocity else 0.0
        fine = fine and abs(setpoint.q[i]) < np.inf and abs(speed) < LARGEST_REAL4
        store_real8(base + SETPOINT_Q + 8 * i, setpoint.q[i])
        store_real4(base + v + 4 * i, speed)
        store_real4(base + v + 4 * (joints + i), 0.0)
    if setpoint.has_words:
        fine = _write_words(setpoint, data, SETPOINT_Q + 16 * joints) and fine
    if not fine:
        return 0
    _put_little(data, 0, 2, MAGIC)
    data[2], data[3], data[4], data[5] = VERSION, kind, joints, Given.VELOCITY if setpoint.with_velocity else 0
    _put_little(data, 6, 2, size)
    store_whole(base + SESSION, session)
    store_whole(base + SEQUENCE, setpoint.sequence)
    store_whole(base + TIME, int(1e9 * now))
    _put_little(data, size - CRC_SIZE, CRC_SIZE, crc32(data, size - CRC_SIZE))
    return int(size)


@kernel
def _write_words(setpoint: ArmSetpoint, data: Bytes1, place: int) -> bool:
    """What the hand's end of a bilateral link says; False if a number is not finite or too large."""
    base = address_of_array(data) + place + HAND_HEAD
    fine = 0 <= setpoint.start <= LARGEST_COUNT and 0 <= setpoint.epoch <= LARGEST_COUNT
    _put_little(data, place, 4, setpoint.start)
    _put_little(data, place + 4, 4, setpoint.epoch)
    data[place + 8], data[place + 9] = setpoint.method, setpoint.architecture
    for i in range(10, HAND_HEAD):
        data[place + i] = 0
    for i in range(HAND_NUMBERS):
        value = setpoint.straight[(i - 3) // 3, (i - 3) % 3]
        if i < 3:
            value = setpoint.force_scale if i == 0 else setpoint.stiffness if i == 1 else setpoint.impedance
        fine = fine and abs(value) < LARGEST_REAL4
        store_real4(base + 4 * i, value)
    for i in range(setpoint.packet.size):
        fine = fine and abs(setpoint.packet[i]) < np.inf
        store_real8(base + 4 * HAND_NUMBERS + 8 * i, setpoint.packet[i])
    return fine


@entry
def transmit(address: int, setpoint: ArmSetpoint, now: float) -> int:
    """Send a setpoint at `now` [s], at once or not at all; `Transmitted`."""
    memory = _memory_at(address)
    outbox = memory.outbox
    if setpoint.sequence <= memory.last_sent or not (memory.usual and memory.commands):
        return Transmitted.NOT_SENT
    size = write_setpoint(setpoint, memory.session, now, outbox)
    if size == 0 or _send(memory.send, memory.setpoints, address_of_array(outbox), size, NOT_NOW) < 0:
        return Transmitted.NOT_SENT
    memory.last_sent = setpoint.sequence
    return Transmitted.SENT


def signed(number: int) -> int:
    """A word without sign as records keep it."""
    return (number + 2**63) % 2**64 - 2**63


def zeromq_memory(joints: int, counts: LinkCounts) -> ZeroMqMemory | None:
    """For an arm with so many joints, not connected yet; None without libzmq."""
    places = libzmq()
    if places is None:
        return None
    memory = ZeroMqMemory(recv=places[0], send=places[1], joints=joints)
    memory.counts = counts
    return memory


def native_arm(memory: ZeroMqMemory, upkeep_at: float) -> NativeArm:
    """Both kernels, with their memory."""
    return NativeArm(RECEIVE.address_of(receive), TRANSMIT.address_of(transmit), memory.address, upkeep_at)
