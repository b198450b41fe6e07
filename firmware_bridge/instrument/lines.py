"""Bytes of a measuring instrument: one JSON object per line, a question and its answer.

    {"ask": "who"}                    {"instrument": 1, "model": …, "serial_number": …, "measures": "position",
                                       "noise": 5e-05, "turn_noise": 0.0002, "emulated": true}
    {"ask": "measure", "number": 7}   {"number": 7, "position": [x, y, z], "rotation": [9 numbers by rows]}
                                      {"number": 7, "trouble": "the beam is interrupted"}

Metres and radians. A rotation comes only where `measures` is "pose".
"""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.json_reader import JsonError, parse_json

VERSION = 1
LONGEST = 4096  # bytes of a line
POSITION, POSE = "position", "pose"
Floats = NDArray[np.float64]


class About(NamedTuple):
    """What an instrument says of itself."""

    model: str
    serial_number: str
    measures: str  # POSITION or POSE
    noise: float  # of a position, standard deviation per axis [m]
    turn_noise: float  # of a turn, standard deviation per axis [rad]
    emulated: bool = False


class Reading(NamedTuple):
    """Where the target was, as the instrument sees it."""

    position: Floats  # (3,) [m]
    rotation: Floats | None  # (3, 3); None: only positions are measured


def line(message: dict[str, Any]) -> bytes:
    """A message as it goes over the wire."""
    return json.dumps(message, allow_nan=False).encode() + b"\n"


def message_of(data: bytes) -> dict[str, Any] | None:
    """The message of a line; None if it is none."""
    try:
        held = parse_json(data, "a line", LONGEST)
    except JsonError:
        return None
    return held if isinstance(held, dict) else None


def about_line(about: About) -> bytes:
    """The answer to who it is."""
    return line({"instrument": VERSION, **about._asdict()})


def about_of(message: dict[str, Any]) -> About | None:
    """Who it is; None if this is no such answer, or of another version."""
    if message.get("instrument") != VERSION or message.get("measures") not in (POSITION, POSE):
        return None
    noise, turn_noise = (_size(message.get(name, 0.0)) for name in ("noise", "turn_noise"))
    if noise is None or turn_noise is None:
        return None
    names = str(message.get("model", "")), str(message.get("serial_number", ""))
    return About(*names, message["measures"], noise, turn_noise, message.get("emulated") is True)


def reading_line(number: int, reading: Reading) -> bytes:
    """The answer to a measurement."""
    told: dict[str, Any] = {"number": number, "position": reading.position.tolist()}
    if reading.rotation is not None:
        told["rotation"] = reading.rotation.ravel().tolist()
    return line(told)


def reading_of(message: dict[str, Any], measures: str) -> Reading | None:
    """What was measured; None if that is not what the instrument should measure."""
    position = _numbers(message.get("position"), 3)
    if position is None or measures == POSITION:
        return None if position is None else Reading(position, None)
    turn = _numbers(message.get("rotation"), 9)
    if turn is None or np.abs(turn).max() > 2.0:  # squares of more might be no numbers
        return None
    if np.abs(turn.reshape(3, 3) @ turn.reshape(3, 3).T - np.eye(3)).max() > 1e-3:
        return None
    return Reading(position, turn.reshape(3, 3))


def _numbers(value: object, count: int) -> Floats | None:
    if not isinstance(value, list) or len(value) != count or not all(_is_number(one) for one in value):
        return None
    return np.array(value, dtype=np.float64)


def _size(value: Any) -> float | None:
    return float(value) if _is_number(value) and value >= 0.0 else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
