"""From a decoded STATE to a sample, in one compiled call: numbers that go round, encoders judged, pose and velocity.

A kernel gets the address of a table of arrays and nothing else: handing over a dozen arrays would take longer than all
that is computed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

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
}

_views = {name: view_of(number, field) for number, (name, field) in enumerate(FIELDS.items())}
_state, _counts, _last, _reach = _views["state"], _views["counts"], _views["last"], _views["reach"]
_travel, _chains, _struts, _loads = _views["travel"], _views["chains"], _views["struts"], _views["loads"]
_home, _joints, _pose, _arms = _views["home"], _views["joints"], _views["pose"], _views["arms"]
_strings, _weights, _place, _velocity = _views["strings"], _views["weights"], _views["place"], _views["velocity"]
_velocity_state, _velocity_settings = _views["velocity_state"], _views["velocity_settings"]
_sent_at, _session = _views["sent_at"], _views["session"]

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
