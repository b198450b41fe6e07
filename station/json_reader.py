"""JSON that comes from outside: files, and messages of other programs. One reader for all of it.

Python's own reader takes `NaN`, makes 1e999 infinite and 10⁴⁰⁰ an integer that fits no float, and runs out of stack in
brackets that are nested deeply. Here all of that is a `JsonError` of one line, before anything is built from it.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from station.errors import StationError

LARGEST = 50_000_000  # bytes of a file
DEEPEST = 64  # brackets within brackets; files of this project have fewer than ten
LOWEST, HIGHEST = -(2**63), 2**64 - 1  # of whole numbers: what 64 bits hold, with a sign or without
MOST_DIGITS = len(str(LOWEST))
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)  # one that never ends reaches to the end
_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # may be half of a character
_STEPS = np.zeros(256, np.int8)
_STEPS[[ord("["), ord("{")]], _STEPS[[ord("]"), ord("}")]] = 1, -1


class JsonError(StationError, ValueError):
    """Text that is no JSON, or more of it than is allowed; one line that says where and what."""


def read_json(path: str | Path, largest: int = LARGEST) -> Any:
    """What a file of JSON holds; an OSError if it cannot be read, a JsonError for what is in it.

    Args:
        path: of the file.
        largest: size that is allowed [bytes].
    """
    with Path(path).open("rb") as file:
        data = file.read(largest + 1)
    return parse_json(data, str(path), largest)


def parse_json(data: str | bytes, where: str, largest: int = LARGEST, line: int = 1) -> Any:
    """What a text of JSON says; a JsonError if it is none, too large or too deep, or has a number that is not finite.

    Args:
        data: the text; bytes are UTF-8.
        where: file or message, for the error.
        largest: size that is allowed [bytes].
        line: of the file, at which the text begins.
    """
    if len(data) > largest:
        raise JsonError(f"{where}: more than {largest:,} bytes of JSON; allowed: {largest:,}")
    try:
        text = data if isinstance(data, str) else data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise JsonError(f"{where}: not UTF-8 at byte {error.start}; allowed: JSON in UTF-8") from None
    _check_depth(text, where, line)
    try:
        value = json.loads(text, parse_float=_real, parse_int=_whole, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        place = f"{where}:{line + error.lineno - 1}:{error.colno}"
        raise JsonError(f"{place}: no JSON: {error.msg.lower()}") from None
    except ValueError as error:
        raise JsonError(f"{where}: {error}") from None
    if _HALF.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise JsonError(f"{where}: half a character in \\u escapes; allowed: whole characters") from None
    return value


def _check_depth(text: str, where: str, line: int) -> None:
    if text.count("[") + text.count("{") <= DEEPEST:
        return
    bare = _STRING.sub(lambda found: " " * (found.end() - found.start()), text)  # brackets in strings do not count
    steps = _STEPS[np.frombuffer(bare.encode("latin-1", "replace"), np.uint8)]  # one byte for each letter
    deep = np.cumsum(steps, dtype=np.int32) > DEEPEST
    if deep.any():
        before = text[: int(np.argmax(deep))]
        column = len(before) - (before.rfind("\n") + 1) + 1
        place = f"{where}:{line + before.count(chr(10))}:{column}"
        raise JsonError(f"{place}: brackets more than {DEEPEST} deep; allowed: {DEEPEST}")


def _real(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refuse(text)


def _whole(text: str) -> int:
    value = int(text) if len(text) <= MOST_DIGITS else HIGHEST + 1
    return value if LOWEST <= value <= HIGHEST else _refuse(text)


def _refuse(text: str) -> NoReturn:
    shown = text if len(text) <= 24 else f"{text[:20]}…"
    raise ValueError(f"the number {shown}; allowed: finite numbers, whole ones of at most 64 bits")
