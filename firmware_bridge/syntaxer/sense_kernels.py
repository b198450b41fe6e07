"""From the port to a sample and from a wrench to the port, in one compiled call each.

On the way in: bytes read, frames, numbers that go round, encoders judged, pose and velocity. On the way out: currents,
a frame, bytes written. What is rare is answered by a number, and the driver sees to it.

A kernel gets the address of a table of arrays and nothing else: handing over a dozen arrays would take longer than all
that is computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import carray, types

from firmware_bridge.syntaxer import kernels as codec
from firmware_bridge.syntaxer import protocol, tick_kernels
from firmware_bridge.syntaxer import session as session_at
from firmware_bridge.syntaxer.messages import AGE_UNKNOWN
from firmware_bridge.syntaxer.protocol import Led, Status, Watchdog
from firmware_bridge.syntaxer.tick_kernels import judge, place_of, unwrap_counts
from station.compiled import Compiler
from station.devices import age, swift
from station.devices.age import delay_of
from station.devices.device import LOST_AFTER
from station.devices.syntaxer.kernels import hot
from station.devices.syntaxer.kernels.layout import OK
from station.devices.velocity.kernels import tick as velocity
from station.mechanism.kernels import memory
from station.mechanism.kernels.memory import Field, view_of

_USED = (hot, velocity)
kernel = Compiler(
    "sense",
    [Path(__file__), Path(str(tick_kernels.__file__)), Path(str(codec.__file__)), Path(str(memory.__file__))],
    uses=[
        *(file for module in _USED for file in Path(str(module.__file__)).parent.glob("*.py")),
        *(Path(str(module.__file__)) for module in (age, swift, session_at, protocol)),
    ],
)

# What a call answers; from JUMPED of tick_kernels on: an encoder is wrong.
FRESH, NOTHING, REPORTS_ERROR, NO_PLACE = 0, -1, -2, -3
UNASKED = -100  # there is no answer that waits to be seen to
OTHER_FRAMES = -4  # something else than STATE has come: see to it, then `sense_sample`
ENDED = -5  # the port has
SLOW = -6  # answers of the device take too long
# What `transmit` answers.
WRITTEN, DROPPED = 0, 1  # DROPPED: the way is blocked; newer bytes will follow

# Places in `session`: whole numbers as reals.
SEQUENCE, TIME = 0, 1  # of the last good sample, without wrap; SEQUENCE -1: none in this session [-, µs]
WATCHING = 2  # 1: there are counts to compare with
ROUND_TRIP = 3  # of the link, as last measured [s]
ECHO, NEWEST_SENT = 4, 5  # command that was last answered, and last sent
PLACE_STATUS, MARGIN = 6, 7  # of the kinematics
STREAMING, UNTAKEN = 8, 9  # 1: the device is known and sends samples; 1: a STATE has come and was not taken yet
DESCRIPTOR = 10  # of the port; -1: bytes are put into `data`, and taken from `wire`, by others
ANSWER = 11  # to `swift_receive`, for the driver to see to; or UNASKED
ENABLED_BY = 12  # sequence of the first command with force; -1: none yet
STUCK_TRAVEL = 13  # of both other arms while one has not moved by a single count [counts]
SESSION = 14

ENTRY = 4  # whole numbers per array in a table: address and up to three sizes
REMEMBERED = 256  # commands whose time of sending is known
SLACK = 64.0  # that a count may jump whatever the time [counts]
MOST_READS = 16  # in one call; what is still there then comes with the next
AGAIN = 11  # EAGAIN: nothing to read, or no room to write


def _real(*shape: int) -> Field:
    return Field(False, shape)


def _whole(*shape: int) -> Field:
    return Field(True, shape)


FIELDS: Mapping[str, Field] = {
    "state": _real(1),  # fields of the newest STATE
    "counts": _whole(1),
    "last": _whole(1),  # counts of the last good sample
    "reach": _real(1),  # fastest change of each count [1/s]
    "travel": _whole(1, 1),
    "chains": _real(1, 1),
    "struts": _real(1, 1),
    "loads": _real(1),
    "home": _whole(1),
    "joints": _real(1),
    "pose": _real(1, 1),
    "arms": _real(1, 1),
    "strings": _real(1, 1),
    "weights": _real(1),
    "velocity_state": _real(1),
    "velocity_settings": _real(1),
    "place": _real(1),
    "velocity": _real(1),
    "sent_at": _real(1),  # [s]
    "session": _real(1),
    "wrench": _real(1),  # on the hand [N, N·m]
    "peak": _real(1),  # currents [A]
    "continuous": _real(1),
    "amperes": _real(1),
    "counters": _whole(1),  # of the codec
    "numbering": _real(1),  # over sessions
    "delay": _real(1),  # of the link
    "numbers": _real(1),  # for compiled callers, see `station.devices.swift`
}
BYTES = ("data", "raw", "others", "wire")  # arrays of bytes; they stand after the fields

_views = {name: view_of(number, field) for number, (name, field) in enumerate(FIELDS.items())}
_state, _counts, _last, _reach = _views["state"], _views["counts"], _views["last"], _views["reach"]
_travel, _chains, _struts, _loads = _views["travel"], _views["chains"], _views["struts"], _views["loads"]
_home, _joints, _pose, _arms = _views["home"], _views["joints"], _views["pose"], _views["arms"]
_strings, _weights, _place, _velocity = _views["strings"], _views["weights"], _views["place"], _views["velocity"]
_velocity_state, _velocity_settings = _views["velocity_state"], _views["velocity_settings"]
_sent_at, _session, _counters = _views["sent_at"], _views["session"], _views["counters"]
_wrench, _peak, _continuous, _amperes = _views["wrench"], _views["peak"], _views["continuous"], _views["amperes"]
_numbering, _delay, _numbers = _views["numbering"], _views["delay"], _views["numbers"]
_drive = hot.drive


def _bytes_at(number: int) -> Callable[[int], Any]:
    """A kernel that gives an array of bytes."""
    first, last = ENTRY * number, ENTRY * (number + 1)

    def view(mem: int) -> Any:
        head = carray(memory._pointer(mem), (last,), np.int64)
        return carray(memory._pointer(head[first]), (head[first + 1],), np.uint8)

    compiled: Callable[[int], Any] = numba.njit(view)
    return compiled


_data, _raw, _others, _wire = (_bytes_at(len(FIELDS) + nth) for nth in range(len(BYTES)))

_sense, _velocity_tick = hot.sense, velocity.velocity_tick
_MICRO = 1e-6
PEAK_SPENT, TRIPPED, GREEN, BLUE = int(Status.PEAK_SPENT), int(Watchdog.TRIPPED), int(Led.GREEN), int(Led.BLUE)

# Named symbols of the C library, which can be kept on disk with what was compiled.
_read = types.ExternalFunction("read", types.intp(types.int32, types.intp, types.intp))
_write = types.ExternalFunction("write", types.intp(types.int32, types.intp, types.intp))
_errno_address = types.ExternalFunction("__errno_location", types.intp())


@kernel
def _blocked() -> bool:
    """Whether a call of the system failed only as it would have had to wait."""
    return bool(carray(memory._pointer(_errno_address()), (1,), np.int32)[0] == AGAIN)


@kernel
def near(value: int, last: int, bits: int) -> int:
    """The whole number closest to `last` whose lowest `bits` are those of `value`."""
    half = 1 << (bits - 1)
    return last + ((value - last + half) & ((1 << bits) - 1)) - half


@kernel
def sense_sample(mem: int, now: float) -> int:
    """Take the newest STATE at `now` [s]; fills counts, pose, velocity and session, and says what became of it."""
    state, session, counts = _state(mem), _session(mem), _counts(mem)
    if session[STREAMING] == 0.0 or session[UNTAKEN] == 0.0:
        return NOTHING
    session[UNTAKEN] = 0.0
    known = session[SEQUENCE] >= 0.0
    sequence = near(int(state[codec.SEQUENCE]), int(session[SEQUENCE]) if known else 0, 16)
    if known and sequence <= int(session[SEQUENCE]):
        return NOTHING
    time = near(int(state[codec.TIME_US]), int(session[TIME]), 32)
    elapsed = (time - int(session[TIME])) * _MICRO
    unwrap_counts(state[codec.COUNTS : codec.CURRENTS], counts)
    if session[WATCHING] == 0.0:
        session[WATCHING] = 1.0
        _last(mem)[:] = counts
    else:
        most = int(session[STUCK_TRAVEL])
        found = judge(counts, _last(mem), _reach(mem), SLACK, elapsed, _travel(mem), most)
        if found != 0:
            return found
    session[SEQUENCE], session[TIME] = sequence, time
    if state[codec.ERROR] != 0.0:
        return REPORTS_ERROR
    _measure_round_trip(mem, now)
    if session[ROUND_TRIP] > LOST_AFTER:
        return SLOW
    status, margin = _sense(
        _chains(mem),
        _struts(mem),
        _loads(mem),
        _home(mem),
        counts,
        _joints(mem),
        _pose(mem),
        _arms(mem),
        _strings(mem),
        _weights(mem),
    )
    session[PLACE_STATUS], session[MARGIN] = status, margin
    if status != OK:
        return NO_PLACE
    place_of(_pose(mem), _place(mem))
    _velocity_tick(_velocity_state(mem), _velocity_settings(mem), time * _MICRO, _place(mem), _velocity(mem))
    _fill_sample(mem, now)
    return FRESH


@kernel
def _fill_sample(mem: int, now: float) -> None:
    """Into `numbers`; sequence and time go on where an earlier session ended."""
    state, session, numbering, numbers = _state(mem), _session(mem), _numbering(mem), _numbers(mem)
    time = session[TIME] * _MICRO
    if numbering[session_at.BEGINS] == 1.0:
        numbering[session_at.BEGINS] = 0.0
        before = numbering[session_at.ARRIVAL]
        if before > -np.inf:
            numbering[session_at.FIRST_NUMBER] = numbers[swift.SEQUENCE] + 1.0 - session[SEQUENCE]
            numbering[session_at.FIRST_TIME] = numbers[swift.DEVICE_TIME] + (now - before) - time
    numbering[session_at.ARRIVAL] = now
    pose, velocity = _pose(mem), _velocity(mem)
    for i in range(4):
        for j in range(4):
            numbers[swift.POSE + 4 * i + j] = pose[i, j]
    for i in range(6):
        numbers[swift.VELOCITY + i] = velocity[i]
    numbers[swift.BUTTONS], numbers[swift.GRIP] = state[codec.BUTTONS], state[codec.GRIP]
    numbers[swift.DEVICE_TIME] = time + numbering[session_at.FIRST_TIME]
    numbers[swift.SEQUENCE] = session[SEQUENCE] + numbering[session_at.FIRST_NUMBER]


@kernel
def swift_receive(mem: int, now: float) -> int:
    """`receive` for compiled callers: what is not usual waits in the session until the driver sees to it."""
    session, numbers = _session(mem), _numbers(mem)
    answer = receive(mem, now)
    if answer == FRESH:
        # What tripped while no force was let through takes nothing away, and needs nobody.
        tripped = _state(mem)[codec.WATCHDOG] == TRIPPED and numbers[swift.FORCE] == 1.0
        if not tripped and not delay_of(_delay(mem), numbers[swift.DEVICE_TIME], now) > LOST_AFTER:
            numbers[swift.HEARD] = now
            return swift.FRESH
    elif answer == NOTHING and not now - numbers[swift.HEARD] > LOST_AFTER:
        return swift.NOTHING_NEW
    session[ANSWER] = answer
    return swift.LOOK


@kernel
def swift_transmit(mem: int, now: float) -> int:
    """`transmit` for compiled callers: as `swift.FORCE` says."""
    push = _numbers(mem)[swift.FORCE] == 1.0
    return swift.SENT if transmit(mem, push, now) != ENDED else swift.NOT_SENT


@kernel
def receive(mem: int, now: float) -> int:
    """Read what has come in until `now` [s] and take the newest STATE; FRESH, or why there is no sample."""
    session, counters, data = _session(mem), _counters(mem), _data(mem)
    descriptor = int(session[DESCRIPTOR])
    before = counters[codec.STATES]
    for _ in range(MOST_READS):
        start = counters[codec.FILLED]
        room = data.size - start
        got = _read(descriptor, data[start:].ctypes.data, room)
        if got == 0 or (got < 0 and not _blocked()):
            return ENDED
        if got < 0:
            break
        codec.decode(data, start + got, _raw(mem), _state(mem), counters, _others(mem))
        if counters[codec.OTHERS] != 0 or got < room:
            break
    if counters[codec.STATES] != before:
        session[UNTAKEN] = 1.0
    return OTHER_FRAMES if counters[codec.OTHERS] != 0 else sense_sample(mem, now)


@kernel
def _measure_round_trip(mem: int, now: float) -> None:
    """From a command to the sample that answers it, without the time that the device had it."""
    state, session = _state(mem), _session(mem)
    sequence, age = int(state[codec.COMMAND_SEQUENCE]), int(state[codec.COMMAND_AGE])
    known = (int(session[NEWEST_SENT]) - sequence) & 0xFFFF < REMEMBERED and age != AGE_UNKNOWN
    sent_at = _sent_at(mem)[sequence % REMEMBERED]  # not a number: none of this connection
    if known and sequence != int(session[ECHO]) and np.isfinite(sent_at):
        session[ROUND_TRIP] = now - sent_at - _MICRO * age
        session[ECHO] = sequence


@kernel
def decode_bytes(mem: int, filled: int) -> None:
    """Take all complete frames out of the first `filled` bytes of `data`, which others have put there."""
    counters = _counters(mem)
    before = counters[codec.STATES]
    codec.decode(_data(mem), filled, _raw(mem), _state(mem), counters, _others(mem))
    if counters[codec.STATES] != before:
        _session(mem)[UNTAKEN] = 1.0


@kernel
def transmit_currents(mem: int, push: bool, led: int, now: float) -> int:
    """Send a COMMAND at `now` [s] with the currents in `amperes`, whoever has put them there."""
    session, amperes, wire = _session(mem), _amperes(mem), _wire(mem)
    sequence = (int(session[NEWEST_SENT]) + 1) & 0xFFFF  # and heartbeat: both have to change
    codec.encode_command(amperes, push, led, sequence, sequence, int(now / _MICRO) & 0xFFFFFFFF, _raw(mem), wire)
    session[NEWEST_SENT] = sequence
    if push and session[ENABLED_BY] < 0.0:
        session[ENABLED_BY] = sequence
    _sent_at(mem)[sequence % REMEMBERED] = now
    if session[DESCRIPTOR] < 0.0:
        return WRITTEN
    written = _write(int(session[DESCRIPTOR]), wire.ctypes.data, wire.size)
    if written == wire.size:
        return WRITTEN
    return DROPPED if written >= 0 or _blocked() else ENDED


@kernel
def transmit(mem: int, push: bool, now: float) -> int:
    """Send a COMMAND at `now` [s]: currents for the wrench in `numbers`, zero if it is not finite; or none.

    The light in the handle is green while the device pushes and a robot follows, else blue.
    """
    wrench, amperes, numbers = _wrench(mem), _amperes(mem), _numbers(mem)
    finite = True
    for i in range(wrench.size):
        wrench[i] = numbers[swift.WRENCH + i]
        finite = finite and np.isfinite(wrench[i])
    if not finite:
        for i in range(wrench.size):
            wrench[i] = 0.0
    if push:
        spent = int(_state(mem)[codec.STATUS]) & PEAK_SPENT != 0  # only currents that the motors bear for long
        _drive(
            _chains(mem),
            _struts(mem),
            _arms(mem),
            _strings(mem),
            _weights(mem),
            _continuous(mem) if spent else _peak(mem),
            1.0,
            wrench,
            amperes,
        )
    else:
        for i in range(amperes.size):
            amperes[i] = 0.0
    return transmit_currents(mem, push, GREEN if push and numbers[swift.STANDS] != 1.0 else BLUE, now)
