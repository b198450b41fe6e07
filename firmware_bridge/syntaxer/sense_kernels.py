"""From bytes to a sample and from a wrench to bytes, in few compiled calls.

On the way in: frames, numbers that go round, encoders judged, pose and velocity. On the way out: currents, a frame.

A kernel gets the address of a table of arrays and nothing else: handing over a dozen arrays would take longer than all
that is computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import carray

from firmware_bridge.syntaxer import kernels as codec
from firmware_bridge.syntaxer import tick_kernels
from firmware_bridge.syntaxer.messages import AGE_UNKNOWN
from firmware_bridge.syntaxer.tick_kernels import judge, place_of, unwrap_counts
from station.compiled import Compiler
from station.devices.syntaxer.kernels import hot
from station.devices.syntaxer.kernels.layout import OK
from station.devices.velocity.kernels import tick as velocity
from station.mechanism.kernels import memory
from station.mechanism.kernels.memory import Field, view_of

_USED = (hot, velocity)
kernel = Compiler(
    "sense",
    [Path(__file__), Path(str(tick_kernels.__file__)), Path(str(codec.__file__)), Path(str(memory.__file__))],
    uses=[file for module in _USED for file in Path(str(module.__file__)).parent.glob("*.py")],
)

# What a call answers; from JUMPED of tick_kernels on: an encoder is wrong.
FRESH, REPEATED, REPORTS_ERROR, NO_PLACE = 0, -1, -2, -3

# Places in `session`: whole numbers as reals.
SEQUENCE, TIME = 0, 1  # of the last good sample, without wrap; SEQUENCE -1: none in this session [-, µs]
WATCHING = 2  # 1: there are counts to compare with
ROUND_TRIP = 3  # of the link, as last measured [s]
ECHO, NEWEST_SENT = 4, 5  # command that was last answered, and last sent
PLACE_STATUS, MARGIN = 6, 7  # of the kinematics
SESSION = 8

ENTRY = 4  # whole numbers per array in a table: address and up to three sizes
REMEMBERED = 256  # commands whose time of sending is known
SLACK = 64.0  # that a count may jump whatever the time [counts]
STUCK_TRAVEL = 1500  # of both other arms, 17° each, while one has not moved by a single count [counts]


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


@kernel
def near(value: int, last: int, bits: int) -> int:
    """The whole number closest to `last` whose lowest `bits` are those of `value`."""
    half = 1 << (bits - 1)
    return last + ((value - last + half) & ((1 << bits) - 1)) - half


@kernel
def sense_sample(mem: int, now: float) -> int:
    """Take the newest STATE at `now` [s]; fills counts, pose, velocity and session, and says what became of it."""
    state, session, counts = _state(mem), _session(mem), _counts(mem)
    known = session[SEQUENCE] >= 0.0
    sequence = near(int(state[codec.SEQUENCE]), int(session[SEQUENCE]) if known else 0, 16)
    if known and sequence <= int(session[SEQUENCE]):
        return REPEATED
    time = near(int(state[codec.TIME_US]), int(session[TIME]), 32)
    elapsed = (time - int(session[TIME])) * _MICRO
    unwrap_counts(state[codec.COUNTS : codec.CURRENTS], counts)
    if session[WATCHING] == 0.0:
        session[WATCHING] = 1.0
        _last(mem)[:] = counts
    else:
        found = judge(counts, _last(mem), _reach(mem), SLACK, elapsed, _travel(mem), STUCK_TRAVEL)
        if found != 0:
            return found
    session[SEQUENCE], session[TIME] = sequence, time
    if state[codec.ERROR] != 0.0:
        return REPORTS_ERROR
    _measure_round_trip(mem, now)
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
    return FRESH


@kernel
def _measure_round_trip(mem: int, now: float) -> None:
    """From a command to the sample that answers it, without the time that the device had it."""
    state, session = _state(mem), _session(mem)
    sequence, age = int(state[codec.COMMAND_SEQUENCE]), int(state[codec.COMMAND_AGE])
    known = (int(session[NEWEST_SENT]) - sequence) & 0xFFFF < REMEMBERED and age != AGE_UNKNOWN
    if known and sequence != int(session[ECHO]):
        session[ROUND_TRIP] = now - _sent_at(mem)[sequence % REMEMBERED] - _MICRO * age
        session[ECHO] = sequence


@kernel
def decode_bytes(mem: int, filled: int) -> int:
    """Take all complete frames out of the first `filled` bytes of `data`; returns how many bytes are left."""
    return codec.decode(_data(mem), filled, _raw(mem), _state(mem), _counters(mem), _others(mem))


@kernel
def write_command(mem: int, push: bool, for_long: bool, led: int, heartbeat: int, sequence: int, time_us: int) -> None:
    """Bytes of a COMMAND into `wire`: currents for the wrench in the table, or none if not to `push`."""
    amperes = _amperes(mem)
    if push:
        _drive(
            _chains(mem),
            _struts(mem),
            _arms(mem),
            _strings(mem),
            _weights(mem),
            _continuous(mem) if for_long else _peak(mem),
            1.0,
            _wrench(mem),
            amperes,
        )
    else:
        for i in range(amperes.size):
            amperes[i] = 0.0
    codec.encode_command(amperes, push, led, heartbeat, sequence, time_us, _raw(mem), _wire(mem))
