"""What is published: a greeting with all that does not change, and states with the newest ticks. Checked on arrival.

Every message has two frames. The first is a header, little-endian: magic `HAPTPUB`, kind, version, joints, hash of the
table of fields, epoch of the station, number of the message. The second depends on the kind:

greeting   JSON: what a part of the station tells of itself, its number and how many there are; the MAD text of the
           scene with the first
state      number of the snapshot, ticks that passed unseen, silence [s], alive, rows; the snapshot; the rows
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from station.json_reader import parse_json
from station.servo.shared.memory import MOST_JOINTS, Words, layout_of
from station.servo.shared.state import table_hash
from station.view.sharing.errors import PublicationError

MAGIC = b"HAPTPUB"
VERSION = 2  # grows when the meaning of something changes
HEADER = struct.Struct("<7sBHHqqq")
STATE = struct.Struct("<qqdBI")
LARGEST = 8 * 1024 * 1024  # of a frame [bytes]
MOST_ROWS = 4096
MOST_PARTS = 256


class Kind(IntEnum):
    """What a message is."""

    GREETING = 1
    STATE = 2


class Header(NamedTuple):
    """The first frame."""

    kind: Kind
    joints: int
    epoch: int  # when the station started this part [ns since 1970]: tells parts apart
    number: int  # of this message, counted by the publisher


@dataclass(frozen=True)
class Greeting:
    """All that does not change while a station runs, of one of its parts."""

    text: Mapping[str, Any]  # what the station tells of itself
    scene: str  # MAD; empty but for the first part
    name: str  # of the scene's file
    part: int = 0  # place among the parts
    parts: int = 1  # that there are


@dataclass(frozen=True)
class State:
    """The newest snapshot, and ticks since the last message, thinned."""

    snapshot: Words
    number: int  # of the publication
    lost: int  # ticks that the publisher did not see
    silence: float  # since the station published [s]
    alive: bool  # whether the station still runs
    rows: Words


def header(kind: Kind, joints: int, epoch: int, number: int, version: int = VERSION) -> bytes:
    """The first frame of a message."""
    return HEADER.pack(MAGIC, kind, version, joints, table_hash(), epoch, number)


def pack_greeting(greeting: Greeting) -> bytes:
    """The second frame of a greeting."""
    data = {
        "text": dict(greeting.text),
        "scene": greeting.scene,
        "name": greeting.name,
        "part": greeting.part,
        "parts": greeting.parts,
    }
    return json.dumps(data).encode()


def pack_state(state: State) -> bytes:
    """The second frame of a state."""
    head = STATE.pack(state.number, state.lost, state.silence, state.alive, len(state.rows))
    return head + state.snapshot.tobytes() + state.rows.tobytes()


def read_header(frames: list[bytes]) -> Header:
    """Check the first frame; raises PublicationError in one line."""
    if len(frames) != 2 or len(frames[0]) != HEADER.size:
        raise PublicationError("what is published there is no station")
    magic, kind, version, joints, table, epoch, number = HEADER.unpack(frames[0])
    if magic != MAGIC:
        raise PublicationError("what is published there is no station")
    if version != VERSION or table != table_hash():
        raise PublicationError(
            f"the station publishes version {version}, this program reads another {VERSION}; "
            "use the same release for both"
        )
    if kind not in (Kind.GREETING, Kind.STATE) or joints > MOST_JOINTS:
        raise PublicationError(f"a message of kind {kind} with {joints} joints makes no sense")
    return Header(Kind(kind), joints, epoch, number)


def read_greeting(data: bytes) -> Greeting:
    """Check and take apart; raises PublicationError in one line."""
    try:
        said = parse_json(data, "a greeting")
        text, scene, name, part, parts = (said[key] for key in ("text", "scene", "name", "part", "parts"))
    except (ValueError, KeyError, TypeError):
        raise PublicationError("a greeting was truncated or damaged on its way") from None
    if not (isinstance(text, dict) and isinstance(scene, str) and isinstance(name, str)):
        raise PublicationError("a greeting was truncated or damaged on its way")
    if not (isinstance(part, int) and isinstance(parts, int) and 0 <= part < parts <= MOST_PARTS):
        raise PublicationError(f"a greeting makes no sense: part {part} of {parts}")
    return Greeting(text, scene, name, part, parts)


def read_state(data: bytes, joints: int) -> State:
    """Check and take apart; raises PublicationError in one line."""
    layout = layout_of(joints)
    if len(data) < STATE.size:
        raise PublicationError(f"a state was truncated: {len(data)} bytes")
    number, lost, silence, alive, rows = STATE.unpack_from(data)
    size = STATE.size + 8 * (layout.snapshot + rows * layout.record)
    if rows > MOST_ROWS or len(data) != size:
        raise PublicationError(f"a state was truncated: {len(data)} bytes for {rows} rows")
    if not silence >= 0.0 or lost < 0:
        raise PublicationError(f"a state makes no sense: {lost} ticks lost, silent for {silence:g} s")
    numbers = np.frombuffer(data, "<i8", offset=STATE.size).astype(np.int64)  # a copy of our own
    return State(
        numbers[: layout.snapshot],
        number,
        lost,
        silence,
        bool(alive),
        numbers[layout.snapshot :].reshape(rows, layout.record),
    )
